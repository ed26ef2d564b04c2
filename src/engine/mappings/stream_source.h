// Where an event source mapping of a stream reads from. A service that has streams (DynamoDB, Kinesis)
// implements it; main hands it to the mappings. Records are in the order of their log, and positions are the store's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "store/store.h"

namespace tidemill::engine {

struct Mapping;

struct StreamShard {
  std::string shard_id;
  std::vector<std::string> parents;  // read these to their end first, if they are still there
  bool closed = false;               // no record will come any more
  std::string incarnation;           // another if the stream was deleted and made again under its name
};

struct StreamRecord {
  store::Position position;
  std::string sequence_number;  // as applications see it
  base::Time arrival;           // ApproximateCreationDateTime: what age is measured from
  std::string event_json;       // the record as it stands in the "Records" of the function's event
  std::string ordering_key;     // records of one key are delivered in order: an item's key, a partition key
};

// Where the records of one sequence number are; several, if they came in one aggregated record.
struct SequenceSpan {
  store::Position before;  // reading after it gives the first of them
  store::Position last;
};

class StreamSource {
 public:
  virtual ~StreamSource() = default;

  // True if `arn` names a stream of this source's service.
  [[nodiscard]] virtual bool owns(std::string_view arn) const = 0;

  // False: there is no such stream (any more).
  virtual Task<bool> exists(std::string_view arn) = 0;

  // All shards that still hold or will get records, parents before children. Empty if the stream is gone.
  virtual Task<std::vector<StreamShard>> shards(std::string_view arn) = 0;

  // Records of a shard of the mapping's stream after `after`, at most `count_max` and about `bytes_max` of event JSON
  // (at least one record if there is any), as they are told to the mapping's function. `after` may be any position, also
  // the one right before a record (store::before). The mapping outlives the task.
  virtual Task<std::vector<StreamRecord>> read(const Mapping& mapping, std::string_view shard_id, store::Position after,
                                               size_t count_max, size_t bytes_max) = 0;

  // Nothing: no stream of this source has such sequence numbers.
  [[nodiscard]] virtual std::optional<SequenceSpan> span_of(std::string_view sequence_number) const = 0;

  // The shard's newest position now: where LATEST starts.
  virtual Task<store::Position> latest(std::string_view arn, std::string_view shard_id) = 0;

  // Calls `changed` (from any thread, as store::Store::subscribe does) when the shard gets records or is closed.
  virtual store::Subscription watch_shard(std::string_view arn, std::string_view shard_id,
                                          std::function<void()> changed) = 0;
  // The same for the list of shards, including the end of the stream and a shard's being closed.
  virtual store::Subscription watch_shards(std::string_view arn, std::function<void()> changed) = 0;

  // A record of this age is not delivered any more, however often its batch may be retried. As of the last shards() or
  // read().
  [[nodiscard]] virtual base::Duration retention(std::string_view arn) const = 0;
};

}  // namespace tidemill::engine
