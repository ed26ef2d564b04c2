#include "services/events/bus.h"

#include "base/uuid.h"
#include "services/events/errors.h"
#include "store/resources.h"

namespace tidemill::events {
namespace {

constexpr store::ResourceType kBuses{"events", "bus"};
constexpr store::ResourceType kEditions{"events", "rules"};

}  // namespace

std::string bus_key(const BusAddress& address) {
  return store::resource_key(kBuses, address.account, address.region, address.name);
}

store::Range buses_range(std::string_view account, std::string_view region) {
  return store::resources_range(kBuses, account, region);
}

std::string encode_bus(const Bus& bus) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  if (bus.created) json::write_member(writer, "created_us", *bus.created);
  if (bus.modified) json::write_member(writer, "modified_us", *bus.modified);
  json::write_member(writer, "description", bus.description);
  json::write_member(writer, "policy", bus.policy);
  json::write_member(writer, "tags", bus.tags);
  writer.end_object();
  return out;
}

Bus decode_bus(BusAddress address, std::string_view bytes) {
  const json::Record record("bus", bytes);
  return {.address = std::move(address),
          .created = record.find_time("created_us"),
          .modified = record.find_time("modified_us"),
          .description = record.text("description"),
          .policy = record.text("policy"),
          .tags = record.map("tags")};
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
  return store::resource_key(kEditions, address.account, address.region, address.name);
}

void renew_edition(store::Transaction& txn, const BusAddress& address) {
  txn.put(edition_key(address), base::new_uuid());
}

}  // namespace tidemill::events
