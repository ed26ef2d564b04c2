// Writes rows as results have them, column by column, so that no more of one is held than it may have.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "lang/select/value.h"

namespace tidemill::lang::select {

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

// One row. Both that it is made of outlive it.
class RowWriter {
 public:
  RowWriter(const Output& output, std::string& out);

  // Throws SelectError once the row is longer than a record may be.
  void add(std::string_view name, const Value& value);
  void end();

 private:
  void add_field(const CsvOutput& format, const std::string& text);
  void check_size(size_t more) const;

  const Output& output_;
  std::string& out_;
  const size_t begin_;
  json::Writer json_;
  bool is_behind_ = false;
};

}  // namespace tidemill::lang::select
