#include "lang/select/row_writer.h"

#include "lang/select/records.h"

namespace tidemill::lang::select {

RowWriter::RowWriter(const Output& output, std::string& out)
    : output_(output), out_(out), begin_(out.size()), json_(out) {
  if (std::holds_alternative<JsonOutput>(output_)) json_.begin_object();
}

void RowWriter::check_size(size_t more) const {
  if (out_.size() - begin_ + more > kRecordBytesMax) throw record_too_long();
}

void RowWriter::add(std::string_view name, const Value& value) {
  if (const std::string* text = text_of(value)) check_size(text->size());  // before it is copied
  if (const auto* csv = std::get_if<CsvOutput>(&output_)) {
    if (std::exchange(is_behind_, true)) out_.push_back(csv->field_delimiter);
    add_field(*csv, shown(value));
  } else if (!std::holds_alternative<Missing>(value)) {
    json_.key(name);
    write_json(json_, value);
  }
  check_size(0);
}

void RowWriter::end() {
  if (const auto* csv = std::get_if<CsvOutput>(&output_)) {
    out_ += csv->record_delimiter;
  } else {
    json_.end_object();
    out_ += std::get<JsonOutput>(output_).record_delimiter;
  }
  check_size(0);
}

void RowWriter::add_field(const CsvOutput& format, const std::string& text) {
  const bool needs_quotes = format.always_quotes || text.find(format.field_delimiter) != std::string::npos ||
                            text.find(format.quote) != std::string::npos ||
                            text.find(format.record_delimiter) != std::string::npos ||
                            text.find('\n') != std::string::npos;
  if (!needs_quotes) {
    out_ += text;
    return;
  }
  out_.push_back(format.quote);
  for (const char c : text) {
    if (c == format.quote) out_.push_back(format.escape);
    out_.push_back(c);
  }
  out_.push_back(format.quote);
}

}  // namespace tidemill::lang::select
