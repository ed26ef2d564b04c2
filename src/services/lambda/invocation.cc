#include "services/lambda/invocation.h"

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "services/lambda/errors.h"
#include "services/lambda/payload.h"
#include "wire/large_work.h"

namespace tidemill::lambda {
namespace {

using base::cat;

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

std::string checked_copy(const std::string& payload) {
  if (const auto problem = json_problem(payload)) {
    throw errors::invalid_request_content_exception(
        cat("Could not parse request body into json: Could not parse payload into json: ", *problem));
  }
  return payload;
}

}  // namespace

Task<std::string> checked_payload(Service& service, const std::optional<std::string>& payload, size_t bytes_max,
                                  std::string_view type) {
  if (!payload || payload->empty()) co_return "{}";
  if (payload->size() > bytes_max) {
    throw errors::request_too_large_exception(cat(payload->size(), " byte payload is too large for the ", type,
                                                  " invocation type (limit ", bytes_max, " bytes)"));
  }
  if (wire::is_for_thread(payload->size())) {
    co_return co_await service.large().run_joined([&payload] { return checked_copy(*payload); });
  }
  co_return checked_copy(*payload);
}

void check_ran(const engine::InvocationResult& result, const FunctionReference& reference) {
  switch (result.status) {
    case engine::InvokeStatus::throttled: {
      shapes::TooManyRequestsException more;
      more.reason = result.is_over_reserved ? "ReservedFunctionConcurrentInvocationLimitExceeded"
                                            : "ConcurrentInvocationLimitExceeded";
      throw errors::too_many_requests_exception("Rate Exceeded.", more);
    }
    case engine::InvokeStatus::no_function: throw function_not_found(reference.arn());
    case engine::InvokeStatus::failed: throw errors::service_exception(result.detail);
    case engine::InvokeStatus::ok:
    case engine::InvokeStatus::function_error: return;
  }
}

bool extend(Lineage& lineage, const Function& function) {
  return lineage.add(function.address.arn()) > kCallsInChainMax && !function.allows_recursion;
}

void extend_or_refuse(Lineage& lineage, const Found& found) {
  if (!extend(lineage, *found.function)) return;
  throw errors::recursive_invocation_exception(
      cat(found.reference.arn(), " was called more than ", kCallsInChainMax, " times in the same chain of requests"));
}

template <class Request>
Task<engine::Invocation> invocation_of(Service& service, const wire::Context& context, const Found& found,
                                       const Request& request) {
  engine::Invocation invocation;
  invocation.request_id = context.request_id;
  invocation.payload = co_await checked_payload(service, request.payload, kPayloadBytesMax,
                                                shapes::InvocationType::kRequestResponse);
  invocation.client_context = checked_client_context(request.client_context);
  invocation.function_arn = found.reference.arn();
  invocation.want_tail = request.log_type == shapes::LogType::kTail;
  co_return invocation;
}

template Task<engine::Invocation> invocation_of(Service&, const wire::Context&, const Found&, const shapes::InvokeInput&);
template Task<engine::Invocation> invocation_of(Service&, const wire::Context&, const Found&,
                                                const shapes::InvokeWithResponseStreamInput&);

}  // namespace tidemill::lambda
