// And DescribeLimits and DescribeAccountSettings.
#include "services/kinesis/limits.h"

#include "base/text.h"
#include "services/kinesis/errors.h"
#include "services/kinesis/operations.h"

namespace tidemill::kinesis {

Task<Usage> count_usage(store::Snapshot& reader, std::string account, std::string region) {
  Usage usage;
  const store::EntryVisitor visit = [&](std::string_view key, std::string_view value) {
    auto address = stream_of_key(key);
    if (!address) return true;
    const Stream stream = decode_stream(*std::move(address), std::string(value));
    if (stream.on_demand)
      ++usage.on_demand_streams;
    else
      usage.provisioned_shards += static_cast<uint32_t>(stream.open_shards());
    return true;
  };
  const store::Range range = streams_range(account, region);
  co_await reader.scan(range, store::Direction::forward, visit);
  co_return usage;
}

Task<void> require_room(const wire::Context& context, bool on_demand, uint32_t more_shards) {
  // Of the snapshot, untracked: two who take the last place at once do no harm, and none has to wait for another.
  const auto snapshot = context.store().snapshot();
  const Usage usage = co_await count_usage(*snapshot, context.account, context.region);
  if (on_demand && usage.on_demand_streams >= kOnDemandStreamsMax) {
    throw limit_exceeded(base::cat("This request would exceed the limit of ", kOnDemandStreamsMax,
                                   " on-demand streams for the account ", context.account, " in ", context.region,
                                   "."));
  }
  if (!on_demand && usage.provisioned_shards + more_shards > kShardsMax) {
    throw shard_limit_exceeded(context, more_shards, usage.provisioned_shards);
  }
}

wire::Error shard_limit_exceeded(const wire::Context& context, uint32_t asked, uint32_t used) {
  return limit_exceeded(base::cat("This request would exceed the shard limit for the account ", context.account, " in ",
                                  context.region, ". Current shard count for the account: ", used,
                                  ". Limit: ", kShardsMax,
                                  ". Number of additional shards that would have resulted from this request: ", asked,
                                  ". Refer to the AWS Service Limits page."));
}

Task<shapes::DescribeLimitsOutput> describe_limits(Service& service, wire::Context& context,
                                                   const shapes::DescribeLimitsInput&) {
  const auto snapshot = service.store().snapshot();
  const Usage usage = co_await count_usage(*snapshot, context.account, context.region);
  co_return shapes::DescribeLimitsOutput{.shard_limit = static_cast<int32_t>(kShardsMax),
                                         .open_shard_count = static_cast<int32_t>(usage.provisioned_shards),
                                         .on_demand_stream_count = static_cast<int32_t>(usage.on_demand_streams),
                                         .on_demand_stream_count_limit = static_cast<int32_t>(kOnDemandStreamsMax)};
}

Task<shapes::DescribeAccountSettingsOutput> describe_account_settings(Service&, wire::Context&,
                                                                      const shapes::DescribeAccountSettingsInput&) {
  // Nobody is billed, and so nobody can commit to anything (UpdateAccountSettings is refused).
  shapes::DescribeAccountSettingsOutput out;
  out.minimum_throughput_billing_commitment = shapes::MinimumThroughputBillingCommitmentOutput{
      .status = std::string(shapes::MinimumThroughputBillingCommitmentOutputStatus::kDisabled)};
  co_return out;
}

}  // namespace tidemill::kinesis
