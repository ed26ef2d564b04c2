// Statements of S3 Select: "SELECT command" in the user guide.
//
//   SELECT s.name, CAST(s.price AS FLOAT) * 2 AS twice FROM S3Object s WHERE s.kind IN ('tea', 'cake') LIMIT 10
//
// A select list of expressions, of * or of aggregate functions (AVG, COUNT, MAX, MIN, SUM); FROM S3Object, of JSON with
// a path; WHERE; LIMIT. Operators: OR, AND, NOT, comparisons, IS, IN, BETWEEN, LIKE, ||, + - * / %. Functions: CASE,
// CAST, CHAR_LENGTH, COALESCE, DATE_ADD, DATE_DIFF, EXTRACT, LOWER, NULLIF, SIZE, SUBSTRING, TO_TIMESTAMP, TRIM, UPPER,
// UTCNOW.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/select/error.h"
#include "lang/select/value.h"

namespace re2 {
class RE2;
}

namespace tidemill::lang::select {

inline constexpr size_t kStatementBytesMax = 256 << 10;  // AWS's
// Of one statement, so that what it does with one row is bounded.
inline constexpr int kNodesMax = 2'000;
inline constexpr int kStatementDepthMax = 64;

struct Step {
  enum class Kind : uint8_t { name, place, every };  // .name, [2], [*]
  Kind kind = Kind::name;
  std::string name;
  bool is_exact = false;  // "in quotes": capitals matter
  size_t place = 0;
};
using Path = std::vector<Step>;

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  enum class Kind : uint8_t {
    constant,
    path,
    arithmetic,  // name: + - * / % ||
    comparison,  // name: = != < <= > >=
    both,
    either,
    negation,
    opposite,  // -x
    is,        // name: NULL, MISSING
    among,     // the first part in the others
    between,
    like,       // value, pattern, perhaps the escaping character
    choice,     // CASE: perhaps a subject, pairs of condition and value, and perhaps another value
    cast,       // name: BOOL, INT, FLOAT, DECIMAL, STRING, TIMESTAMP
    call,       // name; of dates `word` is the part
    aggregate,  // name; without parts COUNT(*)
  };
  Kind kind = Kind::constant;
  std::string name;
  std::string word;
  Value value;
  Path path;
  std::vector<NodePtr> parts;
  size_t aggregate = 0;                     // its number in the statement
  bool has_subject = false;                 // of CASE: its first part, which conditions are compared with
  std::shared_ptr<const re2::RE2> pattern;  // of LIKE, where it is constant
};

struct Column {
  NodePtr node;
  std::string name;  // as results call it
};

// Immutable, any thread.
class Statement {
 public:
  // Throws SelectError.
  static Statement parse(std::string_view text);

  [[nodiscard]] bool selects_all() const { return columns_.empty(); }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] const Path& from() const { return from_; }  // behind S3Object
  [[nodiscard]] const NodePtr& where() const { return where_; }
  [[nodiscard]] std::optional<uint64_t> limit() const { return limit_; }
  [[nodiscard]] const std::vector<NodePtr>& aggregates() const { return aggregates_; }
  // All paths that columns and conditions name.
  [[nodiscard]] const std::vector<NodePtr>& paths() const { return paths_; }

 private:
  friend class Parser;
  std::vector<Column> columns_;
  Path from_;
  NodePtr where_;
  std::optional<uint64_t> limit_;
  std::vector<NodePtr> aggregates_;
  std::vector<NodePtr> paths_;
};

// A pattern of LIKE. Throws SelectError.
[[nodiscard]] std::shared_ptr<const re2::RE2> compile_like(std::string_view pattern, std::string_view escape);

}  // namespace tidemill::lang::select
