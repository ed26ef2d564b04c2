// A secondary index: what it is, and how it is kept in its table's description. index_entries.h says what it holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dynamodb/key_condition.h"
#include "services/dynamodb/stream.h"
#include "services/dynamodb/throughput.h"

namespace tidemill::dynamodb {

// Of a table (developer guide, "Service, account, and table quotas").
inline constexpr size_t kLocalIndexesMax = 5;
inline constexpr size_t kGlobalIndexesMax = 20;
inline constexpr size_t kIndexKeyAttributesMax = 4;     // of each kind, of a global index; a local one has one of each
inline constexpr size_t kProjectedAttributesMax = 100;  // non-key attributes of all INCLUDE projections together

struct Index {
  enum class Kind : uint8_t { local, global };
  enum class Projection : uint8_t { all, keys_only, include };
  // An index that is being created is kept up to date by every write, but lacks the items that the backfill has not
  // reached yet (index_backfill.h). One that is deleted is gone at once, with its entries.
  enum class Status : uint8_t { creating, active };

  std::string name;
  uint16_t number = 0;  // in keys (key_layout.h); never given again to another index of the table
  Kind kind = Kind::global;
  std::vector<KeyAttribute> partitions;  // HASH attributes, in order; at least one
  std::vector<KeyAttribute> sorts;       // RANGE attributes, in order
  Projection projection = Projection::all;
  std::vector<std::string> non_key_attributes;  // of an INCLUDE projection
  Status status = Status::active;
  Throughput throughput;                           // of a global index; a local one uses its table's
  std::optional<int64_t> read_request_units_max;   // OnDemandThroughput
  std::optional<int64_t> write_request_units_max;
  std::optional<WarmThroughput> warm_throughput;   // of a global index, as given

  // What follows from the above and the table's keys: see complete().
  std::vector<KeyAttribute> entry_key;  // in the order in which they stand in the key of an entry
  std::vector<std::string> projected;   // sorted; empty: all

  [[nodiscard]] bool is_local() const { return kind == Kind::local; }
  [[nodiscard]] bool is_key(std::string_view attribute) const {
    return is_partition(attribute) || std::ranges::find(sorts, attribute, &KeyAttribute::name) != sorts.end();
  }
  [[nodiscard]] bool is_partition(std::string_view attribute) const {
    return std::ranges::find(partitions, attribute, &KeyAttribute::name) != partitions.end();
  }
  [[nodiscard]] bool has_several_of_a_kind() const { return partitions.size() > 1 || sorts.size() > 1; }
  // Whether entries have the attribute if their items have.
  [[nodiscard]] bool projects(std::string_view attribute) const;
  [[nodiscard]] lang::dynamodb::KeySchema key_schema() const;

  // Fills in what follows from the table's keys.
  void complete(const KeyAttribute& table_partition, const std::optional<KeyAttribute>& table_sort);
};

// Those of the attributes that the index does not project, each once: "[a, b]"; empty if there are none.
[[nodiscard]] std::string not_projected(const Index& index, const std::vector<std::string_view>& attributes);

// "ALL", "KEYS_ONLY", "INCLUDE".
[[nodiscard]] std::string_view projection_name(Index::Projection projection);
[[nodiscard]] std::optional<Index::Projection> projection_from_name(std::string_view name);

[[nodiscard]] json::Value index_json(const Index& index);
// Not complete() yet. Nothing if it cannot be read.
[[nodiscard]] std::optional<Index> index_from(const json::Value& json);

}  // namespace tidemill::dynamodb
