// Runs a query over events, one after the other.
//
//   Execution execution(query, limit);
//   for (…) execution.push(Record(event));
//   const auto rows = co_await execution.finish();
//
// What commands must keep is bounded: rows that are sorted are dropped as soon as they cannot be shown any more.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "lang/insights/node.h"

namespace tidemill::lang::insights {

// What one query keeps of rows, groups and seen values; beyond, it fails.
inline constexpr size_t kHeldBytesMax = 256 << 20;
inline constexpr size_t kHeldRowsMax = 100'000;

class ExecutionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Fields and what they hold, in their order; @ptr last, of what is an event.
using ResultRow = std::vector<std::pair<std::string, std::string>>;

class Execution {
 public:
  // At most `limit` rows come out. The query may go.
  Execution(const Query& query, size_t limit);
  ~Execution();
  Execution(const Execution&) = delete;

  // Throws ExecutionError.
  void push(Record record);
  // How many passed all filters.
  [[nodiscard]] uint64_t matched() const { return matched_; }
  // Does work on one row that takes so many steps of some nanoseconds: now, or, what is long, where it keeps nobody
  // waiting. What it throws ends the query.
  using Worker = std::function<Task<void>(size_t steps, const std::function<void()>& work)>;
  // Lets others have their turn. Nothing is pushed afterwards.
  Task<std::vector<ResultRow>> finish(const Worker& worker = work_at_once);
  static Task<void> work_at_once(size_t steps, const std::function<void()>& work);

 private:
  struct Stage;
  struct SortStage;
  struct StatsStage;
  struct DedupStage;
  struct LimitStage;
  void feed(size_t stage, Record record);
  void hold(size_t bytes);
  Task<void> finish_sort(size_t stage, const Worker& worker);
  Task<void> finish_stats(size_t stage, const Worker& worker);
  [[nodiscard]] ResultRow row_of(const Record& record) const;

  std::vector<std::shared_ptr<const Command>> commands_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<std::string> columns_;
  const size_t limit_;
  const Work work_;
  size_t held_bytes_ = 0;
  uint64_t matched_ = 0;
  std::vector<ResultRow> rows_;
};

}  // namespace tidemill::lang::insights
