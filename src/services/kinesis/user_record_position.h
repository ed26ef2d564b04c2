// Where a mapping stands in a shard: user records of an aggregated record come one by one, and a batch may end between
// two of them. So the positions that the engine keeps are not the log's but finer ones, in the same order: the place
// within the commit and the place within the aggregated record share the index.
//
//   index = place within the commit (12 bits)   number of the user record (20 bits); all ones: the last one
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "services/kinesis/aggregated_record.h"
#include "store/store.h"

namespace tidemill::kinesis {

inline constexpr int kUserRecordBits = 20;
inline constexpr uint32_t kLastUserRecord = (1U << kUserRecordBits) - 1;
// A commit appends at most what one PutRecords may have: 500.
inline constexpr uint32_t kCommitIndexMax = (1U << (32 - kUserRecordBits)) - 1;
static_assert(kUserRecordsMax <= kLastUserRecord);

struct UserRecordPosition {
  store::Position log;
  uint32_t user_record = kLastUserRecord;

  [[nodiscard]] bool is_last() const { return user_record == kLastUserRecord; }

  // As the engine keeps it.
  [[nodiscard]] store::Position encode() const {
    if (log.index > kCommitIndexMax) throw std::logic_error("a commit has more records than a PutRecords may have");
    return {log.version, log.index << kUserRecordBits | user_record};
  }
  // Also of what the engine makes by itself: before_all(), and the ends of commits.
  static UserRecordPosition decode(store::Position position) {
    return {.log = {position.version, position.index >> kUserRecordBits},
            .user_record = position.index & kLastUserRecord};
  }
};

}  // namespace tidemill::kinesis
