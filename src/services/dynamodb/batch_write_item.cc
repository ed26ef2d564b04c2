// Puts and deletes up to 25 items of any tables, in one transaction: all or, when the store is overloaded, none, which
// the answer then gives back as unprocessed. So it does with what a table's throughput does not let in (throttle.h), and
// with what faults take out (wire/faults.h).
#include <algorithm>
#include <map>

#include "services/dynamodb/capacity.h"
#include "services/dynamodb/collection_metrics.h"
#include "services/dynamodb/item_checks.h"
#include "services/dynamodb/operations.h"
#include "services/dynamodb/write_item.h"
#include "wire/faults.h"
#include "wire/large_work.h"

namespace tidemill::dynamodb {

namespace {

constexpr size_t kWritesMax = 25;
constexpr int kTableChangesMax = 100;

using Requests = std::map<std::string, std::vector<shapes::WriteRequest>>;

struct Write {
  const Item* item;  // nullptr: delete
  ItemKey place;
  ConsumedUnits units = {};
};

struct TableWrites {
  const std::string& name;  // as in the request
  TablePtr table;
  std::vector<Write> writes;
};

void check_requests(const shapes::BatchWriteItemInput& request) {
  size_t count = 0;
  for (const auto& [table, writes] : request.request_items) {
    count += writes.size();
    for (const shapes::WriteRequest& write : writes) {
      if (write.put_request.has_value() == write.delete_request.has_value()) {
        throw validation("Supplied WriteRequest must contain exactly one of PutRequest and DeleteRequest");
      }
      if (write.put_request) check_item_size(write.put_request->item);
    }
  }
  if (count > kWritesMax) throw validation("Too many items requested for the BatchWriteItem call");
}

Write bind(const Table& table, const shapes::WriteRequest& request) {
  if (request.put_request) {
    if (!has_key(table, request.put_request->item)) throw validation("The provided key element does not match the schema");
    check_item_key(table, request.put_request->item);
    return {&request.put_request->item, key_in(table, request.put_request->item)};
  }
  check_key(table, request.delete_request->key);
  return {nullptr, key_in(table, request.delete_request->key)};
}

void check_distinct(const std::vector<TableWrites>& batch) {
  std::vector<std::string_view> keys;
  for (const TableWrites& part : batch) {
    for (const Write& write : part.writes) keys.push_back(write.place.bytes);
  }
  std::ranges::sort(keys);
  if (std::ranges::adjacent_find(keys) != keys.end()) {
    throw validation("Provided list of item keys contains duplicates");
  }
}

Task<std::vector<TableWrites>> bind_all(Service& service, wire::Context& context,
                                        const Requests& requests) {
  std::vector<TableWrites> batch;
  const auto snapshot = context.store().snapshot();
  for (const auto& [name, writes] : requests) {
    const TableAddress address = resolve_table(context, name);
    TableWrites part{.name = name, .table = co_await service.tables().find(*snapshot, address)};
    if (!part.table) throw resource_not_found();
    for (const shapes::WriteRequest& write : writes) part.writes.push_back(bind(*part.table, write));
    batch.push_back(std::move(part));
  }
  check_distinct(batch);
  co_return batch;
}

// As far as the request tells them: an item that was there may be larger.
double known_units(const Item* item) { return write_units(item ? lang::dynamodb::item_size(*item) : 0); }

// Moves out of `requests` what the tables have no capacity for, and charges the rest.
Task<Requests> hold_back(Service& service, wire::Context& context, Requests& requests) {
  Requests held_back;
  TablePtr table;
  const auto snapshot = context.store().snapshot();
  for (auto& [name, writes] : requests) {
    table = co_await service.tables().find(*snapshot, resolve_table(context, name));
    if (!table) throw resource_not_found();
    const auto first_held = std::ranges::find_if(writes, [&](const shapes::WriteRequest& write) {
      if (!service.throttle().has_capacity(*table, Throttle::Kind::write)) return true;
      const Item* item = write.put_request ? &write.put_request->item : nullptr;
      service.throttle().charge(*table, Throttle::Kind::write, known_units(item));
      return false;
    });
    if (first_held == writes.end()) continue;
    held_back[name].assign(std::make_move_iterator(first_held), std::make_move_iterator(writes.end()));
    writes.erase(first_held, writes.end());
  }
  std::erase_if(requests, [](const auto& entry) { return entry.second.empty(); });
  if (requests.empty()) service.throttle().admit(*table, Throttle::Kind::write);
  co_return held_back;
}

// Moves out of `requests` what faults leave undone.
Requests take_out(wire::EntryFaults& faults, Requests& requests) {
  Requests taken;
  for (auto& [name, writes] : requests) {
    std::erase_if(writes, [&](shapes::WriteRequest& write) {
      if (!faults.next("")) return false;
      taken[name].push_back(std::move(write));
      return true;
    });
  }
  std::erase_if(requests, [](const auto& entry) { return entry.second.empty(); });
  return taken;
}

void add_to(Requests& all, Requests more) {
  for (auto& [name, writes] : more) std::ranges::move(writes, std::back_inserter(all[name]));
}

void charge_all(Throttle& throttle, const std::vector<TableWrites>& batch) {
  for (const TableWrites& part : batch) {
    ConsumedUnits units;
    for (const Write& write : part.writes) units += write.units;
    throttle.charge(*part.table, Throttle::Kind::write, units);
  }
}

// What turned out to be consumed beyond what was known before.
void charge_rest(Throttle& throttle, const std::vector<TableWrites>& batch) {
  for (const TableWrites& part : batch) {
    for (const Write& write : part.writes) {
      ConsumedUnits rest = write.units;
      rest.table -= known_units(write.item);
      throttle.charge(*part.table, Throttle::Kind::write, rest);
    }
  }
}

// The items whose change needs to know what was there: in an order that all batches share, so that none waits in a
// circle.
Task<std::vector<ItemQueue::Turn>> lock_items(ItemQueue& queue, const std::vector<TableWrites>& batch) {
  std::vector<std::string> keys;
  for (const TableWrites& part : batch) {
    if (!needs_before(*part.table)) continue;
    for (const Write& write : part.writes) keys.push_back(queue_key(*part.table, write.place.bytes));
  }
  std::ranges::sort(keys);
  keys.erase(std::ranges::unique(keys).begin(), keys.end());  // items of one collection wait together
  std::vector<ItemQueue::Turn> turns;
  for (std::string& key : keys) turns.push_back(co_await queue.lock(std::move(key)));
  co_return turns;
}

// `measure`: exactly, for which the item that is there must be read. Otherwise what is consumed is estimated where nobody
// needs that item.
Task<void> write_one(store::Transaction& txn, const Table& table, Write& write, bool measure,
                     const WriteOptions& options) {
  std::optional<ItemView> after;
  if (write.item) after = write.item->view();
  if (!measure && !needs_before(table)) {
    write_blindly(txn, write.place, after);
    write.units = known_units(write.item);
    co_return;
  }
  const std::optional<std::string> stored = co_await txn.get(write.place.bytes);
  std::optional<ItemView> before;
  if (stored) before = ItemView(*stored);
  co_await write_item(txn, table, write.place, before, after, options);
  const size_t bytes = (before ? before->encoded().size() : 0) + (after ? after->encoded().size() : 0);
  co_await wire::do_large_joined(options.large_items, bytes,
                                 [&] { write.units = units_of_change(table, before, after); });
}

// False: a table is not what it was, and nothing is written.
Task<bool> write_all(store::Transaction& txn, std::vector<TableWrites>& batch, bool measure,
                     const WriteOptions& options) {
  for (const TableWrites& part : batch) {
    if (!co_await is_current(txn, *part.table)) co_return false;
  }
  for (TableWrites& part : batch) {
    for (Write& write : part.writes) co_await write_one(txn, *part.table, write, measure, options);
  }
  co_return true;
}

std::optional<std::vector<shapes::ConsumedCapacity>> capacities(const std::vector<TableWrites>& batch,
                                                                const std::optional<std::string>& asked) {
  if (!wants_capacity(asked)) return std::nullopt;
  std::vector<shapes::ConsumedCapacity> result;
  for (const TableWrites& part : batch) {
    ConsumedUnits units;
    for (const Write& write : part.writes) units += write.units;
    result.push_back(*consumed_capacity(asked, part.table->address.name, units));
  }
  return result;
}

Task<void> add_collections(wire::Context& context, const shapes::BatchWriteItemInput& request, const Requests& requests,
                           const std::vector<TableWrites>& batch, shapes::BatchWriteItemOutput& output) {
  const auto& asked = request.return_item_collection_metrics;
  for (const TableWrites& part : batch) {
    for (const shapes::WriteRequest& write : requests.at(part.name)) {
      const Item& item = write.put_request ? write.put_request->item : write.delete_request->key;
      co_await add_collection_metrics(context, asked, *part.table, item, output.item_collection_metrics);
    }
  }
}

}  // namespace

Task<shapes::BatchWriteItemOutput> batch_write_item(Service& service, wire::Context& context,
                                                    const shapes::BatchWriteItemInput& request) {
  check_requests(request);
  const bool throttles = service.throttle().enabled();
  const bool measure = throttles || wants_capacity(request.return_consumed_capacity);
  const WriteOptions options{.collection_bytes_max = service.collection_bytes_max(),
                             .tables = &service.tables(),
                             .large_items = service.large_items()};
  shapes::BatchWriteItemOutput output;
  output.unprocessed_items.emplace();
  Requests admitted;
  wire::EntryFaults faults(context, "dynamodb", "BatchWriteItem");
  const bool in_part = throttles || faults.any();
  if (in_part) admitted = request.request_items;
  if (faults.any()) {
    (void)co_await bind_all(service, context, request.request_items);  // what is wrong is refused as ever
    output.unprocessed_items = take_out(faults, admitted);
    if (admitted.empty()) co_return output;
  }
  if (throttles) add_to(*output.unprocessed_items, co_await hold_back(service, context, admitted));
  const Requests& requests = in_part ? admitted : request.request_items;
  for (int attempt = 0; attempt < kTableChangesMax; ++attempt) {
    std::vector<TableWrites> batch = co_await bind_all(service, context, requests);
    bool done = false;
    try {
      const std::vector<ItemQueue::Turn> turns = co_await lock_items(service.queue(), batch);
      done = co_await context.store().transact(
          [&](store::Transaction& txn) -> Task<bool> { return write_all(txn, batch, measure, options); });
    } catch (const store::Overloaded&) {
      output.unprocessed_items = request.request_items;
      co_return output;
    }
    if (!done) continue;
    if (throttles) charge_rest(service.throttle(), batch);
    else charge_all(service.throttle(), batch);
    for (const TableWrites& part : batch) co_await service.note_write(*part.table);
    output.consumed_capacity = capacities(batch, request.return_consumed_capacity);
    co_await add_collections(context, request, requests, batch, output);
    co_return output;
  }
  throw store::Overloaded("a table keeps changing");
}

}  // namespace tidemill::dynamodb
