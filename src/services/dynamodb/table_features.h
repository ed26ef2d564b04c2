// What a table has beside its keys, its indexes and its billing: settings that have operations of their own, and what
// is going on with it. Part of the table's description in the store.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "services/dynamodb/kinesis_destination.h"
#include "services/dynamodb/throughput.h"
#include "store/store.h"

namespace tidemill::dynamodb {

struct TimeToLive {
  bool enabled = false;
  std::string attribute;  // of the last time it was enabled
  bool complete = false;  // the items that were there before it was enabled expire, too
  std::optional<base::Time> changed;
};

struct PointInTimeRecovery {
  base::Time since;  // no earlier moment can be restored
  int64_t days = 0;  // how far back one can go
};

// Of a table that is being made from another or from a backup.
struct Restoring {
  std::string backup_arn;  // empty: from the table itself
  std::string source_arn;  // the table that it is, or was
  base::Time moment;
};

struct TableFeatures {
  TimeToLive time_to_live;
  std::optional<PointInTimeRecovery> recovery;
  // Until all its items are there; nobody else can use the table before. The second: the ARN of the import.
  std::optional<Restoring> restoring;
  std::optional<std::string> importing;
  bool is_new_replica = false;  // of a global table, that is being filled (replica_fill.h)
  // Copies of the table that are being made (table_copy.h), by name, and from where on each needs the table's history.
  std::map<std::string, store::Version> copies;
  std::vector<KinesisDestination> kinesis;        // one of them is active at most
  std::optional<WarmThroughput> warm_throughput;  // as given; nothing: what the billing mode has anyway

  // Where changes are streamed to; nullptr: nowhere.
  [[nodiscard]] const KinesisDestination* active_kinesis() const {
    for (const KinesisDestination& destination : kinesis) {
      if (destination.active) return &destination;
    }
    return nullptr;
  }
  [[nodiscard]] bool is_being_filled() const { return restoring || importing || is_new_replica; }
  // Whether writers note what items were before they change (history.h).
  [[nodiscard]] bool keeps_history() const { return recovery || !copies.empty(); }
};

[[nodiscard]] json::Value features_json(const TableFeatures& features);
[[nodiscard]] TableFeatures features_from(const json::Value& json);

}  // namespace tidemill::dynamodb
