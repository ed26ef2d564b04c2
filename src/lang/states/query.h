// Inside: an expression of a JSONata state: "{% $states.input.total * 2 %}".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/jsonata/jsonata.h"
#include "lang/states/env.h"

namespace tidemill::lang::states {

// What stands between {% and %}; nothing: the text is no expression.
[[nodiscard]] std::optional<std::string_view> query_text(std::string_view text);

class Query {
 public:
  // `field`: as messages name it, "Output/total". Throws jsonata::JsonataError.
  [[nodiscard]] static Query compile(std::string_view text, std::string field);

  // Throws StateError: also for what is undefined.
  [[nodiscard]] json::Value evaluate(const Env& env) const;
  // And is of this kind.
  [[nodiscard]] json::Value evaluate(const Env& env, json::Kind kind) const;

  [[nodiscard]] const jsonata::References& references() const { return references_; }
  [[nodiscard]] const std::string& field() const { return field_; }
  [[noreturn]] void fail(std::string_view what) const;

 private:
  Query(jsonata::Expression expression, std::string_view text, std::string field);
  // With the steps that the world allows at once, and with all.
  [[nodiscard]] std::optional<json::Value> evaluate_sliced(const jsonata::Bindings& bindings, const World& world,
                                                           const Env& env) const;

  jsonata::Expression expression_;
  std::string text_;
  std::string field_;
  jsonata::References references_;
};

[[nodiscard]] std::string_view name_of(json::Kind kind);

// The functions that Step Functions adds to the language; those that an expression names.
struct QueryFunctions {
  QueryFunctions(const jsonata::References& references, const World& world);

  std::vector<jsonata::NativeFunction> made;          // what needs the world
  std::vector<const jsonata::NativeFunction*> bound;  // into `made`, and of all
};
[[nodiscard]] bool is_query_function(std::string_view name);

}  // namespace tidemill::lang::states
