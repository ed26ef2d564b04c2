// What the server answers about itself, beside the AWS APIs:
//
//   GET  /_tidemill/health   {"status":"ok","version":"0.1.0"}; 503 and "failed" once the store takes no writes, "paused" with
//                            a "reason" while it takes none because there is no room
//   GET  /_tidemill/clock    {"now":1760000000.25,"time":"2025-10-09T08:53:20.25Z","mode":"virtual"}
//   POST /_tidemill/clock    {"advance":3600}, {"advance":"PT1H"} or {"to":"2026-01-01T00:00:00Z"}: turns the virtual
//                            clock and answers as GET does, once the platform is quiet, and with what ran meanwhile:
//                            "ran":{"schedule":7,"delivery.schedule":7}
//   POST /_tidemill/replay   replays a discarded batch: replay_endpoint.h
//   GET, POST /_tidemill/backoff   topics that hold back: backoff_endpoint.h
//   GET, POST, DELETE /_tidemill/faults   what goes wrong on request: faults_endpoint.h
//   POST /_tidemill/backup   copies the data directory: backup_endpoint.h
//   GET  /metrics            Prometheus text
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/blocking_work.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "net/http.h"
#include "store/paused.h"
#include "store/store.h"
#include "wire/pipeline/identify.h"

namespace tidemill {

class Admin {
 public:
  // `virtual_clock` is `clock` if that can be turned, else null. All outlive this.
  Admin(base::Clock& clock, base::VirtualClock* virtual_clock, std::string_view mode, store::Store& store,
        base::Metrics& metrics);

  // Others who answer for a path, "/_tidemill/replay", whatever the method; before the first request.
  using Handler = std::function<Task<net::Response>(net::Request&)>;
  void answer_with(std::string path, Handler handler) { handlers_[std::move(path)] = std::move(handler); }

  // Where the store says why it takes no writes for now; before the first request.
  void watch(std::shared_ptr<const store::Condition> condition) { condition_ = std::move(condition); }

  // How often what moves by itself has run, by kind; before the first request.
  using Counts = std::map<std::string, uint64_t>;
  void count_with(std::function<Counts()> counts) { counts_ = std::move(counts); }

  // The paths that are for us.
  [[nodiscard]] std::vector<wire::OwnPath> own_paths();
  Task<net::Response> handle(net::Request& request);

 private:
  Task<std::string> write_metrics();
  [[nodiscard]] net::Response health() const;
  [[nodiscard]] net::Response time(const Counts& ran_before = {}, bool tells_what_ran = false) const;
  Task<net::Response> turn_clock(net::Request& request);

  base::Clock& clock_;
  base::VirtualClock* virtual_clock_;
  std::string_view mode_;
  store::Store& store_;
  base::Metrics& metrics_;
  std::shared_ptr<const store::Condition> condition_ = std::make_shared<store::Condition>();
  std::map<std::string, Handler, std::less<>> handlers_;  // by path
  std::function<Counts()> counts_ = [] { return Counts(); };
  base::BlockingWork writing_;  // of the metrics: ten thousand lines take a millisecond or two
};

// "PT1H30M", "P7D", "PT0.5S", "P2W": days, hours, minutes and seconds, none negative; no years or months, whose length
// varies. Nothing if it is not that or longer than kAdvanceMax.
std::optional<base::Duration> parse_iso_duration(std::string_view text);

inline constexpr base::Duration kAdvanceMax = std::chrono::hours(24) * 366 * 100;

}  // namespace tidemill
