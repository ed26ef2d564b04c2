// What can be set on a stream: its mode, its largest record, its retention, its enhanced monitoring.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/limits.h"
#include "services/kinesis/operations.h"
#include "services/kinesis/quota_window.h"
#include "services/kinesis/stream_changes.h"

namespace tidemill::kinesis {
namespace {

constexpr size_t kModeChangesMax = 2;  // in 24 hours

using std::chrono::hours;

void check_retention(int32_t asked) {
  const auto [min, max] = std::pair(kRetentionMin.count(), kRetentionMax.count());
  if (asked < min)
    throw invalid_argument(base::cat("Minimum allowed retention period is ", min,
                                     " hours. Requested retention period (", asked, " hours) is too short."));
  if (asked > max)
    throw invalid_argument(base::cat("Maximum allowed retention period is ", max,
                                     " hours. Requested retention period (", asked, " hours) is too long."));
}

// Metrics in the order in which AWS lists them.
std::vector<std::string> all_metrics() {
  namespace names = shapes::MetricsName;
  std::vector<std::string> result;
  for (const std::string_view name : {names::kIncomingBytes, names::kIncomingRecords, names::kOutgoingBytes,
                                      names::kOutgoingRecords, names::kWriteProvisionedThroughputExceeded,
                                      names::kReadProvisionedThroughputExceeded, names::kIteratorAgeMilliseconds}) {
    result.emplace_back(name);
  }
  return result;
}

bool contains(const std::vector<std::string>& metrics, std::string_view metric) {
  return std::ranges::find(metrics, metric) != metrics.end();
}

// Each once, whatever the request says.
std::vector<std::string> expand(const std::vector<std::string>& metrics) {
  std::vector<std::string> result = all_metrics();
  if (contains(metrics, shapes::MetricsName::kAll)) return result;
  std::erase_if(result, [&](const std::string& metric) { return !contains(metrics, metric); });
  return result;
}

// Changes the metrics by `apply`, (metrics now, metrics of the request) -> metrics wanted.
template <class Request, class Apply>
Task<shapes::EnhancedMonitoringOutput> change_monitoring(Service& service, wire::Context& context,
                                                         const Request& request, Apply apply) {
  const StreamAddress address = stream_of(context, request);
  shapes::EnhancedMonitoringOutput out{.stream_name = address.name, .stream_arn = address.arn()};
  co_await service.change(address, [&](store::Transaction&, Stream& stream) -> Task<void> {
    out.current_shard_level_metrics = stream.metrics;
    stream.metrics = apply(stream.metrics, expand(request.shard_level_metrics));
    out.desired_shard_level_metrics = stream.metrics;
    co_return;
  });
  co_return out;
}

}  // namespace

Task<shapes::UpdateStreamModeOutput> update_stream_mode(Service& service, wire::Context& context,
                                                        const shapes::UpdateStreamModeInput& request) {
  const StreamAddress address = resolve_stream(context, std::nullopt, request.stream_arn);
  const bool on_demand = request.stream_mode_details.stream_mode == shapes::StreamMode::kOnDemand;
  co_await service.change(address, [&](store::Transaction& txn, Stream& stream) -> Task<void> {
    require_active(stream);
    if (stream.on_demand == on_demand) {
      throw invalid_argument(base::cat("Stream ", address.name, " is already in this mode."));
    }
    if (!take_from_quota(stream.mode_changes, kModeChangesMax, context.now())) {
      throw limit_exceeded(
          base::cat("Stream ", address.name, " can change its mode ", kModeChangesMax, " times in 24 hours."));
    }
    co_await require_room(context, on_demand, static_cast<uint32_t>(stream.open_shards()));
    stream.on_demand = on_demand;
    co_await begin_change(txn, stream, Status::updating, context.now());
  });
  co_return shapes::UpdateStreamModeOutput{};
}

Task<shapes::UpdateMaxRecordSizeOutput> update_max_record_size(Service& service, wire::Context& context,
                                                               const shapes::UpdateMaxRecordSizeInput& request) {
  const StreamAddress address = resolve_stream(context, std::nullopt, request.stream_arn);
  co_await service.change(address, [&](store::Transaction& txn, Stream& stream) -> Task<void> {
    require_active(stream);
    stream.record_kib_max = request.max_record_size_in_ki_b;
    co_await begin_change(txn, stream, Status::updating, context.now());
  });
  co_return shapes::UpdateMaxRecordSizeOutput{};
}

Task<shapes::IncreaseStreamRetentionPeriodOutput> increase_stream_retention_period(
    Service& service, wire::Context& context, const shapes::IncreaseStreamRetentionPeriodInput& request) {
  check_retention(request.retention_period_hours);
  co_await service.change(stream_of(context, request), [&](store::Transaction& txn, Stream& stream) -> Task<void> {
    require_active(stream);
    if (hours(request.retention_period_hours) < stream.retention) {
      throw invalid_argument(base::cat("Requested retention period (", request.retention_period_hours,
                                       " hours) for stream ", stream.address.name,
                                       " can not be shorter than existing retention period (", stream.retention.count(),
                                       " hours). Use DecreaseRetentionPeriod API."));
    }
    // What has been trimmed does not come back, though it may still be on the disk.
    stream.trimmed = stream.horizon(context.now());
    stream.retention = hours(request.retention_period_hours);
    co_await begin_change(txn, stream, Status::updating, context.now());
  });
  co_return shapes::IncreaseStreamRetentionPeriodOutput{};
}

Task<shapes::DecreaseStreamRetentionPeriodOutput> decrease_stream_retention_period(
    Service& service, wire::Context& context, const shapes::DecreaseStreamRetentionPeriodInput& request) {
  check_retention(request.retention_period_hours);
  co_await service.change(stream_of(context, request), [&](store::Transaction& txn, Stream& stream) -> Task<void> {
    require_active(stream);
    if (hours(request.retention_period_hours) > stream.retention) {
      throw invalid_argument(base::cat("Requested retention period (", request.retention_period_hours,
                                       " hours) for stream ", stream.address.name,
                                       " can not be longer than existing retention period (", stream.retention.count(),
                                       " hours). Use IncreaseRetentionPeriod API."));
    }
    stream.retention = hours(request.retention_period_hours);
    co_await hasten_trim(txn, stream, context.now());
    co_await begin_change(txn, stream, Status::updating, context.now());
  });
  co_return shapes::DecreaseStreamRetentionPeriodOutput{};
}

Task<shapes::EnhancedMonitoringOutput> enable_enhanced_monitoring(
    Service& service, wire::Context& context, const shapes::EnableEnhancedMonitoringInput& request) {
  return change_monitoring(service, context, request, [](std::vector<std::string> now, const auto& added) {
    std::erase_if(now, [&](const std::string& metric) { return contains(added, metric); });
    now.insert(now.end(), added.begin(), added.end());
    return now;
  });
}

Task<shapes::EnhancedMonitoringOutput> disable_enhanced_monitoring(
    Service& service, wire::Context& context, const shapes::DisableEnhancedMonitoringInput& request) {
  return change_monitoring(service, context, request, [](std::vector<std::string> now, const auto& removed) {
    std::erase_if(now, [&](const std::string& metric) { return contains(removed, metric); });
    return now;
  });
}

}  // namespace tidemill::kinesis
