#include "wire/pipeline/verify_signatures.h"

#include <algorithm>
#include <array>

#include "base/hex.h"
#include "base/text.h"
#include "crypto/hmac.h"
#include "wire/access_key.h"
#include "wire/pipeline/presigned.h"
#include "wire/pipeline/request_head.h"

namespace tidemill::wire {

using base::cat;

namespace {

constexpr size_t kKeysMax = 1024;
constexpr int kBadRequest = 400;
constexpr int kForbidden = 403;
constexpr std::string_view kStart = "X-Amz-";
constexpr std::string_view kStartInLower = "x-amz-";
constexpr std::string_view kEmptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr std::string_view kSignedChunks = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
constexpr std::string_view kSignedChunksWithTrailer = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
constexpr std::string_view kUnsignedChunks = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return out;
}

bool has_query_signature(std::string_view target) {
  const size_t query = target.find('?');
  return query != std::string_view::npos && target.find("X-Amz-Algorithm=", query) != std::string_view::npos;
}

// S3's older signatures, which AWS's newer regions refuse as well.
bool is_version_2(const net::Request& request, std::string_view authorization) {
  if (authorization.starts_with("AWS ")) return true;
  const std::string_view target = request.target;
  const size_t query = target.find('?');
  return query != std::string_view::npos && target.find("AWSAccessKeyId=", query) != std::string_view::npos &&
         target.find("Signature=", query) != std::string_view::npos;
}

// Whoever was sent its token may confirm a subscription, also by the bare address that stood beside it.
bool needs_no_signature(const OperationInfo& info) {
  return info.service == "sns" && info.name == "ConfirmSubscription";
}

Error unsupported_mechanism() {
  return {"InvalidRequest", kBadRequest,
          "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256."};
}

Error two_ways(const SignatureErrors& errors) {
  if (errors.style() == SignatureStyle::s3) {
    return {"InvalidArgument", kBadRequest,
            "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string "
            "parameter or "
            "the Authorization header should be specified"};
  }
  return errors.invalid("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
}

// Everything that is missing, in one message.
void check_whole(const Signature& signature, std::string_view header, const SignatureErrors& errors) {
  std::string missing;
  if (signature.is_presigned) {
    const std::array<std::pair<std::string_view, bool>, 6> parts{{{"Credential", signature.credential.empty()},
                                                                  {"Date", signature.time.empty()},
                                                                  {"Expires", signature.expires.empty()},
                                                                  {"SignedHeaders", signature.signed_headers.empty()},
                                                                  {"Signature", signature.signature.empty()},
                                                                  {"Algorithm", signature.algorithm.empty()}}};
    for (const auto& [name, is_missing] : parts) {
      if (is_missing) missing += cat("AWS query-string parameters must include '", kStart, name, "'. ");
    }
    if (missing.empty()) return;
    if (errors.style() == SignatureStyle::s3) {
      throw Error(
          "AuthorizationQueryParametersError", kBadRequest,
          "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, "
          "X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.");
    }
    throw errors.incomplete(missing + "Re-examine the query-string parameters.");
  }
  const std::array<std::pair<std::string_view, bool>, 3> parts{{{"Credential", signature.credential.empty()},
                                                                {"Signature", signature.signature.empty()},
                                                                {"SignedHeaders", signature.signed_headers.empty()}}};
  for (const auto& [name, is_missing] : parts) {
    if (is_missing) missing += cat("Authorization header requires '", name, "' parameter. ");
  }
  if (signature.time.empty()) {
    missing += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  }
  if (!missing.empty()) throw errors.incomplete(cat(missing, "Authorization=", header));
}

void check_form(const Signature& signature, const SignatureErrors& errors) {
  if (signature.algorithm != kSignatureAlgorithm) {
    if (errors.style() == SignatureStyle::s3) throw unsupported_mechanism();
    throw errors.incomplete(
        cat("Unsupported AWS 'algorithm': '", signature.algorithm, "' (only AWS4-HMAC-SHA256 for now). "));
  }
  if (!signature.access_key_id.empty()) return;
  if (errors.style() == SignatureStyle::s3 && signature.is_presigned) {
    throw Error("AuthorizationQueryParametersError", kBadRequest,
                "Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting "
                "\"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".");
  }
  if (errors.style() == SignatureStyle::s3) {
    throw errors.incomplete(
        "the Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".");
  }
  throw errors.incomplete(
      cat("Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '",
          signature.credential, "'"));
}

Error too_skewed(const Signature& signature, base::Time now) {
  Error error("RequestTimeTooSkewed", kForbidden,
              "The difference between the request time and the current time is too large.");
  const auto skew = std::chrono::milliseconds(VerifySignatures::kSkewMax).count();
  error.details = {{"RequestTime", std::string(signature.time)},
                   {"ServerTime", base::iso_milliseconds(now).substr(0, 19) + "Z"},
                   {"MaxAllowedSkewMilliseconds", std::to_string(skew)}};
  return error;
}

// A presigned address says itself how long it is good.
std::optional<Error> find_skew(const Signature& signature, base::Time now, const SignatureErrors& errors) {
  const auto time = parse_basic_date(signature.time);
  if (!time) {
    return errors.incomplete(cat("Date must be in ISO-8601 'basic format'. Got '", signature.time,
                                 "'. See http://en.wikipedia.org/wiki/ISO_8601"));
  }
  const auto skew = VerifySignatures::kSkewMax;
  const auto tail = [&] { return cat(" ", std::chrono::minutes(skew).count(), " min.)"); };
  if (*time > now + skew) {
    if (signature.is_presigned && errors.style() == SignatureStyle::s3) {
      return Error("AccessDenied", kForbidden, "Request is not valid yet");
    }
    if (errors.style() == SignatureStyle::s3) return too_skewed(signature, now);
    return errors.invalid(cat("Signature not yet current: ", signature.time, " is still later than ",
                              basic_date(now + skew), " (", basic_date(now), " +", tail()));
  }
  if (signature.is_presigned) return find_expiry(signature.time, signature.expires, now);
  if (*time >= now - skew) return std::nullopt;
  if (errors.style() == SignatureStyle::s3) return too_skewed(signature, now);
  return errors.invalid(cat("Signature expired: ", signature.time, " is now earlier than ", basic_date(now - skew),
                            " (", basic_date(now), " -", tail()));
}

// Clients sign by the machine's time, functions by the platform's, which may be turned: what is good by either is good.
void check_time(const Signature& signature, base::Clock& clock, const SignatureErrors& errors) {
  auto skew = find_skew(signature, clock.now(), errors);
  if (skew && find_skew(signature, base::RealClock().now(), errors)) throw *std::move(skew);
}

// `info`: null while nobody knows which operation it is.
void check_scope(const Signature& signature, const OperationInfo* info, const SignatureErrors& errors) {
  std::string wrong;
  if (!is_region_by_form(signature.region)) {
    wrong += cat("Credential should be scoped to a valid region, not '", signature.region, "'. ");
  }
  if (info && signature.service != info->signing_name) {
    if (errors.style() == SignatureStyle::s3) {
      throw errors.incomplete(
          cat("incorrect service \"", signature.service, "\". This endpoint belongs to \"", info->signing_name, "\"."));
    }
    wrong += cat("Credential should be scoped to correct service: '", info->signing_name, "'. ");
  }
  if (signature.terminator != "aws4_request") {
    wrong +=
        cat("Credential should be scoped with a valid terminator: 'aws4_request', not '", signature.terminator, "'. ");
  }
  const std::string_view day = std::string_view(signature.time).substr(0, 8);
  if (signature.date != day) {
    wrong += cat("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '",
                 signature.date, "' != '", day, "', from '", signature.time, "'. ");
  }
  if (wrong.empty()) return;
  wrong.pop_back();
  throw errors.invalid(std::move(wrong));
}

// What is not signed somebody on the way may have added.
void check_signed_headers(const net::Request& request, const Signature& signature, const SignatureErrors& errors) {
  if (!signature.signs("host")) throw errors.invalid("'Host' must be a 'SignedHeader' in the AWS Authorization.");
  std::string unsigned_names;
  for (const auto& [name, value] : request.headers.entries()) {
    if (!equals_ignoring_case(std::string_view(name).substr(0, kStartInLower.size()), kStartInLower)) continue;
    if (signature.signs(name)) continue;
    if (!unsigned_names.empty()) unsigned_names += ", ";
    unsigned_names += lower(name);
  }
  if (unsigned_names.empty()) return;
  if (errors.style() != SignatureStyle::s3) {
    throw errors.invalid(cat("'", unsigned_names, "' must be a 'SignedHeader' in the AWS Authorization."));
  }
  Error error("AccessDenied", kForbidden, "There were headers present in the request which were not signed");
  error.details = {{"HeadersNotSigned", unsigned_names}};
  throw error;
}

const OperationInfo* info_of(const Identity& identity) {
  return identity.endpoint ? &identity.endpoint->operation->info : nullptr;
}

SignatureStyle style_of(const Identity& identity) {
  if (!identity.endpoint) return SignatureStyle::query;
  const Encoding encoding = identity.kind == Identity::Kind::form ? Encoding::query : identity.encoding;
  return signature_style(*info_of(identity), encoding);
}

// Throws Error for what is wrong with it whoever has signed, and whatever. Nothing: the request needs none.
std::optional<Signature> read_signature(const net::Request& request, const Identity& identity, base::Clock& clock,
                                        const SignatureErrors& errors) {
  const OperationInfo* info = info_of(identity);
  const std::string_view authorization = identity.head.authorization;
  const bool is_presigned = has_query_signature(request.target);
  if (is_presigned && !authorization.empty()) throw two_ways(errors);
  if (errors.style() == SignatureStyle::s3 && is_version_2(request, authorization)) throw unsupported_mechanism();
  if (!is_presigned && authorization.empty() && info && needs_no_signature(*info)) return std::nullopt;
  if (!is_presigned && !authorization.starts_with("AWS4-")) throw errors.missing();

  Signature signature = parse_signature(request);
  if (signature.algorithm != kSignatureAlgorithm && !signature.algorithm.empty()) check_form(signature, errors);
  check_whole(signature, authorization, errors);
  check_form(signature, errors);
  check_time(signature, clock, errors);
  check_scope(signature, info, errors);
  check_signed_headers(request, signature, errors);
  return signature;
}

std::string payload_hash_of_s3(const net::Request& request, const Signature& signature) {
  const auto said = request.headers.find("x-amz-content-sha256");
  if (said) {
    const bool is_unknown_stream = said->starts_with("STREAMING-") && *said != kSignedChunks &&
                                   *said != kSignedChunksWithTrailer && *said != kUnsignedChunks;
    if (is_unknown_stream) throw unsupported_mechanism();
    return std::string(*said);
  }
  if (signature.is_presigned) return std::string(kUnsignedPayload);
  throw Error("InvalidRequest", kBadRequest, "Missing required header for this request: x-amz-content-sha256");
}

void add_details(Error& error, const Signature& signature, const std::string& canonical, const std::string& text) {
  error.details = {{"AWSAccessKeyId", std::string(signature.access_key_id)},
                   {"StringToSign", text},
                   {"SignatureProvided", std::string(signature.signature)},
                   {"CanonicalRequest", canonical}};
}

}  // namespace

void check_token(const Signature& signature, const SigningSecret& secret, base::Time now,
                 const SignatureErrors& errors) {
  if (!crypto::same_in_constant_time(signature.token, secret.token)) {
    throw errors.bad_token(std::string(signature.token));
  }
  if (secret.expires && *secret.expires <= now) throw errors.expired_token(std::string(signature.token));
}

Caller caller_of(const SigningSecret& secret, const Signature& signature) {
  return {
      secret.standing ? Principal::role(*secret.standing, std::string(signature.access_key_id))
                      : Principal(std::string(signature.access_key_id)),
      secret.account, std::string(signature.region)};
}

std::shared_ptr<const VerifySignatures::Key> VerifySignatures::key_for(const Signature& signature,
                                                                       const std::string& secret) {
  thread_local std::string id;  // each request has one: what is known allocates nothing
  id.assign(secret);
  id.append("/").append(signature.scope());
  {
    const std::lock_guard lock(mutex_);
    const auto found = keys_.find(id);
    if (found != keys_.end()) return found->second;
  }
  auto key = std::make_shared<const Key>(signing_key(secret, signature.date, signature.region, signature.service));
  const std::lock_guard lock(mutex_);
  if (keys_.size() >= kKeysMax) keys_.clear();
  keys_.insert_or_assign(id, key);
  return key;
}

void VerifySignatures::check_signature(const net::Request& request, const Identity& identity,
                                       const Signature& signature, const SigningSecret& secret,
                                       const SignatureErrors& errors, Caller& caller) {
  const bool is_s3 = errors.style() == SignatureStyle::s3;
  const std::string hash = is_s3                           ? payload_hash_of_s3(request, signature)
                           : identity.payload_hash.empty() ? std::string(kEmptyHash)
                                                           : identity.payload_hash;
  const std::string canonical =
      canonical_request(request, signature, is_s3 ? PathForm::as_it_is : PathForm::normal, hash);
  const std::string text = string_to_sign(signature, canonical);
  const auto key = key_for(signature, secret.secret);
  if (!crypto::same_in_constant_time(base::hex_of(key->hmac.of(text)), signature.signature)) {
    Error error = errors.mismatch();
    if (is_s3) add_details(error, signature, canonical, text);
    throw error;
  }
  if (hash != kSignedChunks && hash != kSignedChunksWithTrailer) return;
  caller.chunks = std::make_shared<ChunkSignatures>(key->bytes, std::string(signature.time),
                                                    std::string(signature.scope()), std::string(signature.signature),
                                                    hash == kSignedChunksWithTrailer);
}

Task<Caller> VerifySignatures::authenticate(const net::Request& request, const Identity& identity) {
  if (identity.post) co_return co_await authenticate_form(*identity.post);
  const SignatureErrors errors(style_of(identity));
  const auto signature = read_signature(request, identity, clock_, errors);
  if (!signature) co_return Caller();
  const auto secret = co_await secrets_.find(std::string(signature->access_key_id), std::string(signature->token));
  if (!secret) throw errors.unknown_key(std::string(signature->access_key_id));
  Caller caller = caller_of(*secret, *signature);
  check_signature(request, identity, *signature, *secret, errors, caller);
  check_token(*signature, *secret, clock_.now(), errors);
  co_return caller;
}

Task<void> VerifySignatures::examine(const net::Request& request, const Identity& identity) {
  if (identity.post) co_return;
  const SignatureErrors errors(style_of(identity));
  const auto signature = read_signature(request, identity, clock_, errors);
  if (!signature) co_return;
  const auto secret = co_await secrets_.find(std::string(signature->access_key_id), std::string(signature->token));
  if (!secret) throw errors.unknown_key(std::string(signature->access_key_id));
}

}  // namespace tidemill::wire
