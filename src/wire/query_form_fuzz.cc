// Any bytes as the form of a Query request: a tree or an Error, nothing else.
#include <cstdint>
#include <string>

#include "net/http.h"
#include "wire/error.h"
#include "wire/query_form.h"

namespace {

using namespace tidemill::wire;

void walk(const shapes::QueryNode& node) {
  try {
    (void)shapes::query_elements(node, "");
    (void)shapes::query_elements(node, "member");
    (void)shapes::query_text(node);
  } catch (const Error&) {
    // What a wrong form is for.
  }
  for (const auto& [name, child] : node.children) walk(child);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string form(reinterpret_cast<const char*>(data), size);
  try {
    walk(shapes::make_query_tree(tidemill::net::parse_query("?" + form)));
  } catch (const Error&) {
    // Too deep or too broad.
  }
  return 0;
}
