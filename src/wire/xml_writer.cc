#include "wire/xml_writer.h"

namespace tidemill::wire {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// What stands for a byte in text; empty: itself. A bare carriage return would be read as a line feed.
std::string_view escape_of(char c) {
  switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\r': return "&#xD;";
    case '\n':
    case '\t': return {};
    default: return static_cast<unsigned char>(c) < 0x20 ? kReplacement : std::string_view();
  }
}

}  // namespace

void XmlWriter::close(std::string_view name) {
  // A '>' at the end ends a tag, as text has none; the last '<' begins that one.
  if (out_.ends_with('>')) {
    const std::string_view tag = std::string_view(out_).substr(out_.rfind('<') + 1);
    const bool is_own = tag.starts_with(name) && (tag[name.size()] == '>' || tag[name.size()] == ' ');
    if (is_own && !tag.ends_with("/>")) {
      out_.insert(out_.size() - 1, 1, '/');
      return;
    }
  }
  out_.append("</").append(name).append(">");
}

void XmlWriter::text(std::string_view name, std::string_view value) {
  open(name);
  escaped(value);
  close(name);
}

void XmlWriter::text(std::string_view name, std::string_view value, std::string_view xml_namespace) {
  open(name, xml_namespace);
  escaped(value);
  close(name);
}

void XmlWriter::attribute(std::string_view name, std::string_view value) {
  out_.append(" ").append(name).append("=\"");
  escaped(value);
  out_.append("\"");
}

void XmlWriter::escaped(std::string_view value) {
  size_t run = 0;
  for (size_t i = 0; i < value.size(); ++i) {
    const std::string_view escape = escape_of(value[i]);
    if (escape.empty()) continue;
    out_.append(value, run, i - run);
    out_.append(escape);
    run = i + 1;
  }
  out_.append(value, run);
}

}  // namespace tidemill::wire
