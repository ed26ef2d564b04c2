// What AWS says to who cannot prove who they are, in the words of each protocol.
#pragma once

#include <string>

#include "base/clock.h"
#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::wire {

enum class SignatureStyle { s3, json, rest_json, query };

[[nodiscard]] SignatureStyle signature_style(const OperationInfo& info, Encoding encoding);

class SignatureErrors {
 public:
  explicit SignatureErrors(SignatureStyle style) : style_(style) {}

  // Nobody says who they are.
  [[nodiscard]] Error missing() const;
  // What says so has not its form, or not all its parts.
  [[nodiscard]] Error incomplete(std::string message) const;
  // It is whole, and cannot be right: for another service, of another time.
  [[nodiscard]] Error invalid(std::string message) const;
  [[nodiscard]] Error unknown_key(const std::string& access_key_id) const;
  [[nodiscard]] Error mismatch() const;
  [[nodiscard]] Error bad_token(const std::string& token) const;
  [[nodiscard]] Error expired_token(const std::string& token) const;

  [[nodiscard]] SignatureStyle style() const { return style_; }

 private:
  [[nodiscard]] Error make(std::string json_code, std::string query_code, int query_status, std::string message) const;

  const SignatureStyle style_;
};

}  // namespace tidemill::wire
