#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "lang/insights/functions.h"
#include "lang/insights/lexer.h"
#include "lang/insights/node.h"

namespace tidemill::lang::insights {
namespace {

using base::cat;

// A regular expression compiles to no more.
constexpr int64_t kRegexBytesMax = 1 << 20;
constexpr std::string_view kRefusedCommands[] = {"pattern", "diff",   "anomaly", "unmask",     "unnest",
                                                 "lookup",  "source", "join",    "subqueries", "filterindex"};

// RE2 writes named groups with a P.
std::string in_re2(std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      out.append(pattern.substr(i++, 2));
      continue;
    }
    out.push_back(pattern[i]);
    const std::string_view rest = pattern.substr(i);
    if (rest.starts_with("(?<") && !rest.starts_with("(?<=") && !rest.starts_with("(?<!")) {
      out += "?P";
      ++i;
    }
  }
  return out;
}

// Texts that functions make count as this many bytes for each call.
constexpr size_t kMadeTextBytes = 16 << 10;
constexpr size_t kFieldsPerStep = 32;

NodePtr make(Node node) { return std::make_shared<const Node>(std::move(node)); }

class QueryParser {
 public:
  explicit QueryParser(std::string_view text) : lexer_(text) {
    if (text.size() > kQuerySizeMax)
      Lexer::fail_at(cat("the query is longer than ", kQuerySizeMax, " characters"), 0, text.size());
  }

  std::vector<std::shared_ptr<const Command>> parse() {
    std::vector<std::shared_ptr<const Command>> commands;
    if (lexer_.token().kind == Token::Kind::end) return commands;  // shows what there is
    do {
      if (commands.size() == kCommandsMax) lexer_.fail(cat("there are more than ", kCommandsMax, " commands"));
      commands.push_back(std::make_shared<const Command>(command()));
    } while (lexer_.accept_sign("|"));
    if (lexer_.token().kind != Token::Kind::end) lexer_.fail_unexpected();
    return commands;
  }
  [[nodiscard]] const Work& work() const { return work_; }

 private:
  class Level {
   public:
    explicit Level(QueryParser& parser) : parser_(parser) {
      if (++parser_.depth_ > kQueryDepthMax) parser_.lexer_.fail("the query is nested too deep");
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;

   private:
    QueryParser& parser_;
  };

  Command command() {
    const Token name = lexer_.token();
    if (name.kind != Token::Kind::word) lexer_.fail_unexpected();
    Command out;
    command_ = &out;
    if (lexer_.accept_word("fields")) {
      out.kind = CommandKind::fields;
      out.columns = columns();
    } else if (lexer_.accept_word("display")) {
      out.kind = CommandKind::display;
      out.columns = columns();
    } else if (lexer_.accept_word("filter")) {
      out.kind = CommandKind::filter;
      out.condition = expression();
    } else if (lexer_.accept_word("parse")) {
      out.kind = CommandKind::parse;
      parse_command(out);
    } else if (lexer_.accept_word("stats")) {
      out.kind = CommandKind::stats;
      stats(out);
    } else if (lexer_.accept_word("sort") || lexer_.accept_word("order")) {
      out.kind = CommandKind::sort;
      sort(out);
    } else if (lexer_.accept_word("limit") || lexer_.accept_word("head")) {
      out.kind = CommandKind::limit;
      limit(out);
    } else if (lexer_.accept_word("dedup")) {
      out.kind = CommandKind::dedup;
      out.columns = columns();
    } else {
      if (std::ranges::find(kRefusedCommands, small_letters(name.text)) != std::end(kRefusedCommands)) {
        lexer_.fail(cat("Tidemill does not support the command ", name.text));
      }
      lexer_.fail_unexpected();
    }
    return out;
  }

  // Expressions with or without names, with commas between; sort and dedup do without these.
  std::vector<Named> columns() {
    std::vector<Named> out;
    do {
      out.push_back(named());
    } while (lexer_.accept_sign(","));
    return out;
  }

  Named named() {
    const size_t begin = lexer_.token().begin;
    Named out{.node = expression()};
    if (lexer_.accept_word("as")) {
      out.name = name();
    } else if (out.node->kind == NodeKind::field) {
      out.name = out.node->name;
    } else {
      out.name = lexer_.between(begin, lexer_.last_end());
    }
    return out;
  }

