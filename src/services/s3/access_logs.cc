#include "services/s3/access_logs.h"

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

}  // namespace

void AccessLogs::register_timers(engine::TimerService& timers, wire::Platform& platform) {
  timers.handle(kAccessLogTimer, [this, &platform](const store::Timer& timer) { return deliver(platform, timer); },
                {.purpose = base::Purpose::housekeeping});
}

Task<void> AccessLogs::note(wire::LoggedRequest request) {
  // Nothing that goes wrong here is the request's.
  try {
    co_await add(std::move(request));
  } catch (const std::exception& error) {
    base::log_warning("a request to a bucket was not logged", {{"reason", error.what()}});
  }
}

Task<void> AccessLogs::find_out() {
  bool is_any = false;
  const auto snapshot = service_.store().snapshot();
  co_await snapshot->scan(buckets_range(), store::Direction::forward, [&](std::string_view, std::string_view value) {
    is_any = decode_bucket(value).setting(kLogging) != nullptr;
    return !is_any;
  });
  service_.know_access_logs(is_any);
}

Task<void> AccessLogs::add(wire::LoggedRequest request) {
  if (request.principal == kLogDelivery) co_return;  // or logs of logs would go on for ever
  if (service_.access_log_state() == AccessLogState::unknown) co_await find_out();
  if (!is_wanted()) co_return;
  const auto bucket = co_await find_bucket(*service_.store().snapshot(), request.bucket);
  if (!bucket || !bucket->setting(kLogging)) co_return;
  const std::string line = access_log_line(*bucket, request);
  std::optional<base::Time> due;
  {
    const std::lock_guard lock(mutex_);
    if (bytes_ + line.size() > kBytesMax) throw std::runtime_error("too many lines wait for their delivery");
    Waiting& waiting = waiting_[bucket->id];
    const base::Time now = service_.clock().now();
    // Also if nobody has come for them in time: their timer was not set, or went off elsewhere.
    const bool is_new = waiting.lines.empty() || now > waiting.due + kAccessLogDelay;
    const bool was_full = waiting.lines.size() >= kBucketBytes;
    waiting.lines += line;
    bytes_ += line.size();
    if (is_new) due = now + kAccessLogDelay;
    if (!was_full && waiting.lines.size() >= kBucketBytes) due = now;
    if (due) waiting.due = *due;
  }
  if (!due) co_return;
  co_await service_.store().transact([&](store::Transaction& txn) -> Task<void> {
    co_await store::set_timer(
        txn, {.kind = std::string(kAccessLogTimer.name), .id = bucket->id, .due = *due, .payload = bucket->name});
  });
}

std::string AccessLogs::take(const std::string& bucket_id) {
  const std::lock_guard lock(mutex_);
  auto node = waiting_.extract(bucket_id);
  if (node.empty()) return "";
  bytes_ -= node.mapped().lines.size();
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
