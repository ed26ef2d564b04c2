#include "services/s3/access_logs.h"

#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/targets/bucket_access.h"
#include "services/s3/access_log_line.h"
#include "services/s3/bucket_settings.h"
#include "services/s3/words.h"

namespace tidemill::s3 {
namespace {

namespace shapes = wire::s3;

std::optional<shapes::LoggingEnabled> logging_of(const Bucket& bucket) {
  const std::string* document = bucket.setting(kLogging);
  if (!document) return std::nullopt;
  return read_document<shapes::ops::PutBucketLogging>(*document).bucket_logging_status.logging_enabled;
}

// "PREFIX2026-03-14-15-09-26-1A2B3C4D5E6F7890", or below the account, region, bucket and day.
std::string object_name(const Bucket& bucket, const shapes::LoggingEnabled& logging, base::Time now) {
  std::string unique;
  for (const char c : base::new_uuid()) {
    if (c != '-' && unique.size() < 16) unique.push_back(static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
  }
  const std::string name = calendar_text(now, "%Y-%m-%d-%H-%M-%S-") + unique;
  if (!logging.target_object_key_format || !logging.target_object_key_format->partitioned_prefix) {
    return logging.target_prefix + name;
  }
  return base::cat(logging.target_prefix, bucket.account, "/", bucket.region, "/", bucket.name,
                   calendar_text(now, "/%Y/%m/%d/"), name);
}

// About what a request that is noted takes.
size_t size_of(const wire::LoggedRequest& request) {
  const std::string* const texts[] = {&request.bucket, &request.key,     &request.account,    &request.principal,
                                      &request.target, &request.referer, &request.user_agent, &request.host};
  size_t size = sizeof(request);
  for (const std::string* text : texts) size += text->size();
  return size;
}

}  // namespace

struct AccessLogs::Batch {
  std::shared_ptr<store::Snapshot> snapshot;
  std::map<std::string, std::optional<Bucket>> buckets;  // by name; nothing: it is not logged
  std::map<std::string, std::pair<std::string, base::Time>> timers;  // to be set: name and time by the bucket's id
};

AccessLogs::AccessLogs(Service& service, size_t bytes_max) : service_(service), bytes_max_(bytes_max) {
  scope_.spawn(run());
}

void AccessLogs::register_timers(engine::TimerService& timers, wire::Platform& platform) {
  timers.handle(kAccessLogTimer, [this, &platform](const store::Timer& timer) { return deliver(platform, timer); },
                {.purpose = base::Purpose::housekeeping});
}

void AccessLogs::note(wire::LoggedRequest request) {
  if (request.principal == kLogDelivery) return;  // or logs of logs would go on for ever
  const size_t bytes = size_of(request);
  {
    const std::lock_guard lock(mutex_);
    const bool is_first = noted_.empty() && dropped_ == 0;
    if (bytes_ + bytes > bytes_max_) {
      ++dropped_;
    } else {
      bytes_ += bytes;
      noted_.push_back(std::move(request));
    }
    if (!is_first) return;
    activity_ = service_.clock().activity().hold();
  }
  wake_.signal();
}

Task<void> AccessLogs::run() {
  for (;;) {
    co_await wake_;
    base::Activity::Hold activity;
    std::vector<wire::LoggedRequest> requests;
    size_t dropped = 0;
    {
      const std::lock_guard lock(mutex_);
      std::swap(activity, activity_);
      requests.swap(noted_);
      dropped = std::exchange(dropped_, 0);
    }
    if (dropped > 0) {
      warnings_.warn({{"reason", "too many lines wait for their delivery"}}, {{"requests", std::to_string(dropped)}});
    }
    co_await add_all(std::move(requests));
  }
}

// Nothing that goes wrong here is a request's.
Task<void> AccessLogs::add_all(std::vector<wire::LoggedRequest> requests) {
  constexpr size_t kStepsPerLine = 16;
  Batch batch;
  try {
    if (!requests.empty() && service_.access_log_state() == AccessLogState::unknown) co_await find_out();
    batch.snapshot = service_.store().snapshot();
  } catch (const std::exception& error) {
    warnings_.warn({{"bucket", "any"}}, {{"reason", error.what()}});
  }
  for (const wire::LoggedRequest& request : requests) {
    try {
      if (batch.snapshot && is_wanted()) co_await add(batch, request);
    } catch (const std::exception& error) {
      warnings_.warn({{"bucket", request.bucket}}, {{"reason", error.what()}});
    }
    release(size_of(request));
    if (base::slice_is_over(kStepsPerLine)) co_await base::give_way();
  }
  for (const auto& [id, timer] : batch.timers) co_await set_timer(id, timer.first, timer.second);
}

// A record that cannot be read may be one of a bucket with a log: who asks for it is told then.
Task<void> AccessLogs::find_out() {
  bool is_any = false;
  const auto snapshot = service_.store().snapshot();
  co_await snapshot->scan(buckets_range(), store::Direction::forward, [&](std::string_view, std::string_view value) {
    try {
      is_any = decode_bucket(value).setting(kLogging) != nullptr;
    } catch (const std::exception&) {
      is_any = true;
    }
    return !is_any;
  });
  service_.know_access_logs(is_any);
}

Task<void> AccessLogs::add(Batch& batch, const wire::LoggedRequest& request) {
  auto found = batch.buckets.find(request.bucket);
  if (found == batch.buckets.end()) {
    auto bucket = co_await find_bucket(*batch.snapshot, request.bucket);
    if (bucket && !bucket->setting(kLogging)) bucket.reset();
    found = batch.buckets.emplace(request.bucket, std::move(bucket)).first;
  }
  if (!found->second) co_return;
  const Bucket& bucket = *found->second;
  const std::string line = access_log_line(bucket, request);
  if (!reserve(line.size())) throw std::runtime_error("too many lines wait for their delivery");
  if (const auto due = keep(bucket.id, line)) batch.timers[bucket.id] = {bucket.name, *due};
}

std::optional<base::Time> AccessLogs::keep(const std::string& bucket_id, const std::string& line) {
  Waiting& waiting = waiting_[bucket_id];
  const base::Time now = service_.clock().now();
  // Also if nobody has come for them in time: their timer went off elsewhere.
  const bool needs_timer = !waiting.due || now > *waiting.due + kAccessLogDelay;
  const bool was_full = waiting.lines.size() >= kBucketBytes;
  waiting.lines += line;
  const bool is_full_now = !was_full && waiting.lines.size() >= kBucketBytes;
  if (!needs_timer && !is_full_now) return std::nullopt;
  waiting.due = waiting.lines.size() >= kBucketBytes ? now : now + kAccessLogDelay;
  return waiting.due;
}

Task<void> AccessLogs::set_timer(std::string bucket_id, std::string bucket_name, base::Time due) {
  try {
    co_await service_.store().transact([&](store::Transaction& txn) -> Task<void> {
      co_await store::set_timer(
          txn, {.kind = std::string(kAccessLogTimer.name), .id = bucket_id, .due = due, .payload = bucket_name});
    });
  } catch (const std::exception& error) {
    // The next line tries it again.
    const auto waiting = waiting_.find(bucket_id);
    if (waiting != waiting_.end()) waiting->second.due.reset();
    warnings_.warn({{"bucket", bucket_name}}, {{"reason", error.what()}});
  }
}

bool AccessLogs::reserve(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes_ + bytes > bytes_max_) return false;
  bytes_ += bytes;
  return true;
}

void AccessLogs::release(size_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ -= bytes;
}

std::string AccessLogs::take(const std::string& bucket_id) {
  auto node = waiting_.extract(bucket_id);
  if (node.empty()) return "";
  release(node.mapped().lines.size());
  return std::move(node.mapped().lines);
}

Task<void> AccessLogs::deliver(wire::Platform& platform, const store::Timer& timer) {
  // Before the lines are taken: one that comes behind them sets a timer of its own.
  co_await service_.store().transact(
      [&](store::Transaction& txn) -> Task<void> { (void)co_await store::finish_timer(txn, timer); });
  const std::string lines = take(timer.id);
  if (lines.empty()) co_return;
  const auto bucket = co_await find_bucket(*service_.store().snapshot(), timer.payload);
  if (!bucket || bucket->id != timer.id) co_return;
  const auto logging = logging_of(*bucket);
  if (!logging) co_return;
  // On behalf of the bucket's account and region, as other services name theirs.
  const std::string arn = base::cat("arn:aws:s3:", bucket->region, ":", bucket->account, ":", bucket->name);
  engine::BucketAccess target(platform, arn, logging->target_bucket, std::nullopt,
                              wire::Principal::service(std::string(kLogDelivery), bucket_arn(bucket->name)));
  try {
    (void)co_await target.put(object_name(*bucket, *logging, service_.clock().now()), lines);
  } catch (const std::exception& error) {
    base::log_warning("an access log was not delivered",
                      {{"bucket", bucket->name}, {"target", logging->target_bucket}, {"reason", error.what()}});
  }
}

}  // namespace tidemill::s3
