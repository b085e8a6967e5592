// The rules for tables other than nodes and edges.
#include <optional>
#include <string>
#include <string_view>

#include "core/check_sink.h"
#include "core/column.h"
#include "core/ir/word_count.h"
#include "core/saturating.h"

namespace heapglot {
namespace {

using Body = pb::Chunk::BodyCase;
using Space = IndexSpace;

std::uint64_t Sum(const google::protobuf::RepeatedField<std::uint32_t>& terms) {
  std::uint64_t sum = 0;
  for (const std::uint32_t term : terms) sum += term;
  return sum;
}

bool IsKnownKind(pb::Vocabulary::Space space, std::uint32_t known) {
  const int value = static_cast<int>(known);
  switch (space) {
    case pb::Vocabulary::NODE_KIND:
      return pb::NodeKind_IsValid(value);
    case pb::Vocabulary::EDGE_KIND:
      return pb::EdgeKind_IsValid(value);
    case pb::Vocabulary::ROOT_KIND:
      return pb::RootKind_IsValid(value);
    default:
      return value == 0;
  }
}

// The space that an owner is an index into; none for the graph, which has only
// one owner.
std::optional<Space> OwnersOf(pb::Values::Owner space) {
  switch (space) {
    case pb::Values::OF_NODE:
      return Space::kNodes;
    case pb::Values::OF_EDGE:
      return Space::kEdges;
    case pb::Values::OF_TYPE:
      return Space::kTypes;
    case pb::Values::OF_ROOT:
      return Space::kRoots;
    case pb::Values::OF_STRING:
      return Space::kStrings;
    default:
      return std::nullopt;
  }
}

}  // namespace

// ------------------------------------------------------------ words and types

Status CheckSink::CheckVocabulary(const pb::Vocabulary& vocabulary) {
  const pb::Vocabulary::Space space = vocabulary.space();
  if (!pb::Vocabulary::Space_IsValid(space)) return Wrong("unknown space");
  const int rows = WordCount(vocabulary);
  HEAPGLOT_RETURN_IF_ERROR(CheckCount(rows));
  HEAPGLOT_RETURN_IF_ERROR(CheckColumns(vocabulary, rows));
  if (space != pb::Vocabulary::EDGE_KIND &&
      (vocabulary.name_form_size() != 0 || vocabulary.edge_flags_size() != 0)) {
    return Wrong("name_form and edge_flags are for kinds of edge");
  }
  for (int i = 0; i < rows; ++i) {
    const Kind kind = {.known = At(vocabulary.known(), i),
                       .name_form = At(vocabulary.name_form(), i)};
    if (!IsKnownKind(space, kind.known)) {
      return Wrong("known is " + std::to_string(kind.known));
    }
    if (!pb::NameForm_IsValid(static_cast<int>(kind.name_form))) {
      return Wrong("name_form is " + std::to_string(kind.name_form));
    }
    kinds_[space].push_back(kind);
    HEAPGLOT_RETURN_IF_ERROR(CheckName(At(vocabulary.name(), i), "name"));
    NoteIndex(Space::kStrings, At(vocabulary.name(), i), "name");
  }
  edge_totals_.Add(vocabulary);
  return {};
}

Status CheckSink::CheckStrings(const pb::Strings& strings) {
  const int rows = strings.length_size();
  HEAPGLOT_RETURN_IF_ERROR(CheckCount(rows));
  // A string that continues has the same index again.
  const std::uint64_t expected = string_continued_ ? strings_ - 1 : strings_;
  // Names may come without the strings between them.
  const bool has_gaps = !wanted_.Has(Body::kStrings) && !string_continued_ &&
                        strings.first() > expected;
  if (strings.first() != expected && !has_gaps) {
    return Wrong("first is " + std::to_string(strings.first()) + ", expected " +
                 std::to_string(expected));
  }
  if (rows == 0 && (string_continued_ || strings.continued())) {
    return Wrong("there is no string that could go on");
  }
  HEAPGLOT_RETURN_IF_ERROR(CheckColumns(strings, rows));
  if (Sum(strings.length()) != strings.data().size()) {
    return Wrong("the lengths add up to " +
                 std::to_string(Sum(strings.length())) + ", but there are " +
                 std::to_string(strings.data().size()) + " bytes");
  }
  std::string_view rest = strings.data();
  for (int i = 0; i < rows; ++i) {
    const std::string_view text = rest.substr(0, strings.length(i));
    rest.remove_prefix(text.size());
    HEAPGLOT_RETURN_IF_ERROR(
        CheckText(text, At(strings.encoding(), i), "a string"));
  }
  HEAPGLOT_RETURN_IF_ERROR(CheckPieces(strings));
  const std::uint64_t first = strings.first();
  strings_ = first + rows;
  if (strings.names() && rows != 0) {
    if (!names_.empty() && names_.back().second >= first) {
      names_.back().second = strings_;
    } else {
      names_.emplace_back(first, strings_);
    }
  }
  return {};
}

// The first string of a chunk may continue the last one of the chunk before,
// and its last one may continue in the next. The halves of a surrogate pair,
// each of them WTF-8, are not WTF-8 when joined.
Status CheckSink::CheckPieces(const pb::Strings& strings) {
  const int rows = strings.length_size();
  if (string_continued_ && strings.names() != string_is_name_)
    return Wrong("a string goes on in a chunk with another `names`");
  const auto is_surrogate = [](std::string_view bytes, int upper_bits) {
    return bytes[0] == '\xed' && (bytes[1] & 0xf0) == upper_bits;
  };
  const std::string_view data = strings.data();
  const bool begins_with_half = rows != 0 && strings.length(0) != 0 &&
                                At(strings.encoding(), 0) == pb::WTF8 &&
                                is_surrogate(data, 0xb0);
  if (string_continued_ && string_ends_with_half_ && begins_with_half)
    return Wrong("a pair of surrogates is cut in two");
  const bool is_empty_piece = string_continued_ && rows == 1 && data.empty();
  if (!is_empty_piece) {
    string_ends_with_half_ = strings.continued() &&
                             At(strings.encoding(), rows - 1) == pb::WTF8 &&
                             strings.length(rows - 1) != 0 &&
                             is_surrogate(data.substr(data.size() - 3), 0xa0);
  }
  string_is_name_ = strings.names();
  string_continued_ = strings.continued();
  return {};
}

Status CheckSink::CheckTypes(const pb::Types& types) {
  for (const auto* names :
       {&types.name(), &types.library_name(), &types.library_uri(),
        &types.reserved(), &types.module(), &types.field_name(),
        &types.field_reserved()}) {
    for (const std::uint64_t name : *names) {
      HEAPGLOT_RETURN_IF_ERROR(CheckName(name, "a name"));
    }
  }
  for (const std::uint32_t type : types.field_type()) {
    if (!pb::BasicType_IsValid(static_cast<int>(type))) {
      return Wrong("field_type is " + std::to_string(type));
    }
  }
  return {};
}

// --------------------------------------------------------------- other tables

Status CheckSink::CheckRoots(const pb::Roots& roots) {
  for (int i = 0; i < static_cast<int>(roots.count()); ++i) {
    HEAPGLOT_RETURN_IF_ERROR(
        CheckTarget(At(roots.to_form(), i), At(roots.to(), i)));
    HEAPGLOT_RETURN_IF_ERROR(
        CheckKind(pb::Vocabulary::ROOT_KIND, At(roots.kind(), i)));
  }
  return {};
}

Status CheckSink::CheckValues(const pb::Values& values) {
  const pb::Values::Owner space = values.owner_space();
  if (!pb::Values::Owner_IsValid(space)) return Wrong("unknown owner_space");
  const std::optional<Space> owners = OwnersOf(space);
  for (int i = 0; i < static_cast<int>(values.count()); ++i) {
    const std::uint64_t owner = At(values.owner(), i);
    if (owner < last_owner_[space]) {
      return Wrong("owner " + std::to_string(owner) + " comes after owner " +
                   std::to_string(last_owner_[space]));
    }
    last_owner_[space] = owner;
    if (owners) {
      NoteIndex(*owners, owner, "owner");
    } else if (owner != 0) {
      return Wrong("the graph is owner 0");
    }
    HEAPGLOT_RETURN_IF_ERROR(CheckValue(
        At(values.form(), i), At(values.value(), i), At(values.encoding(), i)));
  }
  return {};
}

Status CheckSink::CheckExternals(const pb::Externals& externals) {
  for (int i = 0; i < static_cast<int>(externals.count()); ++i) {
    HEAPGLOT_RETURN_IF_ERROR(
        CheckTarget(At(externals.to_form(), i), At(externals.to(), i)));
    external_size_ = AddSaturating(external_size_, At(externals.size(), i));
  }
  return {};
}

Status CheckSink::CheckLocations(const pb::Locations& locations) {
  for (int i = 0; i < static_cast<int>(locations.count()); ++i) {
    HEAPGLOT_RETURN_IF_ERROR(
        CheckTarget(At(locations.to_form(), i), At(locations.to(), i)));
  }
  return {};
}

// Every node announces its number of children; depth does not matter.
Status CheckSink::CheckTraceNodes(const pb::TraceNodes& nodes) {
  for (int i = 0; i < static_cast<int>(nodes.count()); ++i) {
    if (trace_open_ != 0) --trace_open_;
    trace_open_ = AddSaturating(trace_open_, At(nodes.child_count(), i));
  }
  return {};
}

Status CheckSink::CheckMetadata(const pb::Metadata& metadata) {
  HEAPGLOT_RETURN_IF_ERROR(CheckCount(metadata.entry_size()));
  for (const pb::Metadata::Entry& entry : metadata.entry()) {
    HEAPGLOT_RETURN_IF_ERROR(
        CheckText(entry.key().data(), entry.key().encoding(), "a key"));
    HEAPGLOT_RETURN_IF_ERROR(
        CheckText(entry.value().data(), entry.value().encoding(), "a value"));
  }
  return {};
}

Status CheckSink::CheckExtra(const pb::Extra& extra) {
  extra_continued_ = extra.continued();
  return {};
}

Status CheckSink::CheckExtraTable(const pb::ExtraTable& table) {
  HEAPGLOT_RETURN_IF_ERROR(CheckCount(table.count()));
  // Several tables share this kind of chunk, told apart by name.
  std::uint64_t& rows = extra_rows_[table.name()];
  if (table.first() == 0 && !GraphBoundsKnown()) rows = 0;
  if (table.first() != rows) {
    return Wrong("first of " + table.name() + " is " +
                 std::to_string(table.first()) + " after " +
                 std::to_string(rows) + " rows");
  }
  rows += table.count();
  return CheckColumns(table, table.count());
}

Status CheckSink::CheckRecordOrder(const pb::RecordOrder& order) {
  if (order.body_size() == order.run_size()) return {};
  return Wrong("there are " + std::to_string(order.body_size()) +
               " bodies and " + std::to_string(order.run_size()) + " runs");
}

// --------------------------------------------------------- the source's image

Status CheckSink::CheckSourceImage(const pb::SourceImage& image) {
  if (image_.begun && !image_.continued) {
    return Wrong("it follows the last piece");
  }
  if (!image_.begun) {
    if (!pb::SourceImage::Method_IsValid(image.method())) {
      return Wrong("unknown method");
    }
    image_ = {.begun = true,
              .is_behind = graphs_ != 0,
              .method = image.method(),
              .size = image.size()};
  } else if (image.method() != 0 || image.size() != 0 ||
             !image.profile().empty() || !image.sha256().empty() ||
             !image.xxh3_128().empty()) {
    return Wrong("only the first piece has a method, profile, size or digest");
  }
  image_.continued = image.continued();
  if (image.copy_size() != image.remove_size() ||
      image.copy_size() != image.insert_size()) {
    return Wrong("its copy, remove and insert differ in length");
  }
  if (image.copy_size() != 0 && image_.method != pb::SourceImage::PATCHED) {
    return Wrong("patches are for the method PATCHED");
  }
  for (int i = 0; i < image.copy_size(); ++i) {
    image_.copied = AddSaturating(image_.copied, image.copy(i));
    image_.inserted = AddSaturating(image_.inserted, image.insert(i));
  }
  image_.data += image.data().size();
  return image.continued() ? Status() : CheckSourceImageEnd();
}

Status CheckSink::CheckSourceImageEnd() const {
  if (!image_.begun || !wanted_.Has(Body::kSourceImage)) return {};
  if (image_.continued) return Wrong("the source's image is not whole");
  const bool is_patched = image_.method == pb::SourceImage::PATCHED;
  const std::uint64_t expected = image_.method == pb::SourceImage::EMBEDDED
                                     ? image_.size
                                 : is_patched ? image_.inserted
                                              : 0;
  if (image_.data != expected) {
    return Wrong("the source's image has " + std::to_string(image_.data) +
                 " bytes of data, expected " + std::to_string(expected));
  }
  if (is_patched &&
      AddSaturating(image_.copied, image_.inserted) > image_.size) {
    return Wrong("the patches make more than the " +
                 std::to_string(image_.size) + " bytes of the source");
  }
  return {};
}

}  // namespace heapglot
