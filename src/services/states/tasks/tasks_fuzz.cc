// Any bytes as a task's resource, and as the parameters of an HTTP task, its connection and a form.
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "services/states/tasks/http_task.h"
#include "services/states/tasks/sdk_names.h"
#include "services/states/tasks/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemill;
  using namespace tidemill::states;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const wire::Registry kNothing;
  if (const auto resource = tasks::parse_resource(text)) {
    if (resource->arn != text) __builtin_trap();
    const bool is_whole = !resource->type.empty() && !resource->action.empty();
    if (resource->family == tasks::Family::task && !is_whole) __builtin_trap();
    (void)tasks::find_target(kNothing, *resource);
  }
  if (!text.empty() && tasks::sdk_name(text).size() != text.size()) __builtin_trap();
  const auto parameters = json::parse(text);
  if (!parameters) return 0;
  try {
    const net::HttpCall call =
        tasks::http_call(*parameters, {.headers = {{"X-Key", "k"}}, .query = {{"q", "1"}}, .body = {{"b", "2"}}});
    for (const auto& [name, value] : call.headers.entries()) {
      if (value.find_first_of("\r\n") != std::string::npos || name.find_first_of("\r\n:") != std::string::npos) {
        __builtin_trap();
      }
    }
    if (!net::parse_http_url(call.url)) __builtin_trap();
  } catch (const std::invalid_argument&) {
  }
  try {
    (void)tasks::url_encoded(*parameters, "INDICES");
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
