#include "engine/timer_service.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <map>
#include <optional>
#include <unordered_set>

#include "base/log.h"
#include "base/seldom_log.h"
#include "base/text.h"

namespace tidemill::engine {
namespace {

// After a look at the timers that failed.
constexpr auto kLookAgainAfter = std::chrono::seconds(1);

}  // namespace

// The timers of one kind.
class TimerService::Runner {
 public:
  Runner(store::Store& store, base::Clock& clock, Ownership& ownership, std::string kind, Handler handler,
         KindOptions options)
      : store_(store),
        clock_(clock),
        ownership_(ownership),
        kind_(std::move(kind)),
        handler_(std::move(handler)),
        options_(options),
        pace_(options.floor_pace) {}

  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] const std::shared_ptr<const Tenure>& tenure() const { return tenure_; }
  [[nodiscard]] uint64_t ran() const { return ran_.load(std::memory_order_relaxed); }

  void start() {
    claim_ = ownership_.claim(base::cat("timers/", kind_), wake_);
    subscription_ = store_.subscribe(store::timers_topic({kind_}), [wake = wake_] { wake.signal(); });
    scope_.spawn(run());
  }

 private:
  struct Failing {
    store::Timer timer;
    base::Duration wait;
    base::Time not_before;
  };

  Task<void> run() {
    while (!store_failed_) {
      const auto next = may_start() ? co_await try_to_start_due() : hand_on_at_;
      if (next) {
        co_await clock_.wait(wake_, *next, options_.purpose);
      } else {
        co_await wake_;
      }
    }
  }

  // Whether the kind's timers are this process's to run. What has begun under a tenure that has ended, or takes too long
  // where another process is to have the kind, ends where it waits: as in a crash, the timers still stand.
  bool may_start() {
    if (tenure_ && tenure_->ended()) abandon();
    if (tenure_ && tenure_->asked_back()) {
      if (!hand_on_at_) hand_on_at_ = clock_.now() + kTimerHandOnMax;
      if (running_.empty() || clock_.now() >= *hand_on_at_) abandon();
    }
    if (!tenure_) tenure_ = claim_->tenure();
    return tenure_ && !hand_on_at_;
  }

  void abandon() {
    handlers_.clear();
    running_.clear();
    failing_.clear();
    hand_on_at_.reset();
    tenure_.reset();
    claim_->let_go();
  }

  // A look that fails, for want of descriptors or of memory, is taken again: nobody else looks after these timers.
  Task<std::optional<base::Time>> try_to_start_due() {
    try {
      co_return co_await start_due();
    } catch (const std::exception& error) {
      troubles_.warn({{"kind", kind_}}, {{"reason", error.what()}});
    }
    co_return clock_.now() + kLookAgainAfter;
  }

  // Starts the handlers of due timers as far as there is room. Returns when to look again if nothing wakes us before;
  // every handler that ends does.
  Task<std::optional<base::Time>> start_due() {
    if (running_.size() >= options_.concurrent_max) co_return std::nullopt;
    const base::Time now = clock_.now();
    if (failing_.size() >= kTimersBackingOffMax) {
      if (const auto retry = earliest_retry(); retry > now) co_return retry;
    }
    // Enough to see past those that run or back off.
    const size_t limit = options_.concurrent_max + failing_.size();
    ended_.clear();
    const auto snapshot = store_.snapshot();
    auto [timers, following] = co_await store::look_at_timers(*snapshot, store::TimerKind{kind_}, now, limit);
    if (timers.size() < limit) forget_failing_except(timers);

    size_t started = 0;
    std::optional<base::Time> next;
    const auto look_at = [&](base::Time time) { next = std::min(next.value_or(time), time); };
    // Behind as many as there is room for, who ends looks again.
    if (following && timers.size() < limit) look_at(*following);
    for (store::Timer& timer : timers) {
      // Those that have ended since stand here as they did before they ran.
      if (running_.contains(timer.id) || ended_.contains(timer.id)) continue;
      if (const auto failing = failing_.find(timer.id); failing != failing_.end()) {
        if (is_same_work(failing->second.timer, timer) && failing->second.not_before > now) {
          look_at(failing->second.not_before);
          continue;
        }
      }
      if (running_.size() >= options_.concurrent_max || tenure_->ended() || store_failed_) break;
      (void)co_await store::identify_timer(*snapshot, timer);
      running_.insert(timer.id);
      ++started;
      handlers_.spawn(run_handler(std::move(timer)));
    }
    const base::Time first = timers.empty() ? now : std::min(timers.front().due, now);
    if (pace_.looked(started)) scope_.spawn(pass_finished(first));
    co_return next;
  }

  // Nothing depends on it, and what stops the store is told by those who do.
  Task<void> pass_finished(base::Time until) {
    try {
      co_await store::pass_finished_timers(store_, store::TimerKind{kind_}, until);
    } catch (const std::exception& error) {
      base::log_warning("timer: looks stay slow", {{"kind", kind_}, {"reason", error.what()}});
    }
  }

