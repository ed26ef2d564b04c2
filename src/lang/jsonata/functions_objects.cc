// What is made of objects, and of arrays of them.
#include "lang/jsonata/error.h"
#include "lang/jsonata/functions.h"

namespace tidemill::lang::jsonata {

namespace {

void look_up_each(Meter& meter, Array& items, std::string_view name, Array& out, int depth) {
  check_nesting(depth);
  meter.walk(items.size());
  for (const Value item : items.items()) {
    if (item.is(Kind::array)) {
      look_up_each(meter, *item.array, name, out, depth + 1);
    } else if (item.is(Kind::object)) {
      const Value* const value = item.object->find(name);
      if (!value || !value->defined()) continue;
      value->is(Kind::array) ? out.append(value->array->items()) : out.push(*value);
    }
  }
}

}  // namespace

Value look_up(Arena& arena, Meter& meter, Value input, std::string_view name) {
  if (input.is(Kind::object)) {
    const Value* const value = input.object->find(name);
    return value ? *value : Value();
  }
  if (!input.is(Kind::array)) return {};
  Array* const found = sequence(arena);
  look_up_each(meter, *input.array, name, *found, 0);
  return found;
}

namespace {

Value lookup(const Call& call) {
  if (!call.has(1)) return {};
  return look_up(call.arena(), call.evaluator.meter(), call.argument(0), call.argument(1).string());
}

void collect_keys(const Call& call, Value input, Object& keys, int depth) {
  check_nesting(depth);
  call.evaluator.meter().walk();
  if (input.is(Kind::array)) {
    for (const Value item : input.array->items()) collect_keys(call, item, keys, depth + 1);
  } else if (input.is(Kind::object)) {
    for (const auto& [name, value] : input.object->members()) {
      call.evaluator.step();
      if (value.defined()) keys.set(name, Value::null());
    }
  }
}

Value keys(const Call& call) {
  Object* const names = call.arena().make<Object>(call.arena());
  collect_keys(call, call.argument(0), *names, 0);
  Array* const out = sequence(call.arena());
  for (const auto& [name, value] : names->members()) out->push(Value(name));
  return out;
}

void spread_into(const Call& call, Value input, Array& out, int depth) {
  check_nesting(depth);
  call.evaluator.meter().walk();
  if (input.is(Kind::array)) {
    for (const Value item : input.array->items()) spread_into(call, item, out, depth + 1);
  } else if (input.is(Kind::object)) {
    for (const auto& [name, value] : input.object->members()) {
      Object* const single = call.arena().make<Object>(call.arena());
      single->set(name, value);
      out.push(single);
    }
  } else {
    out.push(input);
  }
}

Value spread(const Call& call) {
  const Value input = call.argument(0);
  if (!input.is(Kind::array) && !input.is(Kind::object)) return input;
  Array* const out = sequence(call.arena());
  spread_into(call, input, *out, 0);
  return out;
}

Value merge(const Call& call) {
  if (!call.has(0)) return {};
  Object* const out = call.arena().make<Object>(call.arena());
  for (const Value item : call.argument(0).array->items()) {
    call.evaluator.meter().walk(item.object->size());
    for (const auto& [name, value] : item.object->members()) out->set(name, value);
  }
  return out;
}

Value each(const Call& call) {
  if (!call.has(0)) return {};
  Array* const out = sequence(call.arena());
  for (const auto& [name, value] : call.argument(0).object->members()) {
    const Value result = call.evaluator.apply_to(call.argument(1), {value, Value(name), call.argument(0)});
    if (result.defined()) out->push(result);
  }
  return out;
}

Value sift(const Call& call) {
  if (!call.has(0)) return {};
  Object* const out = call.arena().make<Object>(call.arena());
  for (const auto& [name, value] : call.argument(0).object->members()) {
    const Value kept = call.evaluator.apply_to(call.argument(1), {value, Value(name), call.argument(0)});
    if (truth(call.evaluator.meter(), kept)) out->set(name, value);
  }
  return out->size() == 0 ? Value() : Value(out);
}

constexpr Builtin kFunctions[] = {
    {"lookup", "<x-s:x>", 2, lookup, true}, {"keys", "<x-:a<s>>", 1, keys}, {"spread", "<x-:a<o>>", 1, spread},
    {"merge", "<a<o>:o>", 1, merge},  {"each", "<o-f:a>", 2, each},   {"sift", "<o-f?:o>", 2, sift},
};

}  // namespace

std::span<const Builtin> object_functions() { return kFunctions; }

}  // namespace tidemill::lang::jsonata
