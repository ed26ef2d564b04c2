// Steps one after the other, with what belongs to them: predicates, order, groups, and the tuples of @, # and %.
#include <algorithm>
#include <cmath>
#include <map>

#include "lang/jsonata/error.h"
#include "lang/jsonata/evaluator.h"
#include "lang/jsonata/functions.h"

namespace tidemill::lang::jsonata {

namespace {

// Whether a step only looks a name up, so that one item needs no sequence around it.
bool is_plain(const Node& step) {
  return step.type == NodeType::name && step.stages.empty() && step.predicates.empty() && !step.grouping && !step.tuple;
}

// Whether it passes through a step as it is.
bool is_document(Value value) { return !value.is(Kind::array) || !(value.array->sequence || value.array->constructed); }

}  // namespace

Value Evaluator::path(const Node& node, Value input, Frame* frame) {
  const std::vector<Node*>& steps = node.items;
  Value current = input;
  Array* items = input.is(Kind::array) && steps[0]->type != NodeType::variable ? input.array : nullptr;
  Array* tuples = nullptr;
  bool is_tuple_stream = false;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Node& step = *steps[i];
    const bool is_last = i + 1 == steps.size();
    is_tuple_stream = is_tuple_stream || step.tuple;
    if (!items && current.is(Kind::object) && is_plain(step) && !is_tuple_stream && !node.keep_singleton) {
      this->step();
      const Value* const member = current.object->find(step.text);
      if (!member || !member->defined()) {
        current = {};
        break;
      }
      if (is_document(*member)) {
        current = *member;
        items = current.is(Kind::array) ? current.array : nullptr;
        continue;
      }
    }
    if (!items) items = sequence(arena_, current);
    if (i == 0 && step.constructs_array) {
      current = evaluate(step, items, frame);
    } else if (is_tuple_stream) {
      tuples = tuple_step(step, *items, tuples, frame);
      continue;
    } else {
      current = step_of_path(step, *items, frame, is_last);
    }
    if (!current.defined() || (current.is(Kind::array) && current.array->empty())) break;
    if (!step.focus.empty()) continue;
    items = current.is(Kind::array) ? current.array : nullptr;
  }
  if (is_tuple_stream && tuples) {
    current = tuples;
    if (!node.tuple && !node.grouping) {
      Array* const plain = sequence(arena_);
      for (const Value entry : tuples->items()) plain->push(entry.tuple->item);
      current = plain;
    }
  }
  if (node.keep_singleton) keep_singleton(arena_, current);
  if (node.grouping) current = group(*node.grouping, current, frame);
  return current;
}

void Evaluator::keep_singleton(Arena& arena, Value& value) {
  if (!value.is(Kind::array)) return;
  if (value.array->constructed && !value.array->sequence) value = sequence(arena, value);
  value.array->keep_singleton = true;
}

// The step of each item, flattened once.
Value Evaluator::step_of_path(const Node& step, Array& input, Frame* frame, bool is_last) {
  if (step.type == NodeType::sort) return staged(step.stages, sorted(step, input, frame), frame);
  Array* const results = sequence(arena_);
  for (const Value item : input.items()) {
    const Value result = staged(step.stages, evaluate(step, item, frame), frame);
    if (result.defined()) results->push(result);
  }
  if (is_last && results->size() == 1) {
    const Value only = results->at(0);
    if (only.is(Kind::array) && !only.array->sequence) return only;
  }
  const auto stays = [](Value item) { return !item.is(Kind::array) || item.array->constructed; };
  if (std::ranges::all_of(results->items(), stays)) return results;
  Array* const flat = sequence(arena_);
  for (const Value result : results->items()) {
    stays(result) ? flat->push(result) : flat->append(result.array->items());
  }
  return flat;
}

const Tuple* Evaluator::bind(const Tuple* tuple, std::string_view name, Value value) {
  return arena_.make<Tuple>(tuple->item, arena_.make<Binding>(name, value, tuple->bindings));
}

Value Evaluator::enter(Value item, Frame*& frame) {
  if (!item.is(Kind::tuple)) return item;
  frame = arena_.make<Frame>(frame, item.tuple->bindings);
  return item.tuple->item;
}

Array* Evaluator::first_tuples(Array& items, std::string_view index) {
  Array* const tuples = sequence(arena_);
  tuples->tuples = true;
  for (const Value item : items.items()) {
    const Tuple* tuple = arena_.make<Tuple>(item);
    if (!index.empty()) tuple = bind(tuple, index, static_cast<double>(tuples->size()));
    tuples->push(tuple);
  }
  return tuples;
}

