// Access logs of buckets: lines wait in memory, and become objects in the target bucket some minutes of the platform's
// clock later, as logging.s3.amazonaws.com, which the target's policy must let put them with `--auth iam`. Best effort,
// as on AWS: what waits when the process dies is lost. S3 User Guide, "Logging requests with server access logging".
//
// No request waits for its log: note() only keeps what is to be told, and a task on the services' executor finds out
// whose log that belongs to. While it has something to do the platform is not quiet, so that who turns the clock finds
// all.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/future.h"
#include "base/seldom_log.h"
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
  // Of one bucket; then they are delivered at once. Of all: beyond, requests are not logged, and the server's log says
  // so.
  static constexpr size_t kBucketBytes = 1 << 20;
  static constexpr size_t kBytesMax = 64 << 20;

  // `service` outlives it. Its task runs on the calling executor, where it is destroyed, too; what waits is lost then.
  explicit AccessLogs(Service& service, size_t bytes_max = kBytesMax);

  [[nodiscard]] bool is_wanted() const override { return service_.access_log_state() != AccessLogState::none; }
  void note(wire::LoggedRequest request) override;

  // Before the timers start, which run where this was made.
  void register_timers(engine::TimerService& timers, wire::Platform& platform);

 private:
  // Requests that have come together, and what has been looked up for them.
  struct Batch;
  struct Waiting {
    std::string lines;
    std::optional<base::Time> due;  // of their timer; nothing: none is set, nor about to be
  };

  Task<void> run();
  Task<void> add_all(std::vector<wire::LoggedRequest> requests);
  Task<void> add(Batch& batch, const wire::LoggedRequest& request);
  // Adds a line, and says for when a timer must be set now, if it must.
  std::optional<base::Time> keep(const std::string& bucket_id, const std::string& line);
  Task<void> set_timer(std::string bucket_id, std::string bucket_name, base::Time due);
  // Whether any bucket is logged, once that is not known.
  Task<void> find_out();

  // The handler of the timer.
  Task<void> deliver(wire::Platform& platform, const store::Timer& timer);
  [[nodiscard]] std::string take(const std::string& bucket_id);

  [[nodiscard]] bool reserve(size_t bytes);
  void release(size_t bytes);

  Service& service_;
  const size_t bytes_max_;
  const base::Signal wake_;

  std::mutex mutex_;
  std::vector<wire::LoggedRequest> noted_;
  size_t bytes_ = 0;    // of these and of all lines
  size_t dropped_ = 0;  // that there was no room for, since the log was told
  base::Activity::Hold activity_;

  // On the executor.
  std::map<std::string, Waiting> waiting_;  // by the bucket's id
  base::SeldomLog warnings_{"requests to a bucket were not logged"};
  base::Scope scope_;  // last: its task uses the rest
};

}  // namespace tidemill::s3
