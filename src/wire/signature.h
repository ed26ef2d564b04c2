// Signature Version 4 (AWS: "Authenticating Requests"): what must be signed of a request, and what comes out. Nothing
// here knows who may sign; pipeline/verify.h asks.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"

namespace tidemill::wire {

inline constexpr std::string_view kSignatureAlgorithm = "AWS4-HMAC-SHA256";
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

// The parts of a signature as a request carries them, in its Authorization header or in its query. Views into what it
// was parsed from, which outlives it: every signed request has one, and copies of its parts took longer than their
// checks.
struct Signature {
  Signature() = default;
  Signature(Signature&&) = default;
  Signature& operator=(Signature&&) = default;
  Signature(const Signature&) = delete;

  bool is_presigned = false;
  std::string_view algorithm;
  std::string_view credential;                   // whole, as sent
  std::vector<std::string_view> signed_headers;  // as sent
  std::string_view signature;
  std::string_view time;     // "20150830T123600Z", of X-Amz-Date or Date
  std::string_view expires;  // of the query
  std::string_view token;    // X-Amz-Security-Token; empty: none

  // What the credential is made of; all empty unless it has five parts.
  std::string_view access_key_id;
  std::string_view date;
  std::string_view region;
  std::string_view service;
  std::string_view terminator;

  std::deque<std::string> decoded;  // what the views of a query's parts lead into

  // Whatever the case.
  [[nodiscard]] bool signs(std::string_view header) const;
  [[nodiscard]] std::string_view scope() const;  // "20150830/us-east-1/service/aws4_request"
};

// What is missing or malformed stays empty. Of a request, which outlives it, that has an Authorization header, or else
// X-Amz- parameters.
[[nodiscard]] Signature parse_signature(const net::Request& request);

// The same by the fields of a browser's form to a bucket, of which the policy is what is signed.
struct SignedFields {
  std::string_view algorithm;
  std::string_view credential;
  std::string_view date;
  std::string_view signature;
  std::string_view token;
};
[[nodiscard]] Signature parse_signature(const SignedFields& fields);

// How a service wants the path: S3 takes it as it is, all others want "." and ".." resolved and the path encoded once
// more.
enum class PathForm { as_it_is, normal, encoded_again };

// `payload_hash` in lower-case hex, or what stands for it.
[[nodiscard]] std::string canonical_request(const net::Request& request, const Signature& signature, PathForm form,
                                            std::string_view payload_hash);
[[nodiscard]] std::string string_to_sign(const Signature& signature, std::string_view canonical);

// 32 bytes; good for a day, a region and a service.
[[nodiscard]] std::string signing_key(std::string_view secret, std::string_view date, std::string_view region,
                                      std::string_view service);
// 64 digits in lower case.
[[nodiscard]] std::string sign(std::string_view key, std::string_view text);

// "20150830T123600Z"; nothing if it is not of that form.
[[nodiscard]] std::optional<base::Time> parse_basic_date(std::string_view text);
[[nodiscard]] std::string basic_date(base::Time time);

}  // namespace tidemill::wire
