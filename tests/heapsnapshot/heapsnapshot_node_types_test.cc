#include "readers/heapsnapshot/heapsnapshot_node_types.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "heapglot/stream.h"

namespace heapglot::heapsnapshot {
namespace {

constexpr std::uint64_t kFirstString = 1000;

struct Nodes {
  std::vector<std::uint32_t> kinds;
  std::vector<std::uint64_t> names;
};

struct Columns {
  explicit Columns(std::size_t rows)
      : type_refs(rows), value_forms(rows), values(rows) {}

  std::vector<std::uint64_t> type_refs;
  std::vector<std::uint32_t> value_forms;
  std::vector<std::uint64_t> values;

  bool operator==(const Columns&) const = default;
};

// The definition, implemented literally. Returns whether there is a text.
bool Expected(const NodeTypeRules& rules, const Nodes& nodes,
              Columns* columns) {
  bool has_text = false;
  for (std::size_t row = 0; row < nodes.kinds.size(); ++row) {
    const NodeTypeRule& rule = rules.of_kind[nodes.kinds[row]];
    const std::uint64_t name = nodes.names[row];
    std::uint64_t rank = 0;
    for (std::uint64_t i = 0; i < name && i < rules.class_names.size(); ++i)
      rank += rules.class_names.Has(i) ? 1 : 0;
    columns->type_refs[row] = rule.type_ref + (rule.is_ranked ? rank : 0);
    const bool is_text = rule.has_text && name != rule.no_text;
    columns->value_forms[row] = is_text ? pb::V_UTF8 : pb::V_NONE;
    columns->values[row] = is_text ? kFirstString + name : 0;
    has_text = has_text || is_text;
  }
  return has_text;
}

void ExpectAllAgree(const NodeTypeRules& rules, const Nodes& nodes) {
  const std::size_t rows = nodes.kinds.size();
  Columns expected(rows);
  const bool has_text = Expected(rules, nodes, &expected);
  for (const SetNodeTypesVariant& way : SetNodeTypesVariants()) {
    Columns columns(rows);
    EXPECT_EQ(way.set(rules, rows,
                      {nodes.kinds.data(), nodes.names.data(),
                       columns.type_refs.data(), columns.value_forms.data(),
                       columns.values.data()}),
              has_text)
        << way.name;
    EXPECT_EQ(columns, expected) << way.name << ", " << rows << " nodes";
  }
}

TEST(HeapsnapshotNodeTypes, AllWaysSetTheSame) {
  std::mt19937_64 random(1);
  for (const std::uint64_t strings : {0, 1, 63, 64, 511, 512, 3000}) {
    RankBitmap class_names(strings);
    for (std::uint64_t i = 0; i < strings; ++i)
      class_names.AddIf(random() % 3 == 0, i);
    class_names.BuildRanks();
    for (const std::size_t kinds : {1, 8, 15, 16, 17, 40}) {
      std::vector<NodeTypeRule> rules(kinds);
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        rules[kind] = {.type_ref = random() % 100,
                       .is_ranked = random() % 2 == 0,
                       .has_text = random() % 2 == 0};
        if (random() % 2 == 0) rules[kind].no_text = random() % 4;
      }
      for (std::size_t rows = 0; rows < 40; ++rows) {
        Nodes nodes;
        for (std::size_t row = 0; row < rows; ++row) {
          nodes.kinds.push_back(static_cast<std::uint32_t>(random() % kinds));
          // A file may change while it is read, so that such strings do not
          // exist.
          nodes.names.push_back(random() % 50 == 0
                                    ? ~std::uint64_t{0} - random() % 2
                                    : random() % (strings + 5));
        }
        ExpectAllAgree({rules, class_names, kFirstString}, nodes);
      }
    }
  }
}

TEST(HeapsnapshotNodeTypes, NoNodeNeedsToHaveAText) {
  RankBitmap class_names(1);
  class_names.BuildRanks();
  std::vector<NodeTypeRule> rules(2);
  rules[1] = {.has_text = true, .no_text = 0};
  Nodes nodes = {std::vector<std::uint32_t>(20, 1),
                 std::vector<std::uint64_t>(20, 0)};
  ExpectAllAgree({rules, class_names, kFirstString}, nodes);
  for (const std::size_t row : {std::size_t{0}, std::size_t{19}}) {
    nodes.names.assign(20, 0);
    nodes.names[row] = 1;
    ExpectAllAgree({rules, class_names, kFirstString}, nodes);
  }
}

}  // namespace
}  // namespace heapglot::heapsnapshot
