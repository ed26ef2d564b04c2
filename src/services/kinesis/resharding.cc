#include "services/kinesis/resharding.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace tidemill::kinesis {
namespace {

Shard& shard_at(Stream& stream, uint32_t number) {
  return *std::ranges::lower_bound(stream.shards, number, {}, &Shard::number);
}

// `after`: the latest number_time() of its parents. Shards that are made within a second, or after the clock went back,
// are numbered by later seconds than the clock's.
Shard& add_shard(Stream& stream, HashKey begin, HashKey end, base::Time now, base::Time after) {
  stream.shards.push_back({.number = stream.next_shard++, .begin = begin, .end = end, .created = now});
  const base::Time next = std::chrono::floor<std::chrono::seconds>(after) + std::chrono::seconds(1);
  if (now < next) stream.shards.back().numbered = next;
  return stream.shards.back();
}

// The open shards' numbers, by where their ranges begin: together these are all keys.
using OpenShards = std::map<HashKey, uint32_t>;

OpenShards open_shards_of(const Stream& stream) {
  OpenShards open;
  for (const Shard& shard : stream.shards) {
    if (shard.is_open()) open.emplace(shard.begin, shard.number);
  }
  return open;
}

// Until the stream has another shard.
const Shard& open_shard_with(Stream& stream, const OpenShards& open, HashKey key) {
  return shard_at(stream, std::prev(open.upper_bound(key))->second);
}

}  // namespace

void split_open_shard(Stream& stream, uint32_t number, HashKey at, base::Time now) {
  Shard& parent = shard_at(stream, number);
  parent.closed = now;
  const HashKey begin = parent.begin;
  const HashKey end = parent.end;
  const base::Time after = parent.number_time();
  add_shard(stream, begin, at - 1, now, after).parent = number;
  add_shard(stream, at, end, now, after).parent = number;
}

void merge_open_shards(Stream& stream, uint32_t number, uint32_t adjacent, base::Time now) {
  Shard& first = shard_at(stream, number);
  Shard& second = shard_at(stream, adjacent);
  first.closed = now;
  second.closed = now;
  const HashKey begin = std::min(first.begin, second.begin);
  const HashKey end = std::max(first.end, second.end);
  Shard& child = add_shard(stream, begin, end, now, std::max(first.number_time(), second.number_time()));
  child.parent = number;
  child.adjacent_parent = adjacent;
}

bool are_adjacent(const Shard& first, const Shard& second) {
  return first.end < second.begin && first.end + 1 == second.begin;
}

void reshard_uniformly(Stream& stream, uint32_t count, base::Time now) {
  OpenShards open = open_shards_of(stream);
  for (uint32_t i = 1; i < count; ++i) {
    const HashKey start = uniform_start(i, count);
    const Shard& shard = open_shard_with(stream, open, start);
    const HashKey begin = shard.begin;
    if (begin == start) continue;
    split_open_shard(stream, shard.number, start, now);
    open[begin] = stream.next_shard - 2;
    open[start] = stream.next_shard - 1;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const HashKey begin = uniform_start(i, count);
    const HashKey end = i + 1 == count ? kHashKeyMax : uniform_start(i + 1, count) - 1;
    while (true) {
      const Shard& shard = open_shard_with(stream, open, begin);
      if (shard.end == end) break;
      const HashKey border = shard.end + 1;
      merge_open_shards(stream, shard.number, open_shard_with(stream, open, border).number, now);
      open.erase(border);
      open[begin] = stream.next_shard - 1;
    }
  }
}

}  // namespace tidemill::kinesis
