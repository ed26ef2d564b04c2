#include "services/dynamodb/transfer_objects.h"

#include "base/text.h"
#include "engine/targets/internal_call.h"
#include "wire/registry.h"
#include "wire/shapes/s3.h"

namespace tidemill::dynamodb {

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
  throw TransferRefused({base::cat(service, error.code),
                         base::cat(error.message, " (Service: Amazon ", service, "; Status Code: ", error.http_status,
                                   "; Error Code: ", error.code, ")")});
}

wire::Context TransferBucket::context() { return engine::internal_context(platform_, arn_); }

Task<std::string> TransferBucket::put(std::string key, std::string body) {
  ops::PutObject::Request request;
  request.bucket = bucket_;
  request.key = std::move(key);
  request.expected_bucket_owner = owner_;
  request.body = wire::BodyStream(std::move(body));
  wire::Context caller = context();
  const auto answer = co_await call<ops::PutObject>(caller, request);
  co_return without_quotes(answer.e_tag.value_or(""));
}

Task<TransferBucket::Page> TransferBucket::list(std::string prefix, std::string after) {
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

Task<TransferBucket::Object> TransferBucket::get(std::string key, std::string etag) {
  ops::GetObject::Request request;
  request.bucket = bucket_;
  request.key = std::move(key);
  if (!etag.empty()) request.if_match = std::move(etag);
  request.expected_bucket_owner = owner_;
  wire::Context caller = context();
  const auto answer = co_await call<ops::GetObject>(caller, request);
  co_return Object{answer.body, without_quotes(answer.e_tag.value_or(""))};
}

}  // namespace tidemill::dynamodb