Array* Evaluator::tuple_step(const Node& step, Array& input, Array* tuples, Frame* frame) {
  Array* out = nullptr;
  if (step.type == NodeType::sort) {
    const Value in_order = sorted(step, tuples ? *tuples : input, frame);
    out = tuples ? in_order.array : first_tuples(*in_order.array, step.index);
  } else {
    if (!tuples) tuples = first_tuples(input, {});
    out = sequence(arena_);
    out->tuples = true;
    for (const Value entry : tuples->items()) {
      Frame* scope = frame;
      const Value item = enter(entry, scope);
      extend_tuple(step, *entry.tuple, evaluate(step, item, scope), *out);
    }
  }
  return step.stages.empty() ? out : staged(step.stages, out, frame).array;
}

// A tuple for each result of the step, with what the step binds.
void Evaluator::extend_tuple(const Node& step, const Tuple& from, Value result, Array& out) {
  if (!result.defined()) return;
  const bool is_stream = result.is(Kind::array) && result.array->tuples;
  const std::span<const Value> results =
      result.is(Kind::array) ? result.array->items() : std::span<const Value>(&result, 1);
  for (size_t i = 0; i < results.size(); ++i) {
    this->step();
    const Tuple* tuple = arena_.make<Tuple>(from.item, from.bindings);
    if (is_stream) {
      Tuple* const inner = arena_.make<Tuple>(results[i].tuple->item, from.bindings);
      size_t passed = 0;
      for (const Binding* each = results[i].tuple->bindings; each; each = each->next) {
        meter_.walk(++passed);  // of which the one that counts is looked for
        if (results[i].tuple->find(each->name) == each) {
          inner->bindings = arena_.make<Binding>(each->name, each->value, inner->bindings);
        }
      }
      tuple = inner;
    } else {
      if (step.focus.empty()) {
        tuple = arena_.make<Tuple>(results[i], from.bindings);
      } else {
        tuple = bind(tuple, step.focus, results[i]);
      }
      if (!step.index.empty()) tuple = bind(tuple, step.index, static_cast<double>(i));
      if (step.ancestor) tuple = bind(tuple, step.ancestor->label, from.item);
    }
    out.push(tuple);
  }
}

Value Evaluator::staged(const std::vector<Stage>& stages, Value input, Frame* frame) {
  for (const Stage& stage : stages) {
    if (stage.filter) {
      input = filter(*stage.filter, input, frame);
    } else if (input.is(Kind::array) && input.array->tuples) {
      input = with_positions(*input.array, stage.index);
    }
  }
  return input;
}

Array* Evaluator::with_positions(Array& tuples, std::string_view name) {
  Array* const out = sequence(arena_);
  out->tuples = true;
  for (const Value entry : tuples.items()) out->push(bind(entry.tuple, name, static_cast<double>(out->size())));
  return out;
}

namespace {

bool is_numbers(Value value) {
  return value.is(Kind::array) &&
         std::ranges::all_of(value.array->items(), [](Value item) { return item.is(Kind::number); });
}

bool selects(double number, size_t index, size_t size) {
  const double place = std::floor(number);
  return (place < 0 ? place + static_cast<double>(size) : place) == static_cast<double>(index);
}

}  // namespace

Value Evaluator::filter(const Node& predicate, Value input, Frame* frame) {
  if (!input.defined()) return {};
  Array& items = input.is(Kind::array) ? *input.array : *sequence(arena_, input);
  const size_t size = items.size();
  Array* const kept = sequence(arena_);
  kept->tuples = items.tuples;
  if (predicate.type == NodeType::number) {
    double place = std::floor(predicate.number);
    if (place < 0) place += static_cast<double>(size);
    if (!(place >= 0 && place < static_cast<double>(size))) return kept;
    const Value item = items.at(static_cast<size_t>(place));
    if (item.is(Kind::array)) return item;
    if (item.defined()) kept->push(item);
    return kept;
  }
  for (size_t i = 0; i < size; ++i) {
    const Value item = items.at(i);
    Frame* scope = frame;
    const Value context = enter(item, scope);
    const Value result = evaluate(predicate, context, scope);
    if (result.is(Kind::array)) meter_.walk(result.array->size());
    if (result.is(Kind::number)) {
      if (selects(result.number, i, size)) kept->push(item);
    } else if (is_numbers(result)) {
      step(static_cast<int64_t>(result.array->size()));
      for (const Value number : result.array->items()) {
        if (selects(number.number, i, size)) kept->push(item);
      }
    } else if (truth(meter_, result)) {
      kept->push(item);
    }
  }
  return kept;
}

Value Evaluator::sorted(const Node& sort_step, Array& input, Frame* frame) {
  if (input.size() <= 1) return &input;
  Array* const out = arena_.make<Array>(arena_);
  out->append(input.items());
  out->tuples = input.tuples;
  out->sequence = input.tuples;
  sort(out->items(), [&](Value a, Value b) { return is_after(sort_step, a, b, frame); });
  return out;
}

