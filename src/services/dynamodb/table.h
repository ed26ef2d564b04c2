// What a table is, and how it is described in the store: KeySpace::resource, (account, region, "dynamodb", "table",
// name). Every write of an item reads the description in its transaction, so that it conflicts with a concurrent
// change or deletion of the table.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "services/dynamodb/arn.h"
#include "services/dynamodb/index.h"
#include "services/dynamodb/key_layout.h"
#include "services/dynamodb/replication.h"
#include "services/dynamodb/stream.h"
#include "services/dynamodb/throughput.h"
#include "services/dynamodb/table_features.h"
#include "store/remembered.h"

namespace tidemill::dynamodb {

// How writers see the table's stream.
struct TableStream {
  struct OpenShard {
    std::string id;
    uint32_t hash_begin = 0;
    store::LogId log;
  };

  std::string label;
  ViewType view_type = ViewType::new_and_old_images;
  std::vector<OpenShard> shards;  // by hash_begin; the first begins at 0
  std::optional<base::Time> emptied;  // when nothing was left in it to trim: then there is no timer either
  // Whether a timer is set, or being set, that will trim what is written now (stream_retention.h); since `emptied`.
  std::shared_ptr<std::atomic<bool>> retention_set = std::make_shared<std::atomic<bool>>(false);

  [[nodiscard]] const store::LogId& log_for(uint32_t hash) const;
};

struct Encryption {
  base::Time updated;
  std::string kms_key_arn;
};

struct Table {
  TableAddress address;
  TableId id;
  base::Time created;
  KeyAttribute partition;
  std::optional<KeyAttribute> sort;

  bool on_demand = false;
  std::optional<base::Time> on_demand_since;
  Throughput throughput;
  std::optional<int64_t> read_request_units_max;   // OnDemandThroughput
  std::optional<int64_t> write_request_units_max;
  std::string table_class;                         // empty: never given, STANDARD
  std::optional<base::Time> table_class_updated;
  std::optional<Encryption> encryption;            // with a KMS key; nothing: AWS-owned key
  bool deletion_protected = false;
  std::map<std::string, std::string> tags;
  TableFeatures features;

  std::vector<Index> indexes;     // local ones first, then in the order of their creation
  uint16_t last_index_number = 0;  // that an index of this table ever had
  // Of a table with local indexes, whose item collections have counters (item_collection.h): none, as binaries left it
  // that knew nothing of them; some, of those that have been written since; or all.
  enum class CollectionCounts : uint8_t { none, some, all };
  CollectionCounts collection_counts = CollectionCounts::none;

  std::optional<TableStream> stream;  // enabled now
  std::string latest_stream_label;    // of the last stream there was

  Replication replication;  // of a replica of a global table

  store::Remembered stored;  // set by decode_table and load_table: what it was made of

  [[nodiscard]] std::string stream_arn() const { return StreamAddress{address, latest_stream_label}.arn(); }
  [[nodiscard]] lang::dynamodb::KeySchema key_schema() const;
  [[nodiscard]] bool is_key(std::string_view attribute) const {
    return attribute == partition.name || (sort && attribute == sort->name);
  }
  [[nodiscard]] bool is_replica() const { return !replication.others.empty(); }
  // Where another of its replicas lives.
  [[nodiscard]] TableAddress address_of(const Replica& other) const {
    return {address.account, other.region, address.name};
  }
  void set_stream(const Stream& stream);
  // nullptr: there is none of this name. Valid until the indexes change.
  [[nodiscard]] const Index* find_index(std::string_view name) const;
  [[nodiscard]] Index* find_index(std::string_view name);
  // Gives the index its number and completes it. False: the table has had too many indexes.
  [[nodiscard]] bool add_index(Index index);
  [[nodiscard]] bool has_local_indexes() const { return !indexes.empty() && indexes.front().is_local(); }
  [[nodiscard]] std::span<const Index> local_indexes() const;
};

[[nodiscard]] std::string table_key(const TableAddress& address);
// The tables of an account's region.
[[nodiscard]] store::Range all_tables_range(std::string_view account, std::string_view region);
// The name in a key of that range.
[[nodiscard]] std::string table_name_of(std::string_view key);

[[nodiscard]] std::string encode_table(const Table& table);
[[nodiscard]] std::optional<Table> decode_table(std::string_view bytes);
[[nodiscard]] std::optional<Table> decode_table(store::Remembered stored);

// Nothing if there is none.
Task<std::optional<Table>> load_table(store::Snapshot& snapshot, const TableAddress& address);

// The same, and nothing either while the table is being restored, imported or filled as a replica: to everybody but its
// own description it is not there.
Task<std::optional<Table>> load_usable_table(store::Snapshot& snapshot, const TableAddress& address);

void save_table(store::Transaction& txn, const Table& table);

}  // namespace tidemill::dynamodb
