// Measures the inner loops for the arrays of integers of a heap snapshot, in
// every variant, against memcpy of as many bytes and what other libraries have
// for them; and the prediction of edges, as in a heapir:
// build/bench/bench/kernels --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/ir/edge_prediction.h"
#include "core/text/format_rows.h"
#include "core/text/scan_uints.h"

namespace {

using Numbers = std::vector<std::uint64_t>;

constexpr std::size_t kNodes = 400'000;
constexpr std::size_t kNodeFields = 7;
constexpr std::size_t kEdgeFields = 3;

// A number; small ones are frequent, as in sizes and counts.
std::uint64_t Skewed(std::mt19937_64& random, unsigned max_bits) {
  return random() >> (64 - 1 - random() % max_bits);
}

// Rows of nodes like those of a V8 heap.
Numbers MakeNodes() {
  std::mt19937_64 random(1);
  Numbers nodes;
  for (std::uint64_t i = 0; i < kNodes; ++i) {
    const std::uint64_t row[kNodeFields] = {random() % 15,
                                            random() % 130'000,
                                            2 * i + 1,
                                            random() % 28 * 8,
                                            random() % 8,
                                            0,
                                            0};
    nodes.insert(nodes.end(), std::begin(row), std::end(row));
  }
  return nodes;
}

// Rows of edges, with the targets of a heap of `nodes` nodes.
Numbers MakeEdges(std::uint64_t nodes) {
  std::mt19937_64 random(2);
  Numbers edges;
  for (std::uint64_t i = 0; i < 3 * kNodes; ++i) {
    const std::uint64_t type = random() % 4;
    const std::uint64_t name =
        type == 1 ? Skewed(random, 8) : random() % 130'000;
    const std::uint64_t row[kEdgeFields] = {type, name,
                                            random() % nodes * kNodeFields};
    edges.insert(edges.end(), std::begin(row), std::end(row));
  }
  return edges;
}

std::string ToText(const Numbers& numbers, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += i % width == 0 ? "\n," : ",";
    text += std::to_string(numbers[i]);
  }
  return text;
}

struct Array {
  const char* name;
  std::size_t width;
  Numbers numbers;
  std::string text;  // without brackets
};

const std::vector<Array>& Arrays() {
  static const std::vector<Array> arrays = [] {
    std::vector<Array> all = {
        {"nodes", kNodeFields, MakeNodes(), ""},
        {"edges", kEdgeFields, MakeEdges(kNodes), ""},
        // Like those of a dump of five gigabytes.
        {"wide_edges", kEdgeFields, MakeEdges(60'000'000), ""}};
    for (Array& array : all) array.text = ToText(array.numbers, array.width);
    return all;
  }();
  return arrays;
}

void SetBytes(benchmark::State& state, const Array& array) {
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(array.text.size()));
}

void Memcpy(benchmark::State& state, const Array& array) {
  std::string copy(array.text.size(), '\0');
  for (auto _ : state) {
    std::memcpy(copy.data(), array.text.data(), copy.size());
    benchmark::DoNotOptimize(copy.data());
    benchmark::ClobberMemory();
  }
  SetBytes(state, array);
}

// Rows at a time, as in the reader and the writers.
constexpr std::size_t kRows = 4096;

// -------------------------------------------------------------------- reading

void Scan(benchmark::State& state, const Array& array,
          const heapglot::ScanUintsVariant& variant) {
  const std::string text = array.text + ",]";
  Numbers block(kRows * array.width);
  for (auto _ : state) {
    const char* p = text.data();
    std::size_t total = 0;
    std::size_t count = 1;
    while (count > 0) {
      p = variant.scan(p, text.data() + text.size(), block.data(), block.size(),
                       &count);
      total += count;
      benchmark::DoNotOptimize(block.data());
      benchmark::ClobberMemory();
    }
    if (total != array.numbers.size()) state.SkipWithError("not all read");
  }
  SetBytes(state, array);
}

void RapidJsonSax(benchmark::State& state, const Array& array) {
  const std::string text = "[" + array.text + "]";
  for (auto _ : state) {
    rapidjson::StringStream stream(text.c_str());
    rapidjson::BaseReaderHandler<> handler;
    rapidjson::Reader reader;
    if (reader.Parse(stream, handler).IsError()) state.SkipWithError("no JSON");
  }
  SetBytes(state, array);
}

// -------------------------------------------------------------------- writing

// Calls format(numbers, count, column, at), which returns the end, for the rows
// of a block of an array. Block and text stay in the cache, as in a writer.
template <typename Format>
void Write(benchmark::State& state, const Array& array, Format format) {
  constexpr std::size_t kSize = std::size_t{64} << 10;
  constexpr std::size_t kBatch = 120;
  std::vector<char> buffer(kSize);
  const std::size_t size = kRows * array.width;
  std::int64_t bytes = 0;
  for (auto _ : state) {
    char* at = buffer.data();
    for (std::size_t i = 0; i < size; i += kBatch) {
      if (buffer.data() + kSize - at < 4096) {
        benchmark::DoNotOptimize(buffer.data());
        benchmark::ClobberMemory();
        at = buffer.data();
      }
      char* const end = format(array.numbers.data() + i,
                               std::min(kBatch, size - i), i % array.width, at);
      bytes += end - at;
      at = end;
    }
  }
  state.SetBytesProcessed(bytes);
}

