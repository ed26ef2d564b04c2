// A template: its sections, checked as far as that needs no parameters.
//
//   const Template stack(parse(text));
//   for (const Resource& resource : stack.resources()) …
//
// The constructor throws TemplateError in AWS's words: unknown sections and attributes, names, limits, functions with
// wrong arguments, references to what the template does not have. What depends on parameters and conditions is said by
// Scope (scope.h), what depends on types by whoever makes the resources.
//
// A template with transforms is read twice: as it is written (of_original(): parameters and transforms, as
// GetTemplateSummary wants them) and as it is processed (transform.h).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace tidemill::lang::templates {

inline constexpr size_t kResourcesMax = 500;
inline constexpr size_t kParametersMax = 200;
inline constexpr size_t kOutputsMax = 200;
inline constexpr size_t kMappingsMax = 200;
inline constexpr size_t kDescriptionBytesMax = 1024;
inline constexpr size_t kNameLengthMax = 255;  // of parameters, mappings, outputs and resources

struct Parameter {
  std::string name;
  std::string type;  // "String", "Number", "CommaDelimitedList", "AWS::SSM::Parameter::Value<String>", …
  std::optional<std::string> default_value;
  std::optional<std::vector<std::string>> allowed_values;
  std::optional<std::string> allowed_pattern;
  std::optional<std::string> constraint_description;
  std::optional<size_t> min_length;  // code points
  std::optional<size_t> max_length;
  std::optional<double> min_value;
  std::optional<double> max_value;
  std::string description;
  bool no_echo = false;

  // Of type AWS::SSM::Parameter::Value<…>: its value names a parameter of the parameter store, whose value counts.
  [[nodiscard]] bool is_stored() const;
  // Whether Ref gives a list.
  [[nodiscard]] bool is_list() const;
};

struct Resource {
  std::string name;  // the logical id
  std::string type;
  json::Object properties;
  std::vector<std::string> depends_on;
  std::optional<std::string> condition;
  std::string deletion_policy;        // empty: none written; or Delete, Retain, Snapshot, RetainExceptOnCreate
  std::string update_replace_policy;  // empty: none written; or Delete, Retain, Snapshot
  json::Value creation_policy;        // null: none; may hold functions
  json::Value update_policy;
  json::Value metadata;
};

struct Output {
  std::string name;
  json::Value value;
  json::Value export_name;  // null: not exported
  std::string description;
  std::optional<std::string> condition;
};

struct Rule {
  std::string name;
  json::Value condition;  // null: always
  struct Assertion {
    json::Value assert;
    std::string description;
  };
  std::vector<Assertion> assertions;
};

class Template {
 public:
  explicit Template(json::Value document);

  // A template that is to be processed yet: nothing but the top level and parameters is checked, of resources only name
  // and type are there, outputs and rules are not read.
  [[nodiscard]] static Template of_original(json::Value document);

  [[nodiscard]] const json::Object& document() const { return document_.object(); }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const std::vector<std::string>& transforms() const { return transforms_; }  // names, in their order
  [[nodiscard]] const json::Value& metadata() const { return metadata_; }                   // null: none

  // Each in the template's order.
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<Resource>& resources() const { return resources_; }
  [[nodiscard]] const std::vector<Output>& outputs() const { return outputs_; }
  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }
  [[nodiscard]] const json::Object& conditions() const { return conditions_; }
  [[nodiscard]] const json::Object& mappings() const { return mappings_; }

  [[nodiscard]] const Parameter* parameter(std::string_view name) const;
  [[nodiscard]] const Resource* resource(std::string_view name) const;

 private:
  enum class Reading { original, whole };
  Template(json::Value document, Reading reading);
  void read_resources(Reading reading);

  json::Value document_;
  std::string description_;
  std::vector<std::string> transforms_;
  json::Value metadata_;
  std::vector<Parameter> parameters_;
  std::vector<Resource> resources_;
  std::vector<Output> outputs_;
  std::vector<Rule> rules_;
  json::Object conditions_;
  json::Object mappings_;
  std::map<std::string, size_t, std::less<>> parameter_places_;
  std::map<std::string, size_t, std::less<>> resource_places_;
};

// The transforms that a document asks for as a whole ("Transform": name, list or object), in their order.
[[nodiscard]] std::vector<std::string> transforms_of(const json::Value& document);

// What a template's resources ask the caller to acknowledge.
struct Capabilities {
  std::vector<std::string> names;           // CAPABILITY_IAM or CAPABILITY_NAMED_IAM; empty: none
  std::vector<std::string> resource_types;  // whose doing that is, each once
};
[[nodiscard]] Capabilities required_capabilities(const Template& stack);

}  // namespace tidemill::lang::templates
