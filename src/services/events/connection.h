// What a connection is: how a URL is told who calls, and what goes with every call. KeySpace::resource, (account,
// region, "events", "connection", name), as JSON, secrets and all; they are neither shown nor logged.
//
// And what an API destination is: a URL that events may be sent to by way of a connection; (…, "api-destination",
// name).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/targets/connection.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::events {

// Of a header that calls may carry: a token of HTTP, and none of those that say how long a request is or to whom it goes.
[[nodiscard]] bool is_header_name(std::string_view name);

struct Parameter {
  std::string key;
  std::string value;
  bool is_secret = true;
};

struct HttpResource {
  std::string account;
  std::string region;
  std::string name;
  std::string id;  // a UUID, part of the ARN
};

// How a token is asked for, and what came of the last time that this was tried out.
struct OAuth {
  std::string endpoint;
  std::string method;
  std::vector<Parameter> headers;
  std::vector<Parameter> query;
  std::vector<Parameter> body;
  std::string state;         // as the API names them: AUTHORIZING, AUTHORIZED, DEAUTHORIZED
  std::string state_reason;
};

struct Connection {
  HttpResource address;
  std::string description;
  std::string type;    // as the API names them: BASIC, API_KEY, OAUTH_CLIENT_CREDENTIALS
  std::string user;    // or the name of the header with the key, or the client's id
  std::string secret;  // empty: it is deauthorized
  std::vector<Parameter> headers;
  std::vector<Parameter> query;
  std::vector<Parameter> body;
  OAuth oauth;
  base::Time created;
  base::Time modified;
  base::Time authorized;

  [[nodiscard]] std::string arn() const;
  [[nodiscard]] bool is_authorized() const { return !secret.empty(); }
};

struct ApiDestination {
  HttpResource address;
  std::string description;
  std::string connection;  // an ARN
  std::string endpoint;    // a URL; each '*' is a place for a target's value
  std::string method;
  int64_t rate = 300;  // calls a second
  base::Time created;
  base::Time modified;

  [[nodiscard]] std::string arn() const;
};

// What it adds to calls, with what authorizes them. `token`: of one of OAuth.
[[nodiscard]] engine::ConnectionParts parts_of(const Connection& connection, const std::string& token);

[[nodiscard]] store::Range connections_range(std::string_view account, std::string_view region,
                                             std::string_view prefix);
[[nodiscard]] Connection decode_connection(std::string_view key, std::string_view bytes);
Task<std::optional<Connection>> find_connection(store::Snapshot& reader, HttpResource address);
// Of an ARN, with the id that it says.
Task<std::optional<Connection>> find_connection(store::Snapshot& reader, std::string arn);
// The destination's: of its own account and region, whatever ARN it says. Nothing: there is none.
Task<std::optional<Connection>> find_connection(store::Snapshot& reader, const ApiDestination& destination);
// Throws ResourceNotFoundException.
Task<Connection> load_connection(store::Snapshot& reader, HttpResource address);
void save_connection(store::Transaction& txn, const Connection& connection);
void erase_connection(store::Transaction& txn, const Connection& connection);

[[nodiscard]] store::Range destinations_range(std::string_view account, std::string_view region,
                                              std::string_view prefix);
[[nodiscard]] ApiDestination decode_destination(std::string_view key, std::string_view bytes);
Task<std::optional<ApiDestination>> find_destination(store::Snapshot& reader, HttpResource address);
Task<std::optional<ApiDestination>> find_destination(store::Snapshot& reader, std::string arn);
// Throws ResourceNotFoundException.
Task<ApiDestination> load_destination(store::Snapshot& reader, HttpResource address);
void save_destination(store::Transaction& txn, const ApiDestination& destination);
void erase_destination(store::Transaction& txn, const ApiDestination& destination);

[[nodiscard]] bool is_destination_arn(std::string_view arn);

}  // namespace tidemill::events
