#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lang/dynamodb/json_codec.h"
#include "lang/partiql/key_plan.h"
#include "lang/partiql/statement.h"

namespace tidemill::lang::partiql {
namespace {

using dynamodb::Item;
using dynamodb::item_from_json;
using dynamodb::Type;
using dynamodb::Value;
using ::testing::HasSubstr;

std::string error_of(std::string_view text, std::vector<Value> parameters = {}) {
  try {
    (void)parse_statement(text, parameters);
  } catch (const StatementError& error) {
    return error.what();
  }
  return "";
}

std::string malformed(std::string_view detail) {
  return std::string("Statement wasn't well formed, can't be processed: ").append(detail);
}

// Whether the item passes the WHERE clause.
bool holds(std::string_view where, std::string_view item, std::vector<Value> parameters = {}) {
  const Statement statement = parse_statement("SELECT * FROM Tab WHERE " + std::string(where), parameters);
  return evaluate(*statement.where, item_from_json(item));
}

// The item after UPDATE.
std::string updated(std::string_view changes, std::string_view item, std::vector<Value> parameters = {}) {
  const Statement statement = parse_statement("UPDATE Tab " + std::string(changes) + " WHERE k = 'a'", parameters);
  const auto after = apply(statement.update, item_from_json(item));
  return after ? to_json(after->view()) : after.error().what();
}

constexpr std::string_view kItem =
    R"({"k":{"S":"a"},"n":{"N":"5"},"s":{"S":"text"},"z":{"NULL":true},"l":{"L":[{"N":"1"},{"S":"x"}]},
        "m":{"M":{"sub":{"S":"deep"}}},"ss":{"SS":["a","b"]},"flag":{"BOOL":true}})";

TEST(PartiqlSelect, ReadsAColumnListATableAndAnIndex) {
  const Statement statement = parse_statement(R"(SELECT k, m.sub, l[1] FROM "my-tab"."by_n" WHERE k = 'a';)", {});
  EXPECT_EQ(statement.table, "my-tab");
  EXPECT_EQ(statement.index, "by_n");
  EXPECT_EQ(to_json(project(statement, item_from_json(kItem)).view()),
            R"({"k":{"S":"a"},"l[1]":{"S":"x"},"sub":{"S":"deep"}})");
}

TEST(PartiqlSelect, OrdersByKeysInEitherDirection) {
  const Statement statement = parse_statement("select * from Tab where k = 'a' order by s desc, k", {});
  ASSERT_EQ(statement.order.size(), 2u);
  EXPECT_EQ(statement.order[0].attribute, "s");
  EXPECT_TRUE(statement.order[0].descending);
  EXPECT_FALSE(statement.order[1].descending);
}

TEST(PartiqlSelect, RefusesWhatDynamoDbDoesNotHave) {
  EXPECT_EQ(error_of("SELECT a AS b FROM Tab"), "Aliasing is not supported");
  EXPECT_EQ(error_of("SELECT * FROM Tab t WHERE k = 'x'"), "Aliasing is not supported");
  EXPECT_EQ(error_of("SELECT COUNT(*) FROM Tab"), "Unexpected path component at 1:8:5");
  EXPECT_EQ(error_of("SELECT *, a FROM Tab"),
            "Other attributes should not be present in the projection when '*' is used.");
  EXPECT_EQ(error_of("SELECT a, b.a FROM Tab"), "Duplicate identifiers in select clause: a");
  EXPECT_EQ(error_of("SELECT * FROM Tab, Other"), "Only select from a single table or index is supported.");
  EXPECT_EQ(error_of("SELECT * FROM Tab LIMIT 5"), "Unsupported clause: LIMIT at 1:19:5");
  EXPECT_EQ(error_of("SELECT * FROM ab"),
            "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'.");
}

