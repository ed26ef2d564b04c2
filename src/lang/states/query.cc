#include "lang/states/query.h"

#include <algorithm>

#include "base/text.h"

namespace tidemill::lang::states {

namespace {

constexpr std::string_view kTooMuch = "U1001";  // of JSONata's limits

// $states, made of what is there and without a copy of it.
class States {
 public:
  explicit States(const Env& env) {
    add("input", env.root);
    add("result", env.result);
    add("errorOutput", env.error_output);
    if (!env.item) {
      if (env.scope.context) composite_.members.emplace_back("context", env.scope.context);
      return;
    }
    item_ = json::Value(item_without_value(*env.item));
    jsonata::Composite context{.name = "context"};
    if (env.scope.context && env.scope.context->is_object()) {
      for (const auto& [name, value] : env.scope.context->object()) {
        if (name != "Map") context.members.emplace_back(name, &value);
      }
    }
    jsonata::Composite item{.name = "Item"};
    for (const auto& [name, value] : item_.object()) item.members.emplace_back(name, &value);
    item.members.emplace_back("Value", env.item->value.get());
    jsonata::Composite map{.name = "Map"};
    map.parts.push_back(std::move(item));
    context.parts.push_back(std::move(map));
    composite_.parts.push_back(std::move(context));
  }

  [[nodiscard]] const jsonata::Composite& composite() const { return composite_; }

 private:
  static json::Object item_without_value(const MapItem& item) {
    json::Object value;
    value.set("Index", item.index);
    if (!item.key.empty()) value.set("Key", item.key);
    if (!item.source.empty()) value.set("Source", item.source);
    return value;
  }

  void add(std::string_view name, const Document& document) {
    if (document) composite_.members.emplace_back(name, document.get());
  }

  jsonata::Composite composite_{.name = "states"};
  json::Value item_;
};

}  // namespace

std::optional<std::string_view> query_text(std::string_view text) {
  if (text.size() < 4 || !text.starts_with("{%") || !text.ends_with("%}")) return std::nullopt;
  return text.substr(2, text.size() - 4);
}

Query::Query(jsonata::Expression expression, std::string_view text, std::string field)
    : expression_(std::move(expression)), text_(text), field_(std::move(field)), references_(expression_.references()) {
  const size_t begin = text_.find_first_not_of(" \t\r\n");
  text_ = begin == std::string::npos ? "" : text_.substr(begin, text_.find_last_not_of(" \t\r\n") - begin + 1);
}

Query Query::compile(std::string_view text, std::string field) {
  return Query(jsonata::Expression::compile(text), text, std::move(field));
}

void Query::fail(std::string_view what) const {
  throw StateError::of_query(
      base::cat("The JSONata expression '", text_, "' specified for the field '", field_, "' ", what), field_);
}

// The expressions of one evaluation share its steps: a template may have thousands of them.
std::optional<json::Value> Query::evaluate_sliced(const jsonata::Bindings& bindings, const World& world,
                                                  const Env& env) const {
  const jsonata::World known{.now = world.now, .random = world.random};
  const auto evaluate = [&](int64_t most, int64_t& left) {
    int64_t taken = 0;
    auto value = expression_.evaluate(nullptr, bindings, known, {.steps = std::min(most, left)}, &taken);
    left -= taken;
    return value;
  };
  if (world.when_long) {
    try {
      return evaluate(kQueryStepsAtOnce, env.steps_at_once);
    } catch (const jsonata::JsonataError& error) {
      if (error.code() != kTooMuch) throw;
    }
    world.when_long();
  }
  return evaluate(jsonata::Limits::kSteps, env.steps_left);
}

json::Value Query::evaluate(const Env& env) const {
  static const World kNoWorld;
  const World& world = env.scope.world ? *env.scope.world : kNoWorld;
  const States states(env);
  const QueryFunctions functions(references_, world);
  jsonata::Bindings bindings;
  bindings.objects = {&states.composite()};
  bindings.functions = functions.bound;
  bindings.without = {"eval"};
  // A variable may bear the name of a function, and hides it.
  for (const auto* const names : {&references_.variables, &references_.functions}) {
    for (const std::string& name : *names) {
      const json::Value* const value = env.scope.variables ? env.scope.variables->find(name) : nullptr;
      if (value) bindings.values.emplace_back(name, value);
    }
  }
  std::optional<json::Value> value;
  try {
    value = evaluate_sliced(bindings, world, env);
  } catch (const jsonata::JsonataError& error) {
    fail(base::cat("threw an error during evaluation. ", error.what()));
  }
  if (!value) fail("returned nothing (undefined).");
  return std::move(*value);
}

json::Value Query::evaluate(const Env& env, json::Kind kind) const {
  json::Value value = evaluate(env);
  if (value.kind() != kind) {
    fail(base::cat("returned an unexpected result type. Expected '", name_of(kind), "', but was '",
                   name_of(value.kind()), "' for value: ", json::write(value)));
  }
  return value;
}

std::string_view name_of(json::Kind kind) {
  switch (kind) {
    case json::Kind::null:
      return "null";
    case json::Kind::boolean:
      return "boolean";
    case json::Kind::number:
      return "number";
    case json::Kind::string:
      return "string";
    case json::Kind::array:
      return "array";
    case json::Kind::object:
      return "object";
  }
  return "";
}

}  // namespace tidemill::lang::states
