// What a stream is: its shards, their names and logs, and how it is described in the store. A stream is a resource of
// its own, since it outlives its table and its successor by the retention (developer guide, "DynamoDB Streams").
//
// Each shard is one log of the store and takes the changes of a range of partition key hashes, so that all changes of
// an item go to one log, in order, and writers do not queue behind a single one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "services/dynamodb/arn.h"
#include "services/dynamodb/key_layout.h"
#include "store/store.h"

namespace tidemill::dynamodb {

// Open ones of a stream. As on AWS: those of a new on-demand table, and of a provisioned one as many as its throughput
// needs partitions, of 3,000 read and 1,000 write units each.
inline constexpr uint32_t kStreamShards = 4;
inline constexpr int64_t kPartitionReadUnits = 3000;
inline constexpr int64_t kPartitionWriteUnits = 1000;
inline constexpr std::chrono::hours kStreamRetention{24};

enum class ViewType : uint8_t { keys_only, new_image, old_image, new_and_old_images };

// "KEYS_ONLY", …
[[nodiscard]] std::string_view view_type_name(ViewType type);
[[nodiscard]] std::optional<ViewType> view_type_from_name(std::string_view name);

struct KeyAttribute {
  std::string name;
  Type type = Type::S;  // S, N or B
  bool operator==(const KeyAttribute&) const = default;
};

struct Shard {
  std::string id;               // "shardId-00000001573689847184-864758bb"
  uint32_t hash_begin = 0;      // it ends where the next begins
  base::Time created;           // no record is older
  std::optional<base::Time> closed;
  std::string parent;           // empty: none
};

struct Stream {
  StreamAddress address;
  TableId table;
  ViewType view_type = ViewType::new_and_old_images;
  KeyAttribute partition;
  std::optional<KeyAttribute> sort;
  base::Time created;
  std::optional<base::Time> disabled;  // when it was switched off, or its table deleted
  std::vector<Shard> shards;           // by id, which is the order of creation, too

  [[nodiscard]] const Shard* find(std::string_view shard_id) const;
  // A shard that still can have records: those of others are past retention.
  [[nodiscard]] bool is_live(const Shard& shard, base::Time now) const;
};

// A new stream with its first `shards`, at least one.
[[nodiscard]] Stream make_stream(StreamAddress address, const TableId& table, ViewType view_type,
                                 KeyAttribute partition, std::optional<KeyAttribute> sort, uint32_t shards,
                                 base::Time now);
// Switches the stream off: its shards are closed.
void disable(Stream& stream, base::Time now);

// "2015-05-11T21:21:33.291": the time of creation.
[[nodiscard]] std::string stream_label(base::Time time);

// The log of a shard. Only of its names, so that a reader can subscribe before it has looked anything up.
[[nodiscard]] store::LogId shard_log(std::string_view stream_arn, std::string_view shard_id);

// Signalled when the stream's list of shards changes, or the stream ends.
[[nodiscard]] std::string stream_topic(std::string_view stream_arn);

// ---- In the store: KeySpace::resource, (account, region, "dynamodb", "stream", table name, label) ----

[[nodiscard]] std::string stream_key(const StreamAddress& address);
// The streams of one table; of an account's region.
[[nodiscard]] store::Range table_streams_range(const TableAddress& table);
[[nodiscard]] store::Range all_streams_range(std::string_view account, std::string_view region);

[[nodiscard]] std::string encode_stream(const Stream& stream);
[[nodiscard]] std::optional<Stream> decode_stream(std::string_view bytes);

// Nothing if there is none.
Task<std::optional<Stream>> load_stream(store::Snapshot& snapshot, const StreamAddress& address);
void save_stream(store::Transaction& txn, const Stream& stream);
// Removes the stream with its records.
void erase_stream(store::Transaction& txn, const Stream& stream);

}  // namespace tidemill::dynamodb