TEST(PartiqlWhere, ComparesAndJoinsConditions) {
  EXPECT_TRUE(holds("n > 4 AND s = 'text'", kItem));
  EXPECT_FALSE(holds("n > 5 OR NOT s = 'text'", kItem));
  EXPECT_TRUE(holds("n >= 5 AND (s <> 'text' OR 4.5 < n)", kItem));
  EXPECT_TRUE(holds("n != 6", kItem));
  EXPECT_TRUE(holds("n BETWEEN 5 AND 6", kItem));
  EXPECT_FALSE(holds("n NOT BETWEEN 5 AND 6", kItem));
  EXPECT_TRUE(holds("n IN [1, 5]", kItem));
  EXPECT_TRUE(holds("n IN (1, 5)", kItem));
  EXPECT_TRUE(holds("n NOT IN <<1, 2>>", kItem));
  EXPECT_TRUE(holds("m.sub = 'deep' AND l[0] = 1", kItem));
}

TEST(PartiqlWhere, KnowsTheFunctions) {
  EXPECT_TRUE(holds("begins_with(s, 'te')", kItem));
  EXPECT_TRUE(holds("NOT BEGINS_WITH(\"s\", 'x')", kItem));
  EXPECT_TRUE(holds("contains(ss, 'b')", kItem));
  EXPECT_TRUE(holds("size(s) = 4", kItem));
  EXPECT_TRUE(holds("attribute_type(ss, 'SS')", kItem));
  EXPECT_TRUE(holds("attribute_exists(m.sub) AND attribute_not_exists(m.nope)", kItem));
  EXPECT_TRUE(holds("attribute_exists(s) = true", kItem));
  EXPECT_FALSE(holds("attribute_exists(s) = false", kItem));
}

TEST(PartiqlWhere, TestsTypesWithIs) {
  EXPECT_TRUE(holds("z IS NULL AND s IS NOT NULL AND nope IS NOT NULL", kItem));
  EXPECT_TRUE(holds("nope IS MISSING AND s IS NOT MISSING", kItem));
  EXPECT_TRUE(holds("flag IS BOOL AND s IS STRING AND n IS NUMERIC AND m IS TUPLE AND l IS LIST", kItem));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE x IS FOO"), malformed("Expected type name"));
  EXPECT_THAT(error_of("SELECT * FROM Tab WHERE x IS INT"), HasSubstr("Unsupported data type for IS operator: INT."));
}

TEST(PartiqlWhere, ChecksOperandsAsAwsDoes) {
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE n < true"),
            "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL");
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE attribute_exists('s')"),
            "Operator or function requires a document path; operator or function: attribute_exists");
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE attribute_exists()"),
            "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of "
            "operands: 0");
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k = 'a' AND EXISTS(ss)"), "Unrecognized function: exists at 1:37:6");
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k"),
            "WHERE clause must contain an expression that resolves to a boolean");
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k = MISSING"), "MISSING must be compared using IS operator");
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE n + 1 = 2"), "Unsupported operator in Condition Expression. Operator: +");
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE s LIKE 't%'"), "Unsupported operation: Like");
}

