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

std::string header_text(base::Time time, TimestampFormat format) { return format_timestamp(time, format); }

std::string joined(const std::vector<std::string>& elements) {
  std::string text;
  for (const std::string& element : elements) text.append(text.empty() ? "" : ",").append(element);
  return text;
}

void write_prefixed(const std::map<std::string, std::string>& entries, std::string_view prefix,
                    std::vector<std::pair<std::string, std::string>>& headers) {
  for (const auto& [name, value] : entries) headers.emplace_back(std::string(prefix) + name, value);
}

std::string xml_time(base::Time time) {
  std::string text = format_timestamp(std::chrono::floor<std::chrono::seconds>(time), TimestampFormat::date_time);
  text.insert(text.size() - 1, ".000");
  return text;
}

void add_error_members(Error& error, std::string_view text) {
  const std::string_view members = text.substr(1, text.size() - 2);
  if (members.empty()) return;
  if (!error.more_members.empty()) error.more_members.push_back(',');
  error.more_members.append(members);
}

}  // namespace tidemill::wire::shapes
