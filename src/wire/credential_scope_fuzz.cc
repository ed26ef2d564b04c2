// Any bytes as an Authorization header and as a request's target.
#include <cstdint>
#include <string_view>

#include "wire/credential_scope.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)tidemill::wire::parse_authorization(text);
  (void)tidemill::wire::parse_presigned(text);
  const auto scope = tidemill::wire::parse_credential(text);
  if (scope && scope->access_key_id.empty()) __builtin_trap();
  return 0;
}