TEST(PartiqlSyntax, NamesWhatIsWrongAsAwsDoes) {
  EXPECT_EQ(error_of("SLECT * FROM Tab"), malformed("Expected data manipulation"));
  EXPECT_EQ(error_of("UPDATE Payment-x SET a = 1 WHERE k = 'a'"), malformed("Expected data manipulation"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k = 1 foo"), malformed("Unexpected token after expression"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k = 1)"), malformed("Unexpected token after expression"));
  EXPECT_EQ(error_of("SELECT * FROM Tab ORDER BY k WHERE k = 1"), malformed("Unexpected token after expression"));
  EXPECT_EQ(error_of("DELETE FROM Tab WHERE k = 1 ORDER BY k"), malformed("Unexpected token after expression"));
  EXPECT_EQ(error_of("INSERT INTO Tab t VALUE {'k': 'x'}"), malformed("Unexpected token after expression"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE"), malformed("Unexpected term"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE;"), malformed("Unexpected term"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE NOT"), malformed("Unexpected term"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE ("), malformed("Unexpected term"));
  EXPECT_EQ(error_of("SELECT * FROM"), malformed("Unexpected term"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k = 'a' AND"),
            malformed("Missing right-hand side expression of infix operator"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE ORDER BY k"), malformed("Unexpected keyword"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE IS NULL"), malformed("Unexpected operator"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k = LIKE"), malformed("Unexpected operator"));
  EXPECT_EQ(error_of("DELETE FROM WHERE k = 'a'"), malformed("Expected identifier for simple path"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE m.inner = 1"), malformed("Invalid path dot component"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k = 1 # note"), malformed(""));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k = 1 /* note"), malformed(""));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k = 1e2147483648"), malformed(""));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k = 1.5e-2147483647"), malformed(""));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE k = 'open"), malformed(""));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE " + std::string(5000, '(')), malformed(""));
}

TEST(PartiqlSyntax, SkipsCommentsAndDoublesQuotes) {
  EXPECT_TRUE(holds("s -- a note\n = /* another */ 'it''s'", R"({"s":{"S":"it's"}})"));
  EXPECT_TRUE(holds(R"("a""b" = 1)", R"({"a\"b":{"N":"1"}})"));
}

TEST(PartiqlSyntax, ReadsNumbersInEveryForm) {
  for (const std::string_view number : {"7.31e6", "7.31E+6", "731e4", "73100000e-1", ".731e7"}) {
    EXPECT_TRUE(holds("n = " + std::string(number), R"({"n":{"N":"7310000"}})")) << number;
  }
  EXPECT_TRUE(holds("n = -.73e1", R"({"n":{"N":"-7.3"}})"));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE n = 1e126"),
            "Number overflow. Attempting to store a number with magnitude larger than supported range under root");
  EXPECT_EQ(error_of("INSERT INTO Tab VALUE {'k': 1, 'm': {'x': 1e126}}"),
            "Number overflow. Attempting to store a number with magnitude larger than supported range under root.x");
  EXPECT_EQ(error_of("INSERT INTO Tab VALUE {'k': 1, 'l': [1, 1e-131]}"),
            "Number underflow. Attempting to store a number with magnitude smaller than supported range under root[1]");
}

TEST(PartiqlInsert, TakesEveryKindOfLiteral) {
  const Statement statement = parse_statement(
      R"(INSERT INTO "Tab" VALUE {'k': 'a', 'n': -1.5, 't': true, 'z': null, 'l': [1, 'x'], 'm': {'a': {}},
         'ss': <<'b', 'a'>>, 'ns': <<1, 2>>, 'p': ?})",
      std::vector{Value::binary("\x01")});
  EXPECT_EQ(to_json(statement.item.view()),
            R"({"k":{"S":"a"},"l":{"L":[{"N":"1"},{"S":"x"}]},"m":{"M":{"a":{"M":{}}}},"n":{"N":"-1.5"},)"
            R"("ns":{"NS":["1","2"]},"p":{"B":"AQ=="},"ss":{"SS":["a","b"]},"t":{"BOOL":true},"z":{"NULL":true}})");
}

