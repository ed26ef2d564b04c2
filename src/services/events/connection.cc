#include "services/events/connection.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <stdexcept>

#include "base/json_record.h"
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

HttpResource address_of(store::ResourceType type, std::string_view key, const json::Record& record) {
  auto address = store::resource_of_key(type, key);
  if (!address) throw std::runtime_error("a key of event buses is not readable");
  return {std::move(address->account), std::move(address->region), std::move(address->name), record.text("id")};
}

void write_parameters(json::Writer& writer, std::string_view name, const std::vector<Parameter>& parameters) {
  writer.key(name);
  writer.begin_array();
  for (const Parameter& parameter : parameters) {
    writer.begin_object();
    json::write_member(writer, "key", parameter.key);
    json::write_member(writer, "value", parameter.value);
    json::write_member(writer, "is_secret", parameter.is_secret);
    writer.end_object();
  }
  writer.end_array();
}

std::vector<Parameter> read_parameters(const json::Record& record, std::string_view name) {
  const json::Value* list = record.find(name);
  if (!list || !list->is_array()) record.damaged(name);
  std::vector<Parameter> parameters;
  for (const json::Value& one : list->array()) {
    const json::Record parameter = json::Record::part("connection", one);
    parameters.push_back({parameter.text("key"), parameter.text("value"), parameter.boolean("is_secret")});
  }
  return parameters;
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
  const json::Record record("connection", bytes);
  return {.address = address_of(kConnections, key, record),
          .description = record.text("description"),
          .type = record.text("type"),
          .user = record.text("user"),
          .secret = record.text("secret"),
          .headers = read_parameters(record, "headers"),
          .query = read_parameters(record, "query"),
          .body = read_parameters(record, "body"),
          .created = record.time("created_us"),
          .modified = record.time("modified_us"),
          .authorized = record.time("authorized_us")};
}

void save_connection(store::Transaction& txn, const Connection& connection) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "id", connection.address.id);
  json::write_member(writer, "description", connection.description);
  json::write_member(writer, "type", connection.type);
  json::write_member(writer, "user", connection.user);
  json::write_member(writer, "secret", connection.secret);
  write_parameters(writer, "headers", connection.headers);
  write_parameters(writer, "query", connection.query);
  write_parameters(writer, "body", connection.body);
  json::write_member(writer, "created_us", connection.created);
  json::write_member(writer, "modified_us", connection.modified);
  json::write_member(writer, "authorized_us", connection.authorized);
  writer.end_object();
  txn.put(key_of(kConnections, connection.address), out);
}

void erase_connection(store::Transaction& txn, const Connection& connection) {
  txn.erase(key_of(kConnections, connection.address));
}

Task<std::optional<Connection>> find_connection(store::Snapshot& reader, HttpResource address) {
  const std::string key = key_of(kConnections, address);
  const auto bytes = co_await reader.get(key);
  if (!bytes) co_return std::nullopt;
  co_return decode_connection(key, *bytes);
}

Task<std::optional<Connection>> find_connection(store::Snapshot& reader, std::string arn) {
  const auto address = parse(kConnectionType, arn);
  if (!address) co_return std::nullopt;
  auto connection = co_await find_connection(reader, *address);
  if (!connection || connection->address.id != address->id) co_return std::nullopt;
  co_return std::move(connection);
}

Task<Connection> load_connection(store::Snapshot& reader, HttpResource address) {
  auto connection = co_await find_connection(reader, address);
  if (connection) co_return *std::move(connection);
  throw errors::resource_not_found_exception(
      base::cat("Failed to describe the connection(s). Connection '", address.name, "' does not exist."));
}

ApiDestination decode_destination(std::string_view key, std::string_view bytes) {
  const json::Record record("API destination", bytes);
  return {.address = address_of(kDestinations, key, record),
          .description = record.text("description"),
          .connection = record.text("connection"),
          .endpoint = record.text("endpoint"),
          .method = record.text("method"),
          .rate = record.integer("rate"),
          .created = record.time("created_us"),
          .modified = record.time("modified_us")};
}

void save_destination(store::Transaction& txn, const ApiDestination& destination) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  json::write_member(writer, "id", destination.address.id);
  json::write_member(writer, "description", destination.description);
  json::write_member(writer, "connection", destination.connection);
  json::write_member(writer, "endpoint", destination.endpoint);
  json::write_member(writer, "method", destination.method);
  json::write_member(writer, "rate", destination.rate);
  json::write_member(writer, "created_us", destination.created);
  json::write_member(writer, "modified_us", destination.modified);
  writer.end_object();
  txn.put(key_of(kDestinations, destination.address), out);
}

void erase_destination(store::Transaction& txn, const ApiDestination& destination) {
  txn.erase(key_of(kDestinations, destination.address));
}

Task<std::optional<ApiDestination>> find_destination(store::Snapshot& reader, HttpResource address) {
  const std::string key = key_of(kDestinations, address);
  const auto bytes = co_await reader.get(key);
  if (!bytes) co_return std::nullopt;
  co_return decode_destination(key, *bytes);
}

Task<std::optional<ApiDestination>> find_destination(store::Snapshot& reader, std::string arn) {
  const auto address = parse(kDestinationType, arn);
  if (!address) co_return std::nullopt;
  auto destination = co_await find_destination(reader, *address);
  if (!destination || destination->address.id != address->id) co_return std::nullopt;
  co_return std::move(destination);
}

Task<ApiDestination> load_destination(store::Snapshot& reader, HttpResource address) {
  auto destination = co_await find_destination(reader, address);
  if (destination) co_return *std::move(destination);
  throw errors::resource_not_found_exception(
      base::cat("Failed to describe the api-destination(s). An api-destination '", address.name, "' does not exist."));
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
