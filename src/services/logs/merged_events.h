// The events of several streams as one sequence, in the order of their places: what FilterLogEvents goes through.
#pragma once

#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <variant>
#include <vector>

#include "services/logs/stream.h"

namespace tidemill::logs {

class MergedEvents {
 public:
  // Read ahead of what was asked for, over all streams. Where that is less than a stream's next event, only its place is
  // kept, and the event is read when its turn comes.
  static constexpr size_t kBytesAheadMax = 4 << 20;
  static constexpr size_t kEventsAheadMax = 20'000;
  // Of so many streams, and less than as many more, it is kept where they are: of those whose events come first. When
  // these have got to where the first of the others begins, all are looked at anew.
  static constexpr size_t kStreamsMax = 50'000;

  using Streams = std::variant<std::vector<LogStream>, store::Range>;  // a range: part of streams_range()

  struct Found {
    const LogStream* stream = nullptr;  // good until the next call
    Event event;
  };

  // Those at from <= time < until, behind `after`. The snapshot outlives this. `streams_max` > 0.
  MergedEvents(store::Snapshot& snapshot, const LogGroup& group, Streams streams, Milliseconds from, Milliseconds until,
               EventPlace after, size_t streams_max = kStreamsMax);

  // The next; nothing at the end.
  Task<std::optional<Found>> next();

  // Streams that are kept, for tests.
  [[nodiscard]] size_t kept() const { return cursors_.size(); }

 private:
  struct Ahead {
    Event event;
    bool has_message = true;
  };
  struct Cursor {
    LogStream stream;
    std::vector<Ahead> ahead;
    size_t at = 0;    // of `ahead`
    EventPlace last;  // that was read ahead
    bool is_at_end = false;

    [[nodiscard]] bool is_empty() const { return at == ahead.size(); }
    [[nodiscard]] const EventPlace& place() const { return ahead[at].event.place; }
  };
  struct Later {
    bool operator()(const Cursor* a, const Cursor* b) const { return b->place() < a->place(); }
  };
  Task<void> begin();
  Task<void> look_at(const LogStream& stream);
  void leave_out_last();
  Task<void> fill(Cursor& cursor);
  [[nodiscard]] store::Range range_of(const LogStream& stream) const;

  store::Snapshot& snapshot_;
  const LogGroup& group_;
  const Streams streams_;
  const Milliseconds from_;
  const Milliseconds until_;
  const EventPlace after_;
  const size_t streams_max_;
  std::vector<std::unique_ptr<Cursor>> cursors_;  // of the streams that have any events there
  std::priority_queue<Cursor*, std::vector<Cursor*>, Later> order_;
  std::optional<EventPlace> began_at_;  // when the streams were last looked at anew
  std::optional<EventPlace> left_out_;  // the first event of those that are not kept
  bool is_begun_ = false;
};

}  // namespace tidemill::logs
