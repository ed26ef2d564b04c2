// Values sealed, each with a data key of its own that KMS makes and opens: for this secret and version and no other. With the
// key that the secret names this is on the caller's behalf, with AWS's own on the platform's.
#pragma once

#include <string>
#include <string_view>

#include "crypto/secret.h"
#include "services/secretsmanager/secret.h"
#include "wire/context.h"

namespace tidemill::secretsmanager {

// What a request brings, or an answer has.
struct Value {
  bool is_binary = false;
  crypto::Secret bytes;
};

// Throws EncryptionFailure.
Task<SealedValue> seal_value(wire::Context& caller, const Secret& secret, std::string version, const Value& value);
// Throws DecryptionFailure, and std::runtime_error if it is damaged.
Task<Value> open_value(wire::Context& caller, const Secret& secret, std::string version, const SealedValue& sealed);

}  // namespace tidemill::secretsmanager
