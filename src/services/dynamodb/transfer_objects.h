// What exports and imports ask of S3, through the operation registry, on behalf of the account that began them.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "services/dynamodb/transfer.h"
#include "wire/body_stream.h"
#include "wire/context.h"
#include "wire/error.h"

namespace tidemill::dynamodb {

// A service refused what a transfer asked of it, and will refuse it the next time, too: the transfer fails.
class TransferRefused : public std::runtime_error {
 public:
  explicit TransferRefused(TransferFailure failure)
      : std::runtime_error(failure.message), failure_(std::move(failure)) {}
  [[nodiscard]] const TransferFailure& failure() const { return failure_; }

 private:
  TransferFailure failure_;
};

// Throws TransferRefused ("S3NoSuchBucket", as AWS calls it), or `error` itself if it may pass.
[[noreturn]] void throw_refusal(std::string_view service, const wire::Error& error);

// The bucket of one transfer. All of its functions throw TransferRefused for what S3 refuses, and anything else for
// what may be tried again.
class TransferBucket {
 public:
  // `platform` outlives it.
  TransferBucket(wire::Platform& platform, std::string arn, std::string bucket, std::optional<std::string> owner)
      : platform_(platform), arn_(std::move(arn)), bucket_(std::move(bucket)), owner_(std::move(owner)) {}

  // Its ETag, without quotes.
  Task<std::string> put(std::string key, std::string body);

  struct Page {
    std::vector<std::string> keys;
    bool more = false;
  };
  // In the order of their names, behind `after`.
  Task<Page> list(std::string prefix, std::string after);

  struct Object {
    wire::BodyStream body;
    std::string etag;
  };
  // `etag`: it must still be what it was; empty: whatever it is.
  Task<Object> get(std::string key, std::string etag);

 private:
  [[nodiscard]] wire::Context context();

  wire::Platform& platform_;
  const std::string arn_;
  const std::string bucket_;
  const std::optional<std::string> owner_;
};

}  // namespace tidemill::dynamodb
