// Functions: making them, calling them, and calling what they put off.
#include <algorithm>

#include "lang/jsonata/error.h"
#include "lang/jsonata/evaluator.h"
#include "lang/jsonata/functions.h"

namespace tidemill::lang::jsonata {

namespace {

bool is_thunk(Value value) {
  return value.is(Kind::function) && value.function->type == Function::Type::lambda && value.function->node->thunk;
}

// How the called function is named in the text; a name without $ is a path of one step.
std::string_view name_of(const Node& procedure) {
  return procedure.type == NodeType::path ? procedure.items[0]->text : procedure.text;
}

}  // namespace

Value Evaluator::lambda(const Node& node, Value input, Frame* frame) {
  return arena_.make<Function>(Function{.type = Function::Type::lambda,
                                        .node = &node,
                                        .input = input,
                                        .frame = frame,
                                        .signature = node.signature.get()});
}

Value Evaluator::call(const Node& node, Value input, Frame* frame, const Value* first_argument) {
  const Node& procedure = *node.lhs;
  const Value function = evaluate(procedure, input, frame);
  const std::string_view name = name_of(procedure);
  if (!function.defined() && procedure.type == NodeType::path && (find_builtin(name) || frame->find(name, meter_))) {
    throw JsonataError("T1005", {.token = std::string(name), .position = node.position});
  }
  std::vector<Value> arguments;
  arguments.reserve(node.items.size() + 1);
  if (first_argument) arguments.push_back(*first_argument);
  for (const Node* const item : node.items) arguments.push_back(evaluate(*item, input, frame));
  try {
    return apply(function, arguments, input, frame);
  } catch (JsonataError& error) {
    error.locate(name, node.position);
    throw;
  }
}

Value Evaluator::partial(const Node& node, Value input, Frame* frame) {
  const size_t count = node.items.size();
  const auto arguments = arena_.make_many<Value>(count);
  const auto holes = arena_.make_many<bool>(count);
  for (size_t i = 0; i < count; ++i) {
    holes[i] = node.items[i]->type == NodeType::placeholder;
    if (!holes[i]) arguments[i] = evaluate(*node.items[i], input, frame);
  }
  const Value function = evaluate(*node.lhs, input, frame);
  if (!function.is(Kind::function)) {
    const std::string_view name = name_of(*node.lhs);
    const bool is_known = node.lhs->type == NodeType::path && (find_builtin(name) || frame->find(name, meter_));
    throw JsonataError(is_known ? "T1007" : "T1008", {.token = std::string(name), .position = node.position});
  }
  return arena_.make<Function>(
      Function{.type = Function::Type::partial, .first = function.function, .arguments = arguments, .holes = holes});
}

// ~>: the left value becomes the first argument of the right; two functions become one.
Value Evaluator::chain(const Node& node, Value input, Frame* frame) {
  const Value left = evaluate(*node.lhs, input, frame);
  if (node.rhs->type == NodeType::function) {
    Value result = call(*node.rhs, input, frame, &left);
    for (const Stage& predicate : node.rhs->predicates) result = filter(*predicate.filter, result, frame);
    return result;
  }
  const Value right = evaluate(*node.rhs, input, frame);
  if (!right.is(Kind::function)) {
    throw JsonataError("T2006", {.token = "~>", .value = excerpt(right), .position = node.position});
  }
  if (left.is(Kind::function)) return compose(left.function, right.function);
  return apply(right, {&left, 1}, {}, frame);
}

Value Evaluator::compose(const Function* first, const Function* second) {
  return arena_.make<Function>(Function{.type = Function::Type::composed, .first = first, .second = second});
}

Value Evaluator::apply(Value function, std::span<const Value> arguments, Value input, Frame* frame) {
  Value result = apply_once(function, arguments, input, frame);
  std::vector<Value> next_arguments;
  while (is_thunk(result)) {
    const Function& thunk = *result.function;
    const Node& put_off = *thunk.node->lhs;
    const Value next = evaluate(*put_off.lhs, thunk.input, thunk.frame);
    next_arguments.clear();
    for (const Node* const item : put_off.items) next_arguments.push_back(evaluate(*item, thunk.input, thunk.frame));
    try {
      result = apply_once(next, next_arguments, input, frame);
    } catch (JsonataError& error) {
      error.locate(name_of(*put_off.lhs), put_off.position);
      throw;
    }
  }
  return result;
}

Value Evaluator::apply_to(Value function, std::initializer_list<Value> arguments) {
  const size_t count = std::max<size_t>(1, parameter_count(*function.function));
  const std::span<const Value> all(arguments.begin(), arguments.size());
  return apply(function, all.first(std::min(count, all.size())), {}, &root_);
}

size_t Evaluator::parameter_count(const Function& function) {
  switch (function.type) {
    case Function::Type::lambda:
      return function.node->items.size();
    case Function::Type::builtin:
      return function.builtin->parameters;
    case Function::Type::native:
      return function.native->parameters;
    case Function::Type::partial:
      return static_cast<size_t>(std::ranges::count(function.holes, true));
    default:
      return 1;
  }
}

Value Evaluator::apply_once(Value value, std::span<const Value> arguments, Value input, Frame* frame) {
  step();
  if (!value.is(Kind::function)) throw JsonataError("T1006");
  const Function& function = *value.function;
  const bool is_quick = function.type == Function::Type::builtin && function.builtin->is_quick;
  if (function.signature && !is_quick) charge(arguments);
  std::vector<Value> checked;
  if (function.signature) {
    checked = function.signature->check(arena_, arguments, input);
    arguments = checked;
  }
  switch (function.type) {
    case Function::Type::lambda:
      return enter_lambda(function, arguments);
    case Function::Type::builtin:
      return function.builtin->call({.evaluator = *this, .arguments = arguments, .input = input, .frame = frame});
    case Function::Type::native:
      return call_native(*function.native, arguments);
    case Function::Type::partial:
      return call_partial(function, arguments, input, frame);
    case Function::Type::transform:
      return transform(function, arguments.empty() ? Value() : arguments[0]);
    case Function::Type::next_match:
      return result_of_match(*function.regex, function.text, function.offset);
    case Function::Type::regex: {
      if (arguments.empty() || !arguments[0].is(Kind::string)) throw JsonataError("T0410", {.second = "1"});
      return result_of_match(*function.regex, arguments[0].string(), 0);
    }
    case Function::Type::composed: {
      const Depth depth(depth_left_);
      const Value between = apply(function.first, arguments, {}, frame);
      return apply(function.second, {&between, 1}, {}, frame);
    }
  }
  std::abort();
}

void Evaluator::charge(std::span<const Value> arguments) {
  for (const Value argument : arguments) {
    if (argument.is(Kind::array)) meter_.walk(argument.array->size());
    if (argument.is(Kind::object)) meter_.walk(argument.object->size());
    if (argument.is(Kind::string)) meter_.read(argument.size);
  }
}

Value Evaluator::enter_lambda(const Function& lambda, std::span<const Value> arguments) {
  Frame* const scope = arena_.make<Frame>(lambda.frame);
  const std::vector<Node*>& parameters = lambda.node->items;
  for (size_t i = 0; i < parameters.size(); ++i) {
    scope->bind(arena_, meter_, parameters[i]->text, i < arguments.size() ? arguments[i] : Value());
  }
  return evaluate(*lambda.node->lhs, lambda.input, scope);
}

Value Evaluator::call_partial(const Function& function, std::span<const Value> arguments, Value input, Frame* frame) {
  const Depth depth(depth_left_);
  std::vector<Value> all(function.arguments.begin(), function.arguments.end());
  size_t next = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (function.holes[i] && next < arguments.size()) all[i] = arguments[next++];
  }
  return apply(function.first, all, input, frame);
}

