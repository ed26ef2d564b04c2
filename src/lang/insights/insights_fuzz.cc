// A query and, after a zero byte, a message. What parses runs without harm.
#include <cstdint>
#include <exception>
#include <string_view>

#include "lang/insights/execution.h"

namespace {

using namespace tidemill;
using namespace tidemill::lang::insights;

struct Runner {
  struct promise_type {
    Runner get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

// Nothing here waits: no executor runs it.
Runner finish(Execution& execution) {
  try {
    (void)co_await execution.finish();
  } catch (const ExecutionError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\0');
  try {
    Execution execution(Query::parse(input.substr(0, end)), 100);
    for (const std::string_view message : {end == std::string_view::npos ? std::string_view() : input.substr(end + 1),
                                           std::string_view(R"({"a":[1,{"b":"c"}],"d":null,"e":true,"ms":12.5})"),
                                           std::string_view("user=ann, took 40ms")}) {
      execution.push(
          Record({.message = std::string(message), .timestamp = 60'000, .stream = "s", .log = "g", .pointer = "p"}));
    }
    finish(execution);
  } catch (const QueryError&) {
  } catch (const ExecutionError&) {
  }
  return 0;
}
