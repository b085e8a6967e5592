// JSON for machines that read what the command says.
#ifndef HEAPGLOT_TOOLS_JSON_H_
#define HEAPGLOT_TOOLS_JSON_H_

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace heapglot::tool {

// A JSON object or array under construction. Text that is no valid UTF-8 gets
// U+FFFD in its place, as JSON cannot hold it.
class Json {
 public:
  enum class Layout { kPretty, kOneLine };
  explicit Json(Layout layout = Layout::kPretty);

  void BeginObject();
  void EndObject();
  void BeginArray();
  void EndArray();
  void Key(std::string_view key);
  void String(std::string_view text);
  void Number(std::uint64_t number);
  void Bool(bool value);

  // Key and value at once.
  void Add(std::string_view key, std::string_view text);
  void Add(std::string_view key, std::uint64_t number);
  void AddBool(std::string_view key, bool value);

  // The text, with a newline at the end.
  std::string Take();

 private:
  template <typename Call>
  void Write(Call&& call);

  Layout layout_;
  rapidjson::StringBuffer buffer_;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> pretty_{buffer_};
  rapidjson::Writer<rapidjson::StringBuffer> one_line_{buffer_};
};

}  // namespace heapglot::tool

#endif  // HEAPGLOT_TOOLS_JSON_H_
