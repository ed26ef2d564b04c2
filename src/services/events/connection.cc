#include "services/events/connection.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <stdexcept>

#include "base/base64.h"
#include "base/json_members.h"
#include "base/text.h"
#include "services/events/errors.h"
#include "store/resources.h"
#include "wire/arn.h"

namespace tidemill::events {
namespace {

constexpr store::ResourceType kConnections{"events", "connection"};
constexpr store::ResourceType kDestinations{"events", "api-destination"};
constexpr std::string_view kConnectionType = "connection/";
constexpr std::string_view kDestinationType = "api-destination/";

std::string key_of(store::ResourceType type, const HttpResource& address) {
  return store::resource_key(type, address.account, address.region, address.name);
}

std::string arn_of(std::string_view type, const HttpResource& address) {
  const std::string resource = base::cat(type, address.name, "/", address.id);
  return wire::Arn{.service = "events", .region = address.region, .account = address.account, .resource = resource}
      .text();
}

std::optional<HttpResource> parse(std::string_view type, std::string_view arn) {
  const auto parts = wire::parse_arn_of("events", arn);
  if (!parts || !parts->resource.starts_with(type)) return std::nullopt;
  const std::string_view rest = parts->resource.substr(type.size());
  const size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return HttpResource{std::string(parts->account), std::string(parts->region), std::string(rest.substr(0, slash)),
                      std::string(rest.substr(slash + 1))};
}

HttpResource address_of(store::ResourceType type, std::string_view key) {
  auto address = store::resource_of_key(type, key);
  if (!address) throw std::runtime_error("a key of event buses is not readable");
  return {std::move(address->account), std::move(address->region), std::move(address->name), ""};
}

constexpr std::string_view kWhat = "connection";

constexpr auto kParameterMembers = [](auto& member, auto& parameter) {
  member("key", parameter.key);
  member("value", parameter.value);
  member("is_secret", parameter.is_secret);
};

constexpr auto kOAuthMembers = [](auto& member, auto& oauth) {
  member("endpoint", oauth.endpoint);
  member("method", oauth.method);
  member.list("headers", kWhat, oauth.headers, kParameterMembers);
  member.list("query", kWhat, oauth.query, kParameterMembers);
  member.list("body", kWhat, oauth.body, kParameterMembers);
  member("state", oauth.state);
  member("state_reason", oauth.state_reason);
};

constexpr auto kConnectionMembers = [](auto& member, auto& connection) {
  member("id", connection.address.id);
  member("description", connection.description);
  member("type", connection.type);
  member("user", connection.user);
  member("secret", connection.secret);
  member.list("headers", kWhat, connection.headers, kParameterMembers);
  member.list("query", kWhat, connection.query, kParameterMembers);
  member.list("body", kWhat, connection.body, kParameterMembers);
  member.part_when(!connection.oauth.endpoint.empty(), "oauth", kWhat, connection.oauth, kOAuthMembers);
  member("created_us", connection.created);
  member("modified_us", connection.modified);
  member("authorized_us", connection.authorized);
};

constexpr auto kDestinationMembers = [](auto& member, auto& destination) {
  member("id", destination.address.id);
  member("description", destination.description);
  member("connection", destination.connection);
  member("endpoint", destination.endpoint);
  member("method", destination.method);
  member("rate", destination.rate);
  member("created_us", destination.created);
  member("modified_us", destination.modified);
};

// What the two kinds have alike: `decode` reads one of `type`.
template <class T, class Decode>
Task<std::optional<T>> find(store::Snapshot& reader, store::ResourceType type, HttpResource address, Decode decode) {
  const std::string key = key_of(type, address);
  const auto bytes = co_await reader.get(key);
  if (!bytes) co_return std::nullopt;
  co_return decode(key, *bytes);
}

// By an ARN, which names one that may have been made again since.
template <class T, class Decode>
Task<std::optional<T>> find_by_arn(store::Snapshot& reader, store::ResourceType type, std::optional<HttpResource> address,
                                   Decode decode) {
  if (!address) co_return std::nullopt;
  auto found = co_await find<T>(reader, type, *address, decode);
  if (!found || found->address.id != address->id) co_return std::nullopt;
  co_return std::move(found);
}

}  // namespace

std::string Connection::arn() const { return arn_of(kConnectionType, address); }
std::string ApiDestination::arn() const { return arn_of(kDestinationType, address); }

bool is_destination_arn(std::string_view arn) { return parse(kDestinationType, arn).has_value(); }

store::Range connections_range(std::string_view account, std::string_view region, std::string_view prefix) {
  return store::Range::prefix(store::resource_prefix(kConnections, account, region).append(prefix));
}
store::Range destinations_range(std::string_view account, std::string_view region, std::string_view prefix) {
  return store::Range::prefix(store::resource_prefix(kDestinations, account, region).append(prefix));
}

Connection decode_connection(std::string_view key, std::string_view bytes) {
  return json::decode(kWhat, bytes, kConnectionMembers, Connection{.address = address_of(kConnections, key)});
}

void save_connection(store::Transaction& txn, const Connection& connection) {
  txn.put(key_of(kConnections, connection.address), json::encode(connection, kConnectionMembers));
}

void erase_connection(store::Transaction& txn, const Connection& connection) {
  txn.erase(key_of(kConnections, connection.address));
}

Task<std::optional<Connection>> find_connection(store::Snapshot& reader, HttpResource address) {
  return find<Connection>(reader, kConnections, std::move(address), decode_connection);
}

Task<std::optional<Connection>> find_connection(store::Snapshot& reader, std::string arn) {
  return find_by_arn<Connection>(reader, kConnections, parse(kConnectionType, arn), decode_connection);
}

Task<std::optional<Connection>> find_connection(store::Snapshot& reader, const ApiDestination& destination) {
  const HttpResource own = destination.address;
  auto connection = co_await find_connection(reader, destination.connection);
  if (!connection || connection->address.account != own.account || connection->address.region != own.region) {
    co_return std::nullopt;
  }
  co_return connection;
}

Task<Connection> load_connection(store::Snapshot& reader, HttpResource address) {
  auto connection = co_await find_connection(reader, address);
  if (connection) co_return *std::move(connection);
  throw errors::resource_not_found_exception(
      base::cat("Failed to describe the connection(s). Connection '", address.name, "' does not exist."));
}

ApiDestination decode_destination(std::string_view key, std::string_view bytes) {
  return json::decode("API destination", bytes, kDestinationMembers,
                      ApiDestination{.address = address_of(kDestinations, key)});
}

void save_destination(store::Transaction& txn, const ApiDestination& destination) {
  txn.put(key_of(kDestinations, destination.address), json::encode(destination, kDestinationMembers));
}

void erase_destination(store::Transaction& txn, const ApiDestination& destination) {
  txn.erase(key_of(kDestinations, destination.address));
}

Task<std::optional<ApiDestination>> find_destination(store::Snapshot& reader, HttpResource address) {
  return find<ApiDestination>(reader, kDestinations, std::move(address), decode_destination);
}

Task<std::optional<ApiDestination>> find_destination(store::Snapshot& reader, std::string arn) {
  return find_by_arn<ApiDestination>(reader, kDestinations, parse(kDestinationType, arn), decode_destination);
}

Task<ApiDestination> load_destination(store::Snapshot& reader, HttpResource address) {
  auto destination = co_await find_destination(reader, address);
  if (destination) co_return *std::move(destination);
  throw errors::resource_not_found_exception(
      base::cat("Failed to describe the api-destination(s). An api-destination '", address.name, "' does not exist."));
}

engine::ConnectionParts parts_of(const Connection& connection, const std::string& token) {
  const auto pairs_of = [](const std::vector<Parameter>& parameters) {
    engine::ConnectionParts::Pairs pairs;
    for (const Parameter& parameter : parameters) pairs.emplace_back(parameter.key, parameter.value);
    return pairs;
  };
  engine::ConnectionParts parts{.headers = pairs_of(connection.headers),
                                .query = pairs_of(connection.query),
                                .body = pairs_of(connection.body)};
  if (connection.type == wire::events::AuthorizationType::kBasic) {
    const std::string credentials = base::base64_encode(connection.user + ":" + connection.secret);
    parts.headers.emplace_back("Authorization", "Basic " + credentials);
  } else if (connection.type == wire::events::AuthorizationType::kOauthClientCredentials) {
    parts.headers.emplace_back("Authorization", "Bearer " + token);
  } else {
    parts.headers.emplace_back(connection.user, connection.secret);
  }
  return parts;
}

bool is_header_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> kOfTheRequest{"host", "content-length", "transfer-encoding", "connection"};
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return !name.empty() && std::ranges::find(kOfTheRequest, lower) == kOfTheRequest.end() &&
         std::ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) != 0 || std::string_view("!#$%&'*+-.^_`|~").contains(static_cast<char>(c));
         });
}

}  // namespace tidemill::events
