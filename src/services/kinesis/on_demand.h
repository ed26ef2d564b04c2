// Streams on demand: they have shards for double the peak of what is written to them (developer guide, "Choose the data
// stream capacity mode"), so they grow with their load.
//
// The load is what a minute brings on average; it is looked at with the first write after the minute's end, so that a
// stream that nobody writes to costs nothing. Kept in memory. Streams do not shrink.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "services/kinesis/stream.h"

namespace tidemill::kinesis {

class Service;

inline constexpr uint32_t kOnDemandShardsMax = 200;  // AWS's default quota: 200 MB and 200,000 records a second

// Any thread.
class OnDemandLoad {
 public:
  static constexpr size_t kStreamsMax = 10'000;  // that are measured; beyond, all start anew

  // Counts a write. Says how many shards the stream should have when a minute has ended in which it had too few.
  std::optional<uint32_t> note(const Stream& stream, size_t bytes, size_t records, base::Time now);

 private:
  struct Minute {
    base::Time begin;
    double bytes = 0;
    double records = 0;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, Minute> streams_;  // by id
};

// Lets the stream have at least so many shards, if it still is on demand and nothing else changes it.
Task<void> grow_on_demand(Service& service, StreamAddress address, uint32_t shards);

}  // namespace tidemill::kinesis
