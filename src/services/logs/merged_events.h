// The events of several streams as one sequence, in the order of their places: what FilterLogEvents goes through.
#pragma once

#include <deque>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "services/logs/stream.h"

namespace tidemill::logs {

class MergedEvents {
 public:
  // Read ahead of what was asked for, over all streams. Where that is less than a stream's next event, only its place is
  // kept, and the event is read when its turn comes.
  static constexpr size_t kBytesAheadMax = 4 << 20;
  static constexpr size_t kEventsAheadMax = 20'000;

  struct Found {
    const LogStream* stream = nullptr;
    Event event;
  };

  // Those at from <= time < until, behind `after`. The snapshot and the streams outlive this.
  MergedEvents(store::Snapshot& snapshot, const LogGroup& group, const std::vector<LogStream>& streams,
               Milliseconds from, Milliseconds until, EventPlace after);

  // The next; nothing at the end.
  Task<std::optional<Found>> next();

 private:
  struct Ahead {
    Event event;
    bool has_message = true;
  };
  struct Cursor {
    const LogStream* stream = nullptr;
    store::Range rest;
    std::deque<Ahead> ahead;
    bool is_at_end = false;
  };
  struct Later {
    bool operator()(const Cursor* a, const Cursor* b) const { return b->ahead.front().event.place < a->ahead.front().event.place; }
  };
  Task<void> begin();
  Task<void> fill(Cursor& cursor);

  store::Snapshot& snapshot_;
  const std::string group_id_;
  const std::vector<LogStream>& streams_;
  const Milliseconds from_;
  const Milliseconds until_;
  const EventPlace after_;
  size_t events_ahead_max_;
  size_t bytes_ahead_max_;
  std::vector<std::unique_ptr<Cursor>> cursors_;  // of the streams that have any events there
  std::priority_queue<Cursor*, std::vector<Cursor*>, Later> order_;
  bool is_begun_ = false;
};

}  // namespace tidemill::logs
