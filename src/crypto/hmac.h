// HMAC (RFC 2104) with SHA-256, and comparing without telling how far two texts agree.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tidemill::crypto {

// 32 bytes.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view text);

// A key that is used again and again: what it comes to before any text is computed once. Any thread.
class HmacKey {
 public:
  explicit HmacKey(std::string_view key);
  ~HmacKey();
  HmacKey(const HmacKey&) = delete;

  // 32 bytes.
  [[nodiscard]] std::string of(std::string_view text) const;

 private:
  struct States;
  std::unique_ptr<States> states_;
};

// Takes as long whatever they hold; only their sizes show.
[[nodiscard]] bool same_in_constant_time(std::string_view a, std::string_view b);

}  // namespace tidemill::crypto
