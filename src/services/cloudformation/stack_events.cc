// DescribeStackEvents.
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/describing.h"
#include "services/cloudformation/event.h"
#include "services/cloudformation/operations.h"
#include "services/cloudformation/paging.h"

namespace tidemill::cloudformation {

namespace errors = shapes::errors;

namespace {

constexpr size_t kEventsPageMax = 100;

shapes::StackEvent describe_event(const StackId& stack, const Event& event) {
  shapes::StackEvent result;
  result.stack_id = stack.arn();
  result.event_id = event.id;
  result.stack_name = stack.name;
  result.logical_resource_id = event.logical_id;
  result.physical_resource_id = event.physical_id;
  result.resource_type = event.type;
  result.timestamp = event.time;
  result.resource_status = event.status;
  result.resource_status_reason = shown(event.reason);
  result.resource_properties = event.properties;
  result.client_request_token = shown(event.token);
  return result;
}

}  // namespace

Task<shapes::DescribeStackEventsOutput> describe_stack_events(Service& service, wire::Context& context,
                                                              const shapes::DescribeStackEventsInput& request) {
  if (!request.stack_name) throw errors::validation_error("StackName is a required parameter.");
  const auto snapshot = service.store().snapshot();
  const Stack stack = co_await require_stack_in_brackets(*snapshot, context, *request.stack_name);
  shapes::DescribeStackEventsOutput out;
  out.stack_events.emplace();
  out.next_token = co_await read_page_of(
      *snapshot, events_range(stack.place(), stack.id.uuid), request.next_token, kEventsPageMax,
      [&](std::string_view, std::string_view bytes) {
        out.stack_events->push_back(describe_event(stack.id, decode_event(bytes)));
        return true;
      },
      store::Direction::reverse);
  co_return out;
}

}  // namespace tidemill::cloudformation
