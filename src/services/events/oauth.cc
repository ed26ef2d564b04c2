#include "services/events/oauth.h"

#include "base/text.h"
#include "services/events/api_call.h"
#include "store/timer.h"

namespace tidemill::events {

using base::cat;

namespace {

constexpr store::TimerKind kCheckTimer{"events-authorize"};
constexpr std::string_view kGrant = "grant_type";

std::string form_of(const Connection& connection) {
  std::string form;
  const auto add = [&](std::string_view key, std::string_view value) {
    form += cat(form.empty() ? "" : "&", percent_encoded(key), "=", percent_encoded(value));
  };
  bool has_grant = false;
  for (const Parameter& parameter : connection.oauth.body) has_grant = has_grant || parameter.key == kGrant;
  if (!has_grant) add(kGrant, "client_credentials");
  add("client_id", connection.user);
  add("client_secret", connection.secret);
  for (const Parameter& parameter : connection.oauth.body) add(parameter.key, parameter.value);
  return form;
}

void append_query(std::string& url, std::string_view query) {
  if (!query.empty()) url += cat(url.contains('?') ? "&" : "?", query);
}

net::HttpCall call_of(const Connection& connection) {
  const OAuth& oauth = connection.oauth;
  net::HttpCall call{.method = oauth.method, .url = oauth.endpoint};
  call.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(kTokenTimeout);
  for (const Parameter& one : oauth.query) {
    append_query(call.url, cat(percent_encoded(one.key), "=", percent_encoded(one.value)));
  }
  if (oauth.method == "GET") {
    append_query(call.url, form_of(connection));
  } else {
    call.headers.add("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
    call.body = form_of(connection);
  }
  call.headers.add("Accept", "application/json");
  call.headers.add("User-Agent", "Amazon/EventBridge/ApiDestinations");
  for (const Parameter& one : oauth.headers) call.headers.add(one.key, one.value);
  return call;
}

std::optional<int64_t> seconds_of(const json::Value* value) {
  if (!value) return std::nullopt;
  if (value->is_string()) return json::Value(json::Number{value->string()}).to_int64();
  return value->to_int64();
}

}  // namespace

std::optional<std::string> Tokens::find(const Connection& connection) {
  const std::lock_guard lock(mutex_);
  const auto found = tokens_.find(connection.arn());
  if (found == tokens_.end() || found->second.authorized != connection.authorized) return std::nullopt;
  if (platform_.clock.now() >= found->second.expires) return std::nullopt;
  return found->second.text;
}

void Tokens::forget(const Connection& connection) {
  const std::lock_guard lock(mutex_);
  tokens_.erase(connection.arn());
}

Task<std::string> Tokens::get(Connection connection) {
  if (auto kept = find(connection)) co_return *std::move(kept);
  const auto turn = co_await asking_.lock(connection.arn());
  if (auto kept = find(connection)) co_return *std::move(kept);
  Token token = co_await ask(connection);
  std::string text = token.text;
  const std::lock_guard lock(mutex_);
  if (tokens_.size() >= kTokensMax) tokens_.clear();
  tokens_.insert_or_assign(connection.arn(), std::move(token));
  co_return text;
}

Task<Tokens::Token> Tokens::ask(const Connection& connection) {
  constexpr int kTooManyRequests = 429;
  const net::HttpAnswer answer = co_await http_(call_of(connection));
  if (answer.status >= 500 || answer.status == kTooManyRequests) {
    throw net::HttpFailed(cat("the authorization endpoint answered ", answer.status));
  }
  if (answer.status < 200 || answer.status >= 300) {
    throw CannotCall(cat("AccessDeniedException: the authorization endpoint answered ", answer.status));
  }
  const auto document = json::parse(answer.body);
  const json::Value* text = document ? document->find("access_token") : nullptr;
  if (!text || !text->is_string() || text->string().empty()) {
    throw CannotCall("AccessDeniedException: the authorization endpoint answered no access_token");
  }
  base::Duration lifetime = kTokenLifetime;
  if (const auto seconds = seconds_of(document->find("expires_in"))) lifetime = std::chrono::seconds(*seconds);
  co_return Token{.text = text->string(),
                  .authorized = connection.authorized,
                  .expires = platform_.clock.now() + std::max(lifetime - kTokenMargin, lifetime / 2)};
}

void Tokens::register_with(engine::TimerService& timers) {
  timers.handle(kCheckTimer, [this](const store::Timer& timer) { return check(timer); });
}

Task<void> Tokens::check_soon(store::Transaction& txn, const Connection& connection, base::Time now) {
  co_await store::set_timer(txn, {std::string(kCheckTimer.name), connection.arn(), now, ""});
}

Task<void> Tokens::check(const store::Timer& timer) {
  const auto asked = co_await find_connection(*platform_.store.snapshot(), timer.id);
  if (!asked || asked->type != wire::events::AuthorizationType::kOauthClientCredentials) co_return;
  std::string reason;
  try {
    (void)co_await get(*asked);
  } catch (const CannotCall& error) {
    reason = error.what();
  } catch (const net::HttpFailed& error) {
    reason = error.what();
  }
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    auto connection = co_await find_connection(txn, timer.id);
    if (!connection || connection->authorized != asked->authorized || !connection->is_authorized()) co_return;
    connection->oauth.state = reason.empty() ? wire::events::ConnectionState::kAuthorized
                                             : wire::events::ConnectionState::kDeauthorized;
    connection->oauth.state_reason = reason;
    save_connection(txn, *connection);
  });
}

}  // namespace tidemill::events
