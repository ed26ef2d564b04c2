// XML by tables: bodies of rest-xml requests, and the answers of rest-xml and of the Query protocol.
#pragma once

#include <string>

#include "wire/shape_table.h"
#include "wire/xml_reader.h"
#include "wire/xml_writer.h"

namespace tidemill::wire::shapes {

// Reads an element into a new `structure`. Elements that the shape does not know make the document malformed, as S3's
// schema does. Throws MalformedXML, and the service's error for what is unsupported.
void read_xml(XmlElement element, const Shape& shape, void* structure, const OperationInfo& operation);

// The text of a scalar; empty for other kinds. `with_milliseconds`: times always show them, as S3 writes them.
[[nodiscard]] std::string xml_text_of(const Member& member, const void* value, bool with_milliseconds);

class XmlShapes {
 public:
  XmlShapes(XmlWriter& xml, bool with_milliseconds) : xml_(xml), with_milliseconds_(with_milliseconds) {}

  // The elements in a structure; those that stand elsewhere than in the body, and attributes, are left out.
  void write(const Shape& shape, const void* structure);

 private:
  [[nodiscard]] std::string text_of(const Member& member, const void* value) const {
    return xml_text_of(member, value, with_milliseconds_);
  }
  void write_value(const Member& member, std::string_view name, const void* value);
  void write_list(const Member& member, std::string_view name, const void* value);
  void write_map(const Member& member, std::string_view name, const void* value);
  void open(const Member& member, std::string_view name, const void* structure);

  XmlWriter& xml_;
  bool with_milliseconds_;
};

}  // namespace tidemill::wire::shapes
