#include "services/lambda/payload.h"

#include <simdjson.h>

#include "base/json.h"
#include "base/text.h"
#include "services/lambda/json_fault.h"

namespace tidemill::lambda {
namespace {

// A parser keeps its memory for the next payload; beyond this it is given back.
constexpr size_t kKeptBytesMax = 1 << 20;

bool is_json_for_certain(std::string_view text) {
  thread_local simdjson::dom::parser parser;
  const bool valid = parser.parse(text.data(), text.size()).error() == simdjson::SUCCESS;
  if (text.size() > kKeptBytesMax) parser = simdjson::dom::parser();
  return valid;
}

}  // namespace

std::optional<std::string> json_problem(std::string_view text) {
  if (is_json_for_certain(text)) return std::nullopt;
  // It may still be: this parser takes numbers of any length, and tells what is wrong.
  const auto parsed = json::parse(text);
  if (parsed) return std::nullopt;
  if (const auto fault = find_json_fault(text)) return *fault;
  return base::cat(parsed.error().message, " at byte ", parsed.error().offset);
}

}  // namespace tidemill::lambda
