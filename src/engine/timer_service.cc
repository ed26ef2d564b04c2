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
        parts_(options.is_shared_out ? store::kTimerPartitions : 1) {
    for (size_t n = 0; n < parts_.size(); ++n) {
      parts_[n].kind = store::timer_partition({kind_}, n);
      parts_[n].pace = options_.floor_pace;
    }
  }

  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] const std::shared_ptr<const Tenure>& tenure() const { return tenure_; }
  [[nodiscard]] uint64_t ran() const { return ran_.load(std::memory_order_relaxed); }

  void start() {
    claim_ = ownership_.claim(base::cat("timers/", kind_), wake_);
    for (Part& part : parts_) {
      part.subscription = store_.subscribe(store::timers_topic({part.kind}), [is_stirred = part.is_stirred, wake = wake_] {
        *is_stirred = true;
        wake.signal();
      });
    }
    scope_.spawn(run());
  }

 private:
  struct Failing {
    store::Timer timer;
    base::Duration wait;
    base::Time not_before;
    base::Time failed_at = {};
    int tries_meanwhile = 0;  // while the clock stood at that
    base::Alarm again = {};   // then it may start, also if the clock still does
  };

  // Those that stand together: all of the kind, or a partition.
  struct Part {
    std::string kind;  // in the store
    store::FloorPace pace;
    std::unordered_set<std::string> running = {};  // ids
    std::unordered_set<std::string> ended = {};    // ids of those that ran and have ended since the last look began
    std::map<std::string, Failing> failing = {};   // by id
    // It is to be looked at. Set on any thread.
    std::shared_ptr<std::atomic<bool>> is_stirred = std::make_shared<std::atomic<bool>>(true);
    std::optional<base::Time> look_at = {};  // then, if nothing stirs it before
    base::Alarm look_again = {};             // after one that failed
    bool lacks_room = false;                 // the last look found more that are due than might start
    store::Subscription subscription = {};
  };

  Task<void> run() {
    while (!store_failed_) {
      const auto next = may_start() ? co_await start_due() : hand_on_at_;
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
      if (running() == 0 || clock_.now() >= *hand_on_at_) abandon();
    }
    if (!tenure_) tenure_ = claim_->tenure();
    return tenure_ && !hand_on_at_;
  }

  void abandon() {
    handlers_.clear();
    for (Part& part : parts_) {
      part.running.clear();
      part.failing.clear();
      part.lacks_room = false;
      part.look_at.reset();
      *part.is_stirred = true;
    }
    hand_on_at_.reset();
    tenure_.reset();
    claim_->let_go();
  }

  [[nodiscard]] size_t running() const {
    size_t count = 0;
    for (const Part& part : parts_) count += part.running.size();
    return count;
  }

  // Whether another of its timers may start. Of those that lack room each has an equal share; if all of them had theirs,
  // there would be no room.
  [[nodiscard]] bool has_room(const Part& part) const {
    if (part.running.size() < std::max<size_t>(1, options_.concurrent_max / parts_.size())) return true;
    if (running() >= options_.concurrent_max) return false;
    size_t sharers = 1;
    for (const Part& other : parts_) sharers += &other != &part && other.lacks_room;
    return part.running.size() < (options_.concurrent_max + sharers - 1) / sharers;
  }

  // The one that runs the fewest of those to be looked at that have room; null: there is none.
  [[nodiscard]] Part* next_to_look_at() {
    Part* next = nullptr;
    for (Part& part : parts_) {
      if (!*part.is_stirred || (next && part.running.size() >= next->running.size()) || !has_room(part)) continue;
      next = &part;
    }
    return next;
  }

  // Starts the handlers of due timers as far as there is room. Returns when to look again if nothing wakes us before;
  // every handler that ends does.
  Task<std::optional<base::Time>> start_due() {
    const base::Time now = clock_.now();
    for (Part& part : parts_) {
      if (!part.look_at || *part.look_at > now) continue;
      part.look_at.reset();
      *part.is_stirred = true;
    }
    while (!tenure_->ended() && !store_failed_) {
      Part* const part = next_to_look_at();
      if (!part) break;
      co_await try_to_look(*part);
    }
    std::optional<base::Time> next;
    for (const Part& part : parts_) {
      if (part.look_at) next = std::min(next.value_or(*part.look_at), *part.look_at);
    }
    co_return next;
  }

  // A look that fails, for want of descriptors or of memory, is taken again, also while the clock stands: nobody else looks
  // after these timers.
  Task<void> try_to_look(Part& part) {
    *part.is_stirred = false;
    part.lacks_room = false;
    part.look_at.reset();
    part.look_again.cancel();
    try {
      co_return co_await look(part);
    } catch (const std::exception& error) {
      troubles_.warn({{"kind", part.kind}}, {{"reason", error.what()}});
    }
    part.look_at = clock_.now() + kLookAgainAfter;
    part.look_again = base::Executor::current().call_after(kLookAgainAfter, [is_stirred = part.is_stirred, wake = wake_] {
      *is_stirred = true;
      wake.signal();
    });
  }

  Task<void> look(Part& part) {
    const base::Time now = clock_.now();
    const auto look_at = [&](base::Time time) { part.look_at = std::min(part.look_at.value_or(time), time); };
    if (part.failing.size() >= kTimersBackingOffMax) {
      if (const auto retry = earliest_retry(part); retry > now) co_return look_at(retry);
    }
    // Enough to see past those that run or back off.
    const size_t limit = options_.concurrent_max + part.failing.size();
    part.ended.clear();
    const auto snapshot = store_.snapshot();
    auto [timers, following] = co_await store::look_at_timers(*snapshot, store::TimerKind{part.kind}, now, limit);
    if (timers.size() < limit) forget_failing_except(part, timers);

    size_t started = 0;
    // Behind as many as there is room for, who ends looks again.
    if (following && timers.size() < limit) look_at(*following);
    for (store::Timer& timer : timers) {
      // Those that have ended since stand here as they did before they ran.
      if (part.running.contains(timer.id) || part.ended.contains(timer.id)) continue;
      if (const auto failing = part.failing.find(timer.id); failing != part.failing.end()) {
        if (is_same_work(failing->second.timer, timer) && failing->second.not_before > now) {
          look_at(failing->second.not_before);
          continue;
        }
      }
      if (!has_room(part)) {
        part.lacks_room = true;
        *part.is_stirred = true;
        break;
      }
      if (tenure_->ended() || store_failed_) break;
      (void)co_await store::identify_timer(*snapshot, timer);
      part.running.insert(timer.id);
      ++started;
      handlers_.spawn(run_handler(part, std::move(timer)));
    }
    const base::Time first = timers.empty() ? now : std::min(timers.front().due, now);
    if (part.pace.looked(started)) scope_.spawn(pass_finished(part, first));
  }

  // Nothing depends on it, and what stops the store is told by those who do.
  Task<void> pass_finished(const Part& part, base::Time until) {
    try {
      co_await store::pass_finished_timers(store_, store::TimerKind{part.kind}, until);
    } catch (const std::exception& error) {
      base::log_warning("timer: looks stay slow", {{"kind", part.kind}, {"reason", error.what()}});
    }
  }

  Task<void> run_handler(Part& part, store::Timer timer) {
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
    part.running.erase(timer.id);
    part.ended.insert(timer.id);
    if (error.empty()) {
      part.failing.erase(timer.id);
    } else {
      back_off(part, timer, error);
    }
    *part.is_stirred = true;
    wake_.signal();
  }

  Task<void> remove_if_it_stands(const store::Timer& timer) {
    const auto snapshot = store_.snapshot();
    if (!co_await store::timer_stands(*snapshot, timer)) co_return;
    co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
      (void)co_await store::finish_timer(txn, timer);
    });
  }

  void back_off(Part& part, const store::Timer& timer, const std::string& error) {
    Failing& failing = part.failing[timer.id];
    const bool again = is_same_work(failing.timer, timer);
    failing.timer = timer;
    failing.wait = again ? std::min(failing.wait * 2, kTimerBackOffMax) : kTimerBackOffFirst;
    const base::Time now = clock_.now();
    failing.not_before = now + failing.wait;
    if (std::exchange(failing.failed_at, now) != now || !again) failing.tries_meanwhile = 0;
    failing.again = failing.tries_meanwhile < kTimerTriesMeanwhileMax ? try_meanwhile(part, failing) : base::Alarm();
    base::log_warning("timer: handler failed", {{"kind", kind_}, {"id", timer.id}, {"reason", error}});
  }

  // By the executor's time: what it waits for may end while the clock stands. That it waits is no activity, or
  // the clock would be turned only once it has succeeded.
  [[nodiscard]] base::Alarm try_meanwhile(Part& part, Failing& failing) {
    return base::Executor::current().call_after(failing.wait, [&failing, is_stirred = part.is_stirred, wake = wake_] {
      ++failing.tries_meanwhile;
      failing.not_before = base::Time::min();
      *is_stirred = true;
      wake.signal();
    });
  }

  // Whichever setting of the timer it is: what fails is not tried again at once because it was set anew.
  static bool is_same_work(const store::Timer& a, const store::Timer& b) {
    return a.id == b.id && a.due == b.due && a.payload == b.payload;
  }

  [[nodiscard]] static base::Time earliest_retry(const Part& part) {
    base::Time earliest = base::Time::max();
    for (const auto& [id, failing] : part.failing) earliest = std::min(earliest, failing.not_before);
    return earliest;
  }

  // `timers` are all that are due, as those that failed are: what is not among them was cancelled.
  static void forget_failing_except(Part& part, const std::vector<store::Timer>& timers) {
    if (part.failing.empty()) return;
    std::unordered_set<std::string_view> present;
    for (const store::Timer& timer : timers) present.insert(timer.id);
    std::erase_if(part.failing, [&](const auto& entry) { return !present.contains(entry.first); });
  }

  store::Store& store_;
  base::Clock& clock_;
  Ownership& ownership_;
  const std::string kind_;
  const Handler handler_;
  const KindOptions options_;
  const base::Signal wake_;
  std::unique_ptr<Claim> claim_;
  std::shared_ptr<const Tenure> tenure_;
  bool store_failed_ = false;
  std::optional<base::Time> hand_on_at_;  // while another process is to have the kind
  base::SeldomLog troubles_{"timers cannot be looked at"};
  std::atomic<uint64_t> ran_ = 0;
  std::vector<Part> parts_;
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
