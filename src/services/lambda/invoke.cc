// Runs a function: for callers that wait for its answer, for events, and for the engine.
#include "base/base64.h"
#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/function_layers.h"
#include "services/lambda/invocation.h"
#include "services/lambda/lineage.h"
#include "services/lambda/operations.h"
#include "services/lambda/payload.h"
#include "base/uuid.h"

namespace tidemill::lambda {
namespace {

using base::cat;

Task<void> enqueue(Service& service, const wire::Context& context, const Found& found, std::string payload,
                   std::string trace_header) {
  Event event{.request_id = context.request_id,
              .trace_header = std::move(trace_header),
              .payload = std::move(payload)};
  co_await service.events().enqueue(found.reference, std::move(event), context.now());
}

}  // namespace

Task<shapes::InvokeOutput> invoke(Service& service, wire::Context& context, const shapes::InvokeInput& request) {
  const Found found = co_await find_function(service, context, request.function_name, request.qualifier);
  Lineage lineage(request.trace_header.value_or(context.trace_header));
  shapes::InvokeOutput out;
  if (request.invocation_type == shapes::InvocationType::kEvent) {
    std::string payload =
        co_await checked_payload(service, request.payload, kEventBytesMax, shapes::InvocationType::kEvent);
    co_await enqueue(service, context, found, std::move(payload), lineage.header());
    out.status_code = 202;
    co_return out;
  }
  engine::Invocation invocation = co_await invocation_of(service, context, found, request);
  out.executed_version = found.function->version_name();
  if (request.invocation_type == shapes::InvocationType::kDryRun) {
    out.status_code = 204;
    co_return out;
  }
  extend_or_refuse(lineage, found);
  invocation.trace_header = lineage.header();
  engine::InvocationResult result = co_await service.invoker().run(found.function, std::move(invocation));
  check_ran(result, found.reference);

  out.status_code = 200;
  out.payload = std::move(result.payload);
  if (!result.function_error.empty()) out.function_error = std::move(result.function_error);
  if (request.log_type == shapes::LogType::kTail) out.log_result = base::base64_encode(result.log_tail);
  co_return out;
}

Task<shapes::InvokeAsyncOutput> invoke_async(Service& service, wire::Context& context,
                                             const shapes::InvokeAsyncInput& request) {
  const Found found = co_await find_function(service, context, request.function_name, std::nullopt);
  std::string payload =
      co_await checked_payload(service, request.invoke_args, kEventBytesMax, shapes::InvocationType::kEvent);
  co_await enqueue(service, context, found, std::move(payload), Lineage(context.trace_header).header());
  shapes::InvokeAsyncOutput out;
  out.status = 202;
  co_return out;
}

Task<engine::InvocationResult> FunctionInvoker::run(FunctionPtr function, engine::Invocation invocation) {
  co_await ensure_code(packages_, *function);
  co_return co_await workers_.invoke(function->spec, std::move(invocation));
}

Task<engine::InvokeOutcome> FunctionInvoker::invoke(std::string_view function_arn, std::string payload) {
  return invoke_in_turn(function_arn, std::move(payload), nullptr);
}

Task<engine::PlaceTurnPtr> FunctionInvoker::wait_for_place(std::string_view function_arn, base::Time since,
                                                           std::function<void()> called) {
  auto reference = parse_function_arn(function_arn);
  if (!reference) return Task<engine::PlaceTurnPtr>::ready(nullptr);
  return line_up(*std::move(reference), since, std::move(called));
}

Task<engine::PlaceTurnPtr> FunctionInvoker::line_up(FunctionReference reference, base::Time since,
                                                    std::function<void()> called) {
  const FunctionPtr function = co_await functions_.find(std::move(reference));
  if (!function) co_return nullptr;
  co_return workers_.wait_for_place(function->spec, since, std::move(called));
}

Task<engine::InvokeOutcome> FunctionInvoker::invoke_in_turn(std::string_view function_arn, std::string payload,
                                                            engine::PlaceTurnPtr turn) {
  const auto reference = parse_function_arn(function_arn);
  FunctionPtr function;
  if (reference) function = co_await functions_.find(*reference);
  if (!function) {
    co_return engine::InvokeOutcome{.status = engine::InvokeStatus::no_function,
                                    .detail = cat("Function not found: ", function_arn)};
  }
  Lineage lineage;
  lineage.add(function->address.arn());
  engine::Invocation invocation;
  const std::string request_id = base::new_uuid();
  invocation.request_id = request_id;
  invocation.payload = std::move(payload);
  invocation.turn = std::move(turn);
  invocation.function_arn = reference->arn();
  invocation.trace_header = lineage.header();
  try {
    engine::InvocationResult result = co_await run(function, std::move(invocation));
    co_return engine::InvokeOutcome{result.status, std::move(result.payload), function->version_name(),
                                    std::move(result.detail), request_id};
  } catch (const std::exception& error) {
    co_return engine::InvokeOutcome{.status = engine::InvokeStatus::failed, .detail = error.what()};
  }
}

Task<EventAttempt> FunctionInvoker::run_event(FunctionReference reference, Event event, engine::PlaceTurnPtr turn) {
  EventAttempt attempt;
  const FunctionPtr function = co_await functions_.find(reference);
  if (!function) {
    attempt.status = engine::InvokeStatus::no_function;
    attempt.detail = cat("Function not found: ", reference.arn());
    co_return attempt;
  }
  Lineage lineage(event.trace_header);
  attempt.is_recursive = extend(lineage, *function);
  attempt.is_switched_off = function->reserved_concurrency == 0;
  if (attempt.is_recursive || attempt.is_switched_off) {
    attempt.status = engine::InvokeStatus::throttled;
    attempt.detail = attempt.is_recursive ? "the chain of calls is too long" : "nothing is reserved for the function";
    co_return attempt;
  }
  engine::Invocation invocation;
  invocation.request_id = std::move(event.request_id);
  invocation.payload = std::move(event.payload);
  invocation.turn = std::move(turn);
  invocation.function_arn = reference.arn();
  invocation.trace_header = lineage.header();
  try {
    engine::InvocationResult result = co_await run(function, std::move(invocation));
    attempt.status = result.status;
    attempt.executed_version = function->version_name();
    attempt.function_error = std::move(result.function_error);
    attempt.payload = std::move(result.payload);
    attempt.detail = std::move(result.detail);
  } catch (const std::exception& error) {
    attempt.status = engine::InvokeStatus::failed;
    attempt.detail = error.what();
  }
  co_return attempt;
}

Task<std::optional<std::chrono::seconds>> FunctionInvoker::timeout(std::string_view function_arn) {
  const auto reference = parse_function_arn(function_arn);
  FunctionPtr function;
  if (reference) function = co_await functions_.find(*reference);
  if (!function) co_return std::nullopt;
  co_return std::chrono::seconds(function->timeout_seconds);
}

}  // namespace tidemill::lambda
