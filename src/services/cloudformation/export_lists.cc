// ListExports and ListImports.
#include "base/text.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/exports.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/paging.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {
constexpr size_t kExportsPageMax = 100;
}

Task<shapes::ListExportsOutput> list_exports(Service& service, wire::Context& context,
                                             const shapes::ListExportsInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::ListExportsOutput out;
  out.exports.emplace();
  out.next_token = co_await read_page_of(*snapshot, exports_range(place_of(context)), request.next_token, kExportsPageMax,
                                         [&](std::string_view, std::string_view bytes) {
                                           const Export one = decode_export(bytes);
                                           out.exports->push_back({one.stack, one.name, one.value});
                                           return true;
                                         });
  co_return out;
}

Task<shapes::ListImportsOutput> list_imports(Service& service, wire::Context& context,
                                             const shapes::ListImportsInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::ListImportsOutput out;
  out.imports.emplace();
  out.next_token = co_await read_page_of(*snapshot, imports_range(place_of(context), request.export_name),
                                         request.next_token, kExportsPageMax,
                                         [&](std::string_view, std::string_view stack) {
                                           out.imports->emplace_back(stack);
                                           return true;
                                         });
  if (out.imports->empty() && !request.next_token) {
    throw errors::validation_error(cat("Export '", request.export_name, "' is not imported by any stack."));
  }
  co_return out;
}

}  // namespace tidemill::cloudformation
