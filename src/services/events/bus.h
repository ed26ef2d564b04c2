// What a bus is, and how it is kept: KeySpace::resource, (account, region, "events", "bus", name), as JSON. The default
// bus is there in every account and region; it has a record once something of it was changed.
//
// (account, region, "events", "rules", name) is the edition of the bus's rules: a UUID, drawn anew whenever a rule
// or what it leads to changes. Whoever puts events reads it and nothing else of the rules, which are kept compiled
// (rule_set.h). Of a bus that was made it stands there as long as the bus does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_record.h"
#include "services/events/address.h"
#include "store/store.h"

namespace tidemill::events {

struct Bus {
  BusAddress address;
  std::optional<base::Time> created;  // not of a default bus that was never changed
  std::optional<base::Time> modified;
  std::string description;
  std::string policy;  // JSON; empty: none
  json::TextMap tags;
};

[[nodiscard]] std::string bus_key(const BusAddress& address);
// Of the records of an account's region.
[[nodiscard]] store::Range buses_range(std::string_view account, std::string_view region);

[[nodiscard]] std::string encode_bus(const Bus& bus);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Bus decode_bus(BusAddress address, std::string_view bytes);

// Nothing: there is no such bus. The read is tracked if `reader` is a transaction.
Task<std::optional<Bus>> find_bus(store::Snapshot& reader, BusAddress address);
// The same; throws ResourceNotFoundException.
Task<Bus> load_bus(store::Snapshot& reader, BusAddress address);
void save_bus(store::Transaction& txn, Bus bus, base::Time now);
void erase_bus(store::Transaction& txn, const BusAddress& address);

[[nodiscard]] std::string edition_key(const BusAddress& address);
// In the transaction that changes a rule of the bus.
void renew_edition(store::Transaction& txn, const BusAddress& address);

}  // namespace tidemill::events
