#include "lang/states/steps.h"

#include "base/text.h"

namespace tidemill::lang::states {

Document selected_input(const State& state, const Scope& scope, Trace* trace) {
  if (state.query_language == QueryLanguage::jsonata) return scope.input;
  Document input = apply_path(state.program->input_path, {.scope = scope, .root = scope.input});
  note(trace, &Trace::after_input_path, input);
  return input;
}

Document apply_path(const PathField& field, const Env& env) {
  switch (field.type) {
    case PathField::Type::whole:
      return env.root;
    case PathField::Type::nothing:
      return empty_object();
    case PathField::Type::path:
      return field.path->path ? require(*field.path->path, env) : field.path->resolve(env);
  }
  return nullptr;
}

Document apply_result_path(const PathField& field, const Document& input, Document result) {
  if (field.type == PathField::Type::whole) return result;
  if (field.type == PathField::Type::nothing) return input;
  const jsonpath::Path& path = *field.path->path;
  try {
    return make_document(path.place(*input, *result));
  } catch (const jsonpath::PathError&) {
    throw StateError(error_name::kResultPathMatchFailure,
                     base::cat("Unable to apply ReferencePath ", path.text(), " to input ", json::write(*input)));
  }
}

json::Object assigned_by(const std::optional<Template>& assign, const Env& env) {
  if (!assign) return {};
  json::Object values = assign->evaluate_object(env);
  size_t size = 0;
  for (const auto& [name, value] : values) size += text_size(value);
  if (size > kAssignBytesMax) {
    throw StateError(
        error_name::kDataLimitExceeded,
        "The size of the variables that the state assigns exceeds the maximum number of bytes service limit.");
  }
  return values;
}

json::Value value_of(const Scalar& scalar, const Env& env) {
  if (scalar.query) return scalar.query->evaluate(env);
  if (!scalar.path) return *scalar.literal;
  if (scalar.path->path) return *require(*scalar.path->path, env);
  return *scalar.path->resolve(env);
}

void fail_value(const Scalar& scalar, const json::Value& value, std::string_view what) {
  if (scalar.query) scalar.query->fail(base::cat("returned ", json::write(value), ", which is not ", what, "."));
  const std::string origin = scalar.path && scalar.path->path ? base::cat(": ", scalar.path->path->text()) : "";
  throw StateError(error_name::kRuntime, base::cat("The ", scalar.field, " field refers to value ", json::write(value),
                                                   " which is not ", what, origin));
}

std::string text_of(const Scalar& scalar, const Env& env) {
  if (scalar.query) return scalar.query->evaluate(env, json::Kind::string).string();
  const json::Value value = value_of(scalar, env);
  if (!value.is_string()) fail_value(scalar, value, "a valid string");
  return value.string();
}

int64_t integer_of(const Scalar& scalar, const Env& env) {
  const json::Value value = scalar.query ? scalar.query->evaluate(env, json::Kind::number) : value_of(scalar, env);
  const auto number = value.to_int64();
  if (!number) fail_value(scalar, value, "a valid integer");
  return *number;
}

}  // namespace tidemill::lang::states
