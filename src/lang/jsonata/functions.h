// Inside: the functions of the language.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "lang/jsonata/evaluator.h"

namespace tidemill::lang::jsonata {

// What a function of the language is called with. Arguments have passed its signature.
struct Call {
  Evaluator& evaluator;
  std::span<const Value> arguments;
  Value input;
  Frame* frame;

  [[nodiscard]] Value argument(size_t index) const { return index < arguments.size() ? arguments[index] : Value(); }
  [[nodiscard]] bool has(size_t index) const { return argument(index).defined(); }
  [[nodiscard]] Arena& arena() const { return evaluator.arena(); }
  [[nodiscard]] Value text(std::string_view characters) const { return Value(evaluator.arena().keep(characters)); }
};

struct Builtin {
  std::string_view name;
  std::string_view signature;
  size_t parameters;  // what $map and the like go by
  Value (*call)(const Call&);
  bool is_quick = false;  // takes no longer for a longer argument
};

[[nodiscard]] std::span<const Builtin> string_functions();
[[nodiscard]] std::span<const Builtin> pattern_functions();
[[nodiscard]] std::span<const Builtin> url_functions();
[[nodiscard]] std::span<const Builtin> number_functions();
[[nodiscard]] std::span<const Builtin> array_functions();
[[nodiscard]] std::span<const Builtin> object_functions();
[[nodiscard]] std::span<const Builtin> higher_order_functions();
[[nodiscard]] std::span<const Builtin> date_functions();
[[nodiscard]] std::span<const Builtin> value_functions();

// Null: there is none of this name.
[[nodiscard]] const Function* find_builtin(std::string_view name);

// What two lists make together, each standing for itself if it is none.
[[nodiscard]] Value appended(Arena& arena, Value first, Value second);
// Undefined where it has no truth of its own.
[[nodiscard]] bool truth(Meter& meter, Value value);
// What stands under the name: of each member of an array.
[[nodiscard]] Value look_up(Arena& arena, Meter& meter, Value input, std::string_view name);
// Stable. `is_after`: whether the first belongs behind the second.
void sort(std::span<Value> items, const std::function<bool(Value, Value)>& is_after);

}  // namespace tidemill::lang::jsonata
