// JSONata (docs.jsonata.org), the query and transformation language of Step Functions, as its reference 2.x runs it.
//
//   const Expression total = Expression::compile("$sum($states.input.items.(price * quantity))");
//   Bindings bindings{.values = {{"states", &states}}};
//   std::optional<json::Value> value = total.evaluate(nullptr, bindings, {.now = clock.now(), .random = random});
//
// A compiled expression is immutable: any number of threads may evaluate it at once.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "lang/jsonata/error.h"

namespace tidemill::lang::jsonata {

class Ast;
class Signature;

// How high an expression's tree may be.
inline constexpr int kExpressionHeightMax = 500;

// What one evaluation may use; more is U1001. Steps stand for time, so that an evaluation ends alike on every machine:
// a million take some tenths of a second.
struct Limits {
  static constexpr int kDepth = 1000;
  static constexpr int64_t kSteps = 10'000'000;
  static constexpr size_t kMemoryBytes = size_t{128} << 20;

  int depth = kDepth;  // of expressions within expressions and of calls within calls; a kilobyte of stack each
  int64_t steps = kSteps;
  size_t memory_bytes = kMemoryBytes;  // of values, and again of the result
};

// What an evaluation may know of the world.
struct World {
  std::chrono::sys_time<std::chrono::microseconds> now{};  // $now, $millis
  std::function<uint64_t()> random;                        // $random, $shuffle; refused without
};

// A function that the caller adds. Arguments and result are JSON, absent: undefined. May throw JsonataError.
struct NativeFunction {
  using Arguments = std::span<const std::optional<json::Value>>;

  std::string name;                            // without $
  std::shared_ptr<const Signature> signature;  // signature(); null: whatever comes
  size_t parameters = 0;
  std::function<std::optional<json::Value>(Arguments)> call;
};

// "<s-n?:s>" as functions declare what they take. Throws JsonataError (S0401, S0402).
[[nodiscard]] std::shared_ptr<const Signature> signature(std::string_view text);

// An object made of documents that are not copied.
struct Composite {
  std::string_view name;  // of the variable, or within the object that it is a part of
  std::vector<std::pair<std::string_view, const json::Value*>> members;
  std::vector<Composite> parts;  // behind the members
};

// Variables and functions beside those of the language; they come first, so a name of the language can be taken. All
// pointers must be valid during the evaluation.
struct Bindings {
  std::vector<std::pair<std::string_view, const json::Value*>> values;
  std::vector<const Composite*> objects;
  std::vector<const NativeFunction*> functions;
  std::vector<std::string_view> without;  // functions of the language that are not there
};

// What an expression reads from outside of it.
struct References {
  std::vector<std::string> variables;       // without $; also functions that are not the language's; sorted, once each
  std::vector<std::string> functions;       // the language's, likewise
  std::vector<std::string> context_names;   // members of the input ($), at the top level, as they come
  bool reads_root = false;                  // $$
  std::vector<std::string> states_members;  // of the variable $states: $states.input is "input"
};

class Expression {
 public:
  // Throws JsonataError (S…).
  [[nodiscard]] static Expression compile(std::string_view text);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  // `input` is $ and $$; null: undefined. Nothing: the expression's value is undefined, or a function. Throws
  // JsonataError. `steps_taken`, if there is one, is set unless it throws.
  [[nodiscard]] std::optional<json::Value> evaluate(const json::Value* input, const Bindings& bindings = {},
                                                    const World& world = {}, const Limits& limits = {},
                                                    int64_t* steps_taken = nullptr) const;

  [[nodiscard]] References references() const;

 private:
  explicit Expression(std::unique_ptr<const Ast> ast);

  std::unique_ptr<const Ast> ast_;
};

}  // namespace tidemill::lang::jsonata
