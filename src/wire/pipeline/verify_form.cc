// The signature of a browser's form to a bucket: what is signed is its policy, as it was sent. S3 API reference,
// "Authenticating requests in browser-based uploads using POST".
#include <array>

#include "base/hex.h"
#include "base/text.h"
#include "crypto/hmac.h"
#include "wire/pipeline/post_form.h"
#include "wire/pipeline/verify_signatures.h"

namespace tidemill::wire {
namespace {

constexpr int kBadRequest = 400;
constexpr std::string_view kTerminator = "aws4_request";

Error wrong_credential(const Signature& signature, std::string message) {
  Error error("InvalidArgument", kBadRequest, std::move(message));
  error.details = {{"ArgumentName", "X-Amz-Credential"}, {"ArgumentValue", std::string(signature.credential)}};
  return error;
}

void check_credential(const Signature& signature) {
  if (signature.algorithm != kSignatureAlgorithm) {
    throw Error("InvalidRequest", kBadRequest,
                "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.");
  }
  if (signature.access_key_id.empty()) {
    throw wrong_credential(signature, "a non-empty Access Key (AKID) must be provided in the credential.");
  }
  if (signature.date.size() != 8 || signature.date.find_first_not_of("0123456789") != std::string::npos) {
    throw wrong_credential(signature, base::cat("incorrect date format \"", signature.date,
                                                "\". This date in the credential must be in the format \"yyyyMMdd\"."));
  }
  if (!is_region_by_form(signature.region)) {
    throw wrong_credential(signature, base::cat("the region '", signature.region, "' is wrong"));
  }
  if (signature.service != kS3) {
    throw wrong_credential(
        signature, base::cat("incorrect service \"", signature.service, "\". This endpoint belongs to \"s3\"."));
  }
  if (signature.terminator != kTerminator) {
    throw wrong_credential(signature, base::cat("incorrect terminal \"", signature.terminator,
                                                "\". This endpoint uses \"", kTerminator, "\"."));
  }
}

// "7b 22", as AWS shows the bytes of what was to be signed.
std::string spaced_hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    if (!out.empty()) out.push_back(' ');
    out += base::hex(static_cast<unsigned char>(byte), 2);
  }
  return out;
}

}  // namespace

Task<Caller> VerifySignatures::authenticate_form(const PostForm& form) {
  const SignatureErrors errors(SignatureStyle::s3);
  if (form.has("awsaccesskeyid") && !form.has("x-amz-credential")) {  // version 2
    throw Error("InvalidRequest", kBadRequest,
                "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.");
  }
  if (!form.has("x-amz-credential")) throw errors.missing();
  const Signature signature =
      parse_signature({form.get("x-amz-algorithm"), form.get("x-amz-credential"), form.get("x-amz-date"),
                       form.get("x-amz-signature"), form.get("x-amz-security-token")});
  check_credential(signature);
  const auto secret = co_await secrets_.find(std::string(signature.access_key_id), std::string(signature.token));
  if (!secret) throw errors.unknown_key(std::string(signature.access_key_id));
  const std::string_view policy = form.get("policy");
  const auto key = key_for(signature, secret->secret);
  if (!crypto::same_in_constant_time(base::hex_of(key->hmac.of(policy)), signature.signature)) {
    Error error = errors.mismatch();
    error.details = {{"AWSAccessKeyId", std::string(signature.access_key_id)},
                     {"StringToSign", std::string(policy)},
                     {"SignatureProvided", std::string(signature.signature)},
                     {"StringToSignBytes", spaced_hex(policy)}};
    throw error;
  }
  check_token(signature, *secret, clock_.now(), errors);
  co_return caller_of(*secret, signature);
}

}  // namespace tidemill::wire
