// Access logs of buckets: lines wait in memory, and become objects in the target bucket some minutes of the platform's
// clock later, as logging.s3.amazonaws.com, which the target's policy must let put them with `--auth iam`. Best effort,
// as on AWS: what waits when the process dies is lost. S3 User Guide, "Logging requests with server access logging".
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "services/s3/service.h"
#include "store/timer.h"
#include "wire/pipeline/access_log.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

// Id: the logged bucket's id; payload: its name.
inline constexpr store::TimerKind kAccessLogTimer{"s3-access-log"};
inline constexpr base::Duration kAccessLogDelay = std::chrono::minutes(2);
inline constexpr std::string_view kLogDelivery = "logging.s3.amazonaws.com";

class AccessLogs final : public wire::AccessLog {
 public:
  // Of one bucket; then they are delivered at once. Of all: beyond, lines are dropped, and the server's log says so.
  static constexpr size_t kBucketBytes = 1 << 20;
  static constexpr size_t kBytesMax = 64 << 20;

  // `service` outlives it.
  explicit AccessLogs(Service& service) : service_(service) {}

  [[nodiscard]] bool is_wanted() const override { return service_.access_log_state() != AccessLogState::none; }
  Task<void> note(wire::LoggedRequest request) override;

  // Before the timers start.
  void register_timers(engine::TimerService& timers, wire::Platform& platform);

 private:
  // The handler of the timer.
  Task<void> deliver(wire::Platform& platform, const store::Timer& timer);
  // Whether any bucket is logged, once that is not known.
  Task<void> find_out();
  Task<void> add(wire::LoggedRequest request);
  [[nodiscard]] std::string take(const std::string& bucket_id);

  Service& service_;
  std::mutex mutex_;
  struct Waiting {
    std::string lines;
    base::Time due;
  };
  std::map<std::string, Waiting> waiting_;  // by the bucket's id
  size_t bytes_ = 0;
};

}  // namespace tidemill::s3
