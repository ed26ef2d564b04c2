// How large the answers of operations may become, of those whose answers may become large: memory for one is reserved
// before it is made (net::AnswerRoom).
#pragma once

#include <unordered_map>

#include "net/http.h"
#include "wire/registry.h"

namespace tidemill::wire {

// Looked up by name once, and by address then.
class AnswerSizes {
 public:
  explicit AnswerSizes(const Registry& registry);

  // How many operations are listed, and how many of them the registry has.
  static size_t listed();
  [[nodiscard]] size_t found() const { return sizes_.size(); }

  // Bytes; 0: small, or it waits for others than the store, so that those that wait would keep others from running.
  // What such answers come to is counted once they are made.
  [[nodiscard]] size_t of(const OperationInfo& info) const {
    const auto found = sizes_.find(&info);
    return found == sizes_.end() ? 0 : found->second;
  }

 private:
  std::unordered_map<const OperationInfo*, size_t> sizes_;
};

// Waits for room for an answer of so many bytes. Throws net::ServerBusy.
[[nodiscard]] Task<void> admit_answer(net::Request& request, size_t bytes);

// Whether there is room for what has been made. False: it must be dropped.
[[nodiscard]] bool has_room(net::Request& request, const net::Response& response);

}  // namespace tidemill::wire
