// CreateEventBus, DescribeEventBus, ListEventBuses, UpdateEventBus and DeleteEventBus.
#include <algorithm>

#include "base/base64.h"
#include "base/ordered.h"
#include "base/text.h"
#include "engine/policy_principals.h"
#include "services/events/bus.h"
#include "services/events/errors.h"
#include "services/events/listing.h"
#include "services/events/operations.h"
#include "services/events/rule.h"
#include "services/events/tags.h"
#include "store/resources.h"

namespace tidemill::events {
namespace {

using base::cat;

constexpr size_t kBusesMax = 100;  // of an account's region

std::optional<std::string> text_or_none(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// All of an account's region, by name; there are few. The default one is there also without a record.
Task<std::vector<Bus>> read_buses(store::Snapshot& snapshot, std::string account, std::string region) {
  std::vector<Bus> buses;
  bool has_default = false;
  const store::Range range = buses_range(account, region);
  co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    base::OrderedReader reader(key.substr(store::resource_prefix({"events", "bus"}, account, region).size()));
    buses.push_back(decode_bus({account, region, reader.string()}, value));
    has_default |= buses.back().address.is_default();
    return true;
  });
  if (!has_default) buses.push_back({.address = {account, region, std::string(kDefaultBus)}});
  std::ranges::sort(buses, {}, [](const Bus& bus) { return bus.address.name; });
  co_return buses;
}

Task<bool> has_rules(store::Transaction& txn, const BusAddress& bus) {
  bool found = false;
  const store::Range range = rules_range(bus);
  co_await txn.scan(range, store::first(1), [&](std::string_view, std::string_view) { return found = true; });
  co_return found;
}

Task<shapes::EventBus> describe(const wire::Context& context, const Bus& bus) {
  co_return shapes::EventBus{.name = bus.address.name,
                             .arn = bus.address.arn(),
                             .description = text_or_none(bus.description),
                             .policy = text_or_none(co_await engine::with_arns(context, bus.policy)),
                             .creation_time = bus.created,
                             .last_modified_time = bus.modified};
}

}  // namespace

Task<shapes::CreateEventBusOutput> create_event_bus(Service& service, wire::Context& context,
                                                    const shapes::CreateEventBusInput& request) {
  const BusAddress address{context.account, context.region, request.name};
  if (request.name.contains('/')) throw invalid("Event bus name must not contain '/'.");
  Bus bus{.address = address, .description = request.description.value_or("")};
  if (request.tags) bus.tags = with_tags({}, *request.tags);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await find_bus(txn, address)) {
      throw errors::resource_already_exists_exception(cat("Event bus ", address.name, " already exists."));
    }
    if ((co_await read_buses(txn, address.account, address.region)).size() >= kBusesMax) throw limit_exceeded();
    save_bus(txn, bus, context.now());
    renew_edition(txn, address);
  });
  co_return shapes::CreateEventBusOutput{.event_bus_arn = address.arn(), .description = request.description};
}

Task<shapes::DescribeEventBusOutput> describe_event_bus(Service& service, wire::Context& context,
                                                        const shapes::DescribeEventBusInput& request) {
  const auto snapshot = service.store().snapshot();
  const Bus bus = co_await load_bus(*snapshot, bus_of(context, request.name));
  co_return shapes::DescribeEventBusOutput{.name = bus.address.name,
                                           .arn = bus.address.arn(),
                                           .description = text_or_none(bus.description),
                                           .policy = text_or_none(co_await engine::with_arns(context, bus.policy)),
                                           .creation_time = bus.created,
                                           .last_modified_time = bus.modified};
}

Task<shapes::ListEventBusesOutput> list_event_buses(Service& service, wire::Context& context,
                                                    const shapes::ListEventBusesInput& request) {
  const auto after = request.next_token ? base::base64_decode(*request.next_token) : std::string();
  if (!after) throw invalid_parameter("NextToken", "It is no token of this list.");
  const size_t most = request.limit ? static_cast<size_t>(*request.limit) : kPageSize;
  const auto snapshot = service.store().snapshot();
  shapes::ListEventBusesOutput out;
  out.event_buses.emplace();
  for (const Bus& bus : co_await read_buses(*snapshot, context.account, context.region)) {
    const std::string& name = bus.address.name;
    if (name <= *after || !name.starts_with(request.name_prefix.value_or(""))) continue;
    if (out.event_buses->size() == most) {
      out.next_token = base::base64_encode(*out.event_buses->back().name);
      break;
    }
    out.event_buses->push_back(co_await describe(context, bus));
  }
  co_return out;
}

Task<shapes::UpdateEventBusOutput> update_event_bus(Service& service, wire::Context& context,
                                                    const shapes::UpdateEventBusInput& request) {
  const BusAddress address = bus_of(context, request.name);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Bus bus = co_await load_bus(txn, address);
    bus.description = request.description.value_or("");
    save_bus(txn, std::move(bus), context.now());
  });
  co_return shapes::UpdateEventBusOutput{
      .arn = address.arn(), .name = address.name, .description = request.description};
}

Task<shapes::DeleteEventBusOutput> delete_event_bus(Service& service, wire::Context& context,
                                                    const shapes::DeleteEventBusInput& request) {
  const BusAddress address{context.account, context.region, request.name};
  if (address.is_default()) throw invalid("Cannot delete event bus default.");
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (co_await has_rules(txn, address)) throw invalid("Event bus can't be deleted since it has rules.");
    erase_bus(txn, address);
  });
  co_return shapes::DeleteEventBusOutput{};
}

}  // namespace tidemill::events
