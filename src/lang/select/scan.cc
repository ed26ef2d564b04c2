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
      circumstances_{.now = now, .is_abandoned = &is_abandoned_},
      records_(records_of(input_)),
      findings_(statement_.from()) {
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

bool Scan::go_on(Steady::time_point until) {
  if (is_ended_) std::visit([](auto& records) { records.end(); }, records_);
  while (!is_done_) {
    if (is_abandoned_) return false;
    if (out_.size() >= kOutputBytes) return true;
    if (!take_record()) break;
    if (Steady::now() >= until) return true;
  }
  if (is_ended_ && !std::exchange(is_finished_, true)) finish();
  return false;
}

// Or the next row of a document. False: more text is needed for one.
bool Scan::take_record() {
  if (const json::Value* found = findings_.next()) {
    take_row(JsonRow(*found));
    return true;
  }
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
  write(NoRow());
  circumstances_.aggregates = nullptr;
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
  auto document = json::parse(record);
  if (!document) {
    throw SelectError("JSONParsingError", "Encountered an error parsing the JSON file. Check the file and try again.");
  }
  findings_.open(*std::move(document));
}

void Scan::take_row(const Row& row) {
  if (statement_.where() && !holds(*statement_.where(), row, circumstances_)) return;
  if (!aggregates_.empty()) {
    size_t held = 0;
    for (Aggregate& aggregate : aggregates_) {
      aggregate.add(row, circumstances_);
      held += aggregate.bytes();
      if (held > kAggregatesBytesMax) throw made_too_much();
    }
    return;
  }
  write(row);
  if (statement_.limit() && ++rows_ >= *statement_.limit()) is_done_ = true;
}

void Scan::write(const Row& row) {
  RowWriter writer(output_, out_);
  if (statement_.selects_all()) {
    for (const auto& [name, value] : row.all()) writer.add(name, value);
  } else {
    for (const Column& column : statement_.columns())
      writer.add(column.name, evaluate(*column.node, row, circumstances_));
  }
  writer.end();
}

}  // namespace tidemill::lang::select
