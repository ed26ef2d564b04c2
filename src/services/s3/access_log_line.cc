#include "services/s3/access_log_line.h"

#include <algorithm>
#include <chrono>

#include "base/base64.h"
#include "base/text.h"
#include "services/s3/words.h"

namespace tidemill::s3 {
namespace {

using base::cat;

// As the guide names operations: REST, the method, and what it is about.
struct Resource {
  std::string_view operation;
  std::string_view name;
};
constexpr Resource kResources[] = {{"ListMultipartUploads", "UPLOADS"},
                                   {"CreateMultipartUpload", "UPLOADS"},
                                   {"UploadPart", "PART"},
                                   {"UploadPartCopy", "PART"},
                                   {"CompleteMultipartUpload", "UPLOAD"},
                                   {"AbortMultipartUpload", "UPLOAD"},
                                   {"ListParts", "UPLOAD"},
                                   {"DeleteObjects", "MULTI_OBJECT_DELETE"},
                                   {"ListObjectVersions", "BUCKETVERSIONS"},
                                   {"GetBucketLocation", "LOCATION"},
                                   {"GetBucketLogging", "LOGGING_STATUS"},
                                   {"PutBucketLogging", "LOGGING_STATUS"},
                                   {"GetBucketVersioning", "VERSIONING"},
                                   {"PutBucketVersioning", "VERSIONING"},
                                   {"GetBucketTagging", "TAGGING"},
                                   {"PutBucketTagging", "TAGGING"},
                                   {"DeleteBucketTagging", "TAGGING"},
                                   {"GetObjectTagging", "OBJECT_TAGGING"},
                                   {"PutObjectTagging", "OBJECT_TAGGING"},
                                   {"DeleteObjectTagging", "OBJECT_TAGGING"},
                                   {"GetBucketAcl", "ACL"},
                                   {"PutBucketAcl", "ACL"},
                                   {"GetObjectAcl", "ACL"},
                                   {"PutObjectAcl", "ACL"},
                                   {"GetBucketPolicy", "BUCKETPOLICY"},
                                   {"PutBucketPolicy", "BUCKETPOLICY"},
                                   {"DeleteBucketPolicy", "BUCKETPOLICY"},
                                   {"GetBucketCors", "CORS"},
                                   {"PutBucketCors", "CORS"},
                                   {"DeleteBucketCors", "CORS"},
                                   {"GetBucketWebsite", "WEBSITE"},
                                   {"PutBucketWebsite", "WEBSITE"},
                                   {"DeleteBucketWebsite", "WEBSITE"},
                                   {"GetBucketNotificationConfiguration", "NOTIFICATION"},
                                   {"PutBucketNotificationConfiguration", "NOTIFICATION"},
                                   {"GetBucketLifecycleConfiguration", "LIFECYCLE"},
                                   {"PutBucketLifecycleConfiguration", "LIFECYCLE"},
                                   {"DeleteBucketLifecycle", "LIFECYCLE"},
                                   {"GetBucketEncryption", "ENCRYPTION"},
                                   {"PutBucketEncryption", "ENCRYPTION"},
                                   {"DeleteBucketEncryption", "ENCRYPTION"},
                                   {"SelectObjectContent", "SELECT"}};

std::string operation_of(const wire::LoggedRequest& request) {
  if (request.operation->name == "CopyObject") return "REST.COPY.OBJECT";
  if (request.operation->name == "UploadPartCopy") return "REST.COPY.PART";
  const auto found = std::ranges::find(kResources, request.operation->name, &Resource::operation);
  const std::string_view resource = found != std::end(kResources) ? found->name
                                    : request.key.empty()         ? "BUCKET"
                                                                  : "OBJECT";
  return cat("REST.", request.method, ".", resource);
}

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

// In quotes. What clients chose may hold neither quotes nor ends of lines of its own.
std::string in_quotes(std::string_view text) {
  if (text.empty()) return "\"-\"";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || static_cast<unsigned char>(c) < ' ')
      out += percent_byte(c);
    else
      out.push_back(c);
  }
  return out + '"';
}

// As keys stand in logs: what is no plain character is escaped, twice on AWS for some, once here.
std::string encoded_key(std::string_view key) {
  if (key.empty()) return "-";
  std::string out;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-_.~/!*'()").contains(c))
      out.push_back(c);
    else
      out += percent_byte(c);
  }
  return out;
}

std::string number_of(const std::optional<uint64_t>& number) { return number ? std::to_string(*number) : "-"; }

// "[06/Feb/2019:00:00:38 +0000]"
std::string shown_time(base::Time time) { return calendar_text(time, "[%d/%b/%Y:%H:%M:%S +0000]"); }

// Of an object that was put, or is got whole.
std::optional<uint64_t> object_size(const wire::LoggedRequest& request) {
  if (request.key.empty() || !request.error_code.empty()) return std::nullopt;
  if (request.operation->name == "PutObject" || request.operation->name == "UploadPart") return request.bytes_received;
  return request.operation->name == "GetObject" ? request.bytes_sent : std::nullopt;
}

}  // namespace

std::string access_log_line(const Bucket& bucket, const wire::LoggedRequest& request) {
  const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(request.duration).count();
  const bool is_known = request.is_signed && !request.account.empty();
  const std::string requester = !is_known                               ? "-"
                                : request.principal.starts_with("arn:") ? request.principal
                                : request.account == bucket.account     ? canonical_id(bucket.account)
                                                                        : canonical_id(request.account);
  std::string line;
  const auto add = [&](std::string_view field) { line += cat(line.empty() ? "" : " ", field); };
  add(canonical_id(bucket.account));
  add(bucket.name);
  add(shown_time(request.begun));
  add(or_dash(request.source_ip));
  add(requester);
  add(or_dash(request.request_id));
  add(operation_of(request));
  add(encoded_key(request.key));
  add(in_quotes(cat(request.method, " ", request.target, request.version_major == 2 ? " HTTP/2" : " HTTP/1.1")));
  add(std::to_string(request.status));
  add(or_dash(request.error_code));
  add(request.bytes_sent == 0U ? "-" : number_of(request.bytes_sent));
  add(number_of(object_size(request)));
  add(std::to_string(milliseconds));  // in all
  add(std::to_string(milliseconds));  // till the answer began
  add(in_quotes(request.referer));
  add(in_quotes(request.user_agent));
  add(or_dash(request.version_id));
  add(or_dash(base::base64_encode(request.request_id)));  // the host's id
  add(request.is_signed ? "SigV4" : "-");
  add("-");  // the cipher suite
  add(!request.is_signed ? "-" : request.is_presigned ? "QueryString" : "AuthHeader");
  add(or_dash(request.host));
  add(request.is_protected ? "TLSv1.2" : "-");
  add("-");  // the access point
  add("-");  // whether a list of access was needed
  return line + "\n";
}

}  // namespace tidemill::s3
