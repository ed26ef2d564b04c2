// A body that has been read already, for whoever reads it again.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "net/http.h"

namespace tidemill::wire {

class ReadBody final : public net::Body {
 public:
  explicit ReadBody(std::string bytes) : bytes_(std::move(bytes)) {}

  // Once, either of them.
  Task<std::string> read_all(size_t limit) override {
    if (bytes_.size() > limit) throw net::BodyTooLarge();
    co_return std::move(bytes_);
  }
  Task<std::optional<std::string>> read_some() override {
    if (bytes_.empty()) co_return std::nullopt;
    co_return std::exchange(bytes_, {});
  }

 private:
  std::string bytes_;
};

}  // namespace tidemill::wire