Value Evaluator::call_native(const NativeFunction& native, std::span<const Value> arguments) {
  std::vector<std::optional<json::Value>> converted;
  for (const Value argument : arguments) {
    const bool is_data = argument.defined() && !argument.is(Kind::function);
    converted.push_back(is_data ? std::optional(result_of(argument)) : std::nullopt);
  }
  const std::optional<json::Value> result = native.call(converted);
  if (!result) return {};
  // The result itself goes away: what the value keeps must lie in the arena.
  return own_json(arena_, meter_, *result);
}

Value Evaluator::transform(const Function& function, Value subject) {
  const Node& node = *function.node;
  if (!subject.defined()) return {};
  if (!subject.is(Kind::object) && !subject.is(Kind::array)) throw JsonataError("T0410", {.second = "1"});
  const Value result = deep_copy(arena_, meter_, subject);
  const Value matches = evaluate(*node.lhs, result, function.frame);
  if (matches.is(Kind::array)) {
    for (const Value match : matches.array->items()) transform_match(node, match, function.frame);
  } else if (matches.defined()) {
    transform_match(node, matches, function.frame);
  }
  return result;
}

void Evaluator::transform_match(const Node& node, Value match, Frame* frame) {
  const Value update = evaluate(*node.rhs, match, frame);
  if (update.defined()) {
    if (!update.is(Kind::object)) throw JsonataError("T2011", {.value = excerpt(update), .position = node.position});
    meter_.walk(update.object->size());
    for (const auto& [name, value] : update.object->members()) {
      if (match.is(Kind::object)) match.object->set(name, value);
    }
  }
  if (!node.third) return;
  const Value names = evaluate(*node.third, match, frame);
  if (!names.defined()) return;
  const std::span<const Value> all = names.is(Kind::array) ? names.array->items() : std::span<const Value>(&names, 1);
  if (!std::ranges::all_of(all, [](Value name) { return name.is(Kind::string); })) {
    throw JsonataError("T2012", {.value = excerpt(names), .position = node.position});
  }
  for (const Value name : all) {
    if (!match.is(Kind::object)) continue;
    meter_.walk(match.object->size());
    match.object->erase(name.string());
  }
}

}  // namespace tidemill::lang::jsonata
