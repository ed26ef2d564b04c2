// Values of SecureStrings: KMS encrypts and decrypts them, for the parameter of this name and no other. With the key that a
// request names this is on the caller's behalf, with AWS's own on the platform's.
#pragma once

#include <string>
#include <string_view>

#include "services/ssm/parameter.h"
#include "wire/context.h"

namespace tidemill::ssm {

inline constexpr std::string_view kDefaultKey = "alias/aws/ssm";

struct Encrypted {
  std::string value;  // base64
  std::string key_id;
};

// Throws InvalidKeyId.
Task<Encrypted> encrypt(wire::Context& caller, const ParameterAddress& address, std::string_view plain, std::string key);

// What a reader is given: of a SecureString with `decrypted` what it says. Throws InvalidKeyId.
Task<std::string> value_for(wire::Context& caller, const Parameter& parameter, bool decrypted);

}  // namespace tidemill::ssm
