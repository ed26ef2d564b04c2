// A query of Logs Insights: its record, a resource (account, region, "logs", "query", id), and its results,
//   KeySpace::log_event, the id's 16 bytes, 'r', u32 number      a piece of them: rows as JSON
// query_run.h carries it out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/insights/execution.h"
#include "services/logs/log_keys.h"
#include "store/resources.h"
#include "store/timer.h"

namespace tidemill::logs {

inline constexpr store::ResourceType kQueryType{"logs", "query"};
// Id: the query's key. Carries it out; once it has ended, forgets it.
inline constexpr store::TimerKind kQueryTimer{"logs-query"};

// Results are kept for so long, and of so many queries of an account's region.
inline constexpr base::Duration kQueryResultsKept = std::chrono::days(7);
inline constexpr size_t kQueriesKeptMax = 1'000;
// Beyond, the query has failed.
inline constexpr size_t kQueryResultBytesMax = 64 << 20;
inline constexpr base::Duration kQueryTimeMax = std::chrono::hours(1);
// Of an account's region: scheduled and running.
inline constexpr size_t kActiveQueriesMax = 100;
// That run at the same time in this process.
inline constexpr size_t kQueriesAtOnceMax = 8;
// A query that was under way at the ends of so many processes may have ended them.
inline constexpr int64_t kQueryAttemptsMax = 3;

struct QueryStatisticsRecord {
  int64_t matched = 0;
  int64_t scanned = 0;
  int64_t bytes = 0;
  int64_t groups = 0;
};

struct QueryRecord {
  store::ResourceAddress address;  // its name is the id
  std::string text;
  std::vector<std::string> groups;  // names
  Milliseconds from = 0;
  Milliseconds to = 0;  // included
  size_t limit = 0;
  std::string status;  // shapes::QueryStatus
  base::Time created;
  std::optional<base::Time> ended;
  QueryStatisticsRecord statistics;
  int64_t pieces = 0;  // of results
  int64_t attempts = 0;

  [[nodiscard]] bool is_active() const;  // scheduled or running
};

[[nodiscard]] std::string query_key(const store::ResourceAddress& address);
[[nodiscard]] std::string encode_query(const QueryRecord& query);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] QueryRecord decode_query(store::ResourceAddress address, std::string_view bytes);
Task<std::optional<QueryRecord>> find_query(store::Snapshot& reader, store::ResourceAddress address);
// All of an account's region, the newest first.
Task<std::vector<QueryRecord>> list_queries(store::Snapshot& reader, std::string_view account, std::string_view region);
// With its results and its timer.
Task<void> erase_query(store::Transaction& txn, const store::ResourceAddress& address);

[[nodiscard]] std::string result_key(std::string_view query_id, int64_t piece);
[[nodiscard]] store::Range results_range(std::string_view query_id);
// Rows, as JSON.
[[nodiscard]] std::string encode_rows(const std::vector<lang::insights::ResultRow>& rows, size_t begin, size_t end);
void decode_rows(std::string_view bytes, std::vector<lang::insights::ResultRow>& out);

// Where an event stands: @ptr.
struct EventPointer {
  std::string group;
  std::string stream;
  EventPlace place;
};
[[nodiscard]] std::string encode_pointer(const EventPointer& pointer);
[[nodiscard]] std::optional<EventPointer> decode_pointer(std::string_view text);

}  // namespace tidemill::logs
