// Runs a function and passes its answer on as it comes, as events: PayloadChunk for each piece, InvokeComplete at the end,
// with the error if there was one, also when half of the answer has gone already.
#include "base/base64.h"
#include "services/lambda/errors.h"
#include "services/lambda/function_layers.h"
#include "services/lambda/invocation.h"
#include "services/lambda/operations.h"

namespace tidemill::lambda {
namespace {

using Event = shapes::InvokeWithResponseStreamResponseEvent;
using CompleteEvent = shapes::InvokeWithResponseStreamCompleteEvent;

Event complete(engine::InvocationResult result, bool want_tail) {
  CompleteEvent event;
  if (result.status != engine::InvokeStatus::ok) {
    event.error_code = result.function_error;
    event.error_details = std::move(result.payload);
  }
  if (want_tail) event.log_result = base::base64_encode(result.log_tail);
  return {.invoke_complete = std::move(event)};
}

base::Generator<Event> events(std::shared_ptr<StreamedCall> call, bool want_tail) {
  while (auto piece = co_await call->next()) {
    co_yield Event{.payload_chunk = shapes::InvokeResponseStreamUpdate{.payload = *std::move(piece)}};
  }
  co_yield complete(co_await call->result(), want_tail);
}

base::Generator<Event> only(Event event) { co_yield std::move(event); }

}  // namespace

Task<shapes::InvokeWithResponseStreamOutput> invoke_with_response_stream(
    Service& service, wire::Context& context, const shapes::InvokeWithResponseStreamInput& request) {
  const Found found = co_await find_function(service, context, request.function_name, request.qualifier);
  Lineage lineage(request.trace_header.value_or(context.trace_header));
  engine::Invocation invocation = co_await invocation_of(service, context, found, request);
  shapes::InvokeWithResponseStreamOutput out;
  out.executed_version = found.function->version_name();
  if (request.invocation_type == shapes::ResponseStreamingInvocationType::kDryRun) {
    out.status_code = 204;
    co_return out;
  }
  extend_or_refuse(lineage, found);
  invocation.trace_header = lineage.header();
  const bool want_tail = invocation.want_tail;
  const auto call = co_await service.invoker().begin(found.function, std::move(invocation));
  out.status_code = 200;
  if (co_await call->begun()) {
    out.event_stream = events(call, want_tail);
    co_return out;
  }
  engine::InvocationResult result = co_await call->result();
  check_ran(result, found.reference);
  out.event_stream = only(complete(std::move(result), want_tail));
  co_return out;
}

Task<std::shared_ptr<StreamedCall>> FunctionInvoker::begin(FunctionPtr function, engine::Invocation invocation) {
  co_await ensure_code(packages_, *function);
  const auto stream = std::make_shared<engine::ResponseStream>();
  invocation.stream = stream;
  co_return std::make_shared<StreamedCall>(stream, co_await workers_.begin(function->spec, std::move(invocation)));
}

}  // namespace tidemill::lambda
