// Tokens of connections that authorize by OAuth: the client credentials grant (RFC 6749, 4.4) at their authorization
// endpoint. A token is kept in memory until shortly before it expires, or until an endpoint refuses it; after a restart
// another is asked for. Neither tokens nor the client's secret are shown or logged.
//
//   timer "events-authorize"  id: a connection's ARN. Asks for the first token, which says whether it is authorized
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "engine/targets/http_target.h"
#include "engine/timer_service.h"
#include "services/events/connection.h"
#include "store/write_queue.h"
#include "wire/context.h"

namespace tidemill::events {

inline constexpr base::Duration kTokenTimeout = std::chrono::seconds(5);
inline constexpr base::Duration kTokenMargin = std::chrono::seconds(60);   // before it expires another is asked for
inline constexpr base::Duration kTokenLifetime = std::chrono::hours(1);    // of one that does not say
inline constexpr size_t kTokensMax = 1000;                                 // that are kept; beyond, all are asked for anew

// Any thread.
class Tokens {
 public:
  // Outlives this.
  Tokens(wire::Platform& platform, engine::HttpSend http) : platform_(platform), http_(std::move(http)) {}

  // Of a connection of OAuth. Throws CannotCall if its endpoint refuses, net::HttpFailed if it may not the next time.
  Task<std::string> get(Connection connection);
  // An endpoint refused it.
  void forget(const Connection& connection);

  void register_with(engine::TimerService& timers);
  // In the transaction that creates or changes the connection.
  static Task<void> check_soon(store::Transaction& txn, const Connection& connection, base::Time now);

 private:
  struct Token {
    std::string text;
    base::Time authorized;  // of the connection when it was asked for
    base::Time expires;
  };
  [[nodiscard]] std::optional<std::string> find(const Connection& connection);
  Task<Token> ask(const Connection& connection);
  Task<void> check(const store::Timer& timer);

  wire::Platform& platform_;
  engine::HttpSend http_;
  store::WriteQueue asking_;  // one at a time for a connection
  std::mutex mutex_;
  std::map<std::string, Token> tokens_;  // by the connection's ARN
};

}  // namespace tidemill::events
