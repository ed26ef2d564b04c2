// Statements asked of small objects.
#include <gmock/gmock.h>

#include "base/text.h"
#include "lang/select/scan.h"

namespace tidemill::lang::select {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kTeas =
    "name,price,origin\n"
    "Assam,4,India\n"
    "Earl Grey,5.5,\"China, with \"\"oil\"\"\"\n"
    "Sencha,10,Japan\n";
constexpr std::string_view kPots = R"({"name":"blue","size":2,"parts":[{"of":"lid"},{"of":"spout"}],"old":true}
{"name":"red","size":1.50,"note":null}
)";

// What comes out, with " | " for ends of records; or "code: message".
std::string ask(std::string_view statement, const Input& input, const Output& output, std::string_view object) {
  std::string out;
  try {
    Scan scan(Statement::parse(statement), input, output, *parse_timestamp("2026-03-14T15:09:26Z"));
    for (size_t at = 0; at < object.size(); at += 5) {  // pieces end anywhere
      scan.add(object.substr(at, 5));
      while (scan.go_on()) out += scan.take();
    }
    scan.end();
    while (scan.go_on()) out += scan.take();
    out += scan.take();
  } catch (const SelectError& error) {
    return base::cat(error.code(), ": ", error.what());
  }
  for (size_t at = out.find('\n'); at != std::string::npos; at = out.find('\n', at)) out.replace(at, 1, " | ");
  return out.ends_with(" | ") ? out.substr(0, out.size() - 3) : out;
}
std::string teas(std::string_view statement) {
  return ask(statement, CsvInput{.first = FirstRecord::names}, CsvOutput{}, kTeas);
}
std::string pots(std::string_view statement) { return ask(statement, JsonInput{}, JsonOutput{}, kPots); }
std::string one(std::string_view expression) {
  return ask(base::cat("SELECT ", expression, " FROM S3Object"), JsonInput{}, CsvOutput{}, "{}");
}

TEST(Select, ColumnsOfCsvAreCalledByNameAndByNumber) {
  EXPECT_EQ(teas("SELECT * FROM S3Object"),
            "Assam,4,India | Earl Grey,5.5,\"China, with \"\"oil\"\"\" | Sencha,10,Japan");
  EXPECT_EQ(teas("select s.NAME, s._2 from s3object s where s.price > 5"), "Earl Grey,5.5 | Sencha,10");
  EXPECT_EQ(teas("SELECT \"name\" FROM S3Object WHERE S3Object.price < 5"), "Assam");
  EXPECT_THAT(teas("SELECT \"NAME\" FROM S3Object"), StartsWith("MissingHeaders: "));
  EXPECT_THAT(teas("SELECT s._0 FROM S3Object s"), StartsWith("InvalidColumnIndex: "));
  EXPECT_EQ(teas("SELECT s._7 FROM S3Object s LIMIT 1"), "");
  EXPECT_EQ(ask("SELECT _1 FROM S3Object LIMIT 1", CsvInput{}, CsvOutput{}, kTeas), "name");
  EXPECT_EQ(ask("SELECT _1 FROM S3Object LIMIT 1", CsvInput{.first = FirstRecord::ignored}, CsvOutput{}, kTeas),
            "Assam");
  EXPECT_EQ(ask("SELECT * FROM S3Object LIMIT 1", CsvInput{.first = FirstRecord::names}, JsonOutput{}, kTeas),
            R"({"name":"Assam","price":"4","origin":"India"})");
  EXPECT_EQ(ask("SELECT * FROM S3Object LIMIT 1", CsvInput{}, JsonOutput{}, "a,b"), R"({"_1":"a","_2":"b"})");
}

TEST(Select, CsvIsReadAndWrittenAsItsFormatSays) {
  const CsvInput odd{
      .format = {.field_delimiter = ';', .record_delimiter = "\r\n", .quote = '\'', .escape = '\\', .comment = '%'}};
  EXPECT_EQ(ask("SELECT * FROM S3Object", odd, CsvOutput{}, "%no\r\na;'b\\';c'\r\n\r\nd\r\n"), "a,b';c | d");
  CsvInput quoted{.format = {.quotes_hold_delimiters = true}};
  EXPECT_EQ(ask("SELECT _1 FROM S3Object", quoted, JsonOutput{}, "\"a\nb\",c\nd,e"), R"({"_1":"a\nb"} | {"_1":"d"})");
  EXPECT_EQ(ask("SELECT * FROM S3Object", CsvInput{}, CsvOutput{.always_quotes = true, .field_delimiter = '\t'},
                "a,\nb,c\r\n"),
            "\"a\"\t\"\" | \"b\"\t\"c\"");
  EXPECT_EQ(ask("SELECT * FROM S3Object", CsvInput{}, CsvOutput{}, "# a comment\nx\n"), "x");
  EXPECT_THAT(ask("SELECT * FROM S3Object", CsvInput{}, CsvOutput{}, "\xFF\n"), StartsWith("InvalidTextEncoding: "));
  EXPECT_THAT(ask("SELECT * FROM S3Object", CsvInput{}, CsvOutput{}, std::string(kRecordBytesMax + 1, 'x')),
              StartsWith("OverMaxRecordSize: "));
}

