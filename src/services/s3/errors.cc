#include "services/s3/errors.h"

#include "base/text.h"

namespace tidemill::s3::errors {

wire::Error error(std::string code, int status, std::string message, Details details) {
  wire::Error result(std::move(code), status, std::move(message));
  result.details = std::move(details);
  return result;
}

wire::Error no_such_bucket(std::string_view bucket) {
  return error("NoSuchBucket", 404, "The specified bucket does not exist", {{"BucketName", std::string(bucket)}});
}

wire::Error no_such_key(std::string_view key) {
  return error("NoSuchKey", 404, "The specified key does not exist.", {{"Key", std::string(key)}});
}

wire::Error no_such_version(std::string_view key, std::string_view version) {
  return error("NoSuchVersion", 404, "The specified version does not exist.",
               {{"Key", std::string(key)}, {"VersionId", std::string(version)}});
}

wire::Error no_such_upload(std::string_view upload) {
  return error("NoSuchUpload", 404,
               "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted "
               "or completed.",
               {{"UploadId", std::string(upload)}});
}

wire::Error invalid_argument(std::string message, std::string_view name, std::string_view value) {
  return error("InvalidArgument", 400, std::move(message),
               {{"ArgumentName", std::string(name)}, {"ArgumentValue", std::string(value)}});
}

wire::Error invalid_request(std::string message) { return error("InvalidRequest", 400, std::move(message)); }

wire::Error malformed_xml() {
  return error("MalformedXML", 400,
               "The XML you provided was not well-formed or did not validate against our published schema");
}

wire::Error not_implemented(std::string_view what) {
  return error("NotImplemented", 501, base::cat("Tidemill does not support ", what));
}

wire::Error precondition_failed(std::string_view header) {
  return error("PreconditionFailed", 412, "At least one of the pre-conditions you specified did not hold",
               {{"Condition", std::string(header)}});
}

wire::Error entity_too_large(uint64_t size, uint64_t size_max) {
  return error("EntityTooLarge", 400, "Your proposed upload exceeds the maximum allowed size",
               {{"ProposedSize", std::to_string(size)}, {"MaxSizeAllowed", std::to_string(size_max)}});
}

wire::Error access_denied() { return error("AccessDenied", 403, "Access Denied"); }

}  // namespace tidemill::s3::errors
