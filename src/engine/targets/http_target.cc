#include "engine/targets/http_target.h"

namespace tidemill::engine {

Task<store::SendOutcome> post_to_url(const HttpSend& send, net::HttpCall call) {
  constexpr int kTooManyRequests = 429;
  call.needs_body = false;  // the status says it all, however long the answer is
  try {
    const net::HttpAnswer answer = co_await send(std::move(call));
    if (answer.status >= 200 && answer.status < 300) co_return store::SendOutcome{};
    const bool is_refused = answer.status >= 400 && answer.status < 500 && answer.status != kTooManyRequests;
    co_return store::SendOutcome{is_refused ? store::SendStatus::rejected : store::SendStatus::failed,
                                 "the endpoint answered " + std::to_string(answer.status)};
  } catch (const net::HttpFailed& error) {
    co_return store::SendOutcome{store::SendStatus::failed, error.what()};
  }
}

}  // namespace tidemill::engine
