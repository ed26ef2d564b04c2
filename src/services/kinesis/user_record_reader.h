// Reads a shard for a function: aggregated records are taken apart, and each user record becomes an element of the
// function's event, with the sequence number and the time of the record that it came in and a key and data of its own.
#pragma once

#include <vector>

#include "engine/mappings/stream_source.h"
#include "services/kinesis/data_record.h"
#include "services/kinesis/encryption.h"
#include "services/kinesis/lambda_event.h"
#include "services/kinesis/stream.h"
#include "services/kinesis/user_record_position.h"

namespace tidemill::kinesis {

struct UserRecordLimits {
  size_t count_max = 0;
  size_t bytes_max = 0;  // of event JSON; one record is read whatever its size
};

// For one read.
class UserRecordReader {
 public:
  // The parts outlive this.
  UserRecordReader(EventOrigin origin, const Shard& shard, UserRecordLimits limits)
      : origin_(origin), shard_(shard), limits_(limits) {}

  // Leaves out user records whose keys do not belong to the shard: a producer that was late for a resharding has put
  // them there (developer guide of Lambda: with enhanced fan-out such records are dropped). They are noted behind
  // `noted`, since what nothing follows is read again and again.
  void leave_out_foreign(store::Position noted) {
    leaves_out_foreign_ = true;
    last_foreign_ = noted;
  }
  [[nodiscard]] uint64_t foreign_records() const { return foreign_records_; }
  [[nodiscard]] store::Position last_foreign() const { return last_foreign_; }

  Task<void> read(store::Snapshot& snapshot, const Stream& stream, store::Position after, base::Time now,
                  RecordOpener& opener);

  [[nodiscard]] std::vector<engine::StreamRecord> take() { return std::move(records_); }

 private:
  bool take_record(store::Position position, const DataRecord& record);
  bool take_aggregated(store::Position position, const std::vector<UserRecord>& user_records);
  void add(UserRecordPosition position, std::string_view partition_key, std::string_view data);
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] bool is_foreign(const UserRecord& record) const;
  void note_foreign(store::Position position);

  const EventOrigin origin_;
  const Shard& shard_;
  const UserRecordLimits limits_;
  bool leaves_out_foreign_ = false;
  uint64_t foreign_records_ = 0;
  store::Position last_foreign_;
  UserRecordPosition after_;
  std::vector<engine::StreamRecord> records_;
  size_t bytes_ = 0;
};

}  // namespace tidemill::kinesis
