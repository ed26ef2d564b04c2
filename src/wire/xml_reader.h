// The XML of a request's body as a tree of elements: what shape_xml.h reads requests from. Names count
// without their prefix. Documents with a DTD are refused; no entities but XML's own are known.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "wire/registry.h"

namespace pugi {
struct xml_node_struct;
class xml_document;
}  // namespace pugi

namespace tidemill::wire::shapes {

// An element of a body that lives; null behind the last of its siblings.
class XmlElement {
 public:
  XmlElement() = default;
  explicit XmlElement(pugi::xml_node_struct* node) : node_(node) {}
  explicit operator bool() const { return node_ != nullptr; }

  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] XmlElement first() const;  // of the elements in it
  [[nodiscard]] XmlElement next() const;   // of its siblings
  [[nodiscard]] std::optional<std::string> attribute(std::string_view name) const;
  // What it holds. Throws MalformedXML if that is elements.
  [[nodiscard]] std::string text() const;

 private:
  pugi::xml_node_struct* node_ = nullptr;
};

class XmlBody {
 public:
  static constexpr int kDepthMax = 32;
  static constexpr size_t kElementsMax = 200'000;

  // Throws MalformedXML, also if the root is none of that name.
  XmlBody(std::string_view text, std::string_view root_name);
  ~XmlBody();
  XmlBody(const XmlBody&) = delete;

  [[nodiscard]] XmlElement root() const { return root_; }

 private:
  std::unique_ptr<pugi::xml_document> document_;
  XmlElement root_;
};

// Scalars. Throw MalformedXML.
[[nodiscard]] std::string xml_text(XmlElement element);
[[nodiscard]] bool xml_boolean(XmlElement element);
[[nodiscard]] int32_t xml_integer(XmlElement element);
[[nodiscard]] int64_t xml_long(XmlElement element);
[[nodiscard]] double xml_double(XmlElement element);
[[nodiscard]] std::string xml_blob(XmlElement element);
[[nodiscard]] base::Time xml_timestamp(XmlElement element);  // in any of the three formats

// Throws the service's error for unsupported parameters, unless the element is empty or `accepted`.
void refuse_unsupported(const OperationInfo& operation, XmlElement element, std::string_view name,
                        std::string_view accepted);

}  // namespace tidemill::wire::shapes
