// What a bucket's lifecycle timer does: looks through the bucket and removes what is due.
#include <algorithm>

#include "base/executor.h"
#include "base/text.h"
#include "base/uuid.h"
#include "services/s3/body_intake.h"
#include "services/s3/bucket_keys.h"
#include "services/s3/lifecycle.h"
#include "services/s3/notifications.h"
#include "services/s3/object_lock.h"
#include "services/s3/settings_document.h"
#include "services/s3/uploads.h"

namespace tidemill::s3 {
namespace {

constexpr size_t kDuePerCommitMax = 100;
constexpr size_t kSeenPerStepMax = 10'000;  // until others get their turn

// What a step found, and where the next one begins; nothing: it was the last.
template <class Item>
struct Step {
  std::vector<Item> due;
  std::optional<std::string> next;
};

// Looks through a part of the range. `judge` (store key, value) gives what is due, or nothing.
template <class Item, class Judge>
Task<Step<Item>> look(store::Snapshot& reader, store::Range range, Judge judge) {
  Step<Item> step;
  size_t seen = 0;
  co_await reader.scan(range, store::first(kSeenPerStepMax + 1), [&](std::string_view key, std::string_view value) {
    if (seen == kSeenPerStepMax || step.due.size() == kDuePerCommitMax) {
      step.next = std::string(key);
      return false;
    }
    ++seen;
    if (auto item = judge(key, value)) step.due.push_back(*std::move(item));
    return true;
  });
  co_return step;
}

// How many newer versions that are not current the rules ask for at most.
int newer_versions_max(const Rules& rules) {
  int most = 0;
  for (const auto& rule : rules) {
    const auto& expiration = rule.noncurrent_version_expiration;
    if (expiration) most = std::max(most, expiration->newer_noncurrent_versions.value_or(0));
  }
  return most;
}

// One bucket at one moment.
class Run {
 public:
  Run(Service& service, Bucket bucket, Rules rules, base::Time now)
      : service_(service),
        bucket_(std::move(bucket)),
        rules_(std::move(rules)),
        newer_max_(newer_versions_max(rules_)),
        now_(now) {}

  Task<void> carry_out() {
    co_await expire_objects();
    co_await expire_versions();
    co_await abort_uploads();
  }

 private:
  [[nodiscard]] bool is_due(const std::optional<Due>& due) const { return due && due->time <= now_; }

  Task<void> expire_objects() {
    store::Range range = objects_with(bucket_.id, "");
    for (bool more = true; more;) {
      const auto snapshot = service_.store().snapshot();
      auto step = co_await look<std::string>(
          *snapshot, range, [&](std::string_view key, std::string_view value) -> std::optional<std::string> {
            std::string name(key_of_object(key));
            if (!is_due(expiry_of(rules_, name, decode_object(value)))) return std::nullopt;
            return name;
          });
      co_await expire(std::move(step.due));
      more = step.next.has_value();
      if (more) range.begin = *step.next;
      co_await base::yield();
    }
  }

  Task<void> expire(std::vector<std::string> keys) {
    if (keys.empty()) co_return;
    co_await change_bodies(service_.store(), service_.blobs(), [&](store::Transaction& txn, Removals& removals) -> Task<void> {
      const auto bucket = co_await same_bucket(txn);
      if (!bucket) co_return;
      for (const std::string& key : keys) {
        const auto object = co_await find_object(txn, *bucket, key);
        if (!object || !is_due(expiry_of(rules_, key, *object))) continue;
        const Deleted deleted = co_await delete_current(txn, *bucket, key, now_, removals);
        const bool marked = deleted.marker.has_value();
        co_await announce(txn, now_, base::new_uuid(), *bucket,
                          removed_event(marked ? "LifecycleExpiration:DeleteMarkerCreated" : "LifecycleExpiration:Delete",
                                        key, marked ? *deleted.marker : *object, deleted.sequence));
      }
    });
  }

  // Versions that are not current stand newest first, so that those before one of the same key are newer.
  Task<void> expire_versions() {
    struct Version {
      std::string key;
      std::string id;
    };
    store::Range range = versions_with(bucket_.id, "");
    std::string last_key;
    int newer = 0;
    for (bool more = true; more;) {
      const auto snapshot = service_.store().snapshot();
      std::vector<std::string> lone_markers;
      auto step = co_await look<Version>(
          *snapshot, range, [&](std::string_view store_key, std::string_view value) -> std::optional<Version> {
            const VersionPlace place = place_of_version(store_key);
            const bool is_first = place.key != last_key;
            if (is_first) newer = 0;
            last_key = place.key;
            const Object object = decode_object(value);
            // A marker that nothing replaced is the current version; whether it is alone is seen below.
            if (!object.noncurrent_since && object.is_marker && is_first) {
              if (is_due(lone_marker_expiry_of(rules_, place.key, object))) lone_markers.push_back(place.key);
              return std::nullopt;
            }
            const bool due = is_due(noncurrent_expiry_of(rules_, place.key, object, newer));
            ++newer;
            if (!due) return std::nullopt;
            return Version{place.key, object.version};
          });
      co_await remove_versions(std::move(step.due));
      for (std::string& key : lone_markers) co_await remove_lone_marker(std::move(key));
      more = step.next.has_value();
      if (more) range.begin = *step.next;
      co_await base::yield();
    }
  }

