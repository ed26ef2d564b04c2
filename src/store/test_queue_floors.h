// For tests: what must hold of floors, looked at on a simulated disk.
#pragma once

#include <string>

#include "store/keys.h"
#include "store/sim_store.h"

namespace tidemill::store {

// An entry that stands below its queue's floor, where no look would find it; empty: none does (store/queue.h).
inline std::string entry_below_floor(const SimDisk& disk) {
  const std::string floors{static_cast<char>(KeySpace::tally), 'f'};
  for (auto floor = disk.data.lower_bound(floors); floor != disk.data.end() && floor->first.starts_with(floors);
       ++floor) {
    const std::string prefix = floor->first.substr(floors.size());
    const auto first = disk.data.lower_bound(prefix);
    if (first != disk.data.end() && first->first.starts_with(prefix) && first->first < prefix + floor->second) {
      return first->first;
    }
  }
  return "";
}

// How many queues have one: a test that moves none up shows nothing.
inline size_t floors_raised(const SimDisk& disk) {
  const std::string floors{static_cast<char>(KeySpace::tally), 'f'};
  size_t count = 0;
  for (auto floor = disk.data.lower_bound(floors); floor != disk.data.end() && floor->first.starts_with(floors);
       ++floor) {
    ++count;
  }
  return count;
}

}  // namespace tidemill::store
