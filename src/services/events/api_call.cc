#include "services/events/api_call.h"

#include <algorithm>

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
constexpr int kUnauthorized = 401;
constexpr int kProxyUnauthorized = 407;

// "$.detail.id" is what stands there; all else is itself.
std::string value_of(const std::string& text, const json::Value& event) {
  if (!text.starts_with("$.")) return text;
  const json::Value* found = lang::inputs::InputPath::parse(text).find(event);
  if (!found) return "";
  return found->is_string() ? found->string() : json::write(*found);
}

// `value_of` makes a value of each text.
std::string values_of(const shapes::HttpParameters& parameters, const auto& value_of) {
  const auto object_of = [&](const std::optional<std::map<std::string, std::string>>& map) {
    json::Object out;
    if (!map) return out;
    for (const auto& [key, text] : *map) out.set(key, value_of(text));
    return out;
  };
  json::Array path;
  if (parameters.path_parameter_values) {
    for (const std::string& text : *parameters.path_parameter_values) path.emplace_back(value_of(text));
  }
  return json::write(json::Object{{"path", std::move(path)},
                                  {"headers", object_of(parameters.header_parameters)},
                                  {"query", object_of(parameters.query_string_parameters)}});
}

void append_query(std::string& url, std::string_view key, std::string_view value) {
  url += cat(url.contains('?') ? "&" : "?", percent_encoded(key), "=", percent_encoded(value));
}

// With the values in the places that its stars are.
std::string url_of(const ApiDestination& destination, const engine::ConnectionParts& connection,
                   const json::Value& values) {
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
  for (const auto& [key, value] : connection.query) append_query(url, key, value);
  return url;
}

std::string body_of(const engine::ConnectionParts& connection, std::string input) {
  if (connection.body.empty()) return input;
  auto document = json::parse(input, kDetailDepthMax + 1);
  if (!document || !document->is_object()) return input;
  for (const auto& [key, value] : connection.body) document->object().set(key, value);
  return json::write(*document);
}

// By its status; AWS tries again what may be otherwise later.
SendOutcome outcome_of(int status) {
  constexpr int kTriedAgain[] = {kUnauthorized, kProxyUnauthorized, 409, 429};
  if (status >= 200 && status < 300) return {};
  const bool is_tried_again = status >= 500 || std::ranges::find(kTriedAgain, status) != std::end(kTriedAgain);
  return {is_tried_again ? SendStatus::failed : SendStatus::rejected, cat("the endpoint answered ", status)};
}

}  // namespace

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

std::string http_values(const shapes::Target& target, const json::Value& event) {
  return values_of(target.http_parameters.value_or(shapes::HttpParameters{}),
                   [&](const std::string& text) { return value_of(text, event); });
}

std::string http_values(const shapes::HttpParameters& parameters) {
  return values_of(parameters, [](const std::string& text) { return text; });
}

net::HttpCall call_of(const ApiDestination& destination, const engine::ConnectionParts& parts,
                      std::string_view values, std::string input) {
  const json::Value extra = json::parse(values).value();
  net::HttpCall call{.method = destination.method, .url = url_of(destination, parts, extra)};
  call.timeout = kTimeout;
  call.needs_body = false;
  call.headers.add("Content-Type", "application/json; charset=utf-8");
  call.headers.add("User-Agent", "Amazon/EventBridge/ApiDestinations");
  for (const auto& [key, value] : extra.find("headers")->object()) call.headers.add(key, value.string());
  for (const auto& [key, value] : parts.headers) call.headers.add(key, value);
  if (call.method != "GET" && call.method != "HEAD") call.body = body_of(parts, std::move(input));
  return call;
}

// Turns are given out one after the other, each a fraction of a second behind the last.
Task<void> ApiCaller::wait_for_turn(const ApiDestination& destination) {
  const base::Time now = platform_.clock.now();
  base::Time turn;
  {
    const std::lock_guard lock(mutex_);
    if (next_turns_.size() >= kPacedMax) next_turns_.clear();
    base::Time& next = next_turns_[destination.arn()];
    turn = std::max(now, next);
    next = turn + base::Duration(std::chrono::microseconds(1s)) / destination.rate;
  }
  if (turn > now) co_await platform_.clock.sleep_until(turn);
}

Task<net::HttpAnswer> ApiCaller::call(std::string destination_arn, std::string values, std::string input,
                                      bool needs_body) {
  auto snapshot = platform_.store.snapshot();
  const auto destination = co_await find_destination(*snapshot, destination_arn);
  if (!destination) throw CannotCall("ResourceNotFoundException: no such API destination");
  const auto connection = co_await find_connection(*snapshot, *destination);
  snapshot.reset();  // a call may take seconds
  if (!connection || !connection->is_authorized()) {
    throw CannotCall("AccessDeniedException: the connection is not authorized");
  }
  co_await wait_for_turn(*destination);
  net::HttpCall call = call_of(*destination, co_await parts(*connection), values, std::move(input));
  call.needs_body = needs_body;
  if (needs_body) call.answer_bytes_max = kAnswerBytesMax;
  net::HttpAnswer answer = co_await http_(std::move(call));
  if (engine::is_refusal(answer.status)) tokens_.forget(*connection);
  co_return answer;
}

Task<engine::ConnectionParts> ApiCaller::parts(Connection connection) {
  std::string token;
  if (connection.type == wire::events::AuthorizationType::kOauthClientCredentials) {
    token = co_await tokens_.get(connection);
  }
  co_return parts_of(connection, token);
}

Task<SendOutcome> ApiCaller::send(std::string destination_arn, Outgoing outgoing) {
  try {
    const net::HttpAnswer answer =
        co_await call(std::move(destination_arn), std::move(outgoing.key), std::move(outgoing.input), false);
    co_return outcome_of(answer.status);
  } catch (const CannotCall& error) {
    co_return SendOutcome{SendStatus::rejected, error.what()};
  } catch (const net::HttpFailed& error) {
    co_return SendOutcome{SendStatus::failed, error.what()};
  }
}

}  // namespace tidemill::events
