// Appends XML text to a string: what answers and errors are written with.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::wire {

class XmlWriter {
 public:
  // Appends to `out`, which must outlive it.
  explicit XmlWriter(std::string& out) : out_(out) {}
  XmlWriter(const XmlWriter&) = delete;

  void declaration() { out_.append("<?xml version=\"1.0\"?>"); }
  // As S3 writes it.
  void declaration_with_encoding() { out_.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"); }
  // An element that holds others. Names are XML names; that calls nest rightly is up to the caller.
  void open(std::string_view name) { out_.append("<").append(name).append(">"); }
  void open(std::string_view name, std::string_view xml_namespace) {
    out_.append("<").append(name).append(" xmlns=\"").append(xml_namespace).append("\">");
  }
  // An element with attributes: begin, attribute…, end.
  void begin(std::string_view name) { out_.append("<").append(name); }
  void attribute(std::string_view name, std::string_view value);
  void end() { out_.append(">"); }
  // What holds nothing becomes one tag: <Owner/>.
  void close(std::string_view name);
  // An element that holds text (UTF-8), escaped. What XML 1.0 has no way to write becomes U+FFFD.
  void text(std::string_view name, std::string_view value);
  void text(std::string_view name, std::string_view value, std::string_view xml_namespace);
  // The same for what needs no escapes.
  void plain(std::string_view name, std::string_view value) {
    open(name);
    out_.append(value);
    close(name);
  }
  [[nodiscard]] std::string& buffer() { return out_; }

 private:
  void escaped(std::string_view value);

  std::string& out_;
};

}  // namespace tidemill::wire
