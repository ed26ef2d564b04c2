// What is made of arrays. A single value is an array of one.
#include <algorithm>
#include <unordered_set>

#include "lang/jsonata/error.h"
#include "lang/jsonata/functions.h"

namespace tidemill::lang::jsonata {

Value appended(Arena& arena, Value first, Value second) {
  if (!first.defined()) return second;
  if (!second.defined()) return first;
  Array* const out = arena.make<Array>(arena);
  for (const Value part : {first, second}) {
    part.is(Kind::array) ? out->append(part.array->items()) : out->push(part);
  }
  return out;
}

void sort(std::span<Value> items, const std::function<bool(Value, Value)>& is_after) {
  // A merge sort of our own: the standard's may not be given an order that is none, as an expression's function may be.
  if (items.size() <= 1) return;
  const size_t half = items.size() / 2;
  sort(items.first(half), is_after);
  sort(items.subspan(half), is_after);
  std::vector<Value> merged;
  merged.reserve(items.size());
  size_t left = 0;
  size_t right = half;
  while (left < half && right < items.size()) {
    merged.push_back(is_after(items[left], items[right]) ? items[right++] : items[left++]);
  }
  merged.insert(merged.end(), items.begin() + left, items.begin() + half);
  merged.insert(merged.end(), items.begin() + right, items.end());
  std::ranges::copy(merged, items.begin());
}

namespace {

Value count(const Call& call) { return call.has(0) ? static_cast<double>(call.argument(0).array->size()) : 0.0; }

Value append(const Call& call) { return appended(call.arena(), call.argument(0), call.argument(1)); }

Value reverse(const Call& call) {
  if (!call.has(0) || call.argument(0).array->size() <= 1) return call.argument(0);
  Array* const out = call.arena().make<Array>(call.arena());
  out->append(call.argument(0).array->items());
  std::ranges::reverse(out->items());
  return out;
}

Value shuffle(const Call& call) {
  if (!call.has(0) || call.argument(0).array->size() <= 1) return call.argument(0);
  const auto& random = call.evaluator.world().random;
  if (!random) throw JsonataError("T1006", {.token = "shuffle"});
  Array* const out = call.arena().make<Array>(call.arena());
  out->append(call.argument(0).array->items());
  const auto items = out->items();
  for (size_t i = items.size() - 1; i > 0; --i) std::swap(items[i], items[random() % (i + 1)]);
  return out;
}

Value zip(const Call& call) {
  Array* const out = call.arena().make<Array>(call.arena());
  size_t size = SIZE_MAX;
  for (const Value argument : call.arguments) {
    size = std::min(size, argument.is(Kind::array) ? argument.array->size() : 0);
  }
  for (size_t i = 0; i < size && !call.arguments.empty(); ++i) {
    Array* const tuple = call.arena().make<Array>(call.arena());
    for (const Value argument : call.arguments) tuple->push(argument.array->at(i));
    out->push(tuple);
  }
  return out;
}

struct DeepHash {
  Meter* meter;
  size_t operator()(Value value) const { return deep_hash(*meter, value); }
};
struct DeepEqual {
  Meter* meter;
  bool operator()(Value a, Value b) const { return deep_equal(*meter, a, b); }
};

Value distinct(const Call& call) {
  const Value input = call.argument(0);
  if (!input.is(Kind::array) || input.array->size() <= 1) return input;
  Array* const out = call.arena().make<Array>(call.arena());
  out->sequence = input.array->sequence;
  Meter& meter = call.evaluator.meter();
  std::unordered_set<Value, DeepHash, DeepEqual> seen(0, DeepHash{&meter}, DeepEqual{&meter});
  for (const Value item : input.array->items()) {
    call.evaluator.step();
    if (seen.insert(item).second) out->push(item);
  }
  return out;
}

bool all_are(std::span<const Value> items, Kind kind) {
  return std::ranges::all_of(items, [&](Value item) { return item.is(kind); });
}

Value sort_array(const Call& call) {
  if (!call.has(0) || call.argument(0).array->size() <= 1) return call.argument(0);
  Array* const out = call.arena().make<Array>(call.arena());
  out->append(call.argument(0).array->items());
  call.evaluator.step(static_cast<int64_t>(out->size()));
  Meter& meter = call.evaluator.meter();
  if (call.has(1)) {
    sort(out->items(),
         [&](Value a, Value b) { return truth(meter, call.evaluator.apply_to(call.argument(1), {a, b})); });
    return out;
  }
  if (!all_are(out->items(), Kind::number) && !all_are(out->items(), Kind::string)) throw JsonataError("D3070");
  sort(out->items(), [&](Value a, Value b) {
    if (a.is(Kind::number)) return a.number > b.number;
    meter.read(std::min(a.size, b.size));
    return a.string() > b.string();
  });
  return out;
}

constexpr Builtin kFunctions[] = {
    {"count", "<a:n>", 1, count, true}, {"append", "<xx:a>", 2, append}, {"reverse", "<a:a>", 1, reverse},
    {"shuffle", "<a:a>", 1, shuffle},   {"zip", "<a+>", 0, zip},         {"distinct", "<x:x>", 1, distinct},
    {"sort", "<af?:a>", 2, sort_array},
};

}  // namespace

std::span<const Builtin> array_functions() { return kFunctions; }

}  // namespace tidemill::lang::jsonata
