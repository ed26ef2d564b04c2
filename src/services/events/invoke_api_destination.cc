// Calls an API destination once and tells what it answered: for pipes, whose enrichments need the answer's body.
#include "base/text.h"
#include "services/events/api_call.h"
#include "services/events/errors.h"
#include "services/events/operations.h"

namespace tidemill::events {
namespace {

constexpr int kServerError = 500;

// Those of other accounts and regions are not there.
bool is_of_caller(const wire::Context& context, std::string_view arn) {
  return is_destination_arn(arn) && arn.contains(base::cat(":", context.region, ":", context.account, ":"));
}

void check_headers(const shapes::InvokeApiDestinationInput& request) {
  if (!request.http_parameters || !request.http_parameters->header_parameters) return;
  for (const auto& [name, value] : *request.http_parameters->header_parameters) {
    if (is_header_name(name)) continue;
    throw invalid_parameter("HttpParameters.HeaderParameters", base::cat(name, " is no name of a header."));
  }
}

}  // namespace

Task<shapes::InvokeApiDestinationOutput> invoke_api_destination(Service& service, wire::Context& context,
                                                                const shapes::InvokeApiDestinationInput& request) {
  const std::string& arn = request.api_destination_arn;
  if (!is_of_caller(context, arn))
    throw errors::resource_not_found_exception(base::cat("No API destination ", arn, "."));
  check_headers(request);
  std::string values = http_values(request.http_parameters.value_or(shapes::HttpParameters{}));
  try {
    net::HttpAnswer answer = co_await service.sending().api_caller().call(arn, std::move(values), request.body, true);
    co_return shapes::InvokeApiDestinationOutput{.status_code = answer.status, .body = std::move(answer.body)};
  } catch (const CannotCall& error) {
    throw errors::resource_not_found_exception(error.what());
  } catch (const net::HttpFailed& error) {
    throw wire::Error("InternalException", kServerError, error.what());
  }
}

}  // namespace tidemill::events
