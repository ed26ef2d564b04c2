// Bytes that are not to stay in memory: overwritten when they are no longer held. Moved, never copied.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace tidemill::crypto {

// Overwrites the bytes, also where a compiler would see no use in it, and empties the text.
void wipe(std::string& bytes);

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string bytes) : bytes_(std::move(bytes)) {}
  Secret(Secret&& other) noexcept : bytes_(std::move(other.bytes_)) { wipe(other.bytes_); }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      wipe(bytes_);
      bytes_ = std::move(other.bytes_);
      wipe(other.bytes_);
    }
    return *this;
  }
  Secret(const Secret&) = delete;
  ~Secret() { wipe(bytes_); }

  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// As many bytes that nobody can guess. Throws std::runtime_error if the machine has none.
[[nodiscard]] Secret new_secret(size_t count);

}  // namespace tidemill::crypto
