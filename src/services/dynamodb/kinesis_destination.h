// Tables that stream the changes of their items to a data stream (developer guide, "Using Kinesis Data Streams to
// capture changes to DynamoDB").
//
// A change is noted in an outbox, a log, by the transaction that makes it, so none is lost and those of an item are in
// order; kinesis_forwarder.h carries them over. What stands in the outbox has not arrived: its trimming is the
// checkpoint. An outbox has a description of its own, since it outlives what it is of: a destination that was disabled,
// or a table that was deleted, until it is empty.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "services/dynamodb/arn.h"
#include "services/dynamodb/stream.h"
#include "store/store.h"

namespace tidemill::dynamodb {

struct Table;

// Of a table's description: those that it has, or had, one for each stream.
struct KinesisDestination {
  std::string outbox;  // its id: 16 random bytes, drawn when it is enabled
  std::string stream_arn;
  std::string precision;  // MILLISECOND, MICROSECOND; empty: never given, milliseconds
  bool active = false;
};

// In the store: KeySpace::resource, ("", "", "dynamodb", "kinesis-outbox", id), of all accounts together.
struct Outbox {
  std::string id;
  TableAddress table;
  KeyAttribute partition;
  std::optional<KeyAttribute> sort;
  std::string stream_arn;
  bool in_microseconds = false;
  bool ended = false;  // nothing comes any more: it goes once it is empty
};

[[nodiscard]] json::Value destinations_json(const std::vector<KinesisDestination>& destinations);
[[nodiscard]] std::vector<KinesisDestination> destinations_from(const json::Value& json);

[[nodiscard]] store::LogId outbox_log(std::string_view id);
[[nodiscard]] std::string outbox_key(std::string_view id);
[[nodiscard]] store::Range outboxes_range();
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Outbox decode_outbox(std::string_view bytes);

// Signalled with each change of any outbox's description.
inline constexpr std::string_view kOutboxesTopic = "dynamodb-kinesis-outboxes";
void save_outbox(store::Transaction& txn, const Outbox& outbox);
// With all that is in it.
void erase_outbox(store::Transaction& txn, const Outbox& outbox);

// Begins to stream the table's changes; the caller saves the table.
void enable_destination(store::Transaction& txn, Table& table, std::string stream_arn, std::string precision);
// Ends it: what has been noted is still carried over. The caller saves the table, or drops it.
Task<void> end_destination(store::Transaction& txn, KinesisDestination& destination);

}  // namespace tidemill::dynamodb
