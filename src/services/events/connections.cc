// CreateConnection, DescribeConnection, ListConnections, UpdateConnection, DeauthorizeConnection and DeleteConnection.
#include "base/text.h"
#include "base/uuid.h"
#include "services/events/connection.h"
#include "services/events/errors.h"
#include "net/http_client.h"
#include "services/events/listing.h"
#include "services/events/oauth.h"
#include "services/events/operations.h"

namespace tidemill::events {
namespace {

using base::cat;

bool is_oauth(const Connection& connection) {
  return connection.type == shapes::AuthorizationType::kOauthClientCredentials;
}

std::string state_of(const Connection& connection) {
  if (connection.is_authorized() && is_oauth(connection)) return connection.oauth.state;
  return std::string(connection.is_authorized() ? shapes::ConnectionState::kAuthorized
                                                : shapes::ConnectionState::kDeauthorized);
}

HttpResource address_of(const wire::Context& context, const std::string& name) {
  return {context.account, context.region, name, ""};
}

std::vector<Parameter> parameters_of(const std::optional<std::vector<shapes::HttpParameter>>& list) {
  std::vector<Parameter> parameters;
  if (!list) return parameters;
  for (const auto& one : *list) {
    parameters.push_back({one.key.value_or(""), one.value.value_or(""), one.is_value_secret.value_or(true)});
  }
  return parameters;
}

// Values that are secrets are not shown.
std::optional<std::vector<shapes::HttpParameter>> shown(const std::vector<Parameter>& parameters) {
  if (parameters.empty()) return std::nullopt;
  std::vector<shapes::HttpParameter> list;
  for (const Parameter& one : parameters) {
    list.push_back({.key = one.key,
                    .value = one.is_secret ? std::nullopt : std::optional(one.value),
                    .is_value_secret = one.is_secret});
  }
  return list;
}

void check_headers(const std::vector<Parameter>& headers) {
  for (const Parameter& parameter : headers) {
    if (!is_header_name(parameter.key)) throw invalid_parameter("HeaderParameters", "A key is no name of a header.");
  }
}

OAuth oauth_of(const shapes::OAuthParameters& asked) {
  if (!net::parse_http_url(asked.authorization_endpoint)) {
    throw invalid_parameter("AuthorizationEndpoint", "It is no URL of http or https.");
  }
  const auto http = asked.o_auth_http_parameters.value_or(shapes::ConnectionHttpParameters{});
  OAuth oauth{.endpoint = asked.authorization_endpoint,
              .method = asked.http_method,
              .headers = parameters_of(http.header_parameters),
              .query = parameters_of(http.query_string_parameters),
              .body = parameters_of(http.body_parameters),
              .state = std::string(shapes::ConnectionState::kAuthorizing),
              .state_reason = {}};
  check_headers(oauth.headers);
  return oauth;
}

void authorize(Connection& connection, std::string type, const shapes::AuthParameters& parameters, base::Time now) {
  const bool is_basic = type == shapes::AuthorizationType::kBasic;
  const bool is_key = type == shapes::AuthorizationType::kApiKey;
  const bool is_whole = is_basic == parameters.basic_auth_parameters.has_value() &&
                        is_key == parameters.api_key_auth_parameters.has_value() &&
                        (!is_basic && !is_key) == parameters.o_auth_parameters.has_value();
  if (!is_whole) throw invalid_parameter("AuthParameters", cat("They must be those of ", type, "."));
  connection.type = std::move(type);
  connection.oauth = {};
  if (is_basic) {
    connection.user = parameters.basic_auth_parameters->username;
    connection.secret = parameters.basic_auth_parameters->password;
  } else if (is_key) {
    connection.user = parameters.api_key_auth_parameters->api_key_name;
    connection.secret = parameters.api_key_auth_parameters->api_key_value;
  } else {
    connection.user = parameters.o_auth_parameters->client_parameters.client_id;
    connection.secret = parameters.o_auth_parameters->client_parameters.client_secret;
    connection.oauth = oauth_of(*parameters.o_auth_parameters);
  }
  const auto http = parameters.invocation_http_parameters.value_or(shapes::ConnectionHttpParameters{});
  connection.headers = parameters_of(http.header_parameters);
  connection.query = parameters_of(http.query_string_parameters);
  connection.body = parameters_of(http.body_parameters);
  if (is_key && !is_header_name(connection.user)) throw invalid_parameter("ApiKeyName", "It is no name of a header.");
  check_headers(connection.headers);
  connection.authorized = now;
}

shapes::AuthParametersShown auth_of(const Connection& connection) {
  shapes::AuthParametersShown out;
  if (connection.type == shapes::AuthorizationType::kBasic) {
    out.basic_auth_parameters = {.username = connection.user};
  } else if (is_oauth(connection)) {
    const OAuth& oauth = connection.oauth;
    out.o_auth_parameters = {.client_parameters = {{.client_id = connection.user}},
                             .authorization_endpoint = oauth.endpoint,
                             .http_method = oauth.method};
    if (!oauth.headers.empty() || !oauth.query.empty() || !oauth.body.empty()) {
      out.o_auth_parameters->o_auth_http_parameters = {.header_parameters = shown(oauth.headers),
                                                       .query_string_parameters = shown(oauth.query),
                                                       .body_parameters = shown(oauth.body)};
    }
  } else {
    out.api_key_auth_parameters = {.api_key_name = connection.user};
  }
  if (connection.headers.empty() && connection.query.empty() && connection.body.empty()) return out;
  out.invocation_http_parameters = {.header_parameters = shown(connection.headers),
                                    .query_string_parameters = shown(connection.query),
                                    .body_parameters = shown(connection.body)};
  return out;
}

template <class Output>
Output answer_of(const Connection& connection) {
  return {.connection_arn = connection.arn(),
          .connection_state = state_of(connection),
          .creation_time = connection.created,
          .last_modified_time = connection.modified,
          .last_authorized_time = connection.authorized};
}

// Changes it by `apply`, (Connection&) -> void; what it is then.
template <class Apply>
Task<Connection> change(Service& service, HttpResource address, base::Time now, Apply apply) {
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<Connection> {
    Connection connection = co_await load_connection(txn, address);
    connection.modified = now;
    const base::Time before = connection.authorized;
    apply(connection);
    save_connection(txn, connection);
    if (is_oauth(connection) && connection.authorized != before) co_await Tokens::check_soon(txn, connection, now);
    co_return connection;
  });
}

}  // namespace

