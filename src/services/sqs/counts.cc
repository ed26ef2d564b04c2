#include "services/sqs/counts.h"

#include <algorithm>

#include "base/executor.h"
#include "services/sqs/message.h"
#include "services/sqs/message_keys.h"

namespace tidemill::sqs {
namespace {

constexpr size_t kPieceMax = 10'000;

void count(const Queue& queue, const MessageState& state, base::Time now, Counts& counts) {
  if (queue.is_fifo() || state.receives <= kReceivesOfOldestMax) {
    counts.oldest = std::min(counts.oldest.value_or(state.sent), state.sent);
  }
  if (state.available <= now)
    ++counts.visible;
  else if (state.receives > 0)
    ++counts.in_flight;
  else
    ++counts.delayed;
}

// Those of the range's entries that hold a record.
Task<void> count_records(store::Snapshot& snapshot, store::Range rest, const Queue& queue, base::Time now,
                         Counts& counts) {
  for (bool is_whole = false; !is_whole;) {
    size_t piece = 0;
    is_whole = true;
    co_await snapshot.scan(rest, store::Direction::forward, [&](std::string_view key, std::string_view value) {
      if (piece++ == kPieceMax) {
        rest.begin = key;
        is_whole = false;
        return false;
      }
      if (value.empty()) return true;
      const MessageState state = decode_state(value);
      if (queue.expiry_of(state.sent) > now) count(queue, state, now, counts);
      return true;
    });
    if (!is_whole) co_await base::yield();
  }
}

}  // namespace

Task<Counts> count_messages(store::Store& store, const Queue& queue, base::Time now) {
  Counts counts;
  const auto snapshot = store.snapshot();
  co_await count_records(*snapshot, states_range(queue.id), queue, now, counts);
  if (!queue.is_fifo()) co_await count_records(*snapshot, available_range(queue.id), queue, now, counts);
  co_return counts;
}

}  // namespace tidemill::sqs
