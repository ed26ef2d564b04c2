#include "services/dynamodb/replicas.h"

#include <algorithm>
#include <stdexcept>

#include "base/text.h"

namespace tidemill::dynamodb {

namespace {

void check_is_there(bool is_there, const TableAddress& address) {
  if (!is_there) throw std::runtime_error(base::cat("the replica ", address.arn(), " is not there"));
}

}  // namespace

Task<TablePtr> find_replica(store::Snapshot& reader, TableCache* tables, const Table& table, const Replica& other) {
  const TableAddress address = table.address_of(other);
  TablePtr replica;
  if (tables) replica = co_await tables->find(reader, address);
  if (!replica) {
    std::optional<Table> loaded = co_await load_table(reader, address);
    if (loaded) replica = std::make_shared<const Table>(*std::move(loaded));
  }
  check_is_there(replica && replica->id == other.id, address);
  co_return replica;
}

Task<std::vector<Table>> load_replicas(store::Snapshot& reader, const Table& table) {
  std::vector<Table> others;
  others.reserve(table.replication.others.size());
  for (const Replica& other : table.replication.others) {
    const TableAddress address = table.address_of(other);
    std::optional<Table> loaded = co_await load_table(reader, address);
    check_is_there(loaded && loaded->id == other.id, address);
    others.push_back(*std::move(loaded));
  }
  co_return others;
}

bool is_gaining_replica(const std::vector<Table>& others) {
  return std::ranges::any_of(others, [](const Table& other) { return other.features.is_new_replica; });
}

}  // namespace tidemill::dynamodb
