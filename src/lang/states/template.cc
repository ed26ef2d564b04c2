#include "lang/states/template.h"

#include <algorithm>

#include "base/json_objects.h"
#include "base/text.h"

namespace tidemill::lang::states {

Place Place::member(std::string_view name) const {
  Place place = *this;
  place.location += base::cat("/", name);
  place.field += base::cat(place.field.empty() ? "" : "/", name);
  return place;
}

Place Place::element(size_t index) const {
  Place place = *this;
  place.location += base::cat("[", index, "]");
  place.field += base::cat("[", index, "]");
  return place;
}

Document PathValue::resolve(const Env& env) const {
  return path ? states::resolve(*path, env) : make_document(intrinsic->evaluate(env));
}

std::unique_ptr<const PathValue> compile_path_value(const json::Value& source, std::string_view field,
                                                    const std::string& location, Report& report) {
  const auto refuse = [&]() -> std::unique_ptr<const PathValue> {
    report.schema(
        base::cat("The value for the field '", field, "' must be a valid JSONPath or a valid intrinsic function call"),
        location);
    return nullptr;
  };
  if (!source.is_string()) return refuse();
  auto value = std::make_unique<PathValue>();
  std::vector<const jsonpath::Path*> paths;
  try {
    if (source.string().starts_with("States.")) {
      value->intrinsic = std::make_unique<const Intrinsic>(Intrinsic::parse(source.string()));
      value->intrinsic->collect_paths(paths);
    } else {
      value->path = std::make_unique<const jsonpath::Path>(jsonpath::Path::parse(source.string()));
      paths.push_back(value->path.get());
    }
  } catch (const std::runtime_error&) {
    return refuse();
  }
  for (const jsonpath::Path* const path : paths) {
    if (path->root() == jsonpath::Path::Root::variable) report.reads(path->variable());
  }
  return value;
}

std::unique_ptr<const Query> compile_query(std::string_view text, const Place& place, Report& report) {
  std::unique_ptr<const Query> query;
  try {
    query = std::make_unique<const Query>(Query::compile(text, place.field));
  } catch (const jsonata::JsonataError& error) {
    report.error("INVALID_JSONATA_EXPRESSION", error.message(), place.location);
    return nullptr;
  }
  const jsonata::References& references = query->references();
  const auto unsupported = [&](std::string message) {
    report.error("UNSUPPORTED_JSONATA_EXPRESSION", std::move(message), place.location);
  };
  for (const std::string& name : references.context_names) {
    unsupported(base::cat("Reference to '", name, "' at the top level is not supported."));
  }
  if (references.reads_root) unsupported("Reference to '$$' is not supported.");
  if (!place.has_error_output && std::ranges::count(references.states_members, "errorOutput") > 0) {
    unsupported("Field '$states.errorOutput' does not exist.");
  }
  for (const std::string& name : references.variables) {
    if (name != "states" && !is_query_function(name)) report.reads(name);
  }
  return query;
}

struct Template::Node {
  enum class Type : uint8_t { constant, object, array, path, query };

  Type type = Type::constant;
  json::Value constant;
  std::string name;         // of a member; of a path the field with its .$
  std::vector<Node> parts;  // of an object or array
  std::unique_ptr<const PathValue> path;
  std::unique_ptr<const Query> query;
};

Template::Template() = default;
Template::Template(Template&&) noexcept = default;
Template& Template::operator=(Template&&) noexcept = default;
Template::~Template() = default;

Template Template::compile(const json::Value& source, const Place& place, Report& report) {
  Template made;
  made.root_ = std::make_unique<const Node>(compile_node(source, place, report));
  if (made.root_->type == Node::Type::constant) made.constant_ = make_document(made.root_->constant);
  return made;
}

Template::Node Template::compile_node(const json::Value& source, const Place& place, Report& report) {
  Node node;
  if (source.is_object()) return compile_object(source.object(), place, report);
  if (source.is_array()) {
    node.type = Node::Type::array;
    for (size_t i = 0; i < source.array().size(); ++i) {
      node.parts.push_back(compile_node(source.array()[i], place.element(i), report));
    }
    if (std::ranges::all_of(node.parts, [](const Node& part) { return part.type == Node::Type::constant; })) {
      return {.constant = source};
    }
    return node;
  }
  node.constant = source;
  if (place.language == QueryLanguage::jsonpath || !source.is_string() || !source.string().starts_with("{%"))
    return node;
  const auto text = query_text(source.string());
  if (!text) {
    report.schema("JSONata string must start with {% and end with %}", place.location);
    return node;
  }
  node.query = compile_query(*text, place, report);
  if (node.query) node.type = Node::Type::query;
  return node;
}

Template::Node Template::compile_object(const json::Object& source, const Place& place, Report& report) {
  Node node{.type = Node::Type::object};
  for (const auto& [name, value] : source) {
    Node part;
    if (place.language == QueryLanguage::jsonpath && name.ends_with(".$")) {
      part.path = compile_path_value(value, name, place.location, report);
      if (part.path) part.type = Node::Type::path;
    } else {
      part = compile_node(value, place.member(name), report);
    }
    part.name = name;
    node.parts.push_back(std::move(part));
  }
  if (std::ranges::all_of(node.parts, [](const Node& part) { return part.type == Node::Type::constant; })) {
    return {.constant = source};
  }
  return node;
}

const Query* Template::query() const { return root_->type == Node::Type::query ? root_->query.get() : nullptr; }

Document Template::evaluate(const Env& env) const {
  return constant_ ? constant_ : make_document(evaluate(*root_, env));
}

json::Object Template::evaluate_object(const Env& env) const {
  json::Value value = constant_ ? *constant_ : evaluate(*root_, env);
  return value.is_object() ? std::move(value.object()) : json::Object();
}

namespace {

json::Value value_of(const PathValue& value, std::string_view field, const Env& env) {
  const Document found = value.resolve(env);
  if (found) {
    env.charge(*found);
    return *found;
  }
  const jsonpath::Path& path = *value.path;
  // What AWS finds beyond an array's end is null here, and here alone.
  if (path.root() == jsonpath::Path::Root::input && path.ends_beyond_array(*env.root)) return nullptr;
  throw StateError(error_name::kRuntime, base::cat("The JSONPath '", path.text(), "' specified for the field '", field,
                                                   "' could not be found in the input '", root_text(path, env), "'"));
}

}  // namespace

json::Value Template::evaluate(const Node& node, const Env& env) {
  switch (node.type) {
    case Node::Type::constant:
      return node.constant;
    case Node::Type::object: {
      std::vector<json::Member> members;
      members.reserve(node.parts.size());
      for (const Node& part : node.parts) {
        if (part.type == Node::Type::path) {
          members.emplace_back(part.name.substr(0, part.name.size() - 2), value_of(*part.path, part.name, env));
        } else {
          members.emplace_back(part.name, evaluate(part, env));
        }
      }
      return json::object_of(std::move(members));
    }
    case Node::Type::array: {
      json::Array array;
      array.reserve(node.parts.size());
      for (const Node& part : node.parts) array.push_back(evaluate(part, env));
      return array;
    }
    case Node::Type::path:
      return value_of(*node.path, node.name, env);
    case Node::Type::query: {
      json::Value value = node.query->evaluate(env);
      env.charge(value);
      return value;
    }
  }
  return nullptr;
}

}  // namespace tidemill::lang::states
