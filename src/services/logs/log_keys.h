// Where what a group holds lies in the store: KeySpace::log_event, the group's id, a part, and
//   's' string(stream name)                          the stream
//   'u' stream id                                    what its events come to (stream_totals.h)
//   'e' stream id, i64 time (ms), position           an event
//   'q' …                                            a document on its way to a data stream (subscription_queue.h)
//   'x' export task's id, string(folder)             how many streams have asked for the folder (export_folders.h)
//   'x' export task's id, string(folder) string(stream name)    which of them the stream is
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "services/logs/group.h"
#include "store/store.h"

namespace tidemill::logs {

// Tells events of one time apart, in the order of their coming: the store's version when they were written, and a count
// of those that this process wrote at that version.
struct EventPosition {
  uint64_t version = 0;
  uint32_t index = 0;
  auto operator<=>(const EventPosition&) const = default;
};

// Where an event stands in its stream. In a group, too: no two events have the same position.
struct EventPlace {
  Milliseconds time = 0;
  EventPosition position;
  auto operator<=>(const EventPlace&) const = default;

  static constexpr size_t kDigits = 56;
  // As decimal digits, whose order is the order of places.
  [[nodiscard]] std::string digits() const;
  // Nothing: these are no such digits.
  static std::optional<EventPlace> of_digits(std::string_view digits);
};

// Any thread.
class EventPositions {
 public:
  // The first of `count` positions in a row.
  EventPosition take(store::Version snapshot, uint32_t count);

 private:
  std::mutex mutex_;
  EventPosition next_;
};

// Everything in the group.
[[nodiscard]] store::Range contents_range(std::string_view group_id);

[[nodiscard]] std::string stream_key(std::string_view group_id, std::string_view name);
[[nodiscard]] store::Range streams_range(std::string_view group_id);
// Those whose names begin so.
[[nodiscard]] store::Range streams_range(std::string_view group_id, std::string_view name_prefix);
[[nodiscard]] std::string stream_name_of_key(std::string_view key);

[[nodiscard]] std::string totals_key(std::string_view group_id, std::string_view stream_id);
[[nodiscard]] store::Range totals_range(std::string_view group_id);
[[nodiscard]] std::string stream_id_of_totals_key(std::string_view key);

[[nodiscard]] std::string event_key(std::string_view group_id, std::string_view stream_id, const EventPlace& place);
[[nodiscard]] store::Range events_range(std::string_view group_id, std::string_view stream_id);
// from <= time < until
[[nodiscard]] store::Range events_range(std::string_view group_id, std::string_view stream_id, Milliseconds from,
                                        Milliseconds until);
[[nodiscard]] EventPlace place_of_event_key(std::string_view key);

// Of an export task's folder; `task_id` is a UUID.
[[nodiscard]] std::string export_folder_key(std::string_view group_id, std::string_view task_id,
                                            std::string_view folder);
[[nodiscard]] std::string export_folder_key(std::string_view group_id, std::string_view task_id,
                                            std::string_view folder, std::string_view stream_name);
[[nodiscard]] store::Range export_folders_range(std::string_view group_id, std::string_view task_id);

}  // namespace tidemill::logs
