#include "wire/shape_writer.h"

#include "base/base64.h"

namespace tidemill::wire::shapes {

void write_timestamp(json::Writer& writer, base::Time time, TimestampFormat format) {
  const std::string text = format_timestamp(time, format);
  if (format == TimestampFormat::epoch_seconds) {
    writer.raw(text);
  } else {
    writer.string(text);
  }
}

void write_blob(json::Writer& writer, std::string_view bytes) {
  writer.separate();
  writer.buffer().push_back('"');
  base::append_base64(writer.buffer(), bytes);
  writer.buffer().push_back('"');
}

std::string header_text(base::Time time) { return format_timestamp(time, TimestampFormat::http_date); }

void add_error_members(Error& error, std::string_view text) {
  const std::string_view members = text.substr(1, text.size() - 2);
  if (members.empty()) return;
  if (!error.more_members.empty()) error.more_members.push_back(',');
  error.more_members.append(members);
}

}  // namespace tidemill::wire::shapes
