// GenerateMac and VerifyMac.
#include "crypto/sealing.h"
#include "services/kms/cipher.h"
#include "services/kms/lookup.h"
#include "services/kms/operations.h"

namespace tidemill::kms {
namespace {

namespace errors = shapes::errors;

// "HMAC_SHA_256" of a key of the spec "HMAC_256": "SHA256".
std::string digest_of(const Key& key, std::string_view algorithm) {
  const std::string_view bits = algorithm.substr(algorithm.rfind('_') + 1);
  if (key.spec != base::cat("HMAC_", bits)) {
    throw errors::invalid_key_usage_exception(
        base::cat("The algorithm ", algorithm, " is not valid for keys of the spec ", key.spec, "."));
  }
  return base::cat("SHA", bits);
}

struct Code {
  std::string code;
  std::string key_arn;
};

template <class Request>
Task<Code> compute(Service& service, wire::Context& context, const Request& request, std::string_view operation) {
  const Key key = co_await resolve_key(service, context, request.key_id);
  require_usable(key, shapes::KeyUsage::kGenerateVerifyMac, operation);
  const std::string digest = digest_of(key, request.mac_algorithm);
  const crypto::Secret material = co_await current_material(service, key);
  co_return Code{crypto::authentication_code(digest.c_str(), material.bytes(), request.message), key.address.arn()};
}

}  // namespace

Task<shapes::GenerateMacOutput> generate_mac(Service& service, wire::Context& context,
                                             const shapes::GenerateMacInput& request) {
  Code computed = co_await compute(service, context, request, "GenerateMac");
  end_dry_run(request.dry_run);
  shapes::GenerateMacOutput out;
  out.mac = std::move(computed.code);
  out.mac_algorithm = request.mac_algorithm;
  out.key_id = std::move(computed.key_arn);
  co_return out;
}

Task<shapes::VerifyMacOutput> verify_mac(Service& service, wire::Context& context,
                                         const shapes::VerifyMacInput& request) {
  Code computed = co_await compute(service, context, request, "VerifyMac");
  if (!crypto::equal_in_constant_time(computed.code, request.mac)) throw errors::kms_invalid_mac_exception("");
  end_dry_run(request.dry_run);
  shapes::VerifyMacOutput out;
  out.mac_valid = true;
  out.mac_algorithm = request.mac_algorithm;
  out.key_id = std::move(computed.key_arn);
  co_return out;
}

}  // namespace tidemill::kms
