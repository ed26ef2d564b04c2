#include "net/loop.h"

#include <boost/asio/post.hpp>

#include "base/log.h"
#include "net/loop_impl.h"

namespace tidemill::net {

struct Loop::Impl::Delayed : base::Alarm::State {
  std::pair<Steady::time_point, uint64_t> key;
  base::Function function;
  std::weak_ptr<Timers> timers;

  void on_cancel() override {
    if (const auto owner = timers.lock()) owner->entries.erase(key);
  }
};

namespace {

constexpr size_t kFunctionsPerLook = 8;  // at the clock, of a burst

void run_guarded(base::Function& function) {
  try {
    function();
  } catch (const std::exception& error) {
    base::log_error("defect", {{"what", error.what()}, {"where", "a function posted to a loop"}});
  }
}

}  // namespace

Loop::Impl::Impl(Loop& owner, base::Activity& counted, std::chrono::nanoseconds most)
    : loop(owner), activity(counted), short_work_max(most), io(1), timer(io), timers(std::make_shared<Timers>()) {}

Loop::Impl::~Impl() {
  std::vector<base::Function> dropped;
  {
    const std::lock_guard lock(mutex);
    closing = true;
    dropped.swap(posted);
    for (size_t left = run_by_now; left < running.size(); ++left) dropped.push_back(std::move(running[left]));
    for (base::Function& slice : slices) dropped.push_back(std::move(slice));
    slices.clear();
  }
  for (base::Function& function : dropped) {
    function = nullptr;
    activity.end();
  }
}

void Loop::Impl::post(base::Function function) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex);
    if (closing) return;
    activity.begin();
    wake = posted.empty();
    posted.push_back(std::move(function));
  }
  // One wake for a burst: whoever finds the queue empty sends it.
  if (wake) boost::asio::post(io, [this] { run_posted(); });
}

void Loop::Impl::post_slice(base::Function function) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex);
    if (closing) return;
    activity.begin();
    wake = slices.empty();
    slices.push_back(std::move(function));
  }
  // Asio knows one kind of work only: with some of the other kind, run() takes turns.
  if (wake) io.stop();
}

void Loop::Impl::run() {
  while (!stopping) {
    if (has_slices()) {
      run_ready();
      run_slice();
    } else {
      io.run();
    }
    io.restart();
  }
  stopping = false;
}

void Loop::Impl::stop() {
  stopping = true;
  io.stop();
}

void Loop::Impl::run_ready() {
  const auto until = Steady::now() + short_work_max;
  while (!stopping && io.poll_one() != 0 && Steady::now() < until) {
  }
}

bool Loop::Impl::has_slices() {
  const std::lock_guard lock(mutex);
  return !slices.empty();
}

void Loop::Impl::run_slice() {
  const Turn turn(*this);
  (void)loop.is_slice_over();  // notes the time: it may have little to do before it looks at the clock
  base::Function slice;
  {
    const std::lock_guard lock(mutex);
    slice = std::move(slices.front());
    slices.pop_front();
  }
  run_guarded(slice);
  slice = nullptr;
  activity.end();
}

void Loop::Impl::run_posted() {
  const Turn turn(*this);
  const bool goes_on = !running.empty();
  if (!goes_on) {
    const std::lock_guard lock(mutex);
    running.swap(posted);
  }
  const auto until = Steady::now() + short_work_max;
  while (run_by_now < running.size()) {
    base::Function& function = running[run_by_now++];
    loop.begin_slice();
    run_guarded(function);
    function = nullptr;
    activity.end();
    if (run_by_now % kFunctionsPerLook == 0 && Steady::now() >= until) break;
  }
  const bool is_over = run_by_now == running.size();
  if (is_over) {
    running.clear();
    run_by_now = 0;
  }
  // Whoever posted while a burst was under way has sent a wake that the burst may have used.
  if (!is_over || goes_on) boost::asio::post(io, [this] { run_posted(); });
}

base::Alarm Loop::Impl::call_after(std::chrono::nanoseconds delay, base::Function function) {
  auto entry = std::make_shared<Delayed>();
  entry->key = {Steady::now() + std::max(delay, std::chrono::nanoseconds(0)), timers->next_id++};
  entry->function = std::move(function);
  entry->timers = timers;
  timers->entries.emplace(entry->key, entry);
  arm();
  return base::Alarm(std::move(entry));
}

void Loop::Impl::arm() {
  if (timers->entries.empty()) return;
  const auto earliest = timers->entries.begin()->first.first;
  if (earliest >= armed) return;
  armed = earliest;
  timer.expires_at(earliest);
  timer.async_wait([this](const boost::system::error_code& error) {
    if (!error) run_due();
  });
}

void Loop::Impl::run_due() {
  const Turn turn(*this);
  armed = Steady::time_point::max();
  const auto now = Steady::now();
  while (!timers->entries.empty() && timers->entries.begin()->first.first <= now) {
    const auto entry = std::move(timers->entries.begin()->second);
    timers->entries.erase(timers->entries.begin());
    const auto hold = activity.hold();
    loop.begin_slice();
    run_guarded(entry->function);
    entry->function = nullptr;
  }
  arm();
}

void Loop::Impl::end_turn() {
  // A function may ask for another.
  for (size_t i = 0; i < turn_end.size(); ++i) {
    base::Function function = std::move(turn_end[i]);
    run_guarded(function);
  }
  turn_end.clear();
}

Loop::Loop(base::Activity& activity, std::chrono::nanoseconds short_work_max)
    : impl_(std::make_unique<Impl>(*this, activity, short_work_max)) {}
Loop::~Loop() = default;

void Loop::post(base::Function function) { impl_->post(std::move(function)); }
void Loop::post_slice(base::Function function) { impl_->post_slice(std::move(function)); }

void Loop::measure_with(base::Histogram& turns) { impl_->turns = &turns; }

base::Alarm Loop::call_after(std::chrono::nanoseconds delay, base::Function function) {
  return impl_->call_after(delay, std::move(function));
}

void Loop::run() {
  const Enter enter(*this);
  auto work = boost::asio::make_work_guard(impl_->io);
  impl_->run();
}

void Loop::stop() { impl_->stop(); }

}  // namespace tidemill::net