TEST(Select, JsonIsAskedByPaths) {
  EXPECT_EQ(
      pots("SELECT * FROM S3Object"),
      R"({"name":"blue","size":2,"parts":[{"of":"lid"},{"of":"spout"}],"old":true} | {"name":"red","size":1.50,"note":null})");
  EXPECT_EQ(pots("SELECT p.name, p.parts[1].of AS second FROM S3Object p"),
            R"({"name":"blue","second":"spout"} | {"name":"red"})");
  EXPECT_EQ(pots("SELECT s.of FROM S3Object[*].parts[*] s"), R"({"of":"lid"} | {"of":"spout"})");
  EXPECT_EQ(pots("SELECT s.* FROM S3Object s WHERE s.note IS NULL AND s.note IS NOT MISSING"),
            R"({"name":"red","size":1.50,"note":null})");
  EXPECT_EQ(ask("SELECT * FROM S3Object[*][*]", JsonInput{.is_lines = false}, JsonOutput{}, "[{\"a\":1},\n {\"a\":2}]"),
            R"({"a":1} | {"a":2})");
  EXPECT_EQ(ask("SELECT * FROM S3Object", JsonInput{.is_lines = false}, JsonOutput{}, "[1]\n2"),
            R"({"_1":[1]} | {"_1":2})");
  EXPECT_THAT(ask("SELECT * FROM S3Object", JsonInput{}, JsonOutput{}, "{\"a\":}"), StartsWith("JSONParsingError: "));
  EXPECT_EQ(ask("SELECT s.parts FROM S3Object s LIMIT 1", JsonInput{}, CsvOutput{}, kPots),
            R"("[{""of"":""lid""},{""of"":""spout""}]")");
}

TEST(Select, AggregatesAreOfAllRows) {
  EXPECT_EQ(teas("SELECT COUNT(*), SUM(CAST(price AS FLOAT)), MAX(s.price), MIN(s.name) FROM S3Object s"),
            "3,19.5,10,Assam");
  EXPECT_EQ(teas("SELECT AVG(CAST(s.price AS INT)) FROM S3Object s WHERE s.origin LIKE '%a%'").substr(0, 4), "6.33");
  EXPECT_EQ(pots("SELECT COUNT(s.old) AS old, COUNT(*) FROM S3Object s"), R"({"old":1,"_2":2})");
  EXPECT_EQ(pots("SELECT SUM(s.size) * 2 AS twice FROM S3Object s WHERE s.size > 100"), R"({"twice":null})");
  EXPECT_THAT(pots("SELECT COUNT(*), s.name FROM S3Object s"), StartsWith("UnsupportedSqlStructure: "));
  EXPECT_THAT(pots("SELECT s.name FROM S3Object s WHERE COUNT(*) > 1"), StartsWith("ParseUnsupportedCallWithStar: "));
}

TEST(Select, ConditionsKnowThreeTruths) {
  EXPECT_EQ(one("NULL = NULL"), "");
  EXPECT_EQ(one("NOT (NULL OR TRUE)"), "false");
  EXPECT_EQ(one("MISSING IS NULL AND NULL IS NOT MISSING"), "true");
  EXPECT_EQ(one("5 BETWEEN 1 AND 5"), "true");
  EXPECT_EQ(one("5 NOT BETWEEN 1 AND 4"), "true");
  EXPECT_EQ(one("'a' IN ('b', 'a')"), "true");
  EXPECT_EQ(one("'a' NOT IN ('b', NULL)"), "");
  EXPECT_EQ(one("'50%' LIKE '5_!%' ESCAPE '!'"), "true");
  EXPECT_EQ(one("'a.c' LIKE 'abc'"), "false");
  EXPECT_EQ(one("1 = 'x'"), "false");
  EXPECT_EQ(one("CASE WHEN 1 > 2 THEN 'a' WHEN NULL THEN 'b' ELSE 'c' END"), "c");
  EXPECT_EQ(one("CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END"), "b");
}

