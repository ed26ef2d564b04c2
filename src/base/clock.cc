#include "base/clock.h"

#include <deque>
#include <optional>

#include "base/steady_time.h"

namespace tidemill::base {

void Activity::on_quiet(std::function<void()> listener) {
  const std::lock_guard lock(mutex_);
  listening_.store(static_cast<bool>(listener), std::memory_order_release);
  listener_ = std::move(listener);
}

void Activity::quiet() {
  std::function<void()> listener;
  {
    const std::lock_guard lock(mutex_);
    listener = listener_;
  }
  if (listener) listener();
}

Task<void> Clock::sleep_until(Time time, Purpose purpose) {
  if (now() >= time) co_return;
  Signal never;
  co_await wait(never, time, purpose);
}

Task<bool> Clock::wait(Signal signal, Time deadline, Purpose purpose) {
  co_return co_await signal.wait([&](Function expire) {
    return call_at(Executor::current(), deadline, std::move(expire), purpose);
  });
}

Task<void> Clock::pause(Signal signal, Duration time) {
  const Alarm alarm = Executor::current().call_after(time, [signal] { signal.signal(); });
  (void)co_await wait(signal, now() + time);
}

// ---- real -----------------------------------------------------------------------------------------------------

namespace {

// The machine's clock may be set while we wait on its steady one, so a long wait looks again now and then.
constexpr auto kLongestBlindWait = std::chrono::seconds(30);

struct RealAlarm : Alarm::State, std::enable_shared_from_this<RealAlarm> {
  RealAlarm(RealClock& owner, Executor& runner, Time due, Function body)
      : clock(owner), executor(runner), time(due), function(std::move(body)) {}

  void arm() {
    const auto remaining = time - clock.now();
    if (remaining <= Duration::zero()) {
      executor.post([self = shared_from_this()] {
        if (!self->cancelled) self->function();
      });
      return;
    }
    const auto step = std::min<std::chrono::nanoseconds>(remaining, kLongestBlindWait);
    inner = executor.call_after(step, [self = weak_from_this()] {
      if (const auto alarm = self.lock(); alarm && !alarm->cancelled) alarm->arm();
    });
  }
  void on_cancel() override { inner.cancel(); }

  RealClock& clock;
  Executor& executor;
  Time time;
  Function function;
  Alarm inner;
};

}  // namespace

// One for the process, as the machine has one: what two RealClocks say is in order too.
Time RealClock::now() const {
  static SteadyTime time;
  const auto wall = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  return time.at(wall, std::chrono::floor<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

Alarm RealClock::call_at(Executor& executor, Time time, Function function, Purpose) {
  auto alarm = std::make_shared<RealAlarm>(*this, executor, time, std::move(function));
  alarm->arm();
  return Alarm(alarm);
}

// ---- virtual --------------------------------------------------------------------------------------------------

struct VirtualClock::Entry : Alarm::State {
  Executor* executor = nullptr;
  Function function;
  Purpose purpose = Purpose::work;
  std::weak_ptr<Core> core;
  std::pair<Time, uint64_t> key;
  void on_cancel() override;
};

struct VirtualClock::Core : std::enable_shared_from_this<Core> {
  Core(VirtualClock& owner, Time start, Mode chosen) : clock(owner), time(start), mode(chosen) {}

  VirtualClock& clock;
  mutable std::mutex mutex;
  Time time;
  const Mode mode;
  uint64_t next_id = 0;
  std::map<std::pair<Time, uint64_t>, std::shared_ptr<Entry>> alarms;
  struct Advance {
    Time target;
    std::function<void()> done;
  };
  std::deque<Advance> advances;
  bool stepping = false;  // a step() further up the stack or on another thread will look again
  bool again = false;

  // Runs alarms for as long as the platform is quiet and there is somewhere to go.
  void step() {
    std::unique_lock lock(mutex);
    if (stepping) {
      again = true;
      return;
    }
    stepping = true;
    do {
      again = false;
      while (clock.activity().is_quiet() && step_once(lock)) {
      }
    } while (again);
    stepping = false;
  }

  bool step_once(std::unique_lock<std::mutex>& lock) {
    if (!advances.empty()) {
      const Time target = advances.front().target;
      if (!alarms.empty() && alarms.begin()->first.first <= target) {
        run_first();
        return true;
      }
      time = std::max(time, target);
      const auto done = std::move(advances.front().done);
      advances.pop_front();
      lock.unlock();
      if (done) done();
      lock.lock();
      return true;
    }
    if (mode != Mode::automatic) return false;
    // Housekeeping that lies before the next piece of work runs on the way there.
    for (const auto& [key, entry] : alarms) {
      if (entry->purpose == Purpose::work || key.first <= time) {
        run_first();
        return true;
      }
    }
    return false;
  }

  void run_first() {
    const auto first = alarms.begin();
    time = std::max(time, first->first.first);
    const auto entry = first->second;
    alarms.erase(first);
    fire(entry);
  }

  // The post makes the platform busy until the alarm's function has run.
  static void fire(const std::shared_ptr<Entry>& entry) {
    entry->executor->post([entry] {
      if (!entry->cancelled) entry->function();
    });
  }
};

void VirtualClock::Entry::on_cancel() {
  if (const auto owner = core.lock()) {
    const std::lock_guard lock(owner->mutex);
    owner->alarms.erase(key);
  }
}

VirtualClock::VirtualClock(Time start, Mode mode) : core_(std::make_shared<Core>(*this, start, mode)) {
  activity().on_quiet([core = std::weak_ptr(core_)] {
    if (const auto alive = core.lock()) alive->step();
  });
}

VirtualClock::~VirtualClock() { activity().on_quiet({}); }

Time VirtualClock::now() const {
  const std::lock_guard lock(core_->mutex);
  return core_->time;
}

Alarm VirtualClock::call_at(Executor& executor, Time time, Function function, Purpose purpose) {
  auto entry = std::make_shared<Entry>();
  entry->executor = &executor;
  entry->function = std::move(function);
  entry->purpose = purpose;
  entry->core = core_;
  bool look = false;
  {
    const std::lock_guard lock(core_->mutex);
    entry->key = {time, core_->next_id++};
    if (time <= core_->time) {
      Core::fire(entry);
    } else {
      core_->alarms.emplace(entry->key, entry);
      look = core_->mode == Mode::automatic;
    }
  }
  if (look) core_->step();
  return Alarm(entry);
}

void VirtualClock::advance_to(Time target, std::function<void()> done) {
  {
    const std::lock_guard lock(core_->mutex);
    core_->advances.push_back({target, std::move(done)});
  }
  core_->step();
}

}  // namespace tidemill::base
