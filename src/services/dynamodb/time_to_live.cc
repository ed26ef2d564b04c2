// UpdateTimeToLive and DescribeTimeToLive: which attribute says when an item expires. ENABLING until the items that
// were there before expire, too. What is set of one replica of a global table is set of all.
#include "services/dynamodb/errors.h"
#include "services/dynamodb/expiry.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/replicas.h"

namespace tidemill::dynamodb {

namespace {

// Between two changes; as measured on AWS, whose documents say an hour.
constexpr std::chrono::minutes kChangeInterval{31};

void check_change(const TimeToLive& current, const shapes::TimeToLiveSpecification& wanted, base::Time now) {
  if (current.enabled && wanted.attribute_name != current.attribute) {
    throw validation("TimeToLive is active on a different AttributeName: current AttributeName is " +
                     current.attribute);
  }
  if (wanted.enabled == current.enabled) {
    throw validation(wanted.enabled ? "TimeToLive is already enabled" : "TimeToLive is already disabled");
  }
  if (current.changed && now < *current.changed + kChangeInterval) {
    throw validation("Time to live has been modified multiple times within a fixed interval");
  }
}

Task<void> change_time_to_live(store::Transaction& txn, Table& table, const shapes::TimeToLiveSpecification& wanted,
                               base::Time now) {
  if (wanted.enabled)
    co_await start_expiring(txn, table, now);
  else
    co_await stop_expiring(txn, table);
  table.features.time_to_live = {.enabled = wanted.enabled, .attribute = wanted.attribute_name, .changed = now};
  save_table(txn, table);
}

}  // namespace

Task<shapes::UpdateTimeToLiveOutput> update_time_to_live(Service&, wire::Context& context,
                                                         const shapes::UpdateTimeToLiveInput& request) {
  const TableAddress address = resolve_table(context, request.table_name);
  const shapes::TimeToLiveSpecification& wanted = request.time_to_live_specification;
  const base::Time now = context.now();
  co_await context.store().transact([&](store::Transaction& txn) -> Task<void> {
    std::optional<Table> table = co_await load_usable_table(txn, address);
    if (!table) throw table_not_found(address.name);
    check_change(table->features.time_to_live, wanted, now);
    co_await change_time_to_live(txn, *table, wanted, now);
    std::vector<Table> others = co_await load_replicas(txn, *table);
    for (Table& other : others) co_await change_time_to_live(txn, other, wanted, now);
  });
  co_return shapes::UpdateTimeToLiveOutput{.time_to_live_specification = wanted};
}

Task<shapes::DescribeTimeToLiveOutput> describe_time_to_live(Service&, wire::Context& context,
                                                             const shapes::DescribeTimeToLiveInput& request) {
  const TableAddress address = resolve_table(context, request.table_name);
  const std::optional<Table> table = co_await load_usable_table(*context.store().snapshot(), address);
  if (!table) throw table_not_found(address.name);
  shapes::TimeToLiveDescription description{.time_to_live_status = "DISABLED"};
  if (const TimeToLive& ttl = table->features.time_to_live; ttl.enabled) {
    description = {.time_to_live_status = ttl.complete ? "ENABLED" : "ENABLING", .attribute_name = ttl.attribute};
  }
  co_return shapes::DescribeTimeToLiveOutput{.time_to_live_description = std::move(description)};
}

}  // namespace tidemill::dynamodb
