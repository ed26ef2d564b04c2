#include "wire/pipeline/hashed_body.h"

#include "base/hex.h"
#include "wire/large_work.h"

namespace tidemill::wire {

Task<std::string> HashedBody::read_all(size_t limit) {
  std::string body = co_await body_->read_all(limit);
  co_await add_in_pieces(*sum_, body);
  co_return body;
}

Task<std::optional<std::string>> HashedBody::read_some() {
  std::optional<std::string> piece = co_await body_->read_some();
  if (piece) sum_->add(*piece);
  co_return piece;
}

std::string HashedBody::hash() { return base::hex_of(sum_->finish()); }

}  // namespace tidemill::wire
