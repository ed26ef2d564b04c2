#include "services/cloudwatch/platform_writer.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/log.h"

namespace tidemill::cloudwatch {
namespace {

using namespace std::chrono_literals;

Datum datum_of(wire::PlatformMetrics::Gathered gathered) {
  const wire::PlatformMetric& metric = *gathered.metric;
  Datum datum;
  datum.metric = {.account = std::move(gathered.account),
                  .region = std::move(gathered.region),
                  .name_space = std::string(metric.name_space),
                  .name = std::string(metric.name)};
  if (!metric.dimension.empty()) datum.metric.dimensions.emplace_back(metric.dimension, std::move(gathered.resource));
  if (!metric.dimension2.empty())
    datum.metric.dimensions.emplace_back(metric.dimension2, std::move(gathered.resource2));
  std::ranges::sort(datum.metric.dimensions);
  datum.unit = number_of_unit(metric.unit);
  datum.time = gathered.minute;
  datum.values = std::move(gathered.values);
  return datum;
}

// Of a metric whose stored values are damaged nothing is written, of all others what there is.
Task<void> write_piece(MetricWriter& writer, std::vector<Datum> data) {
  bool is_halved = false;
  try {
    co_await writer.write(data);
  } catch (const std::exception& error) {
    is_halved = data.size() > 1 && is_of_values(std::current_exception());
    if (!is_halved) {
      base::log_warning("platform_metrics_lost", {{"series", std::to_string(data.size())}, {"reason", error.what()}});
    }
  }
  if (!is_halved) co_return;
  const auto middle = data.begin() + std::ssize(data) / 2;
  co_await write_piece(writer, {data.begin(), middle});
  co_await write_piece(writer, {middle, data.end()});
}

}  // namespace

struct PlatformWriter::State : std::enable_shared_from_this<State> {
  State(base::Clock& time, base::Executor& where, wire::PlatformMetrics& from, MetricWriter& to)
      : clock(time), executor(where), gathered(from), writer(to) {}

  // On the executor. Nothing happens if the end of this minute is awaited already.
  void await_end_of_minute() {
    if (is_awaited) return;
    is_awaited = true;
    const base::Time minute = std::chrono::floor<std::chrono::minutes>(clock.now());
    alarm = clock.call_at(
        executor, minute + 1min,
        [weak = weak_from_this(), minute] {
          const auto state = weak.lock();
          if (!state) return;
          state->is_awaited = false;
          state->scope.spawn(end_minute(*state, minute));
        },
        base::Purpose::housekeeping);
  }

  using Gathered = std::vector<wire::PlatformMetrics::Gathered>;
  // Any executor, as write_now() is called on.
  void hold(Gathered more) {
    const std::lock_guard lock(mutex);
    std::ranges::move(more, std::back_inserter(held));
  }
  [[nodiscard]] Gathered take_held() {
    const std::lock_guard lock(mutex);
    return std::exchange(held, {});
  }
  [[nodiscard]] size_t held_count() {
    const std::lock_guard lock(mutex);
    return held.size();
  }

  base::Clock& clock;
  base::Executor& executor;
  wire::PlatformMetrics& gathered;
  MetricWriter& writer;
  std::mutex mutex;
  Gathered held;          // of minutes that have ended, in their order
  bool is_paced = false;  // the last ones were written less than kPace ago
  base::Alarm pace;
  bool is_awaited = false;
  base::Alarm alarm;
  base::Scope scope;
};

PlatformWriter::PlatformWriter(base::Clock& clock, base::Executor& executor, wire::PlatformMetrics& gathered,
                               MetricWriter& writer)
    : state_(std::make_shared<State>(clock, executor, gathered, writer)) {
  gathered.on_first([weak = std::weak_ptr(state_), &executor] {
    executor.post([weak] {
      if (const auto state = weak.lock()) state->await_end_of_minute();
    });
  });
}

PlatformWriter::~PlatformWriter() {
  state_->gathered.on_first({});
  state_->alarm.cancel();
  state_->pace.cancel();
  state_->scope.clear();
}

Task<void> PlatformWriter::write_now() {
  std::vector<wire::PlatformMetrics::Gathered> all = state_->take_held();
  std::ranges::move(state_->gathered.take(), std::back_inserter(all));
  co_await write(*state_, std::move(all));
}

Task<void> PlatformWriter::end_minute(State& state, base::Time minute) {
  std::vector<wire::PlatformMetrics::Gathered> all = state.gathered.take();
  wire::PlatformMetrics::Measured measured;
  try {
    measured = co_await state.gathered.measure_gauges(minute);
  } catch (const std::exception& error) {
    base::log_warning("platform_gauges_failed", {{"reason", error.what()}});
  }
  std::ranges::move(measured.found, std::back_inserter(all));
  state.hold(std::move(all));
  if (!state.is_paced) {
    co_await write_by_pace(state);
  } else if (state.held_count() >= MetricWriter::kBatchMax) {
    co_await write(state, state.take_held());
  }
  if (measured.again) state.await_end_of_minute();
}

Task<void> PlatformWriter::write_by_pace(State& state) {
  state.is_paced = true;
  state.pace = base::Executor::current().call_after(kPace, [weak = state.weak_from_this()] {
    const auto later = weak.lock();
    if (!later) return;
    later->is_paced = false;
    if (later->held_count() > 0) later->scope.spawn(write_by_pace(*later));
  });
  co_await write(state, state.take_held());
}

Task<void> PlatformWriter::write(State& state, std::vector<wire::PlatformMetrics::Gathered> all) {
  std::vector<Datum> data;
  for (auto& gathered : all) data.push_back(datum_of(std::move(gathered)));
  // In pieces, so that the store never gets more at once than from a request.
  constexpr size_t kPiece = MetricWriter::kBatchMax;
  for (size_t at = 0; at < data.size(); at += kPiece) {
    const size_t end = std::min(data.size(), at + kPiece);
    co_await write_piece(state.writer, {std::make_move_iterator(data.begin() + static_cast<long>(at)),
                                        std::make_move_iterator(data.begin() + static_cast<long>(end))});
  }
}

}  // namespace tidemill::cloudwatch
