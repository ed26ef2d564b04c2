#include "services/lambda/event_source_mappings.h"

#include <algorithm>

#include "services/lambda/event_source_mapping_not_yet.h"
#include "services/lambda/event_source_mapping_operations.h"
#include "services/lambda/function_cache.h"
#include "base/uuid.h"

namespace tidemill::lambda {

namespace {

Task<bool> is_known(FunctionCache& functions, FunctionReference function) {
  co_return co_await functions.find(std::move(function)) != nullptr;
}

}  // namespace

EventSourceMappings::EventSourceMappings(FunctionCache& functions, std::vector<engine::StreamSource*> sources)
    : EventSourceMappings([&functions](FunctionReference function) { return is_known(functions, std::move(function)); },
                          base::new_uuid, std::move(sources), lambda::not_yet_run()) {}

EventSourceMappings::EventSourceMappings(FunctionExists function_exists, NewUuid new_uuid,
                                         std::vector<engine::StreamSource*> sources,
                                         std::span<const NotYetRun> not_yet_run)
    : function_exists_(std::move(function_exists)),
      new_uuid_(std::move(new_uuid)),
      sources_(std::move(sources)),
      not_yet_run_(not_yet_run) {}

engine::StreamSource* EventSourceMappings::source_of(std::string_view arn) const {
  const auto source =
      std::ranges::find_if(sources_, [&](const engine::StreamSource* candidate) { return candidate->owns(arn); });
  return source == sources_.end() ? nullptr : *source;
}

void EventSourceMappings::register_operations(wire::Registry& registry) {
  using namespace shapes;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateEventSourceMapping{}, create_event_source_mapping);
  add(ops::GetEventSourceMapping{}, get_event_source_mapping);
  add(ops::ListEventSourceMappings{}, list_event_source_mappings);
  add(ops::UpdateEventSourceMapping{}, update_event_source_mapping);
  add(ops::DeleteEventSourceMapping{}, delete_event_source_mapping);
}

}  // namespace tidemill::lambda
