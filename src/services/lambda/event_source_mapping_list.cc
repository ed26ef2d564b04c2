// Lists the mappings of an account's region, of one function or source if asked, in the order of their UUIDs.
#include <algorithm>

#include "base/base64.h"
#include "services/lambda/errors.h"
#include "services/lambda/event_source_mapping_operations.h"
#include "services/lambda/event_source_mapping_record.h"

namespace tidemill::lambda {

namespace {

// AWS gives at most 100 to a page, however many are asked for.
constexpr int kMappingsPerPageMax = 100;

// Whether the mapping is of the function that the filter names; without a qualifier: of what it is unqualified.
bool is_of(const engine::Mapping& mapping, const FunctionReference& wanted) {
  const auto function = parse_function_arn(mapping.function_arn);
  if (!function || function->address != wanted.address) return false;
  const auto version = [](const std::string& qualifier) { return qualifier.empty() ? std::string(kLatest) : qualifier; };
  return version(function->qualifier) == version(wanted.qualifier);
}

}  // namespace

Task<shapes::ListEventSourceMappingsOutput> list_event_source_mappings(
    EventSourceMappings&, wire::Context& context, const shapes::ListEventSourceMappingsInput& request) {
  std::optional<FunctionReference> function;
  if (request.function_name) function = parse_function_name(context, *request.function_name);
  store::Range range = engine::all_mappings();
  if (request.marker) {
    const auto last = base::base64_decode(*request.marker);
    if (!last) throw errors::invalid_parameter_value_exception("Invalid Marker");
    range.begin = engine::mapping_key(*last) + '\0';
  }
  const size_t limit = static_cast<size_t>(std::min(request.max_items.value_or(kMappingsPerPageMax), kMappingsPerPageMax));

  shapes::ListEventSourceMappingsOutput out;
  std::vector<engine::Mapping> page;
  const auto snapshot = context.store().snapshot();
  co_await snapshot->scan(range, store::Direction::forward, [&](std::string_view, std::string_view bytes) {
    auto mapping = engine::decode_mapping(bytes);
    if (!mapping || mapping->account != context.account || mapping->region != context.region) return true;
    if (engine::goes_to_pipe(*mapping)) return true;
    if (request.event_source_arn && mapping->event_source_arn != *request.event_source_arn) return true;
    if (function && !is_of(*mapping, *function)) return true;
    if (page.size() == limit) {
      out.next_marker = base::base64_encode(page.back().uuid);
      return false;
    }
    page.push_back(*std::move(mapping));
    return true;
  });
  auto& shown = out.event_source_mappings.emplace();
  for (const engine::Mapping& mapping : page) shown.push_back(co_await describe(*snapshot, mapping));
  co_return out;
}

}  // namespace tidemill::lambda
