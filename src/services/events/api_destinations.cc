// CreateApiDestination, DescribeApiDestination, ListApiDestinations, UpdateApiDestination and DeleteApiDestination.
#include "base/text.h"
#include "base/uuid.h"
#include "net/http_client.h"
#include "services/events/connection.h"
#include "services/events/errors.h"
#include "services/events/listing.h"
#include "services/events/operations.h"

namespace tidemill::events {
namespace {

using base::cat;

constexpr const char* kActive = "ACTIVE";
constexpr const char* kInactive = "INACTIVE";

HttpResource address_of(const wire::Context& context, const std::string& name) {
  return {context.account, context.region, name, ""};
}

Task<std::string> state_of(store::Snapshot& reader, const ApiDestination& destination) {
  const auto connection = co_await find_connection(reader, destination);
  co_return connection && connection->is_authorized() ? kActive : kInactive;
}

Task<void> check_connection(store::Snapshot& reader, const ApiDestination& destination) {
  if (!co_await find_connection(reader, destination)) {
    throw errors::resource_not_found_exception(cat("Connection '", destination.connection, "' does not exist."));
  }
}

void check_endpoint(const std::string& endpoint) {
  if (!net::parse_http_url(endpoint)) throw invalid_parameter("InvocationEndpoint", "It is no URL of http or https.");
}

shapes::ApiDestination describe(const ApiDestination& destination, std::string state) {
  return {.api_destination_arn = destination.arn(),
          .name = destination.address.name,
          .api_destination_state = std::move(state),
          .connection_arn = destination.connection,
          .invocation_endpoint = destination.endpoint,
          .http_method = destination.method,
          .invocation_rate_limit_per_second = static_cast<int32_t>(destination.rate),
          .creation_time = destination.created,
          .last_modified_time = destination.modified};
}

}  // namespace

Task<shapes::CreateApiDestinationOutput> create_api_destination(Service& service, wire::Context& context,
                                                                const shapes::CreateApiDestinationInput& request) {
  check_endpoint(request.invocation_endpoint);
  ApiDestination destination;
  destination.address = address_of(context, request.name);
  destination.address.id = base::new_uuid();
  destination.description = request.description.value_or("");
  destination.connection = request.connection_arn;
  destination.endpoint = request.invocation_endpoint;
  destination.method = request.http_method;
  if (request.invocation_rate_limit_per_second) destination.rate = *request.invocation_rate_limit_per_second;
  destination.created = destination.modified = context.now();
  std::string state;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    co_await check_connection(txn, destination);
    if (co_await find_destination(txn, destination.address)) {
      throw errors::resource_already_exists_exception(cat("An api-destination '", request.name, "' already exists."));
    }
    save_destination(txn, destination);
    state = co_await state_of(txn, destination);
  });
  co_return shapes::CreateApiDestinationOutput{.api_destination_arn = destination.arn(),
                                               .api_destination_state = state,
                                               .creation_time = destination.created,
                                               .last_modified_time = destination.modified};
}

Task<shapes::DescribeApiDestinationOutput> describe_api_destination(
    Service& service, wire::Context& context, const shapes::DescribeApiDestinationInput& request) {
  const auto snapshot = service.store().snapshot();
  const ApiDestination destination = co_await load_destination(*snapshot, address_of(context, request.name));
  const auto shown = describe(destination, co_await state_of(*snapshot, destination));
  shapes::DescribeApiDestinationOutput out;
  out.api_destination_arn = shown.api_destination_arn;
  out.name = shown.name;
  if (!destination.description.empty()) out.description = destination.description;
  out.api_destination_state = shown.api_destination_state;
  out.connection_arn = shown.connection_arn;
  out.invocation_endpoint = shown.invocation_endpoint;
  out.http_method = shown.http_method;
  out.invocation_rate_limit_per_second = shown.invocation_rate_limit_per_second;
  out.creation_time = shown.creation_time;
  out.last_modified_time = shown.last_modified_time;
  co_return out;
}

Task<shapes::ListApiDestinationsOutput> list_api_destinations(Service& service, wire::Context& context,
                                                              const shapes::ListApiDestinationsInput& request) {
  const auto snapshot = service.store().snapshot();
  std::vector<ApiDestination> found;
  shapes::ListApiDestinationsOutput out;
  out.next_token = co_await read_page(
      *snapshot, destinations_range(context.account, context.region, request.name_prefix.value_or("")),
      {request.next_token, request.limit}, [&](std::string_view key, std::string_view value) {
        ApiDestination destination = decode_destination(key, value);
        if (request.connection_arn && *request.connection_arn != destination.connection) return false;
        found.push_back(std::move(destination));
        return true;
      });
  out.api_destinations.emplace();
  for (const ApiDestination& destination : found) {
    std::string state = co_await state_of(*snapshot, destination);
    out.api_destinations->push_back(describe(destination, std::move(state)));
  }
  co_return out;
}

Task<shapes::UpdateApiDestinationOutput> update_api_destination(Service& service, wire::Context& context,
                                                                const shapes::UpdateApiDestinationInput& request) {
  if (request.invocation_endpoint) check_endpoint(*request.invocation_endpoint);
  const HttpResource address = address_of(context, request.name);
  shapes::UpdateApiDestinationOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    ApiDestination destination = co_await load_destination(txn, address);
    if (request.description) destination.description = *request.description;
    if (request.connection_arn) destination.connection = *request.connection_arn;
    if (request.invocation_endpoint) destination.endpoint = *request.invocation_endpoint;
    if (request.http_method) destination.method = *request.http_method;
    if (request.invocation_rate_limit_per_second) destination.rate = *request.invocation_rate_limit_per_second;
    destination.modified = context.now();
    co_await check_connection(txn, destination);
    save_destination(txn, destination);
    out = {.api_destination_arn = destination.arn(),
           .api_destination_state = co_await state_of(txn, destination),
           .creation_time = destination.created,
           .last_modified_time = destination.modified};
  });
  co_return out;
}

Task<shapes::DeleteApiDestinationOutput> delete_api_destination(Service& service, wire::Context& context,
                                                                const shapes::DeleteApiDestinationInput& request) {
  const HttpResource address = address_of(context, request.name);
  co_await service.store().transact(
      [&](store::Transaction& txn) -> Task<void> { erase_destination(txn, co_await load_destination(txn, address)); });
  co_return shapes::DeleteApiDestinationOutput{};
}

}  // namespace tidemill::events
