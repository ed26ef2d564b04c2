#include "services/s3/select_format.h"

#include "base/text.h"
#include "services/s3/errors.h"

namespace tidemill::s3 {
namespace {

namespace shapes = wire::s3;
namespace select = lang::select;
using base::cat;

constexpr int kBadRequest = 400;
constexpr size_t kRecordDelimiterMax = 2;

wire::Error refused(std::string code, std::string message) {
  return errors::error(std::move(code), kBadRequest, std::move(message));
}

std::string delimiter_of(const std::optional<std::string>& given) {
  if (!given) return "\n";
  if (given->empty() || given->size() > kRecordDelimiterMax) {
    throw refused("InvalidRequestParameter",
                  "The value of a parameter in the SelectRequest element is not valid: RecordDelimiter.");
  }
  return *given;
}

// A parameter of one character.
char character_of(const std::optional<std::string>& given, char otherwise, std::string_view name) {
  if (!given) return otherwise;
  if (given->size() != 1) {
    throw refused("InvalidRequestParameter",
                  cat("The value of a parameter in the SelectRequest element is not valid: ", name, "."));
  }
  return given->front();
}

select::CsvInput csv_of(const shapes::CSVInput& csv) {
  select::CsvInput input;
  input.format.field_delimiter = character_of(csv.field_delimiter, ',', "FieldDelimiter");
  input.format.record_delimiter = delimiter_of(csv.record_delimiter);
  if (csv.quote_character && csv.quote_character->empty())
    input.format.quote.reset();
  else
    input.format.quote = character_of(csv.quote_character, '"', "QuoteCharacter");
  input.format.escape = character_of(csv.quote_escape_character, '"', "QuoteEscapeCharacter");
  if (csv.comments && csv.comments->empty())
    input.format.comment.reset();
  else
    input.format.comment = character_of(csv.comments, '#', "Comments");
  input.format.quotes_hold_delimiters = csv.allow_quoted_record_delimiter.value_or(false);
  const std::string first = csv.file_header_info.value_or("NONE");
  if (first == "USE")
    input.first = select::FirstRecord::names;
  else if (first == "IGNORE")
    input.first = select::FirstRecord::ignored;
  else if (first != "NONE")
    throw refused("InvalidFileHeaderInfo", "The FileHeaderInfo is invalid. Only NONE, USE, and IGNORE are supported.");
  return input;
}

wire::Error two_formats() {
  return refused("ObjectSerializationConflict",
                 "The request specifies more than one format: InputSerialization takes one of CSV, JSON and Parquet, "
                 "OutputSerialization one of CSV and JSON.");
}

}  // namespace

select::Input select_input_of(const shapes::InputSerialization& input) {
  const int formats = (input.csv ? 1 : 0) + (input.json ? 1 : 0) + (input.parquet ? 1 : 0);
  if (formats > 1) throw two_formats();
  if (formats == 0) {
    throw refused("InvalidDataSource",
                  "Invalid data source type. Only CSV, JSON, and Parquet are supported at this time.");
  }
  if (input.parquet) throw errors::not_implemented("queries on Parquet");
  if (input.csv) return csv_of(*input.csv);
  const std::string type = input.json->type.value_or("");
  if (type != "DOCUMENT" && type != "LINES") {
    throw refused("InvalidJsonType", "The JsonType is invalid. Only DOCUMENT and LINES are supported.");
  }
  return select::JsonInput{.is_lines = type == "LINES"};
}

select::Output select_output_of(const shapes::OutputSerialization& output) {
  if (output.csv && output.json) throw two_formats();
  if (output.json) return select::JsonOutput{.record_delimiter = delimiter_of(output.json->record_delimiter)};
  if (!output.csv)
    throw refused("MissingRequiredParameter",
                  "The SelectRequest entity is missing a required parameter: OutputSerialization.");
  const shapes::CSVOutput& csv = *output.csv;
  const std::string quotes = csv.quote_fields.value_or("ASNEEDED");
  if (quotes != "ALWAYS" && quotes != "ASNEEDED") {
    throw refused("InvalidQuoteFields", "The QuoteFields is invalid. Only ALWAYS and ASNEEDED are supported.");
  }
  return select::CsvOutput{.always_quotes = quotes == "ALWAYS",
                           .field_delimiter = character_of(csv.field_delimiter, ',', "FieldDelimiter"),
                           .record_delimiter = delimiter_of(csv.record_delimiter),
                           .quote = character_of(csv.quote_character, '"', "QuoteCharacter"),
                           .escape = character_of(csv.quote_escape_character, '"', "QuoteEscapeCharacter")};
}

Packing packing_of(const shapes::InputSerialization& input) {
  const std::string type = input.compression_type.value_or("NONE");
  if (type == "NONE") return Packing::none;
  if (type == "GZIP") return Packing::gzip;
  if (type == "BZIP2") return Packing::bzip2;
  throw refused("InvalidCompressionFormat",
                "The file is not in a supported compression format. Only GZIP and BZIP2 are supported.");
}

wire::Error select_refusal(const select::SelectError& error) { return refused(error.code(), error.what()); }

}  // namespace tidemill::s3
