#include "lang/select/records.h"

namespace tidemill::lang::select {
namespace {

// Drops what has been taken.
void append_piece(std::string& buffer, size_t& begin, size_t& at, std::string_view piece) {
  buffer.erase(0, begin);
  at -= begin;
  begin = 0;
  buffer.append(piece);
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

SelectError record_too_long() {
  return {"OverMaxRecordSize",
          "The length of a record in the input or result is greater than the maxCharsPerRecord limit of 1 MB."};
}

void CsvRecords::add(std::string_view piece) { append_piece(buffer_, begin_, at_, piece); }

size_t CsvRecords::find_end() {
  const std::string_view text = buffer_;
  const std::string_view delimiter = format_.record_delimiter;
  if (!format_.quotes_hold_delimiters || !format_.quote) {
    const size_t found = text.find(delimiter, at_);
    // The beginning of a delimiter may be the end of this piece.
    at_ = std::max(at_, text.size() - std::min(text.size(), delimiter.size() - 1));
    return found;
  }
  for (; at_ < text.size(); ++at_) {
    const char c = text[at_];
    if (is_quoted_ && c == format_.escape && c != *format_.quote) {
      if (at_ + 1 == text.size()) return std::string_view::npos;
      ++at_;
    } else if (c == *format_.quote) {
      is_quoted_ = !is_quoted_;  // twice for one that is doubled
    } else if (!is_quoted_ && c == delimiter[0]) {
      if (text.size() - at_ < delimiter.size()) return std::string_view::npos;
      if (text.substr(at_).starts_with(delimiter)) return at_;
    }
  }
  return std::string_view::npos;
}

std::optional<std::string_view> CsvRecords::next() {
  while (true) {
    const size_t found = find_end();
    const bool is_last = found == std::string_view::npos;
    const size_t size = (is_last ? buffer_.size() : found) - begin_;
    if (size > kRecordBytesMax) throw record_too_long();
    if (is_last && (!ended_ || size == 0)) return std::nullopt;
    std::string_view record = std::string_view(buffer_).substr(begin_, size);
    begin_ = at_ = is_last ? buffer_.size() : found + format_.record_delimiter.size();
    is_quoted_ = false;
    if (format_.record_delimiter == "\n" && record.ends_with('\r')) record.remove_suffix(1);
    if (record.empty() || (format_.comment && record[0] == *format_.comment)) continue;
    return record;
  }
}

void CsvRecords::read(std::string_view record, std::vector<std::string>& fields) const {
  fields.clear();
  size_t at = 0;
  while (true) {
    if (fields.size() == kFieldsMax) {
      throw SelectError("OverMaxColumn",
                        "The number of columns in the result is greater than the maximum allowable number of columns.");
    }
    std::string& field = fields.emplace_back();
    if (format_.quote && at < record.size() && record[at] == *format_.quote) {
      for (++at; at < record.size(); ++at) {
        const bool is_next_quote = at + 1 < record.size() && record[at + 1] == *format_.quote;
        if (record[at] == format_.escape && is_next_quote) {
          field.push_back(record[++at]);
        } else if (record[at] == *format_.quote) {
          ++at;
          break;
        } else {
          field.push_back(record[at]);
        }
      }
    }
    const size_t end = record.find(format_.field_delimiter, at);
    field.append(record.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) return;
    at = end + 1;
  }
}

void JsonRecords::add(std::string_view piece) { append_piece(buffer_, begin_, at_, piece); }

bool JsonRecords::step() {
  const char c = buffer_[at_++];
  if (!is_inside_) {
    if (is_blank(c)) {
      begin_ = at_;
      return false;
    }
    is_inside_ = true;
    begin_ = at_ - 1;
  } else if (depth_ == 0 && !is_text_ && is_blank(c)) {
    return true;
  }
  if (is_text_) {
    if (is_escaped_)
      is_escaped_ = false;
    else if (c == '\\')
      is_escaped_ = true;
    else if (c == '"')
      is_text_ = false;
    return !is_text_ && depth_ == 0;
  }
  if (c == '"') is_text_ = true;
  if (c == '{' || c == '[') ++depth_;
  if (c != '}' && c != ']') return false;
  if (--depth_ < 0)
    throw SelectError("JSONParsingError", "Encountered an error parsing the JSON file. Check the file and try again.");
  return depth_ == 0;
}

std::optional<std::string_view> JsonRecords::next() {
  bool has_ended = false;
  while (!has_ended && at_ < buffer_.size()) has_ended = step();
  if (at_ - begin_ > bytes_max_) throw record_too_long();
  if (!has_ended && !(ended_ && is_inside_)) return std::nullopt;
  const std::string_view record = std::string_view(buffer_).substr(begin_, at_ - begin_);
  begin_ = at_;
  is_inside_ = is_text_ = is_escaped_ = false;
  depth_ = 0;
  return record;
}

}  // namespace tidemill::lang::select