  Task<void> run_handler(store::Timer timer) {
    ran_.fetch_add(1, std::memory_order_relaxed);
    std::string error;
    try {
      co_await handler_(timer);
      co_await remove_if_it_stands(timer);
    } catch (const NotOwner&) {
      claim_->let_go();  // sooner than by itself: another process goes on with it
    } catch (const store::StoreFailed& failure) {
      if (!std::exchange(store_failed_, true)) {
        base::log_error("timers stop: the store takes no changes", {{"kind", kind_}, {"what", failure.what()}});
      }
    } catch (const std::exception& exception) {
      error = exception.what();
      if (error.empty()) error = "an exception without a message";
    } catch (...) {
      error = "an unknown exception";
    }
    running_.erase(timer.id);
    ended_.insert(timer.id);
    if (error.empty()) {
      failing_.erase(timer.id);
    } else {
      back_off(timer, error);
    }
    wake_.signal();
  }

  Task<void> remove_if_it_stands(const store::Timer& timer) {
    const auto snapshot = store_.snapshot();
    if (!co_await store::timer_stands(*snapshot, timer)) co_return;
    co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
      (void)co_await store::finish_timer(txn, timer);
    });
  }

  void back_off(const store::Timer& timer, const std::string& error) {
    Failing& failing = failing_[timer.id];
    const bool again = is_same_work(failing.timer, timer);
    failing.timer = timer;
    failing.wait = again ? std::min(failing.wait * 2, kTimerBackOffMax) : kTimerBackOffFirst;
    failing.not_before = clock_.now() + failing.wait;
    base::log_warning("timer: handler failed", {{"kind", kind_}, {"id", timer.id}, {"reason", error}});
  }

  // Whichever setting of the timer it is: what fails is not tried again at once because it was set anew.
  static bool is_same_work(const store::Timer& a, const store::Timer& b) {
    return a.id == b.id && a.due == b.due && a.payload == b.payload;
  }

  [[nodiscard]] base::Time earliest_retry() const {
    base::Time earliest = base::Time::max();
    for (const auto& [id, failing] : failing_) earliest = std::min(earliest, failing.not_before);
    return earliest;
  }

  // `timers` are all that are due, as those that failed are: what is not among them was cancelled.
  void forget_failing_except(const std::vector<store::Timer>& timers) {
    if (failing_.empty()) return;
    std::unordered_set<std::string_view> present;
    for (const store::Timer& timer : timers) present.insert(timer.id);
    std::erase_if(failing_, [&](const auto& entry) { return !present.contains(entry.first); });
  }

  store::Store& store_;
  base::Clock& clock_;
  Ownership& ownership_;
  const std::string kind_;
  const Handler handler_;
  const KindOptions options_;
  const base::Signal wake_;
  std::unordered_set<std::string> running_;  // ids
  std::unordered_set<std::string> ended_;    // ids of those that ran and have ended since the last look began
  std::map<std::string, Failing> failing_;   // by id
  std::unique_ptr<Claim> claim_;
  std::shared_ptr<const Tenure> tenure_;
  bool store_failed_ = false;
  std::optional<base::Time> hand_on_at_;  // while another process is to have the kind
  store::FloorPace pace_;
  base::SeldomLog troubles_{"timers cannot be looked at"};
  std::atomic<uint64_t> ran_ = 0;
  store::Subscription subscription_;
  base::Scope scope_;     // last, and what it starts behind it: their tasks use the rest
  base::Scope handlers_;
};

TimerService::TimerService(store::Store& store, base::Clock& clock, Ownership& ownership)
    : store_(store), clock_(clock), ownership_(ownership) {}
TimerService::TimerService(store::Store& store, base::Clock& clock) : TimerService(store, clock, sole_) {}
TimerService::~TimerService() = default;

void TimerService::handle(store::TimerKind kind, Handler handler, KindOptions options) {
  assert(options.concurrent_max > 0);
  assert(std::none_of(runners_.begin(), runners_.end(),
                      [&](const auto& runner) { return runner->kind() == kind.name; }));
  runners_.push_back(
      std::make_unique<Runner>(store_, clock_, ownership_, std::string(kind.name), std::move(handler), options));
}

std::shared_ptr<const Tenure> TimerService::tenure(store::TimerKind kind) const {
  const auto found = std::ranges::find_if(runners_, [&](const auto& runner) { return runner->kind() == kind.name; });
  assert(found != runners_.end() && (*found)->tenure());
  return (*found)->tenure();
}

std::map<std::string, uint64_t> TimerService::ran() const {
  std::map<std::string, uint64_t> counts;
  for (const auto& runner : runners_) {
    if (const uint64_t count = runner->ran(); count > 0) counts.emplace(runner->kind(), count);
  }
  return counts;
}

void TimerService::stop() { runners_.clear(); }

void TimerService::start() {
  for (const auto& runner : runners_) runner->start();
}

}  // namespace tidemill::engine