  std::string name() {
    const Token token = lexer_.token();
    if (token.kind != Token::Kind::word && token.kind != Token::Kind::quoted_word) lexer_.fail_unexpected();
    lexer_.advance();
    return token.text;
  }

  Regex compile(const std::string& pattern, size_t begin, size_t end) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kRegexBytesMax);
    auto regex = std::make_shared<const re2::RE2>(pattern, options);
    if (!regex->ok()) Lexer::fail_at(cat("invalid regular expression: ", regex->error()), begin, end);
    work_.regex_instructions += static_cast<size_t>(regex->ProgramSize());
    if (work_.regex_instructions > kRegexInstructionsMax) {
      Lexer::fail_at("the regular expressions of the query are too large", begin, end);
    }
    return regex;
  }

  void parse_command(Command& out) {
    lexer_.expect_operand();
    // Without a field the message is meant.
    if (lexer_.token().kind == Token::Kind::text || lexer_.token().kind == Token::Kind::regex) {
      out.condition = make({.kind = NodeKind::field, .name = "@message"});
    } else {
      out.condition = operand();
      lexer_.expect_operand();
    }
    const Token pattern = lexer_.token();
    if (pattern.kind == Token::Kind::regex) {
      lexer_.advance();
      out.pattern = compile(in_re2(pattern.text), pattern.begin, pattern.end);
      const auto& groups = out.pattern->CapturingGroupNames();
      for (int i = 1; i <= out.pattern->NumberOfCapturingGroups(); ++i) {
        const auto found = groups.find(i);
        out.names.push_back(found == groups.end() ? "" : found->second);
      }
      if (std::ranges::all_of(out.names, &std::string::empty)) {
        Lexer::fail_at("the regular expression has no named groups", pattern.begin, pattern.end);
      }
    } else if (pattern.kind == Token::Kind::text) {
      lexer_.advance();
      // Each star takes as little as it can; one at the end takes all.
      std::string text = "(?s)";
      size_t stars = 0;
      std::string_view rest = pattern.text;
      for (size_t star = rest.find('*'); star != std::string_view::npos; star = rest.find('*')) {
        text += re2::RE2::QuoteMeta(rest.substr(0, star));
        rest.remove_prefix(star + 1);
        text += rest.empty() ? "(.*)" : "(.*?)";
        ++stars;
      }
      text += re2::RE2::QuoteMeta(rest);
      if (!lexer_.accept_word("as")) lexer_.fail_unexpected();
      do {
        out.names.push_back(name());
      } while (lexer_.accept_sign(","));
      if (stars != out.names.size()) {
        Lexer::fail_at(cat("the pattern has ", stars, " wildcards for ", out.names.size(), " names"), pattern.begin,
                       pattern.end);
      }
      out.pattern = compile(text, pattern.begin, pattern.end);
    } else {
      lexer_.fail_unexpected();
    }
    if (out.names.size() > kParsedFieldsMax) {
      Lexer::fail_at(cat("parse makes more than ", kParsedFieldsMax, " fields"), pattern.begin, pattern.end);
    }
  }

  void stats(Command& out) {
    may_aggregate_ = true;
    out.columns = columns();
    may_aggregate_ = false;
    if (out.aggregates.empty()) lexer_.fail("stats needs an aggregation function");
    if (lexer_.accept_word("by")) out.by = columns();
  }

  void sort(Command& out) {
    do {
      SortKey key{.node = expression()};
      key.is_descending = lexer_.accept_word("desc");
      if (!key.is_descending) (void)lexer_.accept_word("asc");
      out.keys.push_back(std::move(key));
    } while (lexer_.accept_sign(","));
  }

  void limit(Command& out) {
    const Token token = lexer_.token();
    if (token.kind != Token::Kind::number) lexer_.fail_unexpected();
    if (token.number != std::floor(token.number) || token.number < 1 || token.number > kResultsMax) {
      lexer_.fail(cat("the limit must be a whole number from 1 to ", kResultsMax));
    }
    out.limit = static_cast<size_t>(token.number);
    lexer_.advance();
  }

  NodePtr expression() {
    const Level level(*this);
    NodePtr left = conjunction();
    while (lexer_.accept_word("or")) left = binary("or", std::move(left), conjunction());
    return left;
  }
  NodePtr conjunction() {
    NodePtr left = negation();
    while (lexer_.accept_word("and")) left = binary("and", std::move(left), negation());
    return left;
  }
  NodePtr negation() {
    if (!lexer_.accept_word("not")) return comparison();
    const Level level(*this);
    return make({.kind = NodeKind::negation, .parts = {negation()}});
  }

  NodePtr comparison() {
    NodePtr left = sum();
    for (const std::string_view sign : {"=", "!=", "<=", ">=", "<", ">"}) {
      if (!lexer_.accept_sign(sign)) continue;
      return binary(sign, std::move(left), sum());
    }
    if (lexer_.accept_sign("=~")) return like(std::move(left));
    if (lexer_.accept_word("like")) return like(std::move(left));
    if (lexer_.accept_word("in")) return among(std::move(left));
    if (!lexer_.accept_word("not")) return left;
    NodePtr inner;
    if (lexer_.accept_word("like"))
      inner = like(std::move(left));
    else if (lexer_.accept_word("in"))
      inner = among(std::move(left));
    else
      lexer_.fail_unexpected();
    return make({.kind = NodeKind::negation, .parts = {std::move(inner)}});
  }

  NodePtr like(NodePtr left) {
    lexer_.expect_operand();
    const Token token = lexer_.token();
    Node node{.kind = NodeKind::like, .parts = {std::move(left)}};
    if (token.kind == Token::Kind::regex) {
      node.regex = compile(in_re2(token.text), token.begin, token.end);
    } else if (token.kind == Token::Kind::text) {
      // A text is one that is contained; %…% is a regular expression, too.
      const bool is_regex = token.text.size() > 2 && token.text.starts_with('%') && token.text.ends_with('%');
      node.regex =
          compile(is_regex ? in_re2(token.text.substr(1, token.text.size() - 2)) : re2::RE2::QuoteMeta(token.text),
                  token.begin, token.end);
    } else {
      lexer_.fail_unexpected();
    }
    lexer_.advance();
    return make(std::move(node));
  }

  NodePtr among(NodePtr left) {
    Node node{.kind = NodeKind::among, .parts = {std::move(left)}};
    lexer_.expect_sign("[");
    do {
      node.parts.push_back(sum());
    } while (lexer_.accept_sign(","));
    lexer_.expect_sign("]");
    return make(std::move(node));
  }

  NodePtr sum() {
    NodePtr left = product();
    while (lexer_.is_sign("+") || lexer_.is_sign("-")) {
      const std::string sign = lexer_.token().text;
      lexer_.advance();
      left = binary(sign, std::move(left), product());
    }
    return left;
  }
  NodePtr product() {
    NodePtr left = power();
    while (lexer_.is_sign("*") || lexer_.is_sign("/") || lexer_.is_sign("%")) {
      const std::string sign = lexer_.token().text;
      lexer_.advance();
      left = binary(sign, std::move(left), power());
    }
    return left;
  }
  NodePtr power() {
    const Level level(*this);
    if (lexer_.accept_sign("-")) return make({.kind = NodeKind::opposite, .parts = {power()}});
    NodePtr left = operand();
    if (!lexer_.accept_sign("^")) return left;
    return binary("^", std::move(left), power());
  }

  // What is chained is nested when it is evaluated.
  NodePtr binary(std::string_view sign, NodePtr left, NodePtr right) {
    if (++operators_ > kOperatorsMax) lexer_.fail("the query has too many operators");
    return make({.kind = NodeKind::binary, .name = std::string(sign), .parts = {std::move(left), std::move(right)}});
  }

  NodePtr operand() {
    const Level level(*this);
    const Token token = lexer_.token();
    switch (token.kind) {
      case Token::Kind::number:
        lexer_.advance();
        return make({.value = token.number});
      case Token::Kind::text:
        lexer_.advance();
        return make({.value = token.text});
      case Token::Kind::quoted_word:
        lexer_.advance();
        return field(token.text);
      case Token::Kind::word:
        lexer_.advance();
        if (lexer_.accept_sign("(")) return call(token);
        return field(token.text);
      default:
        break;
    }
    if (!lexer_.accept_sign("(")) lexer_.fail_unexpected();
    NodePtr inner = expression();
    lexer_.expect_sign(")");
    return inner;
  }

  NodePtr field(std::string name) {
    ++work_.fields;
    return make({.kind = NodeKind::field, .name = std::move(name)});
  }

  NodePtr call(const Token& function) {
    Node node{.kind = NodeKind::call, .name = small_letters(function.text)};
    const bool aggregates = is_aggregate(node.name) && may_aggregate_;
    if (!aggregates && !is_function(node.name)) {
      Lexer::fail_at(is_aggregate(node.name) ? cat("the function ", function.text, " belongs into stats")
                                             : cat("unknown function ", function.text),
                     function.begin, function.end);
    }
    const bool could_aggregate = may_aggregate_;
    if (aggregates) may_aggregate_ = false;
    if (!lexer_.is_sign(")")) {
      do {
        node.parts.push_back(argument(node.name, node.parts.size()));
      } while (lexer_.accept_sign(","));
    }
    may_aggregate_ = could_aggregate;
    const size_t end = lexer_.token().end;
    lexer_.expect_sign(")");
    if (!takes(node.name, node.parts.size())) {
      Lexer::fail_at(cat("the function ", function.text, " does not take ", node.parts.size(), " arguments"),
                     function.begin, end);
    }
    if (aggregates || walks_texts(node.name)) ++work_.text_calls;
    if (node.name == "concat" || node.name == "replace") work_.makes_texts = true;
    if (!aggregates) return make(std::move(node));
    node.kind = NodeKind::aggregate;
    node.aggregate = command_->aggregates.size();
    NodePtr made = make(std::move(node));
    command_->aggregates.push_back(made);
    return made;
  }

  NodePtr argument(const std::string& function, size_t number) {
    if (function == "count" && lexer_.accept_sign("*")) return make({.value = "*"});
    const bool is_span =
        (function == "bin" && number == 0) || ((function == "datefloor" || function == "dateceil") && number == 1);
    if (is_span && lexer_.token().kind == Token::Kind::number) return span();
    return expression();
  }

  // "5m": in milliseconds.
  NodePtr span() {
    const Token count = lexer_.token();
    lexer_.advance();
    const Token unit = lexer_.token();
    if (unit.kind != Token::Kind::word || unit.begin != count.end) lexer_.fail_unexpected();
    struct Unit {
      std::string_view name;
      double milliseconds;
    };
    constexpr double kSecond = 1'000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
    static constexpr Unit kUnits[] = {
        {"ms", 1},           {"msec", 1},          {"s", kSecond},     {"sec", kSecond},
        {"second", kSecond}, {"seconds", kSecond}, {"m", kMinute},     {"min", kMinute},
        {"minute", kMinute}, {"minutes", kMinute}, {"h", kHour},       {"hr", kHour},
        {"hour", kHour},     {"hours", kHour},     {"d", kDay},        {"day", kDay},
        {"days", kDay},      {"w", 7 * kDay},      {"week", 7 * kDay}, {"weeks", 7 * kDay}};
    const auto found = std::ranges::find(kUnits, small_letters(unit.text), &Unit::name);
    constexpr double kLongest = 10'000 * kDay;
    const double milliseconds = found == std::end(kUnits) ? 0 : std::floor(count.number * found->milliseconds);
    if (milliseconds < 1 || milliseconds > kLongest) {
      Lexer::fail_at(cat("invalid period ", lexer_.between(count.begin, unit.end)), count.begin, unit.end);
    }
    lexer_.advance();
    return make({.value = milliseconds});
  }

  static constexpr int kOperatorsMax = 1'000;

  Lexer lexer_;
  int depth_ = 0;
  int operators_ = 0;
  Work work_;
  bool may_aggregate_ = false;
  Command* command_ = nullptr;
};

}  // namespace

size_t Work::steps(size_t bytes) const {
  const size_t made = makes_texts ? text_calls * kMadeTextBytes : 0;
  return bytes * (regex_instructions + text_calls) + bytes * fields / kFieldsPerStep + made;
}

Query Query::parse(std::string_view text) {
  Query query;
  QueryParser parser(text);
  query.commands_ = parser.parse();
  query.work_ = parser.work();
  return query;
}

}  // namespace tidemill::lang::insights
