#include "services/pipes/compute.h"

#include "base/text.h"
#include "engine/targets/function_target.h"
#include "engine/targets/internal_call.h"
#include "wire/arn.h"
#include "wire/pipeline/authorize.h"
#include "wire/shapes/lambda.h"

namespace tidemill::pipes {
namespace {

using engine::InvokeOutcome;
using engine::InvokeStatus;

constexpr int kTooManyRequests = 429;
constexpr int kServerError = 500;

bool is_throttling(std::string_view code) {
  return code.contains("Throttl") || code.contains("TooManyRequests") || code.contains("ThroughputExceeded") ||
         code.contains("Overloaded");
}

bool is_function(std::string_view arn) { return wire::parse_arn_of("lambda", arn).has_value(); }

std::string text_member(const json::Value& document, std::string_view name) {
  const json::Value* member = document.find(name);
  return member && member->is_string() ? member->string() : "";
}

// Of StartSyncExecution, which answers also what has failed.
InvokeOutcome outcome_of_execution(const json::Value& answer) {
  if (text_member(answer, "Status") == "SUCCEEDED") return {.payload = text_member(answer, "Output")};
  return {.status = InvokeStatus::function_error,
          .payload = text_member(answer, "Cause"),
          .detail = text_member(answer, "Error")};
}

}  // namespace

InvokeStatus status_of_code(std::string_view code) {
  if (is_throttling(code)) return InvokeStatus::throttled;
  const bool is_ours = code.contains("Internal") || code.contains("Unavailable");
  return is_ours ? InvokeStatus::failed : InvokeStatus::function_error;
}

InvokeOutcome outcome_of(const wire::Error& error) {
  InvokeOutcome outcome{.status = InvokeStatus::function_error, .detail = base::cat(error.code, ": ", error.message)};
  if (error.http_status == kTooManyRequests || is_throttling(error.code)) {
    outcome.status = InvokeStatus::throttled;
  } else if (error.http_status >= kServerError) {
    outcome.status = InvokeStatus::failed;
  }
  return outcome;
}

Task<InvokeOutcome> Compute::call(wire::Principal by, std::string arn, std::string payload, engine::PlaceTurnPtr turn) {
  if (is_function(arn)) return call_function(std::move(by), std::move(arn), std::move(payload), std::move(turn));
  return call_state_machine(std::move(by), std::move(arn), std::move(payload), true);
}

Task<InvokeOutcome> Compute::start(wire::Principal by, std::string arn, std::string payload) {
  if (!is_function(arn)) co_return co_await call_state_machine(std::move(by), std::move(arn), std::move(payload), false);
  const store::SendOutcome sent = co_await engine::invoke_function(platform_, arn, payload, {}, std::move(by));
  switch (sent.status) {
    case store::SendStatus::delivered:
      co_return InvokeOutcome{};
    case store::SendStatus::rejected:
      co_return InvokeOutcome{.status = InvokeStatus::function_error, .detail = sent.error};
    case store::SendStatus::unavailable:
      co_return InvokeOutcome{.status = InvokeStatus::throttled, .detail = sent.error};
    case store::SendStatus::failed:
      break;
  }
  co_return InvokeOutcome{.status = InvokeStatus::failed, .detail = sent.error};
}

// Not by the operation: that has no line for those who were throttled.
Task<InvokeOutcome> Compute::call_function(wire::Principal by, std::string arn, std::string payload,
                                           engine::PlaceTurnPtr turn) {
  const wire::Context context = engine::internal_context(platform_, arn, std::move(by));
  try {
    co_await wire::authorize({context, wire::lambda::ops::Invoke::info});
    co_await wire::authorize_deed(context, {"lambda:InvokeFunction", arn});
  } catch (const wire::Error& error) {
    co_return outcome_of(error);
  }
  co_return co_await functions_.invoke_in_turn(arn, std::move(payload), std::move(turn));
}

Task<InvokeOutcome> Compute::call_state_machine(wire::Principal by, std::string arn, std::string payload, bool waits) {
  wire::Context context = engine::internal_context(platform_, arn, std::move(by));
  json::Object document{{"StateMachineArn", arn}, {"Input", std::move(payload)}};
  try {
    const json::Value answer = co_await platform_.registry.call(
        context, "states", waits ? "StartSyncExecution" : "StartExecution", std::move(document));
    co_return waits ? outcome_of_execution(answer) : InvokeOutcome{};
  } catch (const wire::Error& error) {
    co_return outcome_of(error);
  } catch (const store::Overloaded& error) {
    co_return InvokeOutcome{.status = InvokeStatus::throttled, .detail = error.what()};
  }
}

}  // namespace tidemill::pipes
