// What exports and imports ask of S3, through the operation registry, on behalf of the account that began them.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "wire/body_stream.h"
#include "wire/context.h"
#include "wire/error.h"

namespace tidemill::engine {

// Why somebody else's operation was not carried out: what a description of the failed work tells.
struct Refusal {
  std::string code;     // "S3NoSuchBucket"
  std::string message;
};

// A service refused what a long work asked of it, and will refuse it the next time, too: the work fails.
class CallRefused : public std::runtime_error {
 public:
  explicit CallRefused(Refusal refusal) : std::runtime_error(refusal.message), refusal_(std::move(refusal)) {}
  [[nodiscard]] const Refusal& refusal() const { return refusal_; }

 private:
  Refusal refusal_;
};

// Throws CallRefused ("S3NoSuchBucket", as AWS calls it), or `error` itself if it may pass.
[[noreturn]] void throw_refusal(std::string_view service, const wire::Error& error);

// The bucket of one such work. All of its functions throw CallRefused for what S3 refuses, and anything else for what
// may be tried again.
class BucketAccess {
 public:
  // `platform` outlives it. `arn` names the account and region on whose behalf `by` asks.
  BucketAccess(wire::Platform& platform, std::string arn, std::string bucket, std::optional<std::string> owner,
               wire::Principal by = wire::Principal::platform())
      : platform_(platform),
        arn_(std::move(arn)),
        bucket_(std::move(bucket)),
        owner_(std::move(owner)),
        by_(std::move(by)) {}

  // Its ETag, without quotes.
  Task<std::string> put(std::string key, std::string body);

  struct Page {
    std::vector<std::string> keys;
    bool more = false;
  };
  // One of a listing.
  struct Entry {
    std::string key;
    std::string etag;  // with its quotes
    base::Time modified{};
    int64_t size = 0;
    std::string storage_class;
  };
  struct Entries {
    std::vector<Entry> entries;
    bool more = false;
  };
  // In the order of their names, behind `after`.
  Task<Entries> list_entries(std::string prefix, std::string after);
  Task<Page> list(std::string prefix, std::string after);

  struct Object {
    wire::BodyStream body;
    std::string etag;
  };
  // `etag`: it must still be what it was; empty: whatever it is.
  Task<Object> get(std::string key, std::string etag);
  // From a byte on; empty if there are no more.
  Task<Object> get_from(std::string key, std::string etag, uint64_t offset);

 private:
  [[nodiscard]] wire::Context context();

  wire::Platform& platform_;
  const std::string arn_;
  const std::string bucket_;
  const std::optional<std::string> owner_;
  const wire::Principal by_;
};

}  // namespace tidemill::engine
