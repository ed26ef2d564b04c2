// What requests of different kinds say alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/secretsmanager/sealing.h"
#include "wire/shapes/secretsmanager.h"

namespace tidemill::secretsmanager {

// Nothing: the request brings none. Throws InvalidParameterException for two.
template <class Request>
[[nodiscard]] std::optional<Value> value_of(const Request& request) {
  if (request.secret_string && request.secret_binary) {
    throw wire::secretsmanager::errors::invalid_parameter_exception(
        "You can't specify both a binary secret value and a string secret value in the same secret.");
  }
  if (request.secret_string) return Value{false, crypto::Secret(*request.secret_string)};
  if (request.secret_binary) return Value{true, crypto::Secret(*request.secret_binary)};
  return std::nullopt;
}

// Throws InvalidParameterException.
[[nodiscard]] base::json::TextMap with_tags(base::json::TextMap tags, const std::vector<wire::secretsmanager::Tag>& added);

// Its members in answers.
[[nodiscard]] std::vector<wire::secretsmanager::Tag> tag_list(const base::json::TextMap& tags);

}  // namespace tidemill::secretsmanager
