// A page of a group's streams, of which no more is read, and kept, than it takes: a group may have a million.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "services/logs/stream.h"

namespace tidemill::logs {

using StreamOrder = std::tuple<Milliseconds, std::string_view>;

// Where a stream stands in a listing.
struct StreamPlace {
  Milliseconds time = 0;  // of the last event, 0 for a stream without; also 0 in a listing by name
  std::string name;
  [[nodiscard]] StreamOrder order() const { return {time, name}; }
};

struct ListedStream {
  Milliseconds time = 0;
  LogStream stream;
  [[nodiscard]] StreamOrder order() const { return {time, stream.name}; }
};

struct StreamListing {
  bool by_time = false;  // by the last event's; otherwise by name
  bool descending = false;
  std::string name_prefix;
  std::optional<StreamPlace> after;
  size_t count = 0;
  size_t times_at_once = 128 << 10;  // of 24 bytes each, that a listing by time keeps in memory
};

// The first so many behind `after`. By name it reads those alone; by time all totals, and all streams as often as there
// are `times_at_once` of them.
Task<std::vector<ListedStream>> list_page(store::Snapshot& reader, const LogGroup& group, StreamListing listing);

}  // namespace tidemill::logs
