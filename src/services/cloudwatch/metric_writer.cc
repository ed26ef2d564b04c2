#include "services/cloudwatch/metric_writer.h"

#include <map>
#include <stdexcept>
#include <tuple>

#include "services/cloudwatch/alarm.h"
#include "services/cloudwatch/metric_series.h"
#include "services/cloudwatch/retention.h"

namespace tidemill::cloudwatch {
namespace {

using PeriodKey = std::tuple<uint8_t, UnitNumber, Seconds>;  // the tier's number, the unit, the period's beginning
using Periods = std::map<PeriodKey, base::Distribution>;

std::map<MetricId, Periods> by_metric(const std::vector<Datum>& data, std::map<MetricId, Periods> result) {
  for (const Datum& datum : data) {
    Periods& periods = result[datum.metric];
    for (const Tier& tier : kTiers) {
      if (tier.number == kSecondTier.number && !datum.is_high_resolution) continue;
      const int64_t seconds = std::chrono::floor<std::chrono::seconds>(datum.time.time_since_epoch()).count();
      const int64_t period = tier.period.count();
      const int64_t begin = seconds - ((seconds % period) + period) % period;
      periods[{tier.number, datum.unit, Seconds(std::chrono::seconds(begin))}].merge(datum.values);
    }
  }
  return result;
}

// Where the earliest of the minutes begins that values came to: whoever looks at an alarm then finds the later ones.
base::Time earliest(const Periods& periods) {
  Seconds result = Seconds::max();
  for (const auto& [place, values] : periods) {
    if (std::get<0>(place) == kMinuteTier.number) result = std::min(result, std::get<2>(place));
  }
  return result;
}

Task<void> add_periods(store::Transaction& txn, std::string_view metric_id, const Periods& periods) {
  for (const auto& [place, values] : periods) {
    const auto& [tier, unit, begin] = place;
    const std::string key = period_key(metric_id, kTiers[tier], unit, begin);
    base::Distribution sum = values;
    if (const auto stored = co_await txn.get(key)) {
      const auto before = base::Distribution::decode(*stored);
      if (!before) throw std::runtime_error("a stored period of a metric is damaged");
      sum.merge(*before);
    }
    txn.put(key, sum.encode());
  }
}

}  // namespace

bool is_of_values(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const store::Overloaded&) {
    return false;
  } catch (const store::StoreFailed&) {
    return false;
  } catch (...) {
    return true;
  }
}

class MetricWriter::Place {
 public:
  Place(MetricWriter& writer, PendingPtr own) : writer_(writer), own_(std::move(own)) {}
  Place(const Place&) = delete;
  ~Place() { writer_.leave(own_); }

 private:
  MetricWriter& writer_;
  const PendingPtr own_;
};

Task<void> MetricWriter::write(std::vector<Datum> data) {
  if (data.empty()) co_return;
  const auto own = std::make_shared<Pending>();
  own->data = std::move(data);
  const bool is_turn = join(own);
  const Place place(*this, own);
  if (!is_turn) {
    const Pending::Outcome outcome = co_await own->outcome;
    if (outcome.error) std::rethrow_exception(outcome.error);
    if (!outcome.is_turn) co_return;
  }
  // The first that waits is this request's own.
  own->batch = take_batch();
  const auto ended = std::make_exception_ptr(store::Overloaded("the request that wrote for others has ended"));
  for (const PendingPtr& pending : own->batch) pending->error = ended;
  co_await settle(own->batch);
  if (own->error) std::rethrow_exception(own->error);
}

bool MetricWriter::join(const PendingPtr& own) {
  const std::lock_guard lock(mutex_);
  if (pending_data_ + own->data.size() > kPendingMax) throw store::Overloaded("too many values of metrics wait");
  pending_.push_back(own);
  pending_data_ += own->data.size();
  if (turn_) return false;
  turn_ = own;
  return true;
}

std::vector<MetricWriter::PendingPtr> MetricWriter::take_batch() {
  const std::lock_guard lock(mutex_);
  std::vector<PendingPtr> batch;
  size_t count = 0;
  while (!pending_.empty() && (batch.empty() || count + pending_.front()->data.size() <= kBatchMax)) {
    count += pending_.front()->data.size();
    batch.push_back(std::move(pending_.front()));
    pending_.pop_front();
  }
  pending_data_ -= count;
  return batch;
}

void MetricWriter::leave(const PendingPtr& own) {
  const std::lock_guard lock(mutex_);
  if (std::erase(pending_, own) > 0) pending_data_ -= own->data.size();
  if (turn_ != own) return;
  for (const PendingPtr& other : own->batch) {
    if (other != own) other->outcome.set({.error = other->error});
  }
  own->batch.clear();  // it holds itself there
  turn_ = pending_.empty() ? nullptr : pending_.front();
  if (turn_) turn_->outcome.set({.is_turn = true});
}

Task<void> MetricWriter::settle(std::span<const PendingPtr> batch) {
  std::exception_ptr error;
  try {
    co_await commit(batch);
  } catch (...) {
    error = std::current_exception();
  }
  // By halves, so that whose values it is for is found in few commits.
  if (error && batch.size() > 1 && is_of_values(error)) {
    co_await settle(batch.first(batch.size() / 2));
    co_await settle(batch.subspan(batch.size() / 2));
    co_return;
  }
  for (const PendingPtr& pending : batch) pending->error = error;
}

Task<void> MetricWriter::commit(std::span<const PendingPtr> batch) {
  std::map<MetricId, Periods> metrics;
  for (const PendingPtr& pending : batch) metrics = by_metric(pending->data, std::move(metrics));
  const base::Time now = clock_.now();
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    for (const auto& [metric, periods] : metrics) {
      const std::string key = series_key(metric);
      const auto stored = co_await txn.get(key);
      MetricSeries series = stored ? decode_series(*stored) : new_series(now);
      if (!stored || now - series.last_active >= kActiveStep) {
        series.last_active = now;
        txn.put(key, encode_series(series));
        co_await start_retention(txn, now);
      }
      co_await add_periods(txn, series.id, periods);
      co_await evaluate_watching(txn, metric, earliest(periods), now);
    }
  });
}

}  // namespace tidemill::cloudwatch
