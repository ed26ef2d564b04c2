// Inside: intrinsic functions of JSONPath states: States.Format('{}', $.name).
#pragma once

#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lang/states/env.h"

namespace tidemill::lang::states {

inline constexpr int kIntrinsicNestingMax = 10;
inline constexpr size_t kIntrinsicTextMax = 10'000;  // characters of what is encoded, decoded or hashed
inline constexpr size_t kArrayRangeMax = 1'000;

// What a function says about its arguments; Intrinsic frames it.
class IntrinsicError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct IntrinsicFunction {
  std::string_view name;
  size_t least;
  size_t most;
  // Throws IntrinsicError.
  json::Value (*call)(std::span<const json::Value> arguments, const World& world);
};

// Null: there is none of this name.
[[nodiscard]] const IntrinsicFunction* find_intrinsic(std::string_view name);
// The array functions; find_intrinsic looks there, too.
[[nodiscard]] std::span<const IntrinsicFunction> array_intrinsics();

class Intrinsic {
 public:
  // Throws IntrinsicError.
  [[nodiscard]] static Intrinsic parse(std::string_view text);

  // Throws StateError.
  [[nodiscard]] json::Value evaluate(const Env& env) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  // The paths among its arguments, at any depth.
  void collect_paths(std::vector<const jsonpath::Path*>& paths) const { collect(root_, paths); }

 private:
  friend class IntrinsicParser;
  struct Call;
  struct Argument {
    json::Value literal;
    std::shared_ptr<const jsonpath::Path> path;
    std::shared_ptr<const Call> call;
  };
  struct Call {
    const IntrinsicFunction* function;
    std::vector<Argument> arguments;
  };

  [[nodiscard]] json::Value evaluate(const Call& call, const Env& env) const;
  [[nodiscard]] json::Value evaluate(const Argument& argument, const Env& env) const;
  static void collect(const std::shared_ptr<const Call>& call, std::vector<const jsonpath::Path*>& paths);

  std::string text_;
  std::shared_ptr<const Call> root_;
};

}  // namespace tidemill::lang::states