// Evaluated anew for each WHEN, so many in one another would never end.
TEST(Select, TheSubjectOfACaseIsEvaluatedOnce) {
  std::string nested = "1";
  for (int i = 0; i < 25; ++i)
    nested = base::cat("CASE ", nested, " WHEN 2 THEN 0 WHEN 3 THEN 0 WHEN 4 THEN 0 WHEN 5 THEN 0 ELSE 1 END");
  EXPECT_EQ(one(nested), "1");
  EXPECT_EQ(one("CASE NULL WHEN NULL THEN 'a' WHEN 1 THEN 'b' END"), "");
  EXPECT_EQ(one("CASE COUNT(*) WHEN 1 THEN 'a' ELSE 'b' END"), "a");
  EXPECT_THAT(one("CASE 1 END"), StartsWith("ParseUnexpectedToken: "));
}

TEST(Select, FunctionsCompute) {
  EXPECT_EQ(one("2 + 3 * -4 % 3"), "2");
  EXPECT_EQ(one("7 / 2"), "3");
  EXPECT_EQ(one("7 / 2.0"), "3.5");
  EXPECT_EQ(one("'a' || 'b'"), "ab");
  EXPECT_EQ(one("CAST('12' AS INT) + 1"), "13");
  EXPECT_EQ(one("CAST(2.7 AS INT)"), "2");
  EXPECT_EQ(one("CAST('true' AS BOOL)"), "true");
  EXPECT_EQ(one("CHAR_LENGTH('grün')"), "4");
  EXPECT_EQ(one("UPPER('a') || LOWER('B')"), "Ab");
  EXPECT_EQ(one("SUBSTRING('grün' FROM 3 FOR 1)"), "ü");
  EXPECT_EQ(one("SUBSTRING('abc', -1, 3)"), "a");
  EXPECT_EQ(one("TRIM(LEADING 'x' FROM 'xxa')"), "a");
  EXPECT_EQ(one("TRIM('  a ')"), "a");
  EXPECT_EQ(one("COALESCE(NULL, MISSING, 3, 1 / 0)"), "3");
  EXPECT_EQ(one("COALESCE(NULL, MISSING)"), "");
  EXPECT_EQ(one("NULLIF(1, 1)"), "");
  EXPECT_EQ(one("UTCNOW()"), "2026-03-14T15:09:26Z");
  EXPECT_EQ(one("DATE_ADD(MONTH, 1, TO_TIMESTAMP('2026-01-31T'))"), "2026-02-28T00:00:00Z");
  EXPECT_EQ(one("DATE_ADD(YEAR, -2, TO_TIMESTAMP('2026-01-31T'))"), "2024-01-31T00:00:00Z");
  EXPECT_EQ(one("DATE_DIFF(DAY, TO_TIMESTAMP('2026-03-01T'), UTCNOW())"), "13");
  EXPECT_EQ(one("DATE_DIFF(YEAR, TO_TIMESTAMP('2020-03-15T'), UTCNOW())"), "5");
  EXPECT_EQ(one("EXTRACT(HOUR FROM CAST('2026-03-14T01:30+02:00' AS TIMESTAMP))"), "23");
  EXPECT_EQ(pots("SELECT SIZE(s.parts) AS n FROM S3Object s LIMIT 1"), R"({"n":2})");
}

