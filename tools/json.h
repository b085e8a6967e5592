// JSON for machines that read the command's output.
#ifndef HEAPGLOT_TOOLS_JSON_H_
#define HEAPGLOT_TOOLS_JSON_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace heapglot::tool {

// A JSON document under construction. U+FFFD replaces text that is not valid
// UTF-8, which JSON cannot hold. (RapidJSON's writer adds to null pointers,
// which the sanitizers report.)
class Json {
 public:
  enum class Layout { kPretty, kOneLine };
  explicit Json(Layout layout = Layout::kPretty) : layout_(layout) {}

  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void EndArray() { End(']'); }
  void Key(std::string_view key);
  void String(std::string_view text);
  void Number(std::uint64_t number);
  void Signed(std::int64_t number);
  // Writes null for a value that JSON has no number for.
  void Double(double number);
  void Bool(bool value);
  void Null();

  // Key and value at once.
  void Add(std::string_view key, std::string_view text);
  void Add(std::string_view key, std::uint64_t number);
  void AddBool(std::string_view key, bool value);

  // The text, with a newline at the end.
  std::string Take();

 private:
  void Begin(char bracket);
  void End(char bracket);
  // Adds what belongs between a value and what comes before it.
  void Separate();
  void NewLine();
  void Quote(std::string_view text);

  Layout layout_;
  std::string text_;
  std::size_t depth_ = 0;
  bool first_ = true;       // in the open object or array
  bool after_key_ = false;  // the value of a key comes next
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_JSON_H_
