// What must be known before the first node is written: the declarations.
#ifndef HEAPGLOT_WRITERS_DRAFT_DRAFT_SURVEY_H_
#define HEAPGLOT_WRITERS_DRAFT_DRAFT_SURVEY_H_

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/draft/draft_record_writer.h"
#include "core/draft/draft_schema.h"
#include "core/text/string_texts.h"
#include "heapglot/stream.h"

namespace heapglot::draft {

class Declarations {
 public:
  // Takes a chunk of the survey.
  void Add(const pb::Chunk& chunk);
  // Whether there are more kinds of nodes or edges than a reader accepts.
  bool AreTooMany() const {
    return kinds_[0].size() > kMaxTypes || kinds_[1].size() > kMaxTypes;
  }
  // Ends the survey; all below is valid from then on.
  void Finish();

  void Write(RecordWriter* out) const;

  const Type& node() const { return *node_; }
  const Type& edge() const { return *edge_; }
  const Type& string() const { return *string_; }
  const Type* graph() const { return graph_; }
  const Type* schema() const { return schema_type_; }
  const Type* word() const { return word_; }
  const Type* type_field() const { return type_field_; }
  const Type* extra() const { return extra_; }
  const Type* value() const { return value_; }
  const Type* column() const { return column_; }  // nullptr: there are none
  const Type* table(std::size_t number) const { return tables_[number]; }
  const Subtype* NodeSubtype(std::uint32_t kind) const {
    return kind < node_subtypes_.size() ? node_subtypes_[kind]
                                        : node_subtypes_.front();
  }
  const Subtype* EdgeSubtype(std::uint32_t kind) const {
    return kind < edge_subtypes_.size() ? edge_subtypes_[kind]
                                        : edge_subtypes_.front();
  }
  // Whether the nodes of a graph, by ordinal, have ids.
  bool HasNodeIds(std::uint64_t graph) const { return has_node_ids_[graph]; }
  const pb::Header& header() const { return header_; }
  const FileTraits& traits() const { return traits_; }
  std::uint64_t strings() const { return strings_; }

 private:
  struct Kind {
    std::uint64_t name = 0;
    std::uint32_t known = 0;
  };
  void AddVocabulary(const pb::Vocabulary& vocabulary);
  void AddNodes(const pb::Nodes& nodes);
  void NoteValues(const pb::Nodes& nodes);
  void AddTable(const pb::Chunk& chunk);
  // Adds the field of the draft that holds the value of such a node.
  void AddNaturalField(std::uint32_t known, std::string_view subtype,
                       std::vector<Field>* fields) const;
  void DeclareNodes();
  void DeclareEdges();
  void DeclareSchema();
  void DeclareRest();
  void DeclareTables();
  const Type* DeclareTable(const Table& table, std::uint64_t code);
  const Type* DeclareGraph();
  // "hg." and a name that no other subtype has.
  std::string OwnName(std::uint64_t name, std::uint64_t row, Type& of);

  pb::Header header_;
  std::uint64_t graphs_ = 0;
  FileTraits traits_;
  std::uint64_t strings_ = 1;
  bool has_dangling_ = false;
  std::vector<bool> has_node_ids_;  // by graph
  bool has_columns_ = false;  // that only one format has; of edges: may have
  StringTexts texts_{64};
  std::array<std::vector<Kind>, 2> kinds_;  // of nodes, of edges
  std::array<std::uint64_t, 2> rows_{};     // in this graph so far
  std::set<Role> node_roles_;               // that some node needs
  bool has_addresses_ = false;              // of native memory
  std::optional<FieldType> timestamp_;      // of dates
  std::set<int> used_;                      // tables (by body) with rows
  std::set<std::pair<int, int>> columns_;   // by body and field
  std::set<int> graph_fields_;

  Schema schema_;
  Type* node_ = nullptr;
  Type* edge_ = nullptr;
  Type* string_ = nullptr;
  const Type* graph_ = nullptr;
  const Type* schema_type_ = nullptr;
  const Type* word_ = nullptr;
  const Type* type_field_ = nullptr;
  const Type* extra_ = nullptr;
  const Type* value_ = nullptr;
  const Type* column_ = nullptr;
  std::array<const Type*, kTableCount> tables_{};
  std::vector<const Subtype*> node_subtypes_;
  std::vector<const Subtype*> edge_subtypes_;
};

}  // namespace heapglot::draft

#endif  // HEAPGLOT_WRITERS_DRAFT_DRAFT_SURVEY_H_
