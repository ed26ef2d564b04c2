// A statement and, after a zero byte, an object. What parses is asked of it, as CSV and as JSON, in pieces.
#include <cstdint>
#include <string_view>

#include "lang/select/scan.h"

namespace {

using namespace tidemill;
using namespace tidemill::lang::select;

void ask(const Statement& statement, Input input, Output output, std::string_view object) {
  try {
    Scan scan(statement, std::move(input), std::move(output), base::Time());
    for (size_t at = 0; at < object.size(); at += 7) {
      scan.add(object.substr(at, 7));
      while (scan.go_on()) (void)scan.take();
    }
    scan.end();
    while (scan.go_on()) (void)scan.take();
  } catch (const SelectError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\0');
  const std::string_view object = end == std::string_view::npos ? std::string_view() : input.substr(end + 1);
  try {
    const Statement statement = Statement::parse(input.substr(0, end));
    ask(statement, CsvInput{.first = FirstRecord::names}, JsonOutput{}, object);
    ask(statement, CsvInput{.format = {.record_delimiter = "\r\n", .escape = '\\', .quotes_hold_delimiters = true}},
        CsvOutput{}, object);
    ask(statement, JsonInput{}, JsonOutput{}, object);
    ask(statement, JsonInput{.is_lines = false}, CsvOutput{.always_quotes = true}, object);
    ask(statement, JsonInput{}, JsonOutput{}, R"({"a":[1,{"b":"c"}],"d":null,"e":true,"f":1.5,"g":"2026-03-14T"})");
  } catch (const SelectError&) {
  }
  return 0;
}
