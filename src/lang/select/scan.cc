#include "lang/select/scan.h"

#include "base/text.h"
#include "base/utf8.h"

namespace tidemill::lang::select {
namespace {

std::variant<CsvRecords, JsonRecords> records_of(const Input& input) {
  if (const auto* csv = std::get_if<CsvInput>(&input)) return CsvRecords(csv->format);
  return JsonRecords(std::get<JsonInput>(input).is_lines ? kRecordBytesMax : kDocumentBytesMax);
}

void check_text(std::string_view record) {
  if (!base::is_utf8(record)) {
    throw SelectError("InvalidTextEncoding", "Invalid encoding type. Only UTF-8 encoding is supported.");
  }
}

// What aggregates are computed beside when there are no more rows.
class NoRow final : public Row {
 public:
  [[nodiscard]] Value get(const Path&) const override { return Missing{}; }
  [[nodiscard]] std::vector<std::pair<std::string, Value>> all() const override { return {}; }
};

}  // namespace

Scan::Scan(Statement statement, Input input, Output output, base::Time now)
    : statement_(std::move(statement)),
      input_(std::move(input)),
      output_(std::move(output)),
      circumstances_{.now = now},
      records_(records_of(input_)) {
  if (std::holds_alternative<CsvInput>(input_) && !statement_.from().empty()) {
    // S3Object[*] is the object's records, too.
    if (statement_.from().size() > 1 || statement_.from()[0].kind != Step::Kind::every) {
      throw SelectError("InvalidKeyPath",
                        "The key path in the SQL expression is not valid: the records of CSV files have no paths.");
    }
  }
  for (const NodePtr& call : statement_.aggregates()) aggregates_.emplace_back(call);
  is_done_ = statement_.limit() == 0U;
}

void Scan::add(std::string_view piece) {
  if (!is_done_) std::visit([&](auto& records) { records.add(piece); }, records_);
}

bool Scan::go_on() {
  if (is_ended_) std::visit([](auto& records) { records.end(); }, records_);
  while (!is_done_) {
    if (out_.size() >= kOutputBytes) return true;
    if (!take_record()) break;
  }
  if (is_ended_ && !std::exchange(is_finished_, true)) finish();
  return false;
}

// False: more text is needed for one.
bool Scan::take_record() {
  const auto record = std::visit([](auto& records) { return records.next(); }, records_);
  if (!record) return false;
  check_text(*record);
  if (std::holds_alternative<CsvInput>(input_))
    take_csv(*record);
  else
    take_json(*record);
  return true;
}

void Scan::finish() {
  if (aggregates_.empty() || statement_.limit() == 0U) return;
  std::vector<Value> results;
  for (const Aggregate& aggregate : aggregates_) results.push_back(aggregate.result());
  circumstances_.aggregates = &results;
  std::vector<std::pair<std::string, Value>> columns;
  for (const Column& column : statement_.columns()) {
    columns.emplace_back(column.name, evaluate(*column.node, NoRow(), circumstances_));
  }
  circumstances_.aggregates = nullptr;
  write(columns);
}

void Scan::take_csv(std::string_view record) {
  const auto& records = std::get<CsvRecords>(records_);
  records.read(record, fields_);
  const FirstRecord first = std::get<CsvInput>(input_).first;
  if (std::exchange(is_first_, false) && first != FirstRecord::row) {
    if (first == FirstRecord::names) header_ = Header(fields_);
    return;
  }
  take_row(CsvRow(header_, fields_));
}

void Scan::take_json(std::string_view record) {
  const auto document = json::parse(record);
  if (!document) {
    throw SelectError("JSONParsingError", "Encountered an error parsing the JSON file. Check the file and try again.");
  }
  // The first [*] is the values of the object one by one, which they are in any case.
  const Path& from = statement_.from();
  open(*document, !from.empty() && from[0].kind == Step::Kind::every ? 1 : 0);
}

void Scan::open(const json::Value& document, size_t step) {
  if (is_done_) return;
  const Path& from = statement_.from();
  if (step == from.size()) return take_row(JsonRow(document));
  if (from[step].kind != Step::Kind::every) {
    if (const json::Value* found = find_step(document, from[step])) open(*found, step + 1);
    return;
  }
  if (document.is_array()) {
    for (const json::Value& element : document.array()) open(element, step + 1);
  } else if (document.is_object()) {
    for (const auto& [name, value] : document.object()) open(value, step + 1);
  }
}

void Scan::take_row(const Row& row) {
  if (statement_.where() && !holds(*statement_.where(), row, circumstances_)) return;
  if (!aggregates_.empty()) {
    for (Aggregate& aggregate : aggregates_) aggregate.add(row, circumstances_);
    return;
  }
  if (statement_.selects_all()) {
    write(row.all());
  } else {
    std::vector<std::pair<std::string, Value>> columns;
    columns.reserve(statement_.columns().size());
    for (const Column& column : statement_.columns()) {
      columns.emplace_back(column.name, evaluate(*column.node, row, circumstances_));
    }
    write(columns);
  }
  if (statement_.limit() && ++rows_ >= *statement_.limit()) is_done_ = true;
}

void Scan::write(const std::vector<std::pair<std::string, Value>>& columns) {
  const size_t before = out_.size();
  if (const auto* csv = std::get_if<CsvOutput>(&output_)) {
    bool is_behind = false;
    for (const auto& [name, value] : columns) {
      if (std::exchange(is_behind, true)) out_.push_back(csv->field_delimiter);
      write_field(*csv, shown(value));
    }
    out_ += csv->record_delimiter;
  } else {
    json::Writer writer(out_);
    writer.begin_object();
    for (const auto& [name, value] : columns) {
      if (std::holds_alternative<Missing>(value)) continue;
      writer.key(name);
      write_json(writer, value);
    }
    writer.end_object();
    out_ += std::get<JsonOutput>(output_).record_delimiter;
  }
  if (out_.size() - before > kRecordBytesMax || out_.size() > kDocumentOutputBytesMax) {
    throw SelectError(
        "OverMaxRecordSize",
        "The length of a record in the input or result is greater than the maxCharsPerRecord limit of 1 MB.");
  }
}

void Scan::write_field(const CsvOutput& format, const std::string& text) {
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
