#include "wire/pipeline/signature_errors.h"

namespace tidemill::wire {

namespace {

constexpr int kBadRequest = 400;
constexpr int kForbidden = 403;
constexpr const char* kBadToken = "The security token included in the request is invalid.";

Error with_details(Error error, decltype(Error::details) details) {
  error.details = std::move(details);
  return error;
}

}  // namespace

SignatureStyle signature_style(const OperationInfo& info, Encoding encoding) {
  if (info.protocol == Protocol::rest_xml) return SignatureStyle::s3;
  if (encoding == Encoding::query || info.protocol == Protocol::query) return SignatureStyle::query;
  return info.protocol == Protocol::rest_json ? SignatureStyle::rest_json : SignatureStyle::json;
}

// JSON services answer 400, those with paths 403.
Error SignatureErrors::make(std::string json_code, std::string query_code, int query_status,
                            std::string message) const {
  if (style_ == SignatureStyle::query) return {std::move(query_code), query_status, std::move(message)};
  Error error(std::move(json_code), style_ == SignatureStyle::json ? kBadRequest : kForbidden, std::move(message));
  if (style_ == SignatureStyle::json) error.type_namespace = "com.amazon.coral.service";
  return error;
}

Error SignatureErrors::missing() const {
  if (style_ == SignatureStyle::s3) return {"AccessDenied", kForbidden, "Access Denied"};
  return make("MissingAuthenticationTokenException", "MissingAuthenticationToken", kForbidden,
              "Request is missing Authentication Token");
}

Error SignatureErrors::incomplete(std::string message) const {
  if (style_ == SignatureStyle::s3) {
    return {"AuthorizationHeaderMalformed", kBadRequest, "The authorization header is malformed; " + message};
  }
  return make("IncompleteSignatureException", "IncompleteSignature", kBadRequest, std::move(message));
}

Error SignatureErrors::invalid(std::string message) const {
  if (style_ == SignatureStyle::s3) return incomplete(std::move(message));
  return make("InvalidSignatureException", "SignatureDoesNotMatch", kForbidden, std::move(message));
}

Error SignatureErrors::unknown_key(const std::string& access_key_id) const {
  if (style_ == SignatureStyle::s3) {
    return with_details(
        {"InvalidAccessKeyId", kForbidden, "The AWS Access Key Id you provided does not exist in our records."},
        {{"AWSAccessKeyId", access_key_id}});
  }
  return make("UnrecognizedClientException", "InvalidClientTokenId", kForbidden, kBadToken);
}

Error SignatureErrors::mismatch() const {
  if (style_ == SignatureStyle::s3) {
    return {"SignatureDoesNotMatch", kForbidden,
            "The request signature we calculated does not match the signature you provided. Check your key and signing "
            "method."};
  }
  return invalid(
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key "
      "and "
      "signing method. Consult the service documentation for details.");
}

Error SignatureErrors::bad_token(const std::string& token) const {
  if (style_ == SignatureStyle::s3) {
    return with_details({"InvalidToken", kBadRequest, "The provided token is malformed or otherwise invalid."},
                        {{"Token-0", token}});
  }
  return make("UnrecognizedClientException", "InvalidClientTokenId", kForbidden,
              "The security token included in the request is invalid");
}

Error SignatureErrors::expired_token(const std::string& token) const {
  if (style_ == SignatureStyle::s3) {
    return with_details({"ExpiredToken", kBadRequest, "The provided token has expired."}, {{"Token-0", token}});
  }
  return make("ExpiredTokenException", "ExpiredToken", kForbidden,
              "The security token included in the request is expired");
}

}  // namespace tidemill::wire
