// Operators, constructors and what else is neither a path nor a call.
#include <cmath>

#include "lang/jsonata/error.h"
#include "lang/jsonata/evaluator.h"
#include "lang/jsonata/functions.h"
#include "lang/jsonata/text.h"

namespace tidemill::lang::jsonata {

namespace {

constexpr double kRangeMax = 1e7;

bool is_integer(Value value) { return value.is(Kind::number) && std::trunc(value.number) == value.number; }

bool is_comparable(Value value) { return !value.defined() || value.is(Kind::number) || value.is(Kind::string); }

}  // namespace

namespace {

Value composed(Arena& arena, const Composite& composite) {
  auto* const object = arena.make<Object>(arena);
  for (const auto& [name, value] : composite.members) object->set(name, from_json(arena, *value));
  for (const Composite& part : composite.parts) object->set(part.name, composed(arena, part));
  return object;
}

}  // namespace

Evaluator::Evaluator(const Bindings& bindings, const World& world, const Limits& limits)
    : bindings_(bindings),
      world_(world),
      depth_left_(limits.depth),
      meter_(limits.steps),
      memory_bytes_(limits.memory_bytes),
      arena_(limits.memory_bytes),
      root_(nullptr) {
  for (const NativeFunction* const native : bindings.functions) {
    root_.bind(arena_, meter_, native->name,
               arena_.make<Function>(
                   Function{.type = Function::Type::native, .native = native, .signature = native->signature.get()}));
  }
  for (const auto& [name, value] : bindings.values) root_.bind(arena_, meter_, name, from_json(arena_, *value));
  for (const Composite* const object : bindings.objects) {
    root_.bind(arena_, meter_, object->name, composed(arena_, *object));
  }
}

void Evaluator::stop() { throw JsonataError("U1001"); }

bool Evaluator::is_hidden(std::string_view name) const { return contains(bindings_.without, name); }

const Node& Evaluator::keep(std::unique_ptr<const Ast> ast) {
  kept_.push_back(std::move(ast));
  return *kept_.back()->root;
}

Value Evaluator::run(const Node& root, const json::Value* input) {
  Value value = input ? from_json(arena_, *input) : Value();
  root_.bind(arena_, meter_, "$", value);
  if (value.is(Kind::array)) {  // an array is one input, not many
    Array* const wrapped = sequence(arena_, value);
    wrapped->outer = true;
    value = wrapped;
  }
  return evaluate(root, value, &root_);
}

Value Evaluator::evaluate(const Node& node, Value input, Frame* frame) {
  const Depth depth(depth_left_);
  step();
  Value result = dispatch(node, input, frame);
  for (const Stage& predicate : node.predicates) result = filter(*predicate.filter, result, frame);
  if (node.grouping && node.type != NodeType::path) result = group(*node.grouping, result, frame);
  if (!result.is(Kind::array) || !result.array->sequence || result.array->tuples) return result;
  if (node.keep_array) result.array->keep_singleton = true;
  if (result.array->empty()) return {};
  if (result.array->size() == 1 && !result.array->keep_singleton) return result.array->at(0);
  return result;
}

Value Evaluator::dispatch(const Node& node, Value input, Frame* frame) {
  switch (node.type) {
    case NodeType::path:
      return path(node, input, frame);
    case NodeType::name:
      return look_up(arena_, meter_, input, node.text);
    case NodeType::variable:
      return variable(node, input, frame);
    case NodeType::number:
      return node.number;
    case NodeType::string:
      return Value(node.text);
    case NodeType::constant:
      return constant(node);
    case NodeType::binary:
      return binary(node, input, frame);
    case NodeType::function:
      return call(node, input, frame);
    case NodeType::array:
      return array(node, input, frame);
    case NodeType::object:
      return group(node, input, frame);
    case NodeType::block:
      return block(node, input, frame);
    case NodeType::negate:
      return negate(node, input, frame);
    case NodeType::condition:
    case NodeType::fallback:
    case NodeType::coalesce:
      return condition(node, input, frame);
    case NodeType::bind: {
      const Value value = evaluate(*node.rhs, input, frame);
      frame->bind(arena_, meter_, node.lhs->text, value);
      return value;
    }
    case NodeType::lambda:
      return lambda(node, input, frame);
    case NodeType::partial:
      return partial(node, input, frame);
    case NodeType::apply:
      return chain(node, input, frame);
    case NodeType::wildcard:
      return wildcard(input);
    case NodeType::descendant:
      return descendants(input);
    case NodeType::parent: {
      const Value* const value = frame->find(node.slot->label, meter_);
      return value ? *value : Value();
    }
    case NodeType::regex:
      return arena_.make<Function>(Function{.type = Function::Type::regex, .regex = node.regex.get()});
    case NodeType::transform:
      return arena_.make<Function>(
          Function{.type = Function::Type::transform, .node = &node, .input = input, .frame = frame});
    default:
      throw JsonataError("S0206", {.token = std::string(node.text), .position = node.position});
  }
}

Value Evaluator::variable(const Node& node, Value input, const Frame* frame) {
  if (node.text.empty()) return input.is(Kind::array) && input.array->outer ? input.array->at(0) : input;
  if (const Value* const value = frame->find(node.text, meter_)) return *value;
  if (!node.builtin || is_hidden(node.text)) return {};
  return node.builtin;
}

Value Evaluator::constant(const Node& node) { return node.text == "null" ? Value::null() : Value(node.text == "true"); }

Value Evaluator::negate(const Node& node, Value input, Frame* frame) {
  const Value operand = evaluate(*node.lhs, input, frame);
  if (!operand.defined()) return {};
  if (operand.is(Kind::number)) return -operand.number;
  throw JsonataError("D1002", {.token = "-", .value = excerpt(operand), .position = node.position});
}

Value Evaluator::binary(const Node& node, Value input, Frame* frame) {
  const Value left = evaluate(*node.lhs, input, frame);
  if (node.op == Op::both || node.op == Op::either) {
    if (truth(meter_, left) == (node.op == Op::either)) return node.op == Op::either;
    return truth(meter_, evaluate(*node.rhs, input, frame));
  }
  const Value right = evaluate(*node.rhs, input, frame);
  try {
    return operation(node, left, right);
  } catch (JsonataError& error) {
    error.locate(node.text, node.position);
    throw;
  }
}

Value Evaluator::operation(const Node& node, Value left, Value right) {
  switch (node.op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::modulo:
      return arithmetic(node, left, right);
    case Op::equal:
      return left.defined() && right.defined() && deep_equal(meter_, left, right);
    case Op::unequal:
      return left.defined() && right.defined() && !deep_equal(meter_, left, right);
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return compare(node, left, right);
    case Op::concat:
      return concat(left, right);
    case Op::range:
      return range(left, right);
    case Op::in: {
      if (!left.defined() || !right.defined()) return false;
      if (!right.is(Kind::array)) return deep_equal(meter_, left, right);
      step(static_cast<int64_t>(right.array->size()));
      return std::ranges::any_of(right.array->items(), [&](Value item) { return deep_equal(meter_, left, item); });
    }
    default:
      throw JsonataError("S0201");
  }
}

Value Evaluator::arithmetic(const Node& node, Value left, Value right) {
  if (left.defined() && !left.is(Kind::number)) throw JsonataError("T2001", {.value = excerpt(left)});
  if (right.defined() && !right.is(Kind::number)) throw JsonataError("T2002", {.value = excerpt(right)});
  if (!left.defined() || !right.defined()) return {};
  const double a = left.number;
  const double b = right.number;
  const double result = node.op == Op::add        ? a + b
                        : node.op == Op::subtract ? a - b
                        : node.op == Op::multiply ? a * b
                        : node.op == Op::divide   ? a / b
                                                  : std::fmod(a, b);
  return result;
}

Value Evaluator::compare(const Node& node, Value left, Value right) {
  if (!is_comparable(left) || !is_comparable(right)) {
    throw JsonataError("T2010", {.value = excerpt(is_comparable(left) ? right : left)});
  }
  if (!left.defined() || !right.defined()) return {};
  if (left.kind != right.kind) throw JsonataError("T2009", {.value = excerpt(left), .second = excerpt(right)});
  if (left.is(Kind::string)) meter_.read(std::min(left.size, right.size));
  const auto order =
      left.is(Kind::number) ? left.number <=> right.number : std::partial_ordering(left.string() <=> right.string());
  switch (node.op) {
    case Op::less:
      return order < 0;
    case Op::less_equal:
      return order <= 0;
    case Op::greater:
      return order > 0;
    default:
      return order >= 0;
  }
}

Value Evaluator::concat(Value left, Value right) {
  const std::string a = to_text(meter_, left);
  const std::string b = to_text(meter_, right);
  arena_.expect(static_cast<double>(a.size() + b.size()));
  return Value(arena_.keep(a + b));
}

Value Evaluator::range(Value left, Value right) {
  if (left.defined() && !is_integer(left)) throw JsonataError("T2003", {.value = excerpt(left)});
  if (right.defined() && !is_integer(right)) throw JsonataError("T2004", {.value = excerpt(right)});
  if (!left.defined() || !right.defined() || left.number > right.number) return {};
  const double size = right.number - left.number + 1;
  if (size > kRangeMax) throw JsonataError("D2014", {.value = number_text(size)});
  Array* const numbers = arena_.make<Array>(arena_, left.number, static_cast<uint32_t>(size));
  numbers->sequence = true;
  return numbers;
}

Value Evaluator::array(const Node& node, Value input, Frame* frame) {
  Array* out = nullptr;
  for (const Node* const item : node.items) {
    const Value value = evaluate(*item, input, frame);
    if (!value.defined()) continue;
    if (!out && item->op == Op::range && node.items.size() == 1 && value.is(Kind::array)) {
      out = value.array;  // which may be long: not copied
      out->sequence = false;
      break;
    }
    if (!out) out = arena_.make<Array>(arena_);
    if (item->type == NodeType::array || !value.is(Kind::array)) {
      out->push(value);
    } else {
      out->append(value.array->items());
    }
  }
  if (!out) out = arena_.make<Array>(arena_);
  out->constructed = node.constructs_array;
  return out;
}

Value Evaluator::block(const Node& node, Value input, Frame* frame) {
  Frame* const scope = arena_.make<Frame>(frame);
  Value result;
  for (const Node* const item : node.items) result = evaluate(*item, input, scope);
  return result;
}

Value Evaluator::condition(const Node& node, Value input, Frame* frame) {
  const Value tested = evaluate(*node.lhs, input, frame);
  if (node.type == NodeType::coalesce) return tested.defined() ? tested : evaluate(*node.rhs, input, frame);
  if (node.type == NodeType::fallback) return truth(meter_, tested) ? tested : evaluate(*node.rhs, input, frame);
  if (truth(meter_, tested)) return evaluate(*node.rhs, input, frame);
  return node.third ? evaluate(*node.third, input, frame) : Value();
}

namespace {

void flatten(Meter& meter, Value value, Array& out, int depth = 0) {
  check_nesting(depth);
  meter.walk();
  if (!value.is(Kind::array)) return out.push(value);
  for (const Value item : value.array->items()) flatten(meter, item, out, depth + 1);
}

}  // namespace

// What was an array among them leaves a plain array behind, as concatenation does in the reference.
Value Evaluator::wildcard(Value input) {
  Array* const found = sequence(arena_);
  const auto take = [&](Value value) {
    step();
    if (value.is(Kind::array)) found->sequence = false;
    flatten(meter_, value, *found);
  };
  if (input.is(Kind::array) && input.array->outer && !input.array->empty()) input = input.array->at(0);
  if (input.is(Kind::array)) {
    for (const Value item : input.array->items()) take(item);
  } else if (input.is(Kind::object)) {
    for (const auto& [name, value] : input.object->members()) take(value);
  }
  return found;
}

Value Evaluator::descendants(Value input) {
  if (!input.defined()) return {};
  Array* const found = sequence(arena_);
  collect_descendants(input, *found, 0);
  return found->size() == 1 ? found->at(0) : Value(found);
}

void Evaluator::collect_descendants(Value input, Array& found, int depth) {
  check_nesting(depth);
  step();
  if (!input.is(Kind::array)) found.push(input);
  if (input.is(Kind::array)) {
    for (const Value item : input.array->items()) collect_descendants(item, found, depth + 1);
  } else if (input.is(Kind::object)) {
    for (const auto& [name, value] : input.object->members()) collect_descendants(value, found, depth + 1);
  }
}

}  // namespace tidemill::lang::jsonata
