#include "services/states/token.h"

#include <stdexcept>

#include "base/base64.h"
#include "base/ordered.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "services/states/errors.h"

namespace tidemill::states {
namespace {

constexpr size_t kProofBytes = 16;

// The id is random and stands nowhere but in tokens, so nobody can make one of another attempt who has none.
std::string proof_of(std::string_view account, std::string_view body) {
  return crypto::sha256(base::cat("task token of ", account, ": ", body)).substr(0, kProofBytes);
}

}  // namespace

std::string bytes_of(const TaskToken& task) {
  std::string bytes = task.id.bytes;
  base::append_u32(bytes, task.frame);
  base::append_u32(bytes, task.attempt);
  return bytes;
}

TaskToken task_of(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  TaskToken task{.id = {std::string(reader.fixed(kExecutionIdBytes))}};
  task.frame = reader.u32();
  task.attempt = reader.u32();
  if (!reader.ok()) throw std::runtime_error("the timer of a task's call is damaged");
  return task;
}

std::string token_of(const Live& live, FrameId frame, uint32_t attempt) {
  const std::string body = bytes_of({live.id, frame, attempt});
  return base::base64_encode(body + proof_of(live.head.address.account, body));
}

TaskToken parse_token(std::string_view account, std::string_view text) {
  const auto invalid = [] { return errors::invalid_token("Invalid Token: 'Invalid token'"); };
  const auto bytes = base::base64_decode(text);
  constexpr size_t kBodyBytes = kExecutionIdBytes + 8;
  if (!bytes || bytes->size() != kBodyBytes + kProofBytes) throw invalid();
  const std::string_view body = std::string_view(*bytes).substr(0, kBodyBytes);
  if (bytes->substr(kBodyBytes) != proof_of(account, body)) throw invalid();
  return task_of(body);
}

}  // namespace tidemill::states
