// Functions, CASE and CAST.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "lang/select/parser.h"

namespace tidemill::lang::select {
namespace {

using base::cat;
using Kind = Node::Kind;

constexpr std::array<std::string_view, 5> kAggregates = {"AVG", "COUNT", "MAX", "MIN", "SUM"};
struct Function {
  std::string_view name;
  size_t min = 1;
  size_t max = 1;
};
constexpr size_t kMany = 64;
constexpr Function kFunctions[] = {{"CHAR_LENGTH"},        {"CHARACTER_LENGTH"},
                                   {"COALESCE", 1, kMany}, {"LOWER"},
                                   {"NULLIF", 2, 2},       {"SIZE"},
                                   {"TO_TIMESTAMP"},       {"UPPER"},
                                   {"UTCNOW", 0, 0}};
constexpr std::string_view kDateParts[] = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};

bool is_one_of(std::string_view word, auto& list) { return std::ranges::find(list, word) != std::end(list); }

}  // namespace

NodePtr Parser::choice() {
  Node node{.kind = Kind::choice, .has_subject = !token().is("WHEN")};
  if (node.has_subject) node.parts.push_back(expression());
  if (!token().is("WHEN")) fail_unexpected();
  while (accept("WHEN")) {
    node.parts.push_back(expression());
    expect("THEN", "ParseExpectedKeyword");
    node.parts.push_back(expression());
  }
  if (accept("ELSE")) node.parts.push_back(expression());
  expect("END", "ParseExpectedKeyword");
  return made(std::move(node));
}

NodePtr Parser::call(const std::string& name) {
  if (is_one_of(name, kAggregates)) return aggregate(name);
  if (name == "CAST") return cast();
  if (name == "SUBSTRING") return substring();
  if (name == "TRIM") return trim();
  if (name == "EXTRACT" || name == "DATE_ADD" || name == "DATE_DIFF") return of_date(name);
  const auto function = std::ranges::find(kFunctions, name, &Function::name);
  if (function == std::end(kFunctions)) {
    throw SelectError("UnsupportedFunction", cat("Encountered an unsupported SQL function: ", name, "."));
  }
  std::vector<NodePtr> parts;
  if (!token().is(")")) {
    do parts.push_back(expression());
    while (accept(","));
  }
  expect(")");
  if (parts.size() < function->min || parts.size() > function->max) fail_arguments(name);
  return made(Kind::call, name == "CHARACTER_LENGTH" ? "CHAR_LENGTH" : name, std::move(parts));
}

void Parser::fail_arguments(std::string_view name) {
  throw SelectError("EvaluatorInvalidArguments",
                    cat("The arguments of the function ", name, " in the SQL expression are not valid."));
}

NodePtr Parser::aggregate(const std::string& name) {
  if (!may_aggregate_) {
    throw SelectError("ParseUnsupportedCallWithStar",
                      cat("The function ", name, " is not supported at ", place(), "."));
  }
  Node node{.kind = Kind::aggregate, .name = name, .aggregate = statement_.aggregates_.size()};
  may_aggregate_ = false;
  if (name == "COUNT" && accept("*")) {
  } else {
    node.parts.push_back(expression());
  }
  may_aggregate_ = true;
  expect(")");
  return statement_.aggregates_.emplace_back(made(std::move(node)));
}

NodePtr Parser::cast() {
  NodePtr value = expression();
  expect("AS", "ParseExpectedKeyword");
  struct Type {
    std::string_view word;
    std::string_view name;
  };
  static constexpr Type kTypes[] = {{"BOOL", "BOOL"},       {"BOOLEAN", "BOOL"},     {"INT", "INT"},
                                    {"INTEGER", "INT"},     {"FLOAT", "FLOAT"},      {"DECIMAL", "DECIMAL"},
                                    {"NUMERIC", "DECIMAL"}, {"STRING", "STRING"},    {"CHAR", "STRING"},
                                    {"VARCHAR", "STRING"},  {"CHARACTER", "STRING"}, {"TIMESTAMP", "TIMESTAMP"}};
  const auto type = std::ranges::find(kTypes, token().upper, &Type::word);
  if (type == std::end(kTypes)) {
    throw SelectError("ParseExpectedTypeName", cat("Expected type name at ", place(), "."));
  }
  lexer_.advance();
  if (accept("(")) {  // of texts and decimals, which are as long as they are
    do {
      if (token().kind != Token::Kind::number) fail_unexpected();
      lexer_.advance();
    } while (accept(","));
    expect(")");
  }
  expect(")");
  return made(Kind::cast, type->name, {value});
}

NodePtr Parser::substring() {
  std::vector<NodePtr> parts{expression()};
  const bool has_words = accept("FROM");
  if (!has_words) expect(",");
  parts.push_back(expression());
  if (has_words ? accept("FOR") : accept(",")) parts.push_back(expression());
  expect(")");
  return made(Kind::call, "SUBSTRING", std::move(parts));
}

NodePtr Parser::trim() {
  std::string side = "BOTH";
  bool has_side = false;
  for (const std::string_view word : {"LEADING", "TRAILING", "BOTH"}) {
    if (!token().is(word)) continue;
    lexer_.advance();
    side = word;
    has_side = true;
    break;
  }
  std::vector<NodePtr> parts;
  if (!(has_side && token().is("FROM"))) parts.push_back(expression());
  if (accept("FROM")) parts.insert(parts.begin(), expression());
  expect(")");
  return made(Node{.kind = Kind::call, .name = "TRIM", .word = side, .parts = std::move(parts)});
}

NodePtr Parser::of_date(const std::string& name) {
  const std::string part = token().upper;
  if (token().kind != Token::Kind::word || !is_one_of(part, kDateParts)) {
    throw SelectError("ParseExpectedDatePart", cat("Did not find the expected date part at ", place(), "."));
  }
  lexer_.advance();
  std::vector<NodePtr> parts;
  if (name == "EXTRACT") {
    expect("FROM", "ParseExpectedKeyword");
    parts.push_back(expression());
  } else {
    for (int i = 0; i < 2; ++i) {
      expect(",");
      parts.push_back(expression());
    }
  }
  expect(")");
  return made(Node{.kind = Kind::call, .name = name, .word = part, .parts = std::move(parts)});
}

}  // namespace tidemill::lang::select