TEST(PartiqlInsert, RefusesOtherForms) {
  EXPECT_THAT(error_of("INSERT INTO Tab VALUES (1)"), HasSubstr("Inserting multiple items"));
  EXPECT_THAT(error_of("INSERT INTO Tab VALUE 5"), HasSubstr("Please use struct format"));
  EXPECT_EQ(error_of("INSERT INTO Tab (key, a) VALUES (1)"), malformed("Unexpected term"));
  EXPECT_EQ(error_of("INSERT INTO Tab VALUE {'k': <<>>}"), "Empty bags are not supported");
  EXPECT_EQ(error_of("INSERT INTO Tab VALUE {'k': <<1, 'a'>>}"),
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags");
  EXPECT_EQ(error_of("INSERT INTO Tab VALUE {'k': 1, 'k': 2}"), "Duplicate keys in tuple. Key: k under root");
  EXPECT_EQ(error_of("INSERT INTO Tab VALUE {'k': 1} RETURNING ALL OLD *"), "RETURNING is not supported in INSERT");
  EXPECT_EQ(error_of("INSERT INTO Tab.by_n VALUE {'k': 1}"), "This operation is not supported on an index");
}

TEST(PartiqlUpdate, SetsAndRemoves) {
  EXPECT_EQ(updated("SET n = n + 2, s = 'new' SET t = m.sub REMOVE l[0] REMOVE z",
                    R"({"n":{"N":"5"},"l":{"L":[{"N":"1"},{"N":"2"}]},"m":{"M":{"sub":{"S":"deep"}}},"z":{"N":"1"}})"),
            R"({"l":{"L":[{"N":"2"}]},"m":{"M":{"sub":{"S":"deep"}}},"n":{"N":"7"},"s":{"S":"new"},"t":{"S":"deep"}})");
  EXPECT_EQ(updated("SET l = list_append(l, [2, ?])", R"({"l":{"L":[{"N":"1"}]}})", {Value::number(3)}),
            R"({"l":{"L":[{"N":"1"},{"N":"2"},{"N":"3"}]}})");
  EXPECT_EQ(updated("SET n = n - -2", R"({"n":{"N":"5"}})"), R"({"n":{"N":"7"}})");
}

TEST(PartiqlUpdate, AddsToSetsAndDeletesFromThem) {
  EXPECT_EQ(
      updated("SET a = set_add(a, <<'x'>>) SET b = SET_DELETE(b, <<1>>)", R"({"a":{"SS":["y"]},"b":{"NS":["1","2"]}})"),
      R"({"a":{"SS":["x","y"]},"b":{"NS":["2"]}})");
  const auto error = [](std::string_view set) {
    return error_of("UPDATE Tab SET " + std::string(set) + " WHERE k = 'a'");
  };
  EXPECT_EQ(error("t = set_add(a, <<'x'>>)"),
            "The first argument to SET_ADD must equal the assignment value at 1:20:7");
  EXPECT_EQ(error("a = set_add(a, 'x')"), "The second argument to SET_ADD must be a value with type SET at 1:28:1");
  EXPECT_EQ(error("a = set_add(a)"), "SET_ADD must have exactly two arguments at 1:20:7");
  EXPECT_EQ(error("a = set_add(a, <<'x', 'x'>>)"),
            "One or more parameter values were invalid: Input collection [x, x] contains duplicates.");
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE set_add(a, <<'x'>>) = a"), "Unrecognized function: set_add at 1:25:7");
  EXPECT_EQ(error_of("INSERT INTO Tab VALUE {'a': set_add(<<'a'>>, <<'b'>>)}"),
            "Unsupported data type: set_add under key root at 1:29:7");
}

TEST(PartiqlUpdate, MayBeginWithFrom) {
  const Statement statement = parse_statement("FROM Tab WHERE k = 'a' SET c = 1 RETURNING MODIFIED NEW *", {});
  EXPECT_EQ(statement.kind, Statement::Kind::update);
  EXPECT_TRUE(statement.where);
  EXPECT_EQ(statement.returning, Statement::Returning::modified_new);
  EXPECT_EQ(error_of("FROM Tab SET c = 1 WHERE k = 'a'"), malformed("Unexpected token after expression"));
}

TEST(PartiqlDelete, ReturnsOnlyTheOldItem) {
  EXPECT_EQ(parse_statement("DELETE FROM Tab WHERE k = 'a' RETURNING ALL OLD *", {}).returning,
            Statement::Returning::all_old);
  EXPECT_EQ(error_of("DELETE FROM Tab WHERE k = 'a' RETURNING MODIFIED OLD *"),
            "Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in DELETE "
            "statements.");
}

TEST(PartiqlParameters, StandInTheOrderOfTheQuestionMarks) {
  EXPECT_TRUE(holds("n = ? AND s = ?", kItem, {Value::number(5), Value::string("text")}));
  EXPECT_TRUE(holds("s = '?' OR n = ?", kItem, {Value::number(5)}));
  EXPECT_EQ(error_of("SELECT * FROM Tab WHERE n = ? AND s = ?", {Value::number(5)}),
            "Number of parameters in request and statement don't match.");
}

TEST(PartiqlExists, WrapsASelect) {
  const Statement statement = parse_statement("EXISTS(SELECT * FROM Tab WHERE k = 'a' AND n = 1)", {});
  EXPECT_EQ(statement.kind, Statement::Kind::exists);
  EXPECT_EQ(statement.table, "Tab");
}

class KeyPlans : public ::testing::Test {
 protected:
  KeyPlan plan(std::string_view where) {
    statement = parse_statement("SELECT * FROM Tab WHERE " + std::string(where), {});
    return plan_keys(statement.where, {"k", Type::S, "s", Type::N});
  }
  Statement statement;
};

TEST_F(KeyPlans, TakeEqualityOnThePartitionAndOneConditionOnTheSortKey) {
  const KeyPlan found = plan("n = 1 AND 'a' = k AND 3 < s AND s < 9");
  ASSERT_EQ(found.ranges.size(), 1u);
  EXPECT_EQ(found.ranges[0].partition.string(), "a");
  ASSERT_TRUE(found.ranges[0].sort);
  EXPECT_EQ(found.ranges[0].sort->op, dynamodb::KeyCondition::Op::greater);
  ASSERT_TRUE(found.rest);
  EXPECT_TRUE(evaluate(*found.rest, item_from_json(R"({"n":{"N":"1"},"s":{"N":"8"}})")));
  EXPECT_FALSE(evaluate(*found.rest, item_from_json(R"({"n":{"N":"1"},"s":{"N":"9"}})")));
  EXPECT_FALSE(found.is_one_key(true));
}

TEST_F(KeyPlans, KnowAWholePrimaryKey) {
  EXPECT_TRUE(plan("k = 'a' AND s = 1").is_one_key(true));
  EXPECT_FALSE(plan("k = 'a'").is_one_key(true));
  EXPECT_TRUE(plan("k = 'a'").is_one_key(false));
}

TEST_F(KeyPlans, TakeEachPartitionOfInOnce) { EXPECT_EQ(plan("k IN ['a', 'b', 'a']").ranges.size(), 2u); }

TEST_F(KeyPlans, TakeAlternativesThatAllNamePartitions) {
  // The ranges of a clause: "a1-2 b*"; "!" at the end if some overlap.
  const auto ranges = [this](std::string_view where) {
    const KeyPlan found = plan(where);
    EXPECT_TRUE(found.rest) << where;
    EXPECT_FALSE(found.is_one_key(true)) << where;
    std::string text;
    for (const KeyRange& range : found.ranges) {
      text += (text.empty() ? "" : " ") + std::string(range.partition.string());
      text += range.sort ? range.sort->low.number().to_string() : "*";
    }
    return text + (found.overlapping ? "!" : "");
  };
  EXPECT_EQ(ranges("k = 'a' OR k = 'b'"), "a* b*");
  EXPECT_EQ(ranges("k = 'a' AND s = 1 OR k = 'b' AND s = 2 AND n = 3"), "a1 b2");
  EXPECT_EQ(ranges("k = 'a' AND s = 1 OR k = 'a' AND s = 2 OR k = 'a' AND s = 1"), "a1 a2");
  EXPECT_EQ(ranges("n = 1 AND (k = 'a' AND s < 1 OR k = 'a' AND s >= 1)"), "a1 a1");
  EXPECT_EQ(ranges("k = 'a' AND (s = 1 OR s = 2) OR k = 'b'"), "a* b*");
  EXPECT_EQ(ranges("k = 'a' OR k = 'a' AND s = 1"), "a*");
  EXPECT_EQ(ranges("k = 'a' AND NOT s = 1 OR k = 'a' AND s = 2"), "a*");
  EXPECT_EQ(ranges("k = 'a' AND s > 1 OR k = 'a' AND s < 5"), "a*!");
  EXPECT_EQ(ranges("k = 'a' AND s BETWEEN 1 AND 3 OR k = 'a' AND s = 3"), "a*!");
  EXPECT_EQ(ranges("k = 'a' AND s > 1 AND s < 3 OR k = 'a' AND s > 5"), "a*");  // what the two leave out is not compared
  EXPECT_EQ(ranges("k = 'a' OR n = 1"), "");
}

TEST_F(KeyPlans, LeaveTheRestToAFilter) {
  for (const std::string_view where : {"k = 'a' OR n = 1", "NOT k = 'a'", "k > 'a'", "s = 1", "k = n"}) {
    const KeyPlan found = plan(where);
    EXPECT_TRUE(found.ranges.empty()) << where;
    EXPECT_TRUE(found.rest) << where;
  }
}

TEST_F(KeyPlans, RefuseKeysOfAnotherType) {
  try {
    (void)plan("k = 5");
    FAIL();
  } catch (const StatementError& error) {
    EXPECT_STREQ(error.what(), "Key attribute's data type should match its data type in table's schema: Key k");
  }
}

}  // namespace
}  // namespace tidemill::lang::partiql
