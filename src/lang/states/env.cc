#include "lang/states/env.h"

#include "base/text.h"

namespace tidemill::lang::states {

namespace {

// A value that somebody else owns for the length of the call.
Document borrowed(const json::Value& value) { return {std::shared_ptr<const void>(), &value}; }

// Whether the path may see what an item adds to the context.
bool may_see_item(const jsonpath::Path& path) {
  const auto first = path.member(0);
  return !first || *first == "Map";
}

json::Object map_of_item(const Env& env) {
  json::Object map;
  map.set("Item", item_value(*env.item));
  return map;
}

// The rest of a context holds the execution's input: copied for each item, a map would cost the square of its items.
Document context_seen(const jsonpath::Path& path, const Env& env) {
  env.charge(*env.item->value);
  if (path.member(0) != "Map") {
    if (env.scope.context) env.charge(*env.scope.context);
    return make_document(context_with_item(env));
  }
  json::Object context;
  context.set("Map", map_of_item(env));
  return make_document(std::move(context));
}

Document root_of(const jsonpath::Path& path, const Env& env) {
  switch (path.root()) {
    case jsonpath::Path::Root::input:
      return env.root;
    case jsonpath::Path::Root::context:
      if (env.item && may_see_item(path)) return context_seen(path, env);
      return env.scope.context ? borrowed(*env.scope.context) : empty_object();
    case jsonpath::Path::Root::variable: {
      const json::Value* const value = env.scope.variables ? env.scope.variables->find(path.variable()) : nullptr;
      if (!value) {
        throw StateError(error_name::kRuntime, base::cat("The variable '$", path.variable(), "' is not defined."));
      }
      return borrowed(*value);
    }
  }
  return nullptr;
}

// A part of `whole`, which it holds; what is borrowed is copied.
Document part_of(const Document& whole, const json::Value& part, const Env& env) {
  if (whole.use_count() == 0) {
    env.charge(part);
    return make_document(part);
  }
  return {whole, &part};
}

}  // namespace

void Env::charge(const json::Value& value) const {
  const size_t bytes = memory_size(value);
  if (bytes > bytes_left) {
    throw StateError(
        error_name::kDataLimitExceeded,
        "The size of what the state's expressions make exceeds the maximum number of bytes service limit.");
  }
  bytes_left -= bytes;
}

const json::Value* Variables::find(std::string_view name) const {
  for (const Variables* scope = this; scope; scope = scope->outer) {
    const json::Value* const value = scope->values ? scope->values->find(name) : nullptr;
    if (value) return value;
  }
  return nullptr;
}

const Document& empty_object() {
  static const Document kEmpty = make_document(json::Object());
  return kEmpty;
}

json::Value item_value(const MapItem& item) {
  json::Object value;
  value.set("Index", item.index);
  if (!item.key.empty()) value.set("Key", item.key);
  value.set("Value", *item.value);
  if (!item.source.empty()) value.set("Source", item.source);
  return value;
}

json::Value context_with_item(const Env& env) {
  json::Object context =
      env.scope.context && env.scope.context->is_object() ? env.scope.context->object() : json::Object();
  context.set("Map", map_of_item(env));
  return context;
}

Document resolve(const jsonpath::Path& path, const Env& env) {
  if (env.item && path.root() == jsonpath::Path::Root::context && path.member(0) == "Map" && path.member(1) == "Item" &&
      path.member(2) == "Value" && path.is_definite()) {
    const json::Value* const found = path.find(*env.item->value, 3);
    return found ? part_of(env.item->value, *found, env) : nullptr;
  }
  const Document root = root_of(path, env);
  jsonpath::Selection selection;
  try {
    selection = path.select(*root, env.nodes_left);
  } catch (const jsonpath::PathError& error) {
    throw StateError(error_name::kRuntime, base::cat("Invalid path '", path.text(), "' : ", error.what()));
  }
  if (!selection.found()) return nullptr;
  if (selection.made) {
    env.charge(*selection.made);
    return make_document(std::move(*selection.made));
  }
  return part_of(root, *selection.node, env);
}

std::string root_text(const jsonpath::Path& path, const Env& env) {
  const bool has_item = env.item && path.root() == jsonpath::Path::Root::context && may_see_item(path);
  return json::write(has_item ? context_with_item(env) : *root_of(path, env));
}

Document require(const jsonpath::Path& path, const Env& env) {
  Document found = resolve(path, env);
  if (!found) {
    throw StateError(error_name::kRuntime,
                     base::cat("Invalid path '", path.text(), "' : ", path.explain(*root_of(path, env))));
  }
  return found;
}

}  // namespace tidemill::lang::states
