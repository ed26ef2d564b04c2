#include "services/events/api_call.h"

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "lang/inputs/input_path.h"
#include "services/events/event.h"

namespace tidemill::events {
namespace {

using namespace std::chrono_literals;
using base::cat;
using store::SendOutcome;
using store::SendStatus;

constexpr auto kTimeout = 5s;

// "$.detail.id" is what stands there; all else is itself.
std::string value_of(const std::string& text, const json::Value& event) {
  if (!text.starts_with("$.")) return text;
  const json::Value* found = lang::inputs::InputPath::parse(text).find(event);
  if (!found) return "";
  return found->is_string() ? found->string() : json::write(*found);
}

json::Object values_of(const std::optional<std::map<std::string, std::string>>& map, const json::Value& event) {
  json::Object out;
  if (!map) return out;
  for (const auto& [key, text] : *map) out.set(key, value_of(text, event));
  return out;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                          c == '_' || c == '.' || c == '~';
    if (is_plain)
      out += c;
    else
      out += cat("%", base::hex(static_cast<unsigned char>(c), 2));
  }
  return out;
}

void append_query(std::string& url, std::string_view key, std::string_view value) {
  url += cat(url.contains('?') ? "&" : "?", percent_encoded(key), "=", percent_encoded(value));
}

// With the values in the places that its stars are.
std::string url_of(const ApiDestination& destination, const Connection& connection, const json::Value& values) {
  std::string url;
  const json::Array& path = values.find("path")->array();
  size_t next = 0;
  for (const char c : destination.endpoint) {
    if (c != '*')
      url += c;
    else if (next < path.size())
      url += percent_encoded(path[next++].string());
  }
  for (const auto& [key, value] : values.find("query")->object()) append_query(url, key, value.string());
  for (const Parameter& parameter : connection.query) append_query(url, parameter.key, parameter.value);
  return url;
}

std::string body_of(const Connection& connection, std::string input) {
  if (connection.body.empty()) return input;
  auto document = json::parse(input, kDetailDepthMax + 1);
  if (!document || !document->is_object()) return input;
  for (const Parameter& parameter : connection.body) document->object().set(parameter.key, parameter.value);
  return json::write(*document);
}

void authorize(net::HttpCall& call, const Connection& connection) {
  if (connection.type == wire::events::AuthorizationType::kBasic) {
    call.headers.add("Authorization", cat("Basic ", base::base64_encode(cat(connection.user, ":", connection.secret))));
  } else {
    call.headers.add(connection.user, connection.secret);
  }
}

// By its status; AWS tries again what may be otherwise later.
SendOutcome outcome_of(int status) {
  constexpr int kTriedAgain[] = {401, 407, 409, 429};
  if (status >= 200 && status < 300) return {};
  const bool is_tried_again = status >= 500 || std::ranges::find(kTriedAgain, status) != std::end(kTriedAgain);
  return {is_tried_again ? SendStatus::failed : SendStatus::rejected, cat("the endpoint answered ", status)};
}

}  // namespace

std::string http_values(const shapes::Target& target, const json::Value& event) {
  json::Array path;
  const auto parameters = target.http_parameters.value_or(shapes::HttpParameters{});
  if (parameters.path_parameter_values) {
    for (const std::string& text : *parameters.path_parameter_values) path.emplace_back(value_of(text, event));
  }
  return json::write(json::Object{{"path", std::move(path)},
                                  {"headers", values_of(parameters.header_parameters, event)},
                                  {"query", values_of(parameters.query_string_parameters, event)}});
}

net::HttpCall call_of(const ApiDestination& destination, const Connection& connection, std::string_view values,
                      std::string input) {
  const json::Value extra = json::parse(values).value();
  net::HttpCall call{.method = destination.method, .url = url_of(destination, connection, extra)};
  call.timeout = kTimeout;
  call.needs_body = false;
  call.headers.add("Content-Type", "application/json; charset=utf-8");
  call.headers.add("User-Agent", "Amazon/EventBridge/ApiDestinations");
  for (const auto& [key, value] : extra.find("headers")->object()) call.headers.add(key, value.string());
  for (const Parameter& parameter : connection.headers) call.headers.add(parameter.key, parameter.value);
  authorize(call, connection);
  if (call.method != "GET" && call.method != "HEAD") call.body = body_of(connection, std::move(input));
  return call;
}

// Turns are given out one after the other, each a fraction of a second behind the last.
Task<void> ApiCaller::wait_for_turn(const ApiDestination& destination) {
  if (next_turns_.size() >= kPacedMax) next_turns_.clear();
  const base::Time now = platform_.clock.now();
  base::Time& next = next_turns_[destination.arn()];
  const base::Time turn = std::max(now, next);
  next = turn + base::Duration(std::chrono::microseconds(1s)) / destination.rate;
  if (turn > now) co_await platform_.clock.sleep_until(turn);
}

Task<SendOutcome> ApiCaller::send(std::string destination_arn, Outgoing outgoing) {
  auto snapshot = platform_.store.snapshot();
  const auto destination = co_await find_destination(*snapshot, destination_arn);
  if (!destination) co_return SendOutcome{SendStatus::rejected, "ResourceNotFoundException: no such API destination"};
  const auto connection = co_await find_connection(*snapshot, destination->connection);
  snapshot.reset();  // a call may take seconds
  if (!connection || !connection->is_authorized()) {
    co_return SendOutcome{SendStatus::rejected, "AccessDeniedException: the connection is not authorized"};
  }
  co_await wait_for_turn(*destination);
  try {
    const net::HttpAnswer answer =
        co_await http_(call_of(*destination, *connection, outgoing.key, std::move(outgoing.input)));
    co_return outcome_of(answer.status);
  } catch (const net::HttpFailed& error) {
    co_return SendOutcome{SendStatus::failed, error.what()};
  }
}

}  // namespace tidemill::events