  template <class Version>
  Task<void> remove_versions(std::vector<Version> versions) {
    if (versions.empty()) co_return;
    co_await change_bodies(service_.store(), service_.blobs(), [&](store::Transaction& txn, Removals& removals) -> Task<void> {
      const auto bucket = co_await same_bucket(txn);
      if (!bucket) co_return;
      for (const Version& version : versions) {
        // What was due when it was seen may be the current version since, or have fewer before it. It goes for good.
        const auto current = co_await find_current(txn, *bucket, version.key);
        if (current && current->version == version.id) continue;
        const auto kept = co_await find_version(txn, *bucket, version.key, version.id);
        if (!kept || is_locked(*kept, false, now_)) continue;  // the next midnight looks again
        const int newer = co_await newer_than(txn, version.key, *kept);
        if (!is_due(noncurrent_expiry_of(rules_, version.key, *kept, newer))) continue;
        const Deleted deleted = co_await delete_version(txn, *bucket, version.key, version.id, removals);
        if (!deleted.removed) continue;
        co_await announce(txn, now_, base::new_uuid(), *bucket,
                          removed_event("LifecycleExpiration:Delete", version.key, *deleted.removed, deleted.sequence));
      }
    });
  }

  // The versions of the key that are newer and not current either; counted no further than any rule asks.
  Task<int> newer_than(store::Transaction& txn, const std::string& key, const Object& version) {
    int count = 0;
    if (newer_max_ == 0) co_return count;
    co_await txn.scan(versions_of(bucket_.id, key), store::Direction::forward,
                      [&](std::string_view store_key, std::string_view value) {
                        if (place_of_version(store_key).sequence == version.sequence) return false;
                        const Object other = decode_object(value);
                        const bool is_current = other.is_marker && !other.noncurrent_since;
                        if (!is_current) ++count;
                        return count < newer_max_;
                      });
    co_return count;
  }

  Task<void> remove_lone_marker(std::string key) {
    co_await change_bodies(service_.store(), service_.blobs(), [&](store::Transaction& txn, Removals& removals) -> Task<void> {
      const auto bucket = co_await same_bucket(txn);
      if (!bucket || co_await find_object(txn, *bucket, key)) co_return;
      std::vector<Object> versions;
      co_await txn.scan(versions_of(bucket->id, key), store::first(2), [&](std::string_view, std::string_view value) {
        versions.push_back(decode_object(value));
        return true;
      });
      if (versions.size() != 1 || !versions.front().is_marker) co_return;
      if (!is_due(lone_marker_expiry_of(rules_, key, versions.front()))) co_return;
      (void)co_await delete_version(txn, *bucket, key, versions.front().version, removals);
    });
  }

  Task<void> abort_uploads() {
    store::Range range = uploads_with(bucket_.id, "");
    for (bool more = true; more;) {
      const auto snapshot = service_.store().snapshot();
      auto step = co_await look<UploadPlace>(
          *snapshot, range, [&](std::string_view store_key, std::string_view value) -> std::optional<UploadPlace> {
            UploadPlace place = place_of_upload(store_key);
            if (!is_due(abort_of(rules_, place.key, decode_upload(value)))) return std::nullopt;
            return place;
          });
      for (const UploadPlace& place : step.due) {
        co_await change_bodies(service_.store(), service_.blobs(), [&](store::Transaction& txn, Removals& removals) -> Task<void> {
          const auto bucket = co_await same_bucket(txn);
          if (!bucket || !co_await txn.get(upload_key(bucket->id, place.key, place.upload_id))) co_return;
          co_await erase_upload(txn, *bucket, place.key, place.upload_id, removals);
        });
      }
      more = step.next.has_value();
      if (more) range.begin = *step.next;
      co_await base::yield();
    }
  }

  static std::string_view rules_text(const Bucket& bucket) {
    const std::string* text = bucket.setting(kLifecycle);
    return text ? *text : std::string_view();
  }

  // Nothing: the bucket has been deleted, or its rules have been changed. What else is set of it matters to none.
  Task<std::optional<Bucket>> same_bucket(store::Transaction& txn) {
    auto bucket = co_await find_bucket(txn, bucket_.name);
    if (bucket && (bucket->id != bucket_.id || rules_text(*bucket) != rules_text(bucket_))) bucket.reset();
    co_return bucket;
  }

  Service& service_;
  const Bucket bucket_;
  const Rules rules_;
  const int newer_max_;
  const base::Time now_;
};

}  // namespace

Task<void> run_lifecycle(Service& service, store::Timer timer) {
  const base::Time now = service.clock().now();
  // No snapshot lives as long as the run: what it removes would stay on the disk for so long.
  auto found = co_await find_bucket(*service.store().snapshot(), timer.payload);
  if (found && found->id == timer.id) {
    Rules rules = lifecycle_rules(*found);
    Run run(service, *std::move(found), std::move(rules), now);
    co_await run.carry_out();
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const auto bucket = co_await find_bucket(txn, timer.payload);
    // Set anew meanwhile, or not wanted any more.
    if (!co_await store::finish_timer(txn, timer)) co_return;
    if (bucket && bucket->id == timer.id && bucket->setting(kLifecycle)) co_await schedule_lifecycle(txn, *bucket, now);
  });
}

}  // namespace tidemill::s3
