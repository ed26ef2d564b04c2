#include "wire/pipeline/access_log.h"

#include <charconv>

namespace tidemill::wire {
namespace {

constexpr int kErrors = 400;

}  // namespace

void describe_caller(const Context& context, LoggedRequest& seen) {
  seen.account = context.account;
  const Standing* standing = context.principal.standing();
  seen.principal = standing && !standing->role_arn.empty() ? standing->role_arn : context.principal.name();
}

void describe_answer(const net::Response& response, LoggedRequest& seen) {
  seen.status = response.status;
  seen.request_id = response.headers.get("x-amz-request-id");
  seen.version_id = response.headers.get("x-amz-version-id");
  if (!response.stream) seen.bytes_sent = response.body.size();
  const std::string_view length = response.headers.get("content-length");
  uint64_t bytes = 0;
  if (std::from_chars(length.data(), length.data() + length.size(), bytes).ec == std::errc() && seen.method != "HEAD") {
    seen.bytes_sent = bytes;
  }
  if (response.status < kErrors) return;
  constexpr std::string_view kBegin = "<Code>";
  const size_t begin = response.body.find(kBegin);
  if (begin == std::string::npos) return;
  const size_t from = begin + kBegin.size();
  seen.error_code = response.body.substr(from, response.body.find('<', from) - from);
}

}  // namespace tidemill::wire
