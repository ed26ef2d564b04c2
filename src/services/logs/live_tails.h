// Sessions that see events as they are written. Whoever writes hands them over here once they are durable; a session
// takes what it asked for, and its client is woken. Events are not kept for sessions that begin later.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/future.h"
#include "lang/logs/filter_pattern.h"
#include "services/logs/group.h"
#include "services/logs/pattern_matching.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {

class LiveTails {
 public:
  // "StartLiveTail" in the API reference: a session shows no more in a second; beyond, it is said to be sampled.
  static constexpr size_t kEventsPerSecondMax = 500;
  // "CloudWatch Logs quotas" in the user guide: of an account in a region at once.
  static constexpr size_t kSessionsMax = 15;
  // That wait for a client that is slow to take them; beyond, they are said to be sampled. An event may have as much.
  static constexpr size_t kPendingBytesMax = 1 << 20;

  // Whose a session is.
  struct Place {
    std::string account;
    std::string region;
    bool operator==(const Place&) const = default;
  };

  struct Filter {
    std::set<std::string> group_ids;
    std::vector<std::string> stream_names;     // with the prefixes: any of them; neither: all streams
    std::vector<std::string> stream_prefixes;
    lang::logs::FilterPattern pattern;
  };

  struct Taken {
    std::vector<wire::logs::LiveTailSessionLogEvent> events;
    bool is_sampled = false;  // some were left out
  };

  class Session {
   public:
    Session(Place place, Filter filter) : place_(std::move(place)), filter_(std::move(filter)) {}

    // What has come since the last call.
    [[nodiscard]] Taken take();
    // Raised when something comes.
    [[nodiscard]] const base::Signal& signal() const { return signal_; }

   private:
    friend class LiveTails;
    // `matching` tells which of the events match.
    void offer(const LogGroup& group, const std::string& stream, std::span<const wire::logs::InputLogEvent> events,
               const std::vector<bool>& matching, Milliseconds ingested);
    [[nodiscard]] bool wants(const LogGroup& group, const std::string& stream) const;

    const Place place_;
    const Filter filter_;
    base::Signal signal_;
    std::mutex mutex_;
    Taken pending_;
    size_t pending_bytes_ = 0;  // of their messages
    Milliseconds second_ = 0;   // that is counted
    size_t shown_in_second_ = 0;
  };

  // `matching` outlives this.
  explicit LiveTails(PatternMatching& matching) : matching_(matching) {}

  // Ends when the last copy is gone. Null: the place has as many as it may.
  [[nodiscard]] std::shared_ptr<Session> open(Place place, Filter filter);

  // Events that are durable. Any thread; next to nothing while there are no sessions. Lets others run in between.
  Task<void> publish(LogGroupPtr group, const std::string& stream, std::span<const wire::logs::InputLogEvent> events,
                     Milliseconds ingested);

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Session>> open_sessions();
  void forget_ended();  // under the lock

  PatternMatching& matching_;
  std::atomic<size_t> count_ = 0;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Session>> sessions_;
};

}  // namespace tidemill::logs
