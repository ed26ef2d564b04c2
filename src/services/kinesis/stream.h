// What a stream is, and how it is kept in the store: KeySpace::resource, (account, region, "kinesis", "stream", name).
// Beside it, under "stream-stamp", stand a few bytes that each change of the record replaces: who knows the record of a
// stamp need not read it again, however many shards it tells of.
//
// Each shard is one log of the store and takes the records of a range of hash keys. Writers read the stream's record in
// the transaction that appends, so that none goes to a shard that has been closed, and conflict with nothing else.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "services/kinesis/hash_key.h"
#include "services/kinesis/sequence_number.h"
#include "services/kinesis/stream_address.h"
#include "store/store.h"

namespace tidemill::kinesis {

inline constexpr size_t kStreamIdSize = 16;
inline constexpr int kOnDemandShards = 4;  // of a new on-demand stream
inline constexpr std::chrono::hours kRetentionMin{24};
inline constexpr std::chrono::hours kRetentionMax{8'760};
inline constexpr int kRecordKibMin = 1'024;

struct Shard {
  uint32_t number = 0;  // never given again within a stream
  HashKey begin = 0;
  HashKey end = 0;     // the last that belongs to it
  base::Time created;  // no record is older
  std::optional<base::Time> closed;
  std::optional<uint32_t> parent;
  std::optional<uint32_t> adjacent_parent;  // of a merge: the second one
  // The second in its sequence numbers, where that is not the one in which it was made.
  std::optional<base::Time> numbered;

  // Of a shard it tells who it is, and of a child it is later than its parents': whatever a child holds has greater
  // numbers.
  [[nodiscard]] base::Time number_time() const { return numbered.value_or(created); }
  [[nodiscard]] std::string id() const;  // "shardId-000000000000"
  [[nodiscard]] bool is_open() const { return !closed; }
  [[nodiscard]] std::string sequence_number(store::Position position) const;
  // No record is before it; a record may be named by it all the same.
  [[nodiscard]] std::string first_sequence_number() const;
};

// "shardId-000000000001", and other spellings as AWS takes them: the number alone, or behind anything and a hyphen.
// Nothing for what names no shard.
[[nodiscard]] std::optional<uint32_t> parse_shard_id(std::string_view id);

enum class Status { creating, active, updating, deleting };
[[nodiscard]] std::string_view status_name(Status status);

// What is to happen to a stream that is not ACTIVE; a timer does it (stream_changes.h).
struct PendingChange {
  enum class Kind { none, split, merge, reshard };
  Kind kind = Kind::none;
  uint32_t shard = 0;           // split, merge
  uint32_t adjacent_shard = 0;  // merge
  HashKey split_at = 0;
  uint32_t shard_count = 0;  // reshard
};

struct Stream {
  StreamAddress address;
  std::string id;  // kStreamIdSize random bytes: a stream that is made again has another
  base::Time created;
  Status status = Status::creating;
  PendingChange pending;
  bool on_demand = false;
  std::chrono::hours retention = kRetentionMin;
  base::Time trimmed{};      // what was older had been trimmed when the retention was last increased
  base::Time trims_ended{};  // when the last trim left nothing behind: see retention.cc
  int record_kib_max = kRecordKibMin;
  std::string kms_key;               // encrypts records; as it was named. Empty: none
  std::vector<std::string> metrics;  // of enhanced monitoring
  std::map<std::string, std::string> tags;
  std::vector<base::Time> reshardings;   // UpdateShardCount within its limit's window
  std::vector<base::Time> mode_changes;  // the same
  std::vector<base::Time> encryptions;   // of StartStreamEncryption the same, and of
  std::vector<base::Time> decryptions;   // StopStreamEncryption
  uint32_t next_shard = 0;
  std::vector<Shard> shards;  // by number

  // Made from the above by decode_stream.
  std::string stamp;                                  // empty: of before there were stamps
  std::string encoded;
  std::vector<uint32_t> open;                         // indexes of open shards by their ranges
  std::shared_ptr<std::atomic<bool>> has_trim_timer;  // of this description; see retention.h

  // nullptr: none that can still be read at `now`.
  [[nodiscard]] const Shard* find(std::string_view shard_id, base::Time now) const;
  [[nodiscard]] const Shard* find(uint32_t number) const;
  // The open shard that takes the key.
  [[nodiscard]] const Shard& shard_of(HashKey key) const;
  // Records from this time on can be read at `now`.
  [[nodiscard]] base::Time horizon(base::Time now) const { return std::max(now - retention, trimmed); }
  // A shard that still can have records: those of others are past retention.
  [[nodiscard]] bool is_live(const Shard& shard, base::Time now) const {
    return shard.is_open() || *shard.closed > horizon(now);
  }
  [[nodiscard]] std::vector<const Shard*> live_shards(base::Time now) const;
  [[nodiscard]] std::vector<const Shard*> children(uint32_t number) const;
  [[nodiscard]] size_t open_shards() const;
};

using StreamPtr = std::shared_ptr<const Stream>;

// A new stream with shards of equal ranges. CREATING.
[[nodiscard]] Stream make_stream(StreamAddress address, uint32_t shard_count, base::Time now);

// The log of a shard.
[[nodiscard]] store::LogId shard_log(std::string_view stream_id, uint32_t shard);
// Signalled when a stream's description changes: its shards, its end.
[[nodiscard]] std::string stream_topic(const StreamAddress& address);

[[nodiscard]] std::string stream_key(const StreamAddress& address);
// The streams of an account's region.
[[nodiscard]] store::Range streams_range(std::string_view account, std::string_view region);
// Nothing: the key is not one of a stream.
[[nodiscard]] std::optional<StreamAddress> stream_of_key(std::string_view key);

[[nodiscard]] std::string encode_stream(const Stream& stream);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Stream decode_stream(StreamAddress address, std::string bytes);
void save_stream(store::Transaction& txn, const Stream& stream);
void erase_stream_record(store::Transaction& txn, const StreamAddress& address);

// Keeps decoded streams, so that an operation on records decodes none. What is here is only used if the store still
// says the same, by the stream's stamp. Any thread.
class StreamCache {
 public:
  static constexpr size_t kStreamsMax = 10'000;  // kept; beyond, the cache starts anew

  // nullptr: there is no such stream. The read is tracked if `reader` is a transaction.
  Task<StreamPtr> find(store::Snapshot& reader, StreamAddress address);
  // The same; throws ResourceNotFoundException.
  Task<StreamPtr> get(store::Snapshot& reader, StreamAddress address);

 private:
  [[nodiscard]] StreamPtr known(const std::string& key, const std::string& stamp);

  std::mutex mutex_;
  std::unordered_map<std::string, StreamPtr> streams_;  // by stream_key
};

}  // namespace tidemill::kinesis
