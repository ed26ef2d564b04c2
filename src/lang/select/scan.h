// A statement asked of an object's text: records in, rows out.
//
//   Scan scan(Statement::parse(text), input, output, now);
//   for (…) { scan.add(piece); while (scan.go_on()) send(scan.take()); if (scan.is_done()) break; }
//   scan.end(); while (scan.go_on()) send(scan.take()); send(scan.take());
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lang/select/evaluate.h"
#include "lang/select/records.h"

namespace tidemill::lang::select {

// So much comes out at once, and a record more; what FROM finds in one document comes to this at most.
inline constexpr size_t kOutputBytes = 256 << 10;
inline constexpr size_t kDocumentOutputBytesMax = 64 << 20;

enum class FirstRecord : uint8_t { row, ignored, names };

struct CsvInput {
  CsvFormat format;
  FirstRecord first = FirstRecord::row;
};
struct JsonInput {
  bool is_lines = true;  // each value is a record
};
using Input = std::variant<CsvInput, JsonInput>;

struct CsvOutput {
  bool always_quotes = false;
  char field_delimiter = ',';
  std::string record_delimiter = "\n";
  char quote = '"';
  char escape = '"';
};
struct JsonOutput {
  std::string record_delimiter = "\n";
};
using Output = std::variant<CsvOutput, JsonOutput>;

// One thread at a time. What it throws (SelectError) ends it.
class Scan {
 public:
  Scan(Statement statement, Input input, Output output, base::Time now);

  void add(std::string_view piece);
  void end() { is_ended_ = true; }
  // Works on what was added, until that is done or much has come out: true, there is more to do.
  bool go_on();
  // What has come out since.
  [[nodiscard]] std::string take() { return std::exchange(out_, {}); }
  // The statement's limit is reached.
  [[nodiscard]] bool is_done() const { return is_done_; }

 private:
  bool take_record();
  void finish();
  void take_csv(std::string_view record);
  void take_json(std::string_view record);
  void open(const json::Value& document, size_t step);
  void take_row(const Row& row);
  void write(const std::vector<std::pair<std::string, Value>>& columns);
  void write_field(const CsvOutput& format, const std::string& text);

  const Statement statement_;
  const Input input_;
  const Output output_;
  Circumstances circumstances_;
  std::variant<CsvRecords, JsonRecords> records_;
  bool is_first_ = true;
  Header header_;
  std::vector<std::string> fields_;
  std::vector<Aggregate> aggregates_;
  uint64_t rows_ = 0;
  bool is_ended_ = false;
  bool is_finished_ = false;
  bool is_done_ = false;
  std::string out_;
};

}  // namespace tidemill::lang::select
