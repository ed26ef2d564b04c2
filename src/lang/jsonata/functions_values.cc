// What any value is, and what an expression says about itself.
#include <algorithm>

#include "lang/jsonata/error.h"
#include "lang/jsonata/functions.h"

namespace tidemill::lang::jsonata {

bool truth(Meter& meter, Value value) {
  meter.walk();
  switch (value.kind) {
    case Kind::boolean:
      return value.boolean;
    case Kind::number:
      return value.number != 0 && value.number == value.number;
    case Kind::string:
      return value.size > 0;
    case Kind::object:
      return value.object->size() > 0;
    case Kind::array: {
      for (int depth = 0; value.is(Kind::array) && value.array->size() == 1; ++depth) {
        check_nesting(depth);
        value = value.array->at(0);
      }
      if (!value.is(Kind::array)) return truth(meter, value);
      return std::ranges::any_of(value.array->items(), [&](Value item) { return truth(meter, item); });
    }
    default:
      return false;
  }
}

namespace {

Value boolean(const Call& call) {
  return call.has(0) ? Value(truth(call.evaluator.meter(), call.argument(0))) : Value();
}

Value negation(const Call& call) {
  return call.has(0) ? Value(!truth(call.evaluator.meter(), call.argument(0))) : Value();
}

Value exists(const Call& call) { return call.has(0); }

Value type(const Call& call) {
  switch (call.argument(0).kind) {
    case Kind::null:
      return Value(std::string_view("null"));
    case Kind::boolean:
      return Value(std::string_view("boolean"));
    case Kind::number:
      return Value(std::string_view("number"));
    case Kind::string:
      return Value(std::string_view("string"));
    case Kind::array:
      return Value(std::string_view("array"));
    case Kind::object:
      return Value(std::string_view("object"));
    case Kind::function:
      return Value(std::string_view("function"));
    default:
      return {};
  }
}

Value error(const Call& call) {
  throw JsonataError("D3137", call.has(0) ? std::string(call.argument(0).string()) : "$error() function evaluated", {});
}

Value assertion(const Call& call) {
  if (truth(call.evaluator.meter(), call.argument(0))) return {};
  throw JsonataError("D3141", call.has(1) ? std::string(call.argument(1).string()) : "$assert() statement failed", {});
}

const Node& compiled(const Call& call) {
  try {
    return call.evaluator.keep(parse(call.argument(0).string()));
  } catch (const JsonataError& error) {
    throw JsonataError("D3120", {.value = error.what()});
  }
}

Value eval(const Call& call) {
  if (!call.has(0)) return {};
  Value input = call.has(1) ? call.argument(1) : call.input;
  if (call.has(1) && input.is(Kind::array) && !input.array->sequence) {
    Array* const wrapped = sequence(call.arena(), input);
    wrapped->outer = true;
    input = wrapped;
  }
  const Node& root = compiled(call);
  try {
    return call.evaluator.evaluate(root, input, call.frame);
  } catch (const JsonataError& error) {
    if (error.code() == "U1001") throw;
    throw JsonataError("D3121", {.value = error.what()});
  }
}

Value clone(const Call& call) { return deep_copy(call.arena(), call.evaluator.meter(), call.argument(0)); }

constexpr Builtin kFunctions[] = {
    {"boolean", "<x-:b>", 1, boolean, true},
    {"not", "<x-:b>", 1, negation, true},
    {"exists", "<x:b>", 1, exists, true},
    {"type", "<x:s>", 1, type, true},
    {"error", "<s?:x>", 1, error},
    {"assert", "<bs?:x>", 2, assertion},
    {"eval", "<sx?:x>", 2, eval},
    {"clone", "<(oa)-:o>", 1, clone},
};

}  // namespace

std::span<const Builtin> value_functions() { return kFunctions; }

}  // namespace tidemill::lang::jsonata
