// Inside: payloads with expressions in them: Parameters, ResultSelector, ItemSelector, Arguments, Output, Assign, …
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lang/states/intrinsic.h"
#include "lang/states/query.h"
#include "lang/states/report.h"

namespace tidemill::lang::states {

// Where a field stands, for messages and for the rules that depend on it.
struct Place {
  QueryLanguage language = QueryLanguage::jsonpath;
  std::string location;           // of the diagnostics: "/States/A/Output"
  std::string field;              // of JSONata's messages: "Output"
  bool has_error_output = false;  // within a Catch

  [[nodiscard]] Place member(std::string_view name) const;
  [[nodiscard]] Place element(size_t index) const;
};

// A path or an intrinsic function.
struct PathValue {
  std::unique_ptr<const jsonpath::Path> path;
  std::unique_ptr<const Intrinsic> intrinsic;

  // Null: the path leads nowhere.
  [[nodiscard]] Document resolve(const Env& env) const;
};

// Tells `report` what is wrong, in the words of templates; null then.
[[nodiscard]] std::unique_ptr<const PathValue> compile_path_value(const json::Value& source, std::string_view field,
                                                                  const std::string& location, Report& report);
// Of the text within {% %}. Null: `report` has been told.
[[nodiscard]] std::unique_ptr<const Query> compile_query(std::string_view text, const Place& place, Report& report);

class Template {
 public:
  [[nodiscard]] static Template compile(const json::Value& source, const Place& place, Report& report);
  Template(Template&&) noexcept;
  Template& operator=(Template&&) noexcept;
  ~Template();

  // Throws StateError.
  [[nodiscard]] Document evaluate(const Env& env) const;
  // Of an object: its members, one by one, each evaluated.
  [[nodiscard]] json::Object evaluate_object(const Env& env) const;
  // The value if nothing in it is to be evaluated; else null.
  [[nodiscard]] const Document& constant() const { return constant_; }
  // The expression if it is nothing else; else null.
  [[nodiscard]] const Query* query() const;

 private:
  struct Node;
  Template();

  static Node compile_node(const json::Value& source, const Place& place, Report& report);
  static Node compile_object(const json::Object& source, const Place& place, Report& report);
  [[nodiscard]] static json::Value evaluate(const Node& node, const Env& env);

  std::unique_ptr<const Node> root_;
  Document constant_;
};

}  // namespace tidemill::lang::states
