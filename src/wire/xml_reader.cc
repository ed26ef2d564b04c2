#include "wire/xml_reader.h"

#include <simdjson.h>

#include <pugixml.hpp>

#include "base/base64.h"
#include "wire/error.h"
#include "wire/shape_bindings.h"
#include "wire/unsupported.h"

namespace tidemill::wire::shapes {

namespace {

std::string_view local(std::string_view name) {
  const size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

pugi::xml_node element_at_or_after(pugi::xml_node node) {
  while (node && node.type() != pugi::node_element) node = node.next_sibling();
  return node;
}

// Cheap, and before anything is allocated: what a tree of this text would have at least.
void refuse_many_elements(std::string_view text) {
  size_t opened = 0;
  for (size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const bool closes = at + 1 < text.size() && text[at + 1] == '/';
    if (!closes && ++opened > XmlBody::kElementsMax) throw malformed_xml();
  }
}

// Also refuses what asks for a DTD.
void refuse_deep(const pugi::xml_document& document) {
  int depth = 0;
  for (pugi::xml_node node = document.first_child(); node;) {
    if (node.type() == pugi::node_doctype) throw malformed_xml();
    if (node.first_child()) {
      if (++depth > XmlBody::kDepthMax) throw malformed_xml();
      node = node.first_child();
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    node = node ? node.next_sibling() : node;
  }
}

// A value that is of no right form is, to S3, a document that does not follow the schema.
template <class T>
T scalar(XmlElement element, T (*read)(const std::string&)) {
  try {
    return read(element.text());
  } catch (const Error&) {
    throw malformed_xml();
  }
}

}  // namespace

std::string_view XmlElement::name() const { return local(pugi::xml_node(node_).name()); }

XmlElement XmlElement::first() const {
  return XmlElement(element_at_or_after(pugi::xml_node(node_).first_child()).internal_object());
}

XmlElement XmlElement::next() const {
  return XmlElement(element_at_or_after(pugi::xml_node(node_).next_sibling()).internal_object());
}

std::optional<std::string> XmlElement::attribute(std::string_view name) const {
  for (const pugi::xml_attribute attribute : pugi::xml_node(node_).attributes()) {
    if (local(attribute.name()) == local(name)) return attribute.value();
  }
  return std::nullopt;
}

std::string XmlElement::text() const {
  if (first()) throw malformed_xml();
  std::string text;
  for (const pugi::xml_node child : pugi::xml_node(node_).children()) text += child.value();
  return text;
}

XmlBody::XmlBody(std::string_view text, std::string_view root_name)
    : document_(std::make_unique<pugi::xml_document>()) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!simdjson::validate_utf8(text)) throw malformed_xml();
  // pugixml ends at a NUL and calls the rest fine.
  if (text.find('\0') != std::string_view::npos) throw malformed_xml();
  refuse_many_elements(text);
  constexpr unsigned kOptions = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_eol | pugi::parse_wconv_attribute |
                                pugi::parse_doctype | pugi::parse_ws_pcdata_single;
  const pugi::xml_parse_result result = document_->load_buffer(text.data(), text.size(), kOptions, pugi::encoding_utf8);
  if (!result) throw malformed_xml();
  refuse_deep(*document_);
  root_ = XmlElement(element_at_or_after(document_->first_child()).internal_object());
  if (!root_ || root_.next() || root_.name() != root_name) throw malformed_xml();
}

XmlBody::~XmlBody() = default;

std::string xml_text(XmlElement element) { return element.text(); }
bool xml_boolean(XmlElement element) { return scalar(element, boolean_of); }
int32_t xml_integer(XmlElement element) { return scalar(element, integer_of); }
int64_t xml_long(XmlElement element) { return scalar(element, long_of); }
double xml_double(XmlElement element) { return scalar(element, double_of); }
base::Time xml_timestamp(XmlElement element) { return scalar(element, timestamp_of); }

std::string xml_blob(XmlElement element) {
  auto bytes = base::base64_decode(element.text());
  if (!bytes) throw malformed_xml();
  return *std::move(bytes);
}

void refuse_unsupported(const OperationInfo& operation, XmlElement element, std::string_view name,
                        std::string_view accepted) {
  if (!element.first()) {
    const std::string text = element.text();
    if (text.empty() || text == accepted) return;
  }
  throw unsupported_parameter(operation, name);
}

}  // namespace tidemill::wire::shapes
