// Finds the records of an import's source file, one item each, in text that comes in pieces. What a record says is for
// others (import_items.h); here it only matters where it ends:
//
//   DynamoDB JSON, Ion   with the brace that closes it, whatever ends of lines stand between and within
//   CSV                  with its line; one within double quotes does not count
//
// Empty lines are no records.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::dynamodb {

enum class SourceFormat { json, ion, csv };

// Of one record: an item of 400 KB whose every character is escaped stays below.
inline constexpr size_t kSourceRecordBytesMax = 4 << 20;

class RecordSplitter {
 public:
  explicit RecordSplitter(SourceFormat format) : format_(format) {}

  void add(std::string_view piece);
  // There are no more pieces.
  void end() { ended_ = true; }

  // The next record, valid until the next call of add(). Nothing: more is needed, or there are no more, or
  // is_damaged().
  std::optional<std::string_view> next();
  // Something stands between records that cannot, or one is too long or does not end. Nothing behind it is found.
  [[nodiscard]] bool is_damaged() const { return damaged_; }

 private:
  enum class State : uint8_t { between, inside, string, symbol, long_string, lob, line_comment, comment };

  std::optional<std::string_view> next_line();
  std::optional<std::string_view> next_structure();
  // One step of next_structure(): false if it needs more text. True and depth_ 0: a record has ended.
  bool step();
  bool step_between(char c);
  bool step_inside(char c);
  bool step_comment(char c);
  bool enter_comment();
  [[nodiscard]] std::string_view ahead() const { return std::string_view(buffer_).substr(at_); }
  [[nodiscard]] bool is_ion() const { return format_ == SourceFormat::ion; }
  std::optional<std::string_view> take_record();

  const SourceFormat format_;
  std::string buffer_;
  size_t begin_ = 0;  // of the record
  size_t at_ = 0;     // what stands before has been looked at
  State state_ = State::between;
  bool quoted_ = false;  // CSV
  int depth_ = 0;
  bool ended_ = false;
  bool damaged_ = false;
};

}  // namespace tidemill::dynamodb
