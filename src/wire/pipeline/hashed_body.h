// A body whose bytes are hashed as they come, as sent: what a signature says of it is checked once it has been read.
#pragma once

#include <memory>
#include <string>

#include "net/http.h"
#include "wire/checksum.h"

namespace tidemill::wire {

class HashedBody final : public net::Body {
 public:
  explicit HashedBody(std::shared_ptr<net::Body> body) : body_(std::move(body)) {}

  Task<std::string> read_all(size_t limit) override;
  Task<std::optional<std::string>> read_some() override;
  void hold(size_t bytes) override { body_->hold(bytes); }

  // SHA-256 of what has been read, in lower-case hex. Once.
  [[nodiscard]] std::string hash();

 private:
  std::shared_ptr<net::Body> body_;
  std::unique_ptr<Sum> sum_;  // null: nothing has been read, or it was so short that its hash is made at once
  std::string short_hash_;
};

}  // namespace tidemill::wire