void FormatRows(benchmark::State& state, const Array& array,
                const heapglot::FormatRowsVariant& variant) {
  std::vector<heapglot::RowLayout::Column> columns(array.width, {","});
  columns[0].separator = "\n,";
  const heapglot::RowLayout layout(columns);
  Write(state, array, [&](auto... arguments) {
    return variant.format(layout, arguments...);
  });
}

void ToChars(benchmark::State& state, const Array& array) {
  Write(
      state, array,
      [width = array.width](const std::uint64_t* numbers, std::size_t count,
                            std::size_t column, char* at) {
        for (std::size_t i = 0; i < count; ++i, ++column) {
          if (column % width == 0) *at++ = '\n';
          *at++ = ',';
          at = std::to_chars(at, at + heapglot::kMaxUintDigits, numbers[i]).ptr;
        }
        return at;
      });
}

void RapidJsonWriter(benchmark::State& state, const Array& array) {
  rapidjson::StringBuffer buffer;
  std::int64_t bytes = 0;
  for (auto _ : state) {
    buffer.Clear();
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    writer.StartArray();
    for (std::size_t i = 0; i < kRows * array.width; ++i)
      writer.Uint64(array.numbers[i]);
    writer.EndArray();
    benchmark::DoNotOptimize(buffer.GetString());
    bytes += static_cast<std::int64_t>(buffer.GetSize());
  }
  state.SetBytesProcessed(bytes);
}

// ----------------------------------------------------------------- prediction

// Edges of objects of many classes. A field of a class always has the same
// label, and its own way to choose targets; with `any_target`, all have random
// targets.
heapglot::pb::Edges MakePredictable(std::uint32_t rows, bool any_target) {
  constexpr std::uint64_t kClasses = 500;
  constexpr std::uint64_t kMostFields = 16;
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> fields(kClasses);
  for (std::uint64_t& count : fields)
    count = 1 + random() % (1 + random() % kMostFields);
  heapglot::pb::Edges edges;
  edges.set_first_node(1'000'000);
  edges.set_count(rows);
  for (std::uint64_t node = 1'000'000; rows > 0; ++node) {
    // Few classes have most objects.
    const std::uint64_t of = random() % (1 + random() % kClasses);
    const auto count =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, fields[of]));
    edges.add_edges_per_node(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t field = of * kMostFields + i;
      edges.add_kind(i % 2);
      edges.add_name(field);
      const std::uint64_t targets[] = {
          random() % kNodes,          field,    node + 5000 + field,
          field % 300 + random() % 2, node + 1, field % 900};
      edges.add_to(targets[any_target ? 0 : field % std::size(targets)]);
    }
    rows -= count;
  }
  return edges;
}

void SetItems(benchmark::State& state, const heapglot::pb::Edges& edges) {
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(edges.count()));
}

void Predict(benchmark::State& state, const heapglot::pb::Edges& edges) {
  heapglot::EdgePrediction prediction;
  for (auto _ : state) {
    if (!prediction.Encode(edges)) state.SkipWithError("not predicted");
    benchmark::ClobberMemory();
  }
  SetItems(state, edges);
  state.counters["missed"] =
      static_cast<double>(prediction.missed_targets().size()) / edges.count();
}

void Restore(benchmark::State& state, const heapglot::pb::Edges& edges) {
  heapglot::EdgePrediction encoder;
  if (!encoder.Encode(edges)) state.SkipWithError("not predicted");
  heapglot::pb::Edges rest = edges;
  const auto names = encoder.missed_names();
  const auto targets = encoder.missed_targets();
  heapglot::EdgePrediction prediction;
  for (auto _ : state) {
    state.PauseTiming();
    rest.clear_kind();
    rest.mutable_name()->Assign(names.begin(), names.end());
    rest.mutable_to()->Assign(targets.begin(), targets.end());
    state.ResumeTiming();
    if (!prediction.Decode(encoder.labels(), encoder.targets(), &rest).empty())
      state.SkipWithError("not restored");
    benchmark::ClobberMemory();
  }
  SetItems(state, edges);
}

void RegisterPrediction() {
  for (const bool any_target : {false, true}) {
    const heapglot::pb::Edges edges = MakePredictable(65'536, any_target);
    const std::string which = any_target ? "any_target" : "of_classes";
    benchmark::RegisterBenchmark(("predict/" + which).c_str(), Predict, edges);
    benchmark::RegisterBenchmark(("restore/" + which).c_str(), Restore, edges);
  }
}

void Register(const Array& array) {
  const auto add = [&array](const std::string& what, auto function) {
    benchmark::RegisterBenchmark((array.name + ("/" + what)).c_str(), function,
                                 array);
  };
  add("memcpy", Memcpy);
  for (const heapglot::ScanUintsVariant& variant :
       heapglot::ScanUintsVariants()) {
    add("scan/" + std::string(variant.name),
        [&variant](benchmark::State& state, const Array& of) {
          Scan(state, of, variant);
        });
  }
  add("scan/rapidjson", RapidJsonSax);
  for (const heapglot::FormatRowsVariant& variant :
       heapglot::FormatRowsVariants()) {
    add("format/" + std::string(variant.name),
        [&variant](benchmark::State& state, const Array& of) {
          FormatRows(state, of, variant);
        });
  }
  add("format/to_chars", ToChars);
  add("format/rapidjson", RapidJsonWriter);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const Array& array : Arrays()) Register(array);
  RegisterPrediction();
  benchmark::RunSpecifiedBenchmarks();
}
