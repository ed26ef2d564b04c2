// GetResourceRequestStatus, ListResourceRequests and CancelResourceRequest.
#include <algorithm>

#include "base/text.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/describing_requests.h"
#include "services/cloudformation/paging.h"
#include "services/cloudformation/resource_operations.h"
#include "wire/error.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = control::errors;

namespace {

constexpr size_t kRequestsPageDefault = 20;

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

[[noreturn]] void not_found(std::string_view token) {
  throw errors::request_token_not_found_exception(cat("Request with token ", token, " was not found."));
}

bool has(const std::optional<std::vector<std::string>>& wanted, const std::string& one) {
  return !wanted || wanted->empty() || std::ranges::find(*wanted, one) != wanted->end();
}

}  // namespace

control::ProgressEvent describe_request(const ResourceRequest& request) {
  control::ProgressEvent event;
  event.type_name = request.type;
  event.identifier = unless_empty(request.identifier);
  event.request_token = request.token;
  event.operation = request.operation;
  // A request begins as soon as it is taken.
  event.operation_status = request.status == "PENDING" ? "IN_PROGRESS" : request.status;
  event.event_time = request.changed;
  event.status_message = unless_empty(request.message);
  event.error_code = unless_empty(request.error_code);
  if (request.operation != "DELETE" && !request.is_over()) event.resource_model = json::write(request.after);
  return event;
}

Task<control::GetResourceRequestStatusOutput> get_resource_request_status(
    Service& service, wire::Context& context, const control::GetResourceRequestStatusInput& request) {
  const auto snapshot = service.store().snapshot();
  const auto found = co_await load_request(*snapshot, place_of(context), request.request_token);
  if (!found) not_found(request.request_token);
  control::GetResourceRequestStatusOutput out;
  out.progress_event = describe_request(*found);
  co_return out;
}

Task<control::ListResourceRequestsOutput> list_resource_requests(Service& service, wire::Context& context,
                                                                 const control::ListResourceRequestsInput& request) {
  const auto snapshot = service.store().snapshot();
  const Place place = place_of(context);
  const size_t most = static_cast<size_t>(request.max_results.value_or(kRequestsPageDefault));
  std::vector<std::string> tokens;
  control::ListResourceRequestsOutput out;
  out.resource_request_status_summaries.emplace();
  try {
    out.next_token = co_await read_page_of(*snapshot, request_order_range(place), request.next_token, most,
                                           [&](std::string_view key, std::string_view) {
                                             tokens.push_back(token_of_order_key(place, key));
                                             return true;
                                           });
  } catch (const wire::Error& error) {
    throw errors::invalid_request_exception(error.message);
  }
  for (const std::string& token : tokens) {
    const auto found = co_await load_request(*snapshot, place, token);
    if (!found) continue;
    const control::ProgressEvent event = describe_request(*found);
    const auto& filter = request.resource_request_status_filter;
    if (filter && !(has(filter->operations, *event.operation) && has(filter->operation_statuses, *event.operation_status))) {
      continue;
    }
    out.resource_request_status_summaries->push_back(event);
  }
  co_return out;
}

Task<control::CancelResourceRequestOutput> cancel_resource_request(Service& service, wire::Context& context,
                                                                   const control::CancelResourceRequestInput& request) {
  control::CancelResourceRequestOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    auto found = co_await load_request(txn, place_of(context), request.request_token);
    if (!found) not_found(request.request_token);
    if (found->is_over()) {
      throw errors::concurrent_modification_exception(
          cat("Request with token ", found->token, " is in the status ", found->status,
              "; only those that are PENDING or IN_PROGRESS can be cancelled."));
    }
    found->status = "CANCEL_IN_PROGRESS";
    found->changed = context.now();
    put_request(txn, *found);
    out.progress_event = describe_request(*found);
  });
  co_return out;
}

}  // namespace tidemill::cloudformation