Task<shapes::CreateConnectionOutput> create_connection(Service& service, wire::Context& context,
                                                       const shapes::CreateConnectionInput& request) {
  Connection connection;
  connection.address = address_of(context, request.name);
  connection.address.id = base::new_uuid();
  connection.description = request.description.value_or("");
  connection.created = connection.modified = context.now();
  authorize(connection, request.authorization_type, request.auth_parameters, context.now());
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await find_connection(txn, connection.address)) {
      throw errors::resource_already_exists_exception(cat("Connection ", request.name, " already exists."));
    }
    save_connection(txn, connection);
    if (is_oauth(connection)) co_await Tokens::check_soon(txn, connection, context.now());
  });
  co_return shapes::CreateConnectionOutput{.connection_arn = connection.arn(),
                                           .connection_state = state_of(connection),
                                           .creation_time = connection.created,
                                           .last_modified_time = connection.modified};
}

Task<shapes::DescribeConnectionOutput> describe_connection(Service& service, wire::Context& context,
                                                           const shapes::DescribeConnectionInput& request) {
  const auto snapshot = service.store().snapshot();
  const Connection connection = co_await load_connection(*snapshot, address_of(context, request.name));
  shapes::DescribeConnectionOutput out;
  out.connection_arn = connection.arn();
  out.name = connection.address.name;
  if (!connection.description.empty()) out.description = connection.description;
  out.connection_state = state_of(connection);
  if (!connection.oauth.state_reason.empty()) out.state_reason = connection.oauth.state_reason;
  out.authorization_type = connection.type;
  out.auth_parameters = auth_of(connection);
  out.creation_time = connection.created;
  out.last_modified_time = connection.modified;
  out.last_authorized_time = connection.authorized;
  co_return out;
}

Task<shapes::ListConnectionsOutput> list_connections(Service& service, wire::Context& context,
                                                     const shapes::ListConnectionsInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::ListConnectionsOutput out;
  out.connections.emplace();
  out.next_token = co_await read_page(
      *snapshot, connections_range(context.account, context.region, request.name_prefix.value_or("")),
      {request.next_token, request.limit}, [&](std::string_view key, std::string_view value) {
        const Connection connection = decode_connection(key, value);
        if (request.connection_state && *request.connection_state != state_of(connection)) return false;
        out.connections->push_back({.connection_arn = connection.arn(),
                                    .name = connection.address.name,
                                    .connection_state = state_of(connection),
                                    .authorization_type = connection.type,
                                    .creation_time = connection.created,
                                    .last_modified_time = connection.modified,
                                    .last_authorized_time = connection.authorized});
        return true;
      });
  co_return out;
}

Task<shapes::UpdateConnectionOutput> update_connection(Service& service, wire::Context& context,
                                                       const shapes::UpdateConnectionInput& request) {
  const HttpResource address = address_of(context, request.name);
  if (request.authorization_type && !request.auth_parameters) {
    throw invalid("Parameter AuthParameters must be specified with AuthorizationType.");
  }
  const Connection connection = co_await change(service, address, context.now(), [&](Connection& changed) {
    if (request.description) changed.description = *request.description;
    if (!request.auth_parameters) return;
    authorize(changed, request.authorization_type.value_or(changed.type), *request.auth_parameters, context.now());
  });
  co_return answer_of<shapes::UpdateConnectionOutput>(connection);
}

Task<shapes::DeauthorizeConnectionOutput> deauthorize_connection(Service& service, wire::Context& context,
                                                                 const shapes::DeauthorizeConnectionInput& request) {
  const HttpResource address = address_of(context, request.name);
  const Connection connection =
      co_await change(service, address, context.now(), [](Connection& changed) { changed.secret.clear(); });
  co_return answer_of<shapes::DeauthorizeConnectionOutput>(connection);
}

Task<shapes::DeleteConnectionOutput> delete_connection(Service& service, wire::Context& context,
                                                       const shapes::DeleteConnectionInput& request) {
  const HttpResource address = address_of(context, request.name);
  const Connection connection = co_await service.store().transact([&](store::Transaction& txn) -> Task<Connection> {
    Connection found = co_await load_connection(txn, address);
    erase_connection(txn, found);
    co_return found;
  });
  auto out = answer_of<shapes::DeleteConnectionOutput>(connection);
  out.connection_state = shapes::ConnectionState::kDeleting;
  co_return out;
}

Task<std::optional<engine::ConnectionParts>> Service::find_connection_parts(std::string arn) {
  const auto connection = co_await find_connection(*store().snapshot(), std::move(arn));
  if (!connection || !connection->is_authorized()) co_return std::nullopt;
  try {
    auto parts = co_await sending_.api_caller().parts(*connection);
    parts.refused = [this, connection] { sending_.api_caller().tokens().forget(*connection); };
    co_return parts;
  } catch (const CannotCall&) {
    co_return std::nullopt;
  }
}

}  // namespace tidemill::events
