#include "services/dynamodb/record_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tidemill::dynamodb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The records of `text`, which comes in pieces of `size`; "damaged" behind them if it is.
std::vector<std::string> split(SourceFormat format, std::string_view text, size_t size) {
  RecordSplitter splitter(format);
  std::vector<std::string> records;
  const auto take = [&] {
    while (const auto record = splitter.next()) records.emplace_back(*record);
  };
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) {
    splitter.add(text.substr(0, size));
    take();
  }
  splitter.end();
  take();
  if (splitter.is_damaged()) records.emplace_back("damaged");
  return records;
}

// However the pieces are cut.
std::vector<std::string> split(SourceFormat format, std::string_view text) {
  const auto whole = split(format, text, std::max<size_t>(1, text.size()));
  for (const size_t size : {1, 2, 3, 7}) EXPECT_EQ(split(format, text, size), whole) << text << " by " << size;
  return whole;
}

TEST(RecordSplitter, JsonObjectsEndWithTheirBraceWhateverStandsBetween) {
  EXPECT_THAT(split(SourceFormat::json, "{\"a\":1}\n{\"b\":{\"c\":2}}"), ElementsAre("{\"a\":1}", "{\"b\":{\"c\":2}}"));
  EXPECT_THAT(split(SourceFormat::json, "{}{}\r\n\n  \n{}\n"), ElementsAre("{}", "{}", "{}"));
  EXPECT_THAT(split(SourceFormat::json, "{\n \"a\":\n1}"), ElementsAre("{\n \"a\":\n1}"));
  EXPECT_THAT(split(SourceFormat::json, " \n"), IsEmpty());
  EXPECT_THAT(split(SourceFormat::json, ""), IsEmpty());
}

TEST(RecordSplitter, BracesInJsonStringsDoNotCount) {
  EXPECT_THAT(split(SourceFormat::json, R"({"}":"{\"}\\"}{"b":"//"})"),
              ElementsAre(R"({"}":"{\"}\\"})", R"({"b":"//"})"));
}

TEST(RecordSplitter, WhatCannotStandBetweenRecordsIsDamage) {
  EXPECT_THAT(split(SourceFormat::json, "{}x{}"), ElementsAre("{}", "damaged"));
  EXPECT_THAT(split(SourceFormat::json, "{\"a\":"), ElementsAre("damaged"));
  EXPECT_THAT(split(SourceFormat::json, "{\"a"), ElementsAre("damaged"));
  EXPECT_THAT(split(SourceFormat::json, "{}// no comments in JSON"), ElementsAre("{}", "damaged"));
}

TEST(RecordSplitter, IonStructsEndWithTheirBrace) {
  EXPECT_THAT(split(SourceFormat::ion, "$ion_1_0 {Item:{a:1.}}\n$ion_1_0 {Item:{}}\n"),
              ElementsAre("{Item:{a:1.}}", "{Item:{}}"));
  EXPECT_THAT(split(SourceFormat::ion, "{a:'''}{''' '''{''', '}':\"}\\\"\", b:{{ YQ// }}, c:{d:{{}}}}{}"),
              ElementsAre("{a:'''}{''' '''{''', '}':\"}\\\"\", b:{{ YQ// }}, c:{d:{{}}}}", "{}"));
  EXPECT_THAT(split(SourceFormat::ion, "// {\n/* { */ {a:1 // }\n, b:/*}*/2}"), ElementsAre("{a:1 // }\n, b:/*}*/2}"));
}

TEST(RecordSplitter, OtherIonIsDamage) {
  EXPECT_THAT(split(SourceFormat::ion, "{}[1]"), ElementsAre("{}", "damaged"));
  EXPECT_THAT(split(SourceFormat::ion, "{a:'''"), ElementsAre("damaged"));
  EXPECT_THAT(split(SourceFormat::ion, "{a:'''\\"), ElementsAre("damaged"));
  EXPECT_THAT(split(SourceFormat::ion, "{a:{{"), ElementsAre("damaged"));
  EXPECT_THAT(split(SourceFormat::ion, "/* no end"), ElementsAre("damaged"));
  EXPECT_THAT(split(SourceFormat::ion, "$ion_2_0 {}"), ElementsAre("damaged"));
  EXPECT_THAT(split(SourceFormat::ion, std::string_view("\xe0\x01\x00\xea\xd0", 5)), ElementsAre("damaged"));
}

TEST(RecordSplitter, CsvLinesEndOutsideOfQuotes) {
  EXPECT_THAT(split(SourceFormat::csv, "a,b\r\n1,\"x\ny\"\n\n  \n3,4"), ElementsAre("a,b", "1,\"x\ny\"", "3,4"));
  EXPECT_THAT(split(SourceFormat::csv, "a,\"\"\"\n\"\n"), ElementsAre("a,\"\"\"\n\""));
  EXPECT_THAT(split(SourceFormat::csv, "a\nb,\"c"), ElementsAre("a", "damaged"));
}

TEST(RecordSplitter, ARecordThatIsTooLongIsDamage) {
  const std::string text(kSourceRecordBytesMax, 'x');
  EXPECT_EQ(split(SourceFormat::csv, text, 1 << 16).size(), 1u);
  EXPECT_THAT(split(SourceFormat::csv, text + "xy", 1 << 16), ElementsAre("damaged"));
  EXPECT_THAT(split(SourceFormat::json, "{\"" + text, 1 << 16), ElementsAre("damaged"));
  EXPECT_THAT(split(SourceFormat::json, "{\"" + text + "\"}", 8 << 20), ElementsAre("damaged"));
}

// Also where what it looks at next has not all come yet, so that no file fills the memory.
TEST(RecordSplitter, ARecordThatDoesNotEndIsDamageLongBeforeTheFileEnds) {
  const auto is_damaged_by = [](SourceFormat format, std::string_view begin, char filler) {
    RecordSplitter splitter(format);
    splitter.add(begin);
    EXPECT_EQ(splitter.next(), std::nullopt);
    const std::string piece(1 << 16, filler);
    for (size_t size = 0; size <= kSourceRecordBytesMax; size += piece.size()) {
      splitter.add(piece);
      EXPECT_EQ(splitter.next(), std::nullopt);
    }
    return splitter.is_damaged();
  };
  EXPECT_TRUE(is_damaged_by(SourceFormat::json, "{\"a", 'x'));
  EXPECT_TRUE(is_damaged_by(SourceFormat::json, "{\"a\\", '\\'));  // each piece ends in the middle of an escape
  EXPECT_TRUE(is_damaged_by(SourceFormat::csv, "\"a", 'x'));
  EXPECT_TRUE(is_damaged_by(SourceFormat::ion, "{a:\"", 'x'));
  EXPECT_TRUE(is_damaged_by(SourceFormat::ion, "{a:[", ' '));
  EXPECT_TRUE(is_damaged_by(SourceFormat::ion, "{a:/*", ' '));
}

}  // namespace
}  // namespace tidemill::dynamodb
