// Queries of Logs Insights: "CloudWatch Logs Insights language query syntax" in the user guide.
//
//   fields @timestamp, concat(level, "!") as shouted
//   | filter ispresent(ms) and @message like /time(d )?out/ and level not in ["debug"]
//   | parse @message "user=*, took *ms" as user, took
//   | stats count(*) as n, avg(ms), pct(ms, 99) by bin(5m), user
//   | sort n desc | dedup user | limit 20 | display n, user
//
// Keywords and functions in any case. Names with other characters than letters, digits, '_', '@', '.' stand in
// `backticks`;
// '#' begins a comment. Regular expressions are RE2's, so that none takes longer than its text.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::lang::insights {

inline constexpr size_t kQuerySizeMax = 10'000;
inline constexpr size_t kCommandsMax = 100;
inline constexpr int kQueryDepthMax = 64;
inline constexpr size_t kParsedFieldsMax = 100;
// Of all regular expressions of a query: each may take a few nanoseconds for each byte of a message.
inline constexpr size_t kRegexInstructionsMax = 4'000;
// Shown at most, and without a limit; a limit may not be more.
inline constexpr size_t kResultsMax = 10'000;

// What is wrong with a query, and where: begin <= offset < end in its text.
class QueryError : public std::runtime_error {
 public:
  QueryError(const std::string& message, size_t begin, size_t end)
      : std::runtime_error(message), begin(begin), end(end) {}
  const size_t begin;
  const size_t end;
};

struct Command;

// How much work a query is for each event.
struct Work {
  size_t regex_instructions = 0;
  size_t text_calls = 0;    // of functions that walk over texts
  size_t fields = 0;        // that are read, each a copy
  bool makes_texts = false;  // which may be longer than the event is

  // Of some nanoseconds each, for an event or a row of so many bytes.
  [[nodiscard]] size_t steps(size_t bytes) const;
};

// Immutable, any thread.
class Query {
 public:
  // Throws QueryError.
  static Query parse(std::string_view text);

  [[nodiscard]] const std::vector<std::shared_ptr<const Command>>& commands() const { return commands_; }
  [[nodiscard]] const Work& work() const { return work_; }

 private:
  std::vector<std::shared_ptr<const Command>> commands_;
  Work work_;
};

}  // namespace tidemill::lang::insights
