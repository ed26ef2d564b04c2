// JSONPath as Step Functions knows it: the paths of Jayway JsonPath 2.x, whose manners and messages AWS's are.
//
//   const Path path = Path::parse("$.order.lines[?(@.count > 1)].name");
//   const Selection found = path.select(input);      // {"order": …}
//
// Supported: members ($.a, $['a'], $['a','b']), elements ([0], [-1], [0,2], [1:3], [::2]), all ([*], .*), descendants
// (..a, ..[0], ..*), filters ([?(…)]) with comparisons, =~, in, nin, subsetof, anyof, noneof, size, empty, !, && and
// ||; at a path's end the functions length(), keys(), min(), max(), avg(), sum(), stddev(), first(), last() and
// index(n). A path is immutable: any number of threads may use it at once.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace tidemill::lang::jsonpath {

inline constexpr size_t kPathBytesMax = 10'000;
inline constexpr int kFilterDepthMax = 50;             // of parentheses and paths within filters
// Of one evaluation: nodes that are visited, compared or copied; more is a PathError.
inline constexpr size_t kNodesVisitedMax = 1'000'000;

// what() says what is wrong with a path, or why it leads nowhere.
class PathError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Step;  // inside

// What a path stands for. Neither: a definite path leads nowhere.
struct Selection {
  const json::Value* node = nullptr;  // within the document
  std::optional<json::Value> made;    // of an indefinite path an array of what it found; of a function its value

  [[nodiscard]] bool found() const { return node || made; }
  [[nodiscard]] const json::Value& value() const { return made ? *made : *node; }
};

class Path {
 public:
  // What stands before the first step: "$", "$$" (the context object) or "$name" (a variable).
  enum class Root : uint8_t { input, context, variable };

  // Throws PathError.
  [[nodiscard]] static Path parse(std::string_view text);
  Path(Path&&) noexcept;
  Path& operator=(Path&&) noexcept;
  ~Path();

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] Root root() const { return root_; }
  [[nodiscard]] const std::string& variable() const { return variable_; }  // without $
  [[nodiscard]] bool is_whole() const;                                     // "$", "$$", "$name"
  [[nodiscard]] size_t steps() const;
  // It stands for one node or none: members and elements only.
  [[nodiscard]] bool is_definite() const { return is_definite_; }
  // A Reference Path of the Amazon States Language: definite, and elements not from the end.
  [[nodiscard]] bool is_reference() const;
  // The member that step `index` leads to; nothing if it is no single member.
  [[nodiscard]] std::optional<std::string_view> member(size_t index) const;

  // Of a definite path, from step `first` on. Null: it leads nowhere.
  [[nodiscard]] const json::Value* find(const json::Value& root, size_t first = 0) const;
  // Throws PathError: a function of what it is none of, a filter that costs too much.
  [[nodiscard]] Selection select(const json::Value& root) const;
  // The same; of several paths, what they visit is taken from the same `nodes_left`.
  [[nodiscard]] Selection select(const json::Value& root, size_t& nodes_left) const;
  // Whether select() finds nothing only because an element at the end of the path is beyond its array.
  [[nodiscard]] bool ends_beyond_array(const json::Value& root) const;
  // Why find() leads nowhere, in Jayway's words: "Missing property in path $['a']".
  [[nodiscard]] std::string explain(const json::Value& root) const;

  // Of a reference path: `root` with `value` in its place. Missing objects are made. Throws PathError for what is there
  // and has no such member or element.
  [[nodiscard]] json::Value place(const json::Value& root, json::Value value) const;

 private:
  Path();

  std::string text_;
  Root root_ = Root::input;
  std::string variable_;
  bool is_definite_ = true;
  std::vector<Step> steps_;
};

}  // namespace tidemill::lang::jsonpath
