#include "services/dynamodb/large_reads.h"

#include <optional>
#include <string>
#include <utility>

#include "wire/large_work.h"

namespace tidemill::dynamodb {

Task<void> scan_large(store::Snapshot& snapshot, store::Range range, store::ScanOptions options,
                      const store::EntryVisitor& visit, base::BlockingWork* threads, size_t passes) {
  std::optional<std::pair<std::string, std::string>> large;
  std::optional<std::string> paused_at;
  size_t work = 0;  // since the last pause, of which the scan does not know
  const store::EntryVisitor show = [&](std::string_view key, std::string_view value) {
    --options.limit;
    if (wire::is_for_thread(value.size() * passes)) {
      large.emplace(key, value);
      return false;
    }
    work += value.size() * (passes - 1);
    if (!visit(key, value)) return false;
    if (work < wire::kPieceBytes) return true;
    paused_at = key;
    return false;
  };
  for (bool goes_on = true; goes_on && options.limit > 0;) {
    large.reset();
    paused_at.reset();
    co_await snapshot.scan(range, options, show);
    if (large) {
      goes_on = co_await wire::do_large_joined(threads, large->second.size() * passes,
                                               [&] { return visit(large->first, large->second); });
    } else if (!paused_at) {
      co_return;
    } else if (base::slice_is_over(std::exchange(work, 0) / wire::kBytesPerStep)) {
      co_await base::give_way();
    }
    std::string last = large ? std::move(large->first) : *std::move(paused_at);
    if (options.direction == store::Direction::forward) range.begin = std::move(last) + '\0';
    else range.end = std::move(last);
  }
}

Task<void> read_large_log(store::Snapshot& snapshot, const store::LogId& log, store::LogStart start,
                          const store::RecordVisitor& visit, base::BlockingWork* threads) {
  std::optional<std::pair<store::Position, std::string>> large;
  const store::RecordVisitor show = [&](store::Position position, std::string_view record) {
    --start.limit;
    start.after = position;
    if (!wire::is_for_thread(record.size())) return visit(position, record);
    large.emplace(position, record);
    return false;
  };
  for (bool goes_on = true; goes_on && start.limit > 0;) {
    large.reset();
    co_await snapshot.read_log(log, start, show);
    if (!large) co_return;
    goes_on = co_await wire::do_large_joined(threads, large->second.size(),
                                             [&] { return visit(large->first, large->second); });
  }
}

}  // namespace tidemill::dynamodb
