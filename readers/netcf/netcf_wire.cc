#include "readers/netcf/netcf_wire.h"

namespace heapglot::netcf {

TextForm FormOf(std::string_view bytes) {
  TextForm form;
  form.end = bytes.size();
  if (bytes.starts_with("\xef\xbb\xbf")) {
    form.has_bom = true;
    form.begin = 3;
  } else if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    form.has_bom = true;
    form.begin = 2;
    form.encoding =
        bytes[0] == '\xff' ? Encoding::kUtf16Le : Encoding::kUtf16Be;
  } else if (bytes.size() >= 4 && bytes[0] != 0 && bytes[1] == 0 &&
             bytes[3] == 0) {
    form.encoding = Encoding::kUtf16Le;
  }
  constexpr char kControlZ = 0x1a;
  if (form.encoding == Encoding::kUtf8) {
    form.has_control_z = bytes.ends_with(kControlZ);
    if (form.has_control_z) --form.end;
    return form;
  }
  form.has_odd_byte = (form.end - form.begin) % 2 != 0;
  if (form.has_odd_byte) --form.end;
  form.has_control_z =
      form.end > form.begin &&
      UnitAt(bytes.data() + form.end - 2, form.encoding) == kControlZ;
  if (form.has_control_z) form.end -= 2;
  return form;
}

bool EndsInLineEnd(std::string_view bytes, const TextForm& form) {
  if (form.end == form.begin) return true;
  const unsigned last =
      form.encoding == Encoding::kUtf8
          ? static_cast<unsigned char>(bytes[form.end - 1])
          : UnitAt(bytes.data() + form.end - 2, form.encoding);
  return last == '\n' || last == '\r';
}

}  // namespace heapglot::netcf
