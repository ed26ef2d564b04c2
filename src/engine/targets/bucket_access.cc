#include "engine/targets/bucket_access.h"

#include "base/text.h"
#include "engine/targets/internal_call.h"
#include "wire/registry.h"
#include "wire/shapes/s3.h"

namespace tidemill::engine {

namespace {

namespace ops = wire::s3::ops;

template <class Op>
Task<typename Op::Response> call(wire::Context& context, const typename Op::Request& request) {
  try {
    co_return co_await context.registry().call<Op>(context, request);
  } catch (const wire::Error& error) {
    throw_refusal("S3", error);
  }
}

std::string without_quotes(std::string etag) {
  std::erase(etag, '"');
  return etag;
}

}  // namespace

void throw_refusal(std::string_view service, const wire::Error& error) {
  constexpr int kTooManyRequests = 429;
  constexpr int kServerErrors = 500;
  if (error.http_status >= kServerErrors || error.http_status == kTooManyRequests) throw wire::Error(error);
  throw CallRefused({base::cat(service, error.code),
                     base::cat(error.message, " (Service: Amazon ", service, "; Status Code: ", error.http_status,
                               "; Error Code: ", error.code, ")")});
}

wire::Context BucketAccess::context() { return internal_context(platform_, arn_, by_); }

Task<std::string> BucketAccess::put(std::string key, std::string body) {
  ops::PutObject::Request request;
  request.bucket = bucket_;
  request.key = std::move(key);
  request.expected_bucket_owner = owner_;
  request.body = wire::BodyStream(std::move(body));
  wire::Context caller = context();
  const auto answer = co_await call<ops::PutObject>(caller, request);
  co_return without_quotes(answer.e_tag.value_or(""));
}

Task<BucketAccess::Page> BucketAccess::list(std::string prefix, std::string after) {
  ops::ListObjectsV2::Request request;
  request.bucket = bucket_;
  if (!prefix.empty()) request.prefix = std::move(prefix);
  if (!after.empty()) request.start_after = std::move(after);
  request.expected_bucket_owner = owner_;
  wire::Context caller = context();
  const auto answer = co_await call<ops::ListObjectsV2>(caller, request);
  Page page{.more = answer.is_truncated.value_or(false)};
  if (answer.contents) {
    for (const auto& object : *answer.contents) page.keys.push_back(object.key.value_or(""));
  }
  co_return page;
}

Task<BucketAccess::Entries> BucketAccess::list_entries(std::string prefix, std::string after) {
  ops::ListObjectsV2::Request request;
  request.bucket = bucket_;
  if (!prefix.empty()) request.prefix = std::move(prefix);
  if (!after.empty()) request.start_after = std::move(after);
  request.expected_bucket_owner = owner_;
  wire::Context caller = context();
  const auto answer = co_await call<ops::ListObjectsV2>(caller, request);
  Entries page{.entries = {}, .more = answer.is_truncated.value_or(false)};
  if (!answer.contents) co_return page;
  for (const auto& object : *answer.contents) {
    page.entries.push_back({.key = object.key.value_or(""),
                            .etag = object.e_tag.value_or(""),
                            .modified = object.last_modified.value_or(base::Time{}),
                            .size = object.size.value_or(0),
                            .storage_class = object.storage_class.value_or("STANDARD")});
  }
  co_return page;
}

Task<BucketAccess::Object> BucketAccess::get(std::string key, std::string etag) {
  co_return co_await get_from(std::move(key), std::move(etag), 0);
}

Task<BucketAccess::Object> BucketAccess::get_from(std::string key, std::string etag, uint64_t offset) {
  ops::GetObject::Request request;
  request.bucket = bucket_;
  request.key = std::move(key);
  if (!etag.empty()) request.if_match = etag;
  if (offset > 0) request.range = base::cat("bytes=", offset, "-");
  request.expected_bucket_owner = owner_;
  wire::Context caller = context();
  try {
    const auto answer = co_await call<ops::GetObject>(caller, request);
    co_return Object{answer.body, without_quotes(answer.e_tag.value_or(""))};
  } catch (const CallRefused& refused) {
    if (offset == 0 || refused.refusal().code != "S3InvalidRange") throw;
  }
  co_return Object{{}, std::move(etag)};
}

}  // namespace tidemill::engine
