#include "services/s3/storage_metrics.h"

#include "base/executor.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/lifecycle.h"
#include "wire/metrics/platform_metrics.h"

namespace tidemill::s3 {
namespace {

constexpr wire::PlatformMetric kSize{"AWS/S3", "BucketSizeBytes", "Bytes", "BucketName", "StorageType"};
constexpr wire::PlatformMetric kCount{"AWS/S3", "NumberOfObjects", "Count", "BucketName", "StorageType"};
constexpr std::string_view kStandard = "StandardStorage";
constexpr std::string_view kAllTypes = "AllStorageTypes";

constexpr std::string_view kTimerId = "all";
constexpr size_t kSeenPerStepMax = 10'000;  // until others get their turn

store::Timer storage_timer(base::Time now) {
  return {std::string(kStorageTimer.name), std::string(kTimerId), midnight_after(now, 0), ""};
}

struct Holdings {
  double bytes = 0;
  double objects = 0;
};

// Adds what `size_of` (value) says of each entry, in pieces.
template <class SizeOf>
Task<void> add_all(store::Store& store, store::Range range, SizeOf size_of, Holdings& sum) {
  for (bool more = true; more;) {
    more = false;
    size_t seen = 0;
    const auto snapshot = store.snapshot();
    co_await snapshot->scan(range, store::first(kSeenPerStepMax + 1), [&](std::string_view key, std::string_view value) {
      if (seen++ == kSeenPerStepMax) {
        range.begin = key;
        more = true;
        return false;
      }
      sum.bytes += static_cast<double>(size_of(value));
      sum.objects += 1;
      return true;
    });
    if (more) co_await base::yield();
  }
}

// Every version, delete marker and part counts, as on AWS.
Task<Holdings> measure_bucket(store::Store& store, const Bucket& bucket) {
  const auto size_of_object = [](std::string_view value) { return decode_object(value).size; };
  const auto size_of_part = [](std::string_view value) { return decode_part(value).size; };
  Holdings sum;
  co_await add_all(store, objects_with(bucket.id, ""), size_of_object, sum);
  co_await add_all(store, versions_with(bucket.id, ""), size_of_object, sum);
  co_await add_all(store, parts_in(bucket.id), size_of_part, sum);
  co_return sum;
}

Task<std::vector<Bucket>> all_buckets(store::Store& store) {
  std::vector<Bucket> buckets;
  const auto snapshot = store.snapshot();
  co_await snapshot->scan(buckets_range(), store::Direction::forward, [&](std::string_view, std::string_view value) {
    buckets.push_back(decode_bucket(value));
    return true;
  });
  co_return buckets;
}

}  // namespace

Task<void> schedule_storage_metrics(store::Transaction& txn, base::Time now) {
  if (co_await store::timer_due(txn, kStorageTimer, kTimerId)) co_return;
  store::put_timer(txn, storage_timer(now));
}

Task<void> measure_storage(Service& service, wire::PlatformMetrics* usage, store::Timer timer) {
  const std::vector<Bucket> buckets = co_await all_buckets(service.store());
  for (const Bucket& bucket : buckets) {
    const Holdings holdings = co_await measure_bucket(service.store(), bucket);
    if (holdings.objects == 0 || !usage) continue;
    usage->add(kSize, bucket.account, bucket.region, bucket.name, holdings.bytes, 1, kStandard);
    usage->add(kCount, bucket.account, bucket.region, bucket.name, holdings.objects, 1, kAllTypes);
  }
  const base::Time now = service.clock().now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    // Reads the range, so that a bucket that is made meanwhile is seen or makes this run again.
    bool is_any = false;
    co_await txn.scan(buckets_range(), store::first(1), [&](std::string_view, std::string_view) { return is_any = true; });
    if (is_any) co_await store::set_timer(txn, storage_timer(now));
  });
}

}  // namespace tidemill::s3
