// Inside: the grammar of S3 Select's statements.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/select/lexer.h"
#include "lang/select/statement.h"

namespace tidemill::lang::select {

// Words that are no names where a name could stand.
[[nodiscard]] bool is_reserved(std::string_view upper);

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Statement parse();

 private:
  [[nodiscard]] const Token& token() const { return lexer_.token(); }
  [[nodiscard]] std::string place() const { return lexer_.place_of(token().begin); }

  [[noreturn]] void fail_unexpected() const;
  bool accept(std::string_view word);
  void expect(std::string_view word, const char* code = nullptr);
  NodePtr made(Node node);
  NodePtr made(Node::Kind kind, std::string_view name, std::vector<NodePtr> parts);

  // ---- SELECT, FROM, LIMIT ----
  // True: it is * or an alias's.
  bool select_list();
  // "alias.*", which stands before FROM: whether it is the alias turns out in finish().
  bool star_of_alias();

  // Of a path its last name; others get numbers (finish()).
  static std::string own_name(const Node& node);
  void from();
  void limit();
  void finish(bool is_all);
  [[nodiscard]] bool is_alias(const Step& step) const;
  void resolve_alias(Path& path) const;

  // What stands beside aggregates is made of aggregates and constants.
  static void check_aggregated(const Node& node);

  // ---- Names and paths ----

  [[nodiscard]] bool is_name() const;
  std::string name();

  // What follows a name. `in_from`: [*] may stand there.
  Path steps(bool in_from);
  Step name_step();
  Step place_step(bool in_from);
  NodePtr path();

  // ---- Expressions ----

  struct Deeper {
    Parser& parser;
    explicit Deeper(Parser& of) : parser(of) {
      if (++parser.depth_ > kStatementDepthMax) {
        throw SelectError("ParseUnsupportedSyntax",
                          "Tidemill does not support SQL expressions that are nested so deep.");
      }
    }
    ~Deeper() { --parser.depth_; }
  };
  NodePtr expression();
  NodePtr conjunction();
  NodePtr inverse();
  NodePtr comparison();

  // IN, BETWEEN, LIKE behind `left`; null: none of them.
  NodePtr predicate(const NodePtr& left);
  NodePtr sum();
  NodePtr product();
  NodePtr unary();
  NodePtr primary();

  // ---- What has parentheses (calls.cc) ----

  NodePtr choice();
  NodePtr call(const std::string& name);
  [[noreturn]] static void fail_arguments(std::string_view name);
  NodePtr aggregate(const std::string& name);
  NodePtr cast();
  NodePtr substring();
  NodePtr trim();
  NodePtr of_date(const std::string& name);

  Lexer lexer_;
  Statement statement_;
  std::string alias_;
  std::vector<std::shared_ptr<Node>> paths_;
  std::optional<Step> star_of_;
  bool may_aggregate_ = true;
  int nodes_ = 0;
  int depth_ = 0;
};

}  // namespace tidemill::lang::select
