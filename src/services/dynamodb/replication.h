// Global tables (version 2019.11.21): tables of one name in several regions of an account, its replicas, that hold the
// same items. Each is a table like any other, and its description names the others.
//
// One server is all regions, so a write changes the item in every replica in one transaction (write_item.h): none
// is behind, and nothing has to be reconciled. Each has indexes, a stream and settings of its own; those that AWS keeps
// alike are changed in all of them at once (replica_settings.h). A new replica is filled in the background, while writes
// go to it already (replica_fill.h). What changes who belongs to a group changes every description of it in one
// transaction, so that whoever has read one of them knows all.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "services/dynamodb/key_layout.h"

namespace tidemill::dynamodb {

// Another replica of a table: of the same account and name.
struct Replica {
  std::string region;
  TableId id;
  std::optional<base::Time> sourced;  // when it was made from this table; nothing: it was not
};

struct Replication {
  // The same in all replicas: the id of the table that was the first. Writers of an item wait for each other by it,
  // whichever replica they write to.
  TableId group;
  std::vector<Replica> others;  // in the order in which they came; empty: the table is no replica

  // nullptr: there is none in that region.
  [[nodiscard]] const Replica* find(std::string_view region) const;
  void remove(std::string_view region);
};

// Of a table that is a replica.
[[nodiscard]] json::Value replication_json(const Replication& replication);
[[nodiscard]] Replication replication_from(const json::Value& json);

}  // namespace tidemill::dynamodb
