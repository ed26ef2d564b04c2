// Functions of functions over arrays.
#include "lang/jsonata/error.h"
#include "lang/jsonata/functions.h"

namespace tidemill::lang::jsonata {

namespace {

// The function of item `i`, which may also take the position and the whole.
Value apply_to_item(const Call& call, Value function, size_t i) {
  const Value items = call.argument(0);
  return call.evaluator.apply_to(function, {items.array->at(i), static_cast<double>(i), items});
}

Value map(const Call& call) {
  if (!call.has(0)) return {};
  Array* const out = sequence(call.arena());
  for (size_t i = 0; i < call.argument(0).array->size(); ++i) {
    const Value result = apply_to_item(call, call.argument(1), i);
    if (result.defined()) out->push(result);
  }
  return out;
}

Value filter(const Call& call) {
  if (!call.has(0)) return {};
  Array* const out = sequence(call.arena());
  for (size_t i = 0; i < call.argument(0).array->size(); ++i) {
    const bool is_kept = truth(call.evaluator.meter(), apply_to_item(call, call.argument(1), i));
    if (is_kept) out->push(call.argument(0).array->at(i));
  }
  return out;
}

Value single(const Call& call) {
  if (!call.has(0)) return {};
  std::optional<Value> found;
  for (size_t i = 0; i < call.argument(0).array->size(); ++i) {
    if (call.has(1) && !truth(call.evaluator.meter(), apply_to_item(call, call.argument(1), i))) continue;
    if (found) throw JsonataError("D3138");
    found = call.argument(0).array->at(i);
  }
  if (!found) throw JsonataError("D3139");
  return *found;
}

Value reduce(const Call& call) {
  if (!call.has(0)) return {};
  const Value function = call.argument(1);
  const size_t parameters = Evaluator::parameter_count(*function.function);
  if (parameters < 2) throw JsonataError("D3050");
  Array& items = *call.argument(0).array;
  size_t next = 0;
  Value result = call.argument(2);
  if (!result.defined() && !items.empty()) result = items.at(next++);
  for (; next < items.size(); ++next) {
    result = call.evaluator.apply_to(function, {result, items.at(next), static_cast<double>(next), &items});
  }
  return result;
}

constexpr Builtin kFunctions[] = {
    {"map", "<af>", 2, map},
    {"filter", "<af>", 2, filter},
    {"single", "<af?>", 2, single},
    {"reduce", "<afj?:j>", 3, reduce},
};

}  // namespace

std::span<const Builtin> higher_order_functions() { return kFunctions; }

}  // namespace tidemill::lang::jsonata
