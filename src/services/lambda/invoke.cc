// Runs a function and answers what it answered.
#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/operations.h"
#include "services/lambda/payload.h"
#include "base/uuid.h"

namespace tidemill::lambda {
namespace {

using base::cat;

std::string checked_payload(const shapes::InvokeInput& request) {
  if (!request.payload || request.payload->empty()) return "{}";
  const std::string& payload = *request.payload;
  if (payload.size() > kPayloadBytesMax) {
    throw errors::request_too_large_exception(cat(payload.size(),
                                                  " byte payload is too large for the RequestResponse invocation type "
                                                  "(limit ", kPayloadBytesMax, " bytes)"));
  }
  if (const auto problem = json_problem(payload)) {
    throw errors::invalid_request_content_exception(cat("Could not parse request body into json: ", *problem));
  }
  return payload;
}

std::string checked_client_context(const std::optional<std::string>& encoded) {
  if (!encoded || encoded->empty()) return "";
  auto text = base::base64_decode(*encoded);
  if (!text || json_problem(*text)) {
    throw errors::invalid_request_content_exception("Client context must be a valid Base64-encoded JSON object.");
  }
  // It travels in a header; in JSON a line break is only ever white space.
  std::ranges::replace_if(*text, [](char c) { return c == '\r' || c == '\n'; }, ' ');
  return *std::move(text);
}

// Errors of ours, not the function's.
void check_ran(const engine::InvocationResult& result, const FunctionReference& reference) {
  switch (result.status) {
    case engine::InvokeStatus::throttled: {
      shapes::TooManyRequestsException more;
      more.reason = "ConcurrentInvocationLimitExceeded";
      throw errors::too_many_requests_exception("Rate Exceeded.", more);
    }
    case engine::InvokeStatus::no_function: throw function_not_found(reference.arn());
    case engine::InvokeStatus::failed: throw errors::service_exception(result.detail);
    case engine::InvokeStatus::ok:
    case engine::InvokeStatus::function_error: return;
  }
}

}  // namespace

Task<shapes::InvokeOutput> invoke(Service& service, wire::Context& context, const shapes::InvokeInput& request) {
  if (request.invocation_type == shapes::InvocationType::kEvent) throw not_supported("InvocationType Event");
  const Found found = co_await find_function(service, context, request.function_name, request.qualifier);
  engine::Invocation invocation;
  invocation.payload = checked_payload(request);
  invocation.client_context = checked_client_context(request.client_context);

  shapes::InvokeOutput out;
  out.executed_version = std::string(kLatest);
  if (request.invocation_type == shapes::InvocationType::kDryRun) {
    out.status_code = 204;
    co_return out;
  }
  invocation.request_id = context.request_id;
  invocation.function_arn = found.reference.arn();
  invocation.want_tail = request.log_type == shapes::LogType::kTail;
  co_await service.packages().ensure_unpacked(found.function->code_digest);
  engine::InvocationResult result = co_await service.workers().invoke(found.function->spec, std::move(invocation));
  check_ran(result, found.reference);

  out.status_code = 200;
  out.payload = std::move(result.payload);
  if (!result.function_error.empty()) out.function_error = std::move(result.function_error);
  if (request.log_type == shapes::LogType::kTail) out.log_result = base::base64_encode(result.log_tail);
  co_return out;
}

Task<engine::InvokeOutcome> FunctionInvoker::invoke(std::string_view function_arn, std::string payload) {
  const auto reference = parse_function_arn(function_arn);
  FunctionPtr function;
  if (reference && (reference->qualifier.empty() || reference->qualifier == kLatest)) {
    function = co_await functions_.find(reference->address);
  }
  if (!function) {
    co_return engine::InvokeOutcome{.status = engine::InvokeStatus::no_function,
                                    .detail = cat("Function not found: ", function_arn)};
  }
  try {
    co_await packages_.ensure_unpacked(function->code_digest);
  } catch (const std::exception& error) {
    co_return engine::InvokeOutcome{.status = engine::InvokeStatus::failed, .detail = error.what()};
  }
  engine::Invocation invocation;
  const std::string request_id = base::new_uuid();
  invocation.request_id = request_id;
  invocation.payload = std::move(payload);
  invocation.function_arn = reference->arn();
  engine::InvocationResult result = co_await workers_.invoke(function->spec, std::move(invocation));
  co_return engine::InvokeOutcome{result.status, std::move(result.payload), std::string(kLatest),
                                  std::move(result.detail), request_id};
}

Task<std::optional<std::chrono::seconds>> FunctionInvoker::timeout(std::string_view function_arn) {
  const auto reference = parse_function_arn(function_arn);
  const FunctionPtr function = reference ? co_await functions_.find(reference->address) : nullptr;
  if (!function) co_return std::nullopt;
  co_return std::chrono::seconds(function->timeout_seconds);
}

}  // namespace tidemill::lambda