TEST(Select, WhatIsWrongHasAwsCodes) {
  EXPECT_THAT(one("CAST('x' AS INT)"), StartsWith("CastFailed: "));
  EXPECT_THAT(one("9223372036854775807 + 1"), StartsWith("IntegerOverflow: "));
  EXPECT_THAT(one("1 / 0"), StartsWith("EvaluatorInvalidArguments: "));
  EXPECT_THAT(one("1 + 'a'"), StartsWith("InvalidDataType: "));
  EXPECT_THAT(one("TO_STRING(1)"), StartsWith("UnsupportedFunction: "));
  EXPECT_THAT(one("CAST(1 AS PLANET)"), StartsWith("ParseExpectedTypeName: "));
  EXPECT_THAT(one("EXTRACT(WEEK FROM UTCNOW())"), StartsWith("ParseExpectedDatePart: "));
  EXPECT_THAT(one("DATE_ADD(DAY, 9223372036854775807, UTCNOW())"), StartsWith("EvaluatorInvalidArguments: "));
  for (const std::string count : {"-9223372036854775807 - 1", "9223372036854775807", "65536 * 12", "-65536", "10000"}) {
    EXPECT_THAT(one("DATE_ADD(YEAR, " + count + ", UTCNOW())"), StartsWith("EvaluatorInvalidArguments: ")) << count;
    if (count == "10000") continue;
    EXPECT_THAT(one("DATE_ADD(MONTH, " + count + ", UTCNOW())"), StartsWith("EvaluatorInvalidArguments: ")) << count;
  }
  EXPECT_THAT(one("'a"), StartsWith("LexerInvalidLiteral: "));
  EXPECT_THAT(one("a ? b"), StartsWith("LexerInvalidChar: "));
  EXPECT_EQ(teas("SELECT name\nFROM S3Object WHERE FROM"),
            "ParseUnexpectedToken: Unexpected token found KEYWORD:FROM at line 2, column 21.");
  EXPECT_THAT(teas("SELECT 1"), StartsWith("ParseSelectMissingFrom: "));
  EXPECT_THAT(teas("DELETE FROM S3Object"), StartsWith("ParseExpectedKeyword: "));
  EXPECT_THAT(teas("SELECT * FROM teas"), StartsWith("InvalidDataSource: "));
  EXPECT_THAT(teas("SELECT * FROM S3Object GROUP BY name"), StartsWith("ParseUnsupportedSyntax: "));
  EXPECT_THAT(teas("SELECT * FROM S3Object[*].a"), StartsWith("InvalidKeyPath: "));
  EXPECT_THAT(teas("SELECT a.b FROM S3Object"), StartsWith("InvalidKeyPath: "));
  EXPECT_THAT(one(std::string(1000, '(')), HasSubstr("nested so deep"));
  EXPECT_THAT(one("1" + std::string(40'000, '+') + "1"), HasSubstr("nested so deep"));
  std::string many = "1";
  for (int i = 0; i < kNodesMax; ++i) many += "+1";
  EXPECT_THAT(one(many), HasSubstr("so many parts"));
  EXPECT_THAT(one(std::string(kStatementBytesMax, ' ')), StartsWith("ExpressionTooLong: "));
}

TEST(Select, AllOfTheAliasIsAWholeSelectList) {
  EXPECT_EQ(one("S3OBJECT.*"), "");
  EXPECT_EQ(teas("SELECT \"s\".* FROM S3Object s LIMIT 1"), "Assam,4,India");
  EXPECT_THAT(teas("SELECT t.* FROM S3Object s"), StartsWith("InvalidTableAlias: "));
  EXPECT_THAT(teas("SELECT \"S\".* FROM S3Object s"), StartsWith("InvalidTableAlias: "));
  EXPECT_THAT(teas("SELECT S3Object.* FROM S3Object s"), StartsWith("InvalidTableAlias: "));
  for (const std::string_view list : {"COUNT(s.*)", "1 + s.*", "s.* + 1", "(s.*)", "s.name, s.*", "s.*, s.name",
                                      "s.* AS x", "s.name.*", "-s.*", "CAST(s.* AS INT)"}) {
    EXPECT_THAT(teas(base::cat("SELECT ", list, " FROM S3Object s")), StartsWith("ParseUnexpectedToken: ")) << list;
  }
  EXPECT_THAT(teas("SELECT * FROM S3Object s WHERE s.* = 1"), StartsWith("ParseUnexpectedToken: "));
}

// `size` bytes of text in a document, which may be larger than a record.
std::string ask_large(std::string_view statement, size_t size) {
  const std::string document = base::cat("{\"a\":\"", std::string(size, 'x'), "\",\"b\":1}");
  try {
    Scan scan(Statement::parse(statement), JsonInput{.is_lines = false}, CsvOutput{}, base::Time());
    scan.add(document);
    scan.end();
    std::string out;
    while (scan.go_on()) out += scan.take();
    return out + scan.take();
  } catch (const SelectError& error) {
    return base::cat(error.code(), ": ", error.what());
  }
}

std::string repeated(std::string_view part, std::string_view between, int times) {
  std::string out(part);
  for (int i = 1; i < times; ++i) out += base::cat(between, part);
  return out;
}

TEST(Select, WhatIsMadeOfARowIsBounded) {
  const std::string longest = "The length of a record";
  const std::string most = "makes too much of one record";
  constexpr size_t kLarge = 8 << 20;
  EXPECT_EQ(ask_large("SELECT s.b FROM S3Object s WHERE s.a LIKE '%x'", kLarge), "1\n");
  EXPECT_EQ(ask_large("SELECT CHAR_LENGTH(s.a || s.a) FROM S3Object s", kLarge), "16777216\n");
  // The second column would not be evaluated, as the first is too long.
  EXPECT_THAT(ask_large("SELECT s.a, 1 / 0 FROM S3Object s", kLarge), HasSubstr(longest));
  EXPECT_THAT(ask_large(base::cat("SELECT ", repeated("s.a", ",", 900), ", 1 / 0 FROM S3Object s"), 4 << 10),
              HasSubstr(longest));
  for (const std::string& made :
       {base::cat("'y' IN (", repeated("s.a", ",", 60), ")"),
        base::cat("CHAR_LENGTH(", repeated("s.a", "||", 60), ") = 1"), repeated("UPPER(s.a) = ''", " OR ", 60),
        repeated("CAST(s.a AS STRING) = ''", " OR ", 60)}) {
    EXPECT_THAT(ask_large(base::cat("SELECT 1 FROM S3Object s WHERE ", made), kLarge), HasSubstr(most)) << made;
  }
  // Of what COALESCE is given it takes what it needs.
  const std::string one_of_many = base::cat("COALESCE(", repeated("s.a", ",", 60), ")");
  EXPECT_EQ(ask_large(base::cat("SELECT 1 FROM S3Object s WHERE ", one_of_many, " > ''"), kLarge), "1\n");
  // One that LIKE is asked for is a pattern of at most a statement's size.
  EXPECT_THAT(ask_large("SELECT 1 FROM S3Object s WHERE 'x' LIKE s.a", kLarge), StartsWith("LikeInvalidInputs: "));
}

TEST(Select, WhatAggregatesHoldIsBounded) {
  EXPECT_EQ(ask_large("SELECT CHAR_LENGTH(MAX(s.a)) FROM S3Object s", 1 << 20), "1048576\n");
  EXPECT_THAT(ask_large("SELECT CHAR_LENGTH(MAX(s.a)) FROM S3Object s", (1 << 20) + 1),
              StartsWith("OverMaxRecordSize: "));
  const std::string lengths = repeated("CHAR_LENGTH(MIN(s.a))", "+", 17);
  EXPECT_THAT(ask_large(base::cat("SELECT ", lengths, " FROM S3Object s"), 1 << 20), StartsWith("OverMaxRecordSize: "));
}

// A set of a megabyte, looked through for each of as many characters, would take minutes.
TEST(Select, TrimsWithLargeSets) {
  EXPECT_EQ(ask_large("SELECT CHAR_LENGTH(TRIM(LOWER(s.a) FROM s.a || 'y')) FROM S3Object s", 4 << 20), "1\n");
}

TEST(Select, ADocumentIsOpenedRowByRow) {
  const std::string document =
      base::cat("[{\"a\":[", repeated("{\"b\":1}", ",", 50'000), "]}, {}, {\"a\":{\"c\":{\"b\":2}}}]");
  Scan scan(Statement::parse("SELECT s.b, UPPER('abcdefgh') FROM S3Object[*][*].a[*] s"), JsonInput{.is_lines = false},
            CsvOutput{}, base::Time());
  scan.add(document);
  scan.end();
  std::string out;
  bool is_more = true;
  while (is_more) {
    is_more = scan.go_on();
    const std::string some = scan.take();
    EXPECT_LE(some.size(), kOutputBytes + 100);
    out += some;
  }
  EXPECT_EQ(out, repeated("1,ABCDEFGH\n", "", 50'000) + "2,ABCDEFGH\n");
}

TEST(Select, AScanGivesWayAndEndsBetweenRows) {
  Scan scan(Statement::parse("SELECT COUNT(*) FROM S3Object[*] s"), JsonInput{.is_lines = false}, CsvOutput{},
            base::Time());
  scan.add("1 2 3 ");
  EXPECT_TRUE(scan.go_on(Scan::Steady::time_point::min()));
  scan.end();
  while (scan.go_on(Scan::Steady::time_point::min())) EXPECT_EQ(scan.take(), "");
  EXPECT_EQ(scan.take(), "3\n");

  Scan abandoned(Statement::parse("SELECT * FROM S3Object"), CsvInput{}, CsvOutput{}, base::Time());
  abandoned.add("a\nb\n");
  abandoned.abandon();
  EXPECT_FALSE(abandoned.go_on());
  EXPECT_EQ(abandoned.take(), "");
}

}  // namespace
}  // namespace tidemill::lang::select
