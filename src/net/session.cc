// What both versions of HTTP answer when there is no handler's answer.
#include "net/session.h"

#include <algorithm>

#include "base/log.h"
#include "base/uuid.h"
#include "net/http1_write.h"

namespace tidemill::net {

Response plain_response(int status) {
  Response response;
  response.status = status;
  response.headers.add("content-type", "text/plain");
  response.headers.add("x-amzn-RequestId", base::new_uuid());
  response.body = std::to_string(status) + ' ' + std::string(reason_phrase(status)) + '\n';
  return response;
}

void make_room(std::string& body, size_t size, uint64_t declared) {
  constexpr size_t kFirst = 256 << 10;
  constexpr size_t kGrowth = 4;
  if (size <= body.capacity()) return;
  size_t capacity = std::max({size, kFirst, kGrowth * body.capacity()});
  if (declared >= size) capacity = std::min<uint64_t>(capacity, declared);
  body.reserve(capacity);
}

AnswerReservation::AnswerReservation(ServerContext& context, base::Budget* connection)
    : context_(context),
      connection_(connection),
      in_all_(context.answers.none()),
      of_connection_(connection ? connection->none() : base::Budget::Share()) {}

Task<void> AnswerReservation::reserve(size_t bytes) {
  if (connection_) of_connection_ = *co_await connection_->take(bytes);
  auto share = co_await context_.answers.take(bytes, context_.limits.answer_wait);
  if (!share) throw ServerBusy();
  in_all_ = *std::move(share);
}

void AnswerReservation::hold(size_t bytes) {
  if (bytes <= kFree) return release();
  if (connection_ && !of_connection_.grow(bytes)) throw ServerBusy();
  if (!in_all_.grow(bytes)) throw ServerBusy();
  count(bytes);
}

Task<void> AnswerReservation::await_room() {
  count(0);
  if (connection_) of_connection_ = *co_await connection_->take(0);
  in_all_ = *co_await context_.answers.take(0);
}

void AnswerReservation::count(size_t bytes) {
  in_all_.resize(bytes);
  if (connection_) of_connection_.resize(bytes);
}

int status_of_current_exception(const Request& request) noexcept {
  std::string what = "unknown exception";
  try {
    throw;
  } catch (const ConnectionLost&) {
    return 0;
  } catch (const BodyTooLarge&) {
    return 413;
  } catch (const ServerBusy&) {
    return 503;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  // The path only: a query may hold a signature.
  base::log_error("defect", {{"what", what},
                             {"where", "an HTTP handler"},
                             {"method", request.method},
                             {"path", request.target.substr(0, request.target.find('?'))}});
  return 500;
}

}  // namespace tidemill::net
