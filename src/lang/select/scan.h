// A statement asked of an object's text: records in, rows out.
//
//   Scan scan(Statement::parse(text), input, output, now);
//   for (…) { scan.add(piece); while (scan.go_on()) send(scan.take()); if (scan.is_done()) break; }
//   scan.end(); while (scan.go_on()) send(scan.take()); send(scan.take());
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lang/select/evaluate.h"
#include "lang/select/findings.h"
#include "lang/select/records.h"
#include "lang/select/row_writer.h"

namespace tidemill::lang::select {

// So much comes out at once, and a record more.
inline constexpr size_t kOutputBytes = 256 << 10;
// What the aggregates of a statement may hold together, which MAX and MIN do.
inline constexpr size_t kAggregatesBytesMax = 16 << 20;

enum class FirstRecord : uint8_t { row, ignored, names };

struct CsvInput {
  CsvFormat format;
  FirstRecord first = FirstRecord::row;
};
struct JsonInput {
  bool is_lines = true;  // each value is a record
};
using Input = std::variant<CsvInput, JsonInput>;

// One thread at a time, but for abandon(). What it throws (SelectError) ends it.
class Scan {
 public:
  using Steady = std::chrono::steady_clock;

  Scan(Statement statement, Input input, Output output, base::Time now);

  void add(std::string_view piece);
  void end() { is_ended_ = true; }
  // Works on what was added, until that is done, or much has come out, or it is `until`: true, there is more to do.
  bool go_on(Steady::time_point until = Steady::time_point::max());
  // What has come out since.
  [[nodiscard]] std::string take() { return std::exchange(out_, {}); }
  // The statement's limit is reached.
  [[nodiscard]] bool is_done() const { return is_done_; }
  // Nobody waits for it any more: go_on() ends soon, whatever it says. Any thread.
  void abandon() { is_abandoned_ = true; }
  [[nodiscard]] bool is_abandoned() const { return is_abandoned_; }

 private:
  bool take_record();
  void finish();
  void take_csv(std::string_view record);
  void take_json(std::string_view record);
  void take_row(const Row& row);
  void write(const Row& row);

  std::atomic<bool> is_abandoned_ = false;
  const Statement statement_;
  const Input input_;
  const Output output_;
  Circumstances circumstances_;
  std::variant<CsvRecords, JsonRecords> records_;
  bool is_first_ = true;
  Header header_;
  std::vector<std::string> fields_;
  Findings findings_;
  std::vector<Aggregate> aggregates_;
  uint64_t rows_ = 0;
  bool is_ended_ = false;
  bool is_finished_ = false;
  bool is_done_ = false;
  std::string out_;
};

}  // namespace tidemill::lang::select
