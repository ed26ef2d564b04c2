// Any bytes as the XML of a request: a tree of bounded depth or MalformedXML, nothing else.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wire/error.h"
#include "wire/xml_reader.h"

namespace {

using namespace tidemill::wire;

void walk(shapes::XmlElement element, int depth) {
  if (depth > shapes::XmlBody::kDepthMax) std::abort();
  (void)element.attribute("type");
  try {
    (void)shapes::xml_text(element);
    (void)shapes::xml_boolean(element);
  } catch (const Error&) {
    // Holds elements, or something else.
  }
  for (shapes::XmlElement child = element.first(); child; child = child.next()) walk(child, depth + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const shapes::XmlBody body({reinterpret_cast<const char*>(data), size}, "Delete");
    walk(body.root(), 1);
  } catch (const Error&) {
    // What a wrong document is for.
  }
  return 0;
}
