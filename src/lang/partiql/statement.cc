#include "lang/partiql/statement.h"

#include <algorithm>

#include "lang/partiql/compile.h"

namespace tidemill::lang::partiql {

using namespace detail;

namespace {

using Kind = Statement::Kind;
using Returning = Statement::Returning;

constexpr size_t kTableNameSizeMin = 3;
constexpr size_t kTableNameSizeMax = 255;

void check_table_name(std::string_view name) {
  const bool valid =
      name.size() >= kTableNameSizeMin && name.size() <= kTableNameSizeMax && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
      });
  if (valid) return;
  throw StatementError(
      "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'.");
}

void compile_source(const Syntax& syntax, Statement& statement) {
  if (syntax.several_sources) throw StatementError("Only select from a single table or index is supported.");
  if (syntax.source.size() > 2) throw StatementError("A path may contain at most 2 components in the FROM clause");
  statement.table = syntax.source[0];
  check_table_name(statement.table);
  if (syntax.source.size() == 1) return;
  if (statement.kind != Kind::select && statement.kind != Kind::exists) {
    throw StatementError("This operation is not supported on an index");
  }
  statement.index = syntax.source[1];
}

// What a column is called: its path's last step, with the brackets behind it.
std::string column_name(const dynamodb::Path& path) {
  size_t last = path.steps.size() - 1;
  while (path.steps[last].is_index) --last;
  std::string name = path.steps[last].name;
  for (size_t i = last + 1; i < path.steps.size(); ++i) name += "[" + std::to_string(path.steps[i].index) + "]";
  return name;
}

void compile_columns(const Syntax& syntax, Statement& statement) {
  const bool star =
      std::ranges::any_of(syntax.columns, [&](uint32_t column) { return syntax.nodes[column].kind == NodeKind::star; });
  if (star && syntax.columns.size() > 1) {
    throw StatementError("Other attributes should not be present in the projection when '*' is used.");
  }
  if (star) return;
  for (const uint32_t column : syntax.columns) {
    const Node& node = syntax.nodes[column];
    if (node.kind != NodeKind::path) throw StatementError("Unexpected path component" + syntax.at(column));
    dynamodb::Path path{node.steps};
    std::string name = column_name(path);
    if (std::ranges::find(statement.columns, name, &Statement::Column::name) != statement.columns.end()) {
      throw StatementError("Duplicate identifiers in select clause: " + name);
    }
    statement.columns.push_back({std::move(path), std::move(name)});
  }
}

void compile_order(const Syntax& syntax, Statement& statement) {
  for (const auto& [what, descending] : syntax.order) {
    const Node& node = syntax.nodes[what];
    if (node.kind != NodeKind::path || node.steps.size() != 1) {
      throw StatementError("Argument to ORDER BY must be of type VariableReference. Type: " +
                           std::string(node.kind == NodeKind::path ? "Path" : "Literal"));
    }
    statement.order.push_back({node.steps[0].name, descending});
  }
}

Returning compile_returning(const std::optional<std::string>& clause, Kind kind) {
  if (!clause) return Returning::none;
  if (kind == Kind::del && *clause != "ALL OLD *") {
    throw StatementError("Invalid returning clause: RETURNING " + *clause +
                         ". Only RETURNING ALL OLD * is allowed in DELETE statements.");
  }
  if (*clause == "ALL OLD *") return Returning::all_old;
  if (*clause == "ALL NEW *") return Returning::all_new;
  return *clause == "MODIFIED OLD *" ? Returning::modified_old : Returning::modified_new;
}

}  // namespace

Statement parse_statement(std::string_view text, std::span<const dynamodb::Value> parameters) {
  const Syntax syntax = parse_syntax(text);
  if (syntax.aliased) throw StatementError("Aliasing is not supported");
  if (!syntax.clause.empty()) throw StatementError("Unsupported clause: " + syntax.clause);
  Statement statement;
  statement.kind = syntax.kind;
  compile_source(syntax, statement);
  compile_columns(syntax, statement);
  compile_order(syntax, statement);
  statement.returning = compile_returning(syntax.returning, syntax.kind);

  Values values(syntax, parameters, statement.values);
  if (syntax.item) {
    if (syntax.nodes[*syntax.item].kind != NodeKind::map) {
      throw StatementError(
          "Unsupported format in item expression. Please use struct format {...} to express item values for insert "
          "statement.");
    }
    statement.item = values.item(*syntax.item);
  }
  if (!syntax.assignments.empty()) statement.update = compile_update(syntax, values);
  if (syntax.where) statement.where = compile_condition(syntax, values);
  return statement;
}

dynamodb::Item project(const Statement& statement, dynamodb::ItemView item) {
  if (statement.columns.empty()) return dynamodb::Item(item);
  dynamodb::MembersBuilder builder;
  for (const Statement::Column& column : statement.columns) {
    if (const auto value = resolve(column.path, item)) builder.add(column.name, *value);
  }
  return builder.build_item();
}

}  // namespace tidemill::lang::partiql
