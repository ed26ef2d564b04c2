#include "services/events/bus.h"

#include "base/json_members.h"
#include "base/uuid.h"
#include "engine/targets/bus_target.h"
#include "services/events/errors.h"
#include "store/resources.h"

namespace tidemill::events {
namespace {

constexpr store::ResourceType kBuses{"events", "bus"};

constexpr auto kBusMembers = [](auto& member, auto& bus) {
  member("created_us", bus.created);
  member("modified_us", bus.modified);
  member("description", bus.description);
  member("policy", bus.policy);
  member("tags", bus.tags);
};

}  // namespace

std::string bus_key(const BusAddress& address) {
  return store::resource_key(kBuses, address.account, address.region, address.name);
}

store::Range buses_range(std::string_view account, std::string_view region) {
  return store::resources_range(kBuses, account, region);
}

std::string encode_bus(const Bus& bus) { return json::encode(bus, kBusMembers); }

Bus decode_bus(BusAddress address, std::string_view bytes) {
  return json::decode("bus", bytes, kBusMembers, Bus{.address = std::move(address)});
}

Task<std::optional<Bus>> find_bus(store::Snapshot& reader, BusAddress address) {
  const auto bytes = co_await reader.get(bus_key(address));
  if (bytes) co_return decode_bus(std::move(address), *bytes);
  if (address.is_default()) co_return Bus{.address = std::move(address)};
  co_return std::nullopt;
}

Task<Bus> load_bus(store::Snapshot& reader, BusAddress address) {
  auto bus = co_await find_bus(reader, address);
  if (!bus) throw bus_does_not_exist(address);
  co_return *std::move(bus);
}

void save_bus(store::Transaction& txn, Bus bus, base::Time now) {
  if (!bus.created) bus.created = now;
  bus.modified = now;
  txn.put(bus_key(bus.address), encode_bus(bus));
}

void erase_bus(store::Transaction& txn, const BusAddress& address) {
  txn.erase(bus_key(address));
  txn.erase(edition_key(address));
}

std::string edition_key(const BusAddress& address) {
  return store::resource_key(engine::kBusRules, address.account, address.region, address.name);
}

void renew_edition(store::Transaction& txn, const BusAddress& address) {
  txn.put(edition_key(address), base::new_uuid());
}

}  // namespace tidemill::events