bool Evaluator::is_after(const Node& sort_step, Value a, Value b, Frame* frame) {
  Frame* scope_a = frame;
  Frame* scope_b = frame;
  const Value context_a = enter(a, scope_a);
  const Value context_b = enter(b, scope_b);
  for (size_t i = 0; i < sort_step.items.size(); ++i) {
    const Value left = evaluate(*sort_step.items[i], context_a, scope_a);
    const Value right = evaluate(*sort_step.items[i], context_b, scope_b);
    if (!left.defined() && !right.defined()) continue;
    if (!left.defined()) return true;  // behind all others, whatever the direction
    if (!right.defined()) return false;
    const auto is_sortable = [](Value value) { return value.is(Kind::string) || value.is(Kind::number); };
    if (!is_sortable(left) || !is_sortable(right)) throw JsonataError("T2008", {.position = sort_step.position});
    if (left.kind != right.kind) {
      throw JsonataError("T2007", {.value = excerpt(left), .position = sort_step.position, .second = excerpt(right)});
    }
    if (left.is(Kind::string)) meter_.read(std::min(left.size, right.size));
    const auto order =
        left.is(Kind::number) ? left.number <=> right.number : std::partial_ordering(left.string() <=> right.string());
    if (order == 0) continue;
    return (order > 0) != sort_step.descending[i];
  }
  return false;
}

namespace {

struct Group {
  Value data;
  bool is_own = false;  // data is an array of this group's own
  size_t pair = 0;
};

void add_to(Arena& arena, Group& group, Value item) {
  if (!item.defined()) return;
  if (!group.data.defined()) {
    group.data = item;
    return;
  }
  if (!group.is_own) {
    Array* const data = arena.make<Array>(arena);
    group.data.is(Kind::array) ? data->append(group.data.array->items()) : data->push(group.data);
    group.data = data;
    group.is_own = true;
  }
  item.is(Kind::array) ? group.data.array->append(item.array->items()) : group.data.array->push(item);
}

}  // namespace

// The value of an object: keys of each item, then the value of each key for all items that had it.
Value Evaluator::group(const Node& object, Value input, Frame* frame) {
  Array* items = input.is(Kind::array) ? input.array : sequence(arena_, input);
  if (items->empty()) items = sequence(arena_, Value());
  Object* const places = arena_.make<Object>(arena_);  // of the keys in `groups`
  std::vector<Group> groups;
  for (const Value item : items->items()) {
    Frame* scope = frame;
    const Value context = enter(item, scope);
    for (size_t pair = 0; pair < object.pairs.size(); ++pair) {
      const Value key = evaluate(*object.pairs[pair].first, context, scope);
      if (!key.defined()) continue;
      if (!key.is(Kind::string)) throw JsonataError("T1003", {.value = excerpt(key), .position = object.position});
      const Value* const place = places->find(key.string());
      if (!place) {
        places->set(key.string(), static_cast<double>(groups.size()));
        groups.push_back({.data = item, .pair = pair});
        continue;
      }
      Group& same = groups[static_cast<size_t>(place->number)];
      if (same.pair != pair) throw JsonataError("D1009", {.value = excerpt(key), .position = object.position});
      add_to(arena_, same, item);
    }
  }
  Object* const result = arena_.make<Object>(arena_);
  for (const auto& [key, place] : places->members()) {
    const Group& each = groups[static_cast<size_t>(place.number)];
    Frame* scope = frame;
    const Value data = items->tuples ? merged_tuples(each.data, scope) : each.data;
    const Value value = evaluate(*object.pairs[each.pair].second, data, scope);
    if (value.defined()) result->set(key, value);
  }
  return result;
}

// Of a group's tuples one scope, in which each name stands for all its values, and their items.
Value Evaluator::merged_tuples(Value data, Frame*& frame) {
  if (data.is(Kind::tuple)) return enter(data, frame);
  Group items;
  std::map<std::string_view, Group> named;
  for (const Value entry : data.array->items()) {
    add_to(arena_, items, entry.tuple->item);
    size_t passed = 0;
    for (const Binding* binding = entry.tuple->bindings; binding; binding = binding->next) {
      step();
      meter_.walk(++passed);
      if (entry.tuple->find(binding->name) == binding) add_to(arena_, named[binding->name], binding->value);
    }
  }
  frame = arena_.make<Frame>(frame);
  for (const auto& [name, group] : named) frame->bind(arena_, meter_, name, group.data);
  return items.data;
}

}  // namespace tidemill::lang::jsonata
