#include "wire/pipeline/hashed_body.h"

#include "base/hex.h"
#include "crypto/digest.h"
#include "wire/large_work.h"

namespace tidemill::wire {

namespace {

constexpr size_t kShortBytesMax = 16 * 1024;  // hashed in about ten microseconds

}  // namespace

Task<std::string> HashedBody::read_all(size_t limit) {
  std::string body = co_await body_->read_all(limit);
  if (!sum_ && body.size() <= kShortBytesMax) {
    short_hash_ = crypto::sha256(body);
    co_return body;
  }
  if (!sum_) sum_ = make_sum(Algorithm::sha256);
  co_await add_in_pieces(*sum_, body);
  co_return body;
}

Task<std::optional<std::string>> HashedBody::read_some() {
  std::optional<std::string> piece = co_await body_->read_some();
  if (!piece) co_return piece;
  if (!sum_) sum_ = make_sum(Algorithm::sha256);
  sum_->add(*piece);
  co_return piece;
}

std::string HashedBody::hash() {
  if (sum_) return base::hex_of(sum_->finish());
  return base::hex_of(short_hash_.empty() ? crypto::sha256("") : short_hash_);
}

}  // namespace tidemill::wire
