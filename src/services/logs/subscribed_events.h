// Which events of a request a group's subscription filters want, and how they get on their way: in the transaction that
// writes the events, so that none is lost by a crash.
#pragma once

#include <vector>

#include "services/logs/group.h"
#include "services/logs/log_keys.h"
#include "services/logs/pattern_matching.h"
#include "services/logs/stream.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {

// Made before the transaction that writes the events.
class SubscribedEvents {
 public:
  SubscribedEvents() = default;

  static Task<SubscribedEvents> find(PatternMatching& matching, LogGroupPtr group,
                                     const std::vector<wire::logs::InputLogEvent>& events);

  // Whether this is what the filters of `group` want.
  [[nodiscard]] bool is_of(const LogGroup& group) const;
  // Those of the events begin <= index < end, of which `first` is the position of the first.
  Task<void> enqueue(store::Transaction& txn, const LogStream& stream,
                     const std::vector<wire::logs::InputLogEvent>& events, size_t begin, size_t end,
                     EventPosition first, base::Time now) const;

 private:
  LogGroupPtr group_;
  std::vector<std::vector<bool>> wanted_;  // for each filter, each event
};

}  // namespace tidemill::logs
