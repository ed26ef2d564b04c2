// Finds the records of an object in text that comes in pieces, and reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/select/error.h"

namespace tidemill::lang::select {

// "The maximum length of a record in the input or result is 1 MB" in the user guide. A JSON document that FROM opens up
// is not a record, and may have more.
inline constexpr size_t kRecordBytesMax = 1 << 20;
inline constexpr size_t kDocumentBytesMax = 16 << 20;
inline constexpr size_t kFieldsMax = 10'000;

[[nodiscard]] SelectError record_too_long();

struct CsvFormat {
  char field_delimiter = ',';
  std::string record_delimiter = "\n";
  std::optional<char> quote = '"';
  char escape = '"';  // in front of a quote within quotes
  std::optional<char> comment = '#';
  bool quotes_hold_delimiters = false;
};

// Of CSV: to the record's delimiter.
class CsvRecords {
 public:
  explicit CsvRecords(CsvFormat format) : format_(std::move(format)) {}

  void add(std::string_view piece);
  void end() { ended_ = true; }
  // The next one, valid until the next call of add(). Nothing: more is needed, or there are no more. Throws
  // SelectError.
  std::optional<std::string_view> next();
  // The fields of a record.
  void read(std::string_view record, std::vector<std::string>& fields) const;

 private:
  [[nodiscard]] size_t find_end();

  const CsvFormat format_;
  std::string buffer_;
  size_t begin_ = 0;
  size_t at_ = 0;  // what stands before has been looked at
  bool is_quoted_ = false;
  bool ended_ = false;
};

// Of JSON: a value, whatever blanks and ends of lines stand between and within.
class JsonRecords {
 public:
  explicit JsonRecords(size_t bytes_max) : bytes_max_(bytes_max) {}

  void add(std::string_view piece);
  void end() { ended_ = true; }
  std::optional<std::string_view> next();

 private:
  // Whether a value has ended in front of at_.
  [[nodiscard]] bool step();

  const size_t bytes_max_;
  std::string buffer_;
  size_t begin_ = 0;
  size_t at_ = 0;
  int depth_ = 0;
  bool is_inside_ = false;
  bool is_text_ = false;
  bool is_escaped_ = false;
  bool ended_ = false;
};

}  // namespace tidemill::lang::select
