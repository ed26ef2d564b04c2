// An execution's history: events in the words and the order of AWS's, each as the JSON that GetExecutionHistory shows.
// Those of one transition are one record.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "services/states/keys.h"
#include "store/store.h"

namespace tidemill::states {

inline constexpr uint64_t kHistoryEventsMax = 25'000;  // Step Functions' quota: then the execution fails

// What a transition adds to a history.
class HistoryWriter {
 public:
  // `is_kept` false counts events and keeps none: of Express executions, whose causes mention numbers of events.
  HistoryWriter(uint64_t next, bool is_kept) : next_(next), is_kept_(is_kept) {}

  // `details_name` is empty, or the member that `write` writes the members of. Returns the event's id.
  uint64_t add(std::string_view type, uint64_t previous, base::Time time, std::string_view details_name = {},
               const std::function<void(json::Writer&)>& write = {});

  // The id of the event that comes next.
  [[nodiscard]] uint64_t next() const { return next_; }
  [[nodiscard]] const std::string& text() const { return text_; }  // a line for each event
  // Begins the next transition's.
  void clear() { text_.clear(); }

 private:
  uint64_t next_;
  bool is_kept_;
  std::string text_;
};

// "input": …, "inputDetails": {"truncated": false}
void write_data(json::Writer& writer, std::string_view name, std::string_view text);

inline constexpr size_t kHistoryPageBytesMax = 8 * 1024 * 1024;  // of a page's events; one always stands in it

// Events in one direction, from the event `from` on (0: the first, or the last), at most `limit` and as many as the
// page's bytes allow; each as JSON text.
struct HistoryPage {
  std::vector<std::string> events;
  uint64_t next = 0;  // where the next page begins; 0: this was the last
};
Task<HistoryPage> read_history(store::Snapshot& snapshot, ExecutionId id, uint64_t from, size_t limit, bool reverse);

}  // namespace tidemill::states
