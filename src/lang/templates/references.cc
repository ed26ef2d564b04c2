#include "lang/templates/references.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "lang/templates/arguments.h"
#include "lang/templates/contains.h"
#include "lang/templates/functions.h"
#include "lang/templates/sub_text.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

constexpr std::array<std::string_view, 8> kPseudoParameters = {
    "AWS::AccountId", "AWS::NoValue", "AWS::NotificationARNs", "AWS::Partition",
    "AWS::Region",    "AWS::StackId", "AWS::StackName",        "AWS::URLSuffix",
};
// Where decisions are wanted: Conditions and Rules.
constexpr std::array<std::string_view, 5> kDecisions = {"Condition", "Fn::And", "Fn::Equals", "Fn::Not", "Fn::Or"};
constexpr std::array<std::string_view, 4> kRuleFunctions = {"Fn::Contains", "Fn::EachMemberEquals", "Fn::EachMemberIn",
                                                            "Fn::RefAll"};
// Whose arguments are checked when they are evaluated, and walked here.
constexpr std::array<std::string_view, 4> kOthers = {"Fn::Base64", "Fn::Cidr", "Fn::GetAZs", "Fn::ImportValue"};

class Block {
 public:
  enum class Kind { resources, outputs, conditions, rules };

  Block(const Template& stack, Kind kind) : stack_(stack), kind_(kind) {}

  void check(const json::Value& value) {
    if (const auto call = as_call(value)) return check_call(*call);
    if (value.is_array()) {
      for (const json::Value& element : value.array()) check(element);
    } else if (value.is_object()) {
      for (const auto& [name, member] : value.object()) check(member);
    }
  }

  // Of a name that stands outside of a function: DependsOn.
  void check_resource(const std::string& name) {
    if (stack_.resource(name) == nullptr) note(name);
  }

  // At the end: what the block refers to that is not there.
  void finish() const {
    if (unresolved_.empty()) return;
    std::string names;
    for (const std::string& name : unresolved_) {
      if (!names.empty()) names.append(", ");
      names.append(name);
    }
    switch (kind_) {
      case Kind::resources:
        refuse_format(cat("Unresolved resource dependencies [", names, "] in the Resources block of the template"));
      case Kind::outputs:
        refuse_format(cat("Unresolved resource dependencies [", names, "] in the Outputs block of the template"));
      case Kind::conditions:
        refuse_format(cat("Unresolved dependencies [", names,
                          "]. Cannot reference resources in the Conditions block of the template"));
      case Kind::rules:
        refuse_format(cat("Unresolved dependencies [", names,
                          "]. Cannot reference resources in the Rules block of the template"));
    }
  }

 private:
  [[nodiscard]] bool has_resources() const { return kind_ == Kind::resources || kind_ == Kind::outputs; }

  void note(std::string_view name) {
    if (!contains(unresolved_, name)) unresolved_.emplace_back(name);
  }

  void check_ref(std::string_view name) {
    if (name.starts_with("AWS::")) {
      if (!contains(kPseudoParameters, name)) note(name);
    } else if (stack_.parameter(name) == nullptr && (!has_resources() || stack_.resource(name) == nullptr)) {
      note(name);
    }
  }

  void check_get_att(std::string_view resource) {
    if (!has_resources()) return note(resource);
    if (stack_.resource(resource) == nullptr) {
      refuse(cat("instance of Fn::GetAtt references undefined resource ", resource));
    }
  }

  void check_sub(const json::Value& argument) {
    const SubArguments arguments = sub_arguments(argument);
    for (const SubPart& part : parse_sub(arguments.text)) {
      if (!part.is_variable || arguments.own.find(part.text) != nullptr) continue;
      const size_t dot = part.text.find('.');
      // In Fn::Sub, an attribute's resource is missing as one that Ref names is.
      if (dot == std::string::npos) {
        check_ref(part.text);
      } else if (!has_resources() || stack_.resource(part.text.substr(0, dot)) == nullptr) {
        note(part.text.substr(0, dot));
      }
    }
    for (const auto& [name, value] : arguments.own) check(value);
  }

  void check_call(const Call& call) {
    const json::Value& argument = *call.argument;
    if (call.name == kRef) return check_ref(ref_name(argument));
    if (call.name == kSub) return check_sub(argument);
    if (call.name == kGetAtt) {
      const GetAttArguments arguments = get_att_arguments(argument);
      check_get_att(arguments.resource);
      return check(arguments.attribute);
    }
    check_arguments(call);
    check(argument);
  }

  // That the function exists, and of its arguments what is told without values.
  void check_arguments(const Call& call) const {
    const json::Value& argument = *call.argument;
    if (call.name == "Fn::Join") {
      (void)join_arguments(argument);
    } else if (call.name == "Fn::Split") {
      (void)split_arguments(argument);
    } else if (call.name == "Fn::Select") {
      (void)select_arguments(argument);
    } else if (call.name == kFindInMap) {
      check_mapping(find_in_map_arguments(argument)[0]);
    } else if (call.name == kIf) {
      const IfArguments arguments = if_arguments(argument);
      if (stack_.conditions().find(arguments.condition) == nullptr) {
        refuse(cat("unresolved condition dependency ", arguments.condition, " in Fn::If"));
      }
    } else if (call.name == "Fn::Equals" && !has_resources()) {
      (void)equals_arguments(argument);
    } else if (call.name == "Fn::ImportValue" && kind_ == Kind::conditions) {
      refuse("Cannot use Fn::ImportValue in Conditions.");
    } else if (call.name == kGetStackOutput && kind_ != Kind::rules) {
      if (kind_ == Kind::conditions) refuse("Cannot use Fn::GetStackOutput in Conditions.");
      (void)stack_output_arguments(argument);
    } else if (!has_resources() && contains(kDecisions, call.name)) {
      return;
    } else if (kind_ == Kind::rules && contains(kRuleFunctions, call.name)) {
      return;
    } else if (!contains(kOthers, call.name)) {
      refuse_function(call.name);
    }
  }

  void check_mapping(const json::Value& name) const {
    if (name.is_string() && stack_.mappings().find(name.string()) == nullptr) {
      refuse(cat("Mapping named '", name.string(), "' is not present in the 'Mappings' section of template."));
    }
  }

  const Template& stack_;
  const Kind kind_;
  std::vector<std::string> unresolved_;
};

void check_condition(const Template& stack, const std::optional<std::string>& name) {
  if (name && stack.conditions().find(*name) == nullptr) refuse_format(cat("Condition ", *name, " is not defined."));
}

// The names of conditions that {"Condition": name} mentions.
void check_mentions(const Template& stack, const json::Value& value) {
  if (value.is_array()) {
    for (const json::Value& element : value.array()) check_mentions(stack, element);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.object()) {
      if (name == kCondition && member.is_string() && stack.conditions().find(member.string()) == nullptr) {
        refuse_format(
            cat("Unresolved condition dependency ", member.string(), " in the Conditions block of the template"));
      }
      check_mentions(stack, member);
    }
  }
}

void check_names(const Template& stack) {
  for (const Resource& resource : stack.resources()) {
    if (stack.parameter(resource.name) == nullptr) continue;
    refuse(cat("all resources and parameters must have unique names. Common name(s):[", resource.name, "]"));
  }
}

}  // namespace

void check_references(const Template& stack) {
  check_names(stack);
  Block conditions(stack, Block::Kind::conditions);
  for (const auto& [name, value] : stack.conditions()) {
    conditions.check(value);
    check_mentions(stack, value);
  }
  conditions.finish();
  Block rules(stack, Block::Kind::rules);
  for (const Rule& rule : stack.rules()) {
    rules.check(rule.condition);
    for (const Rule::Assertion& assertion : rule.assertions) rules.check(assertion.assert);
  }
  rules.finish();
  Block resources(stack, Block::Kind::resources);
  for (const Resource& resource : stack.resources()) {
    check_condition(stack, resource.condition);
    for (const auto& [name, value] : resource.properties) resources.check(value);
    for (const std::string& name : resource.depends_on) resources.check_resource(name);
    for (const json::Value* part : {&resource.creation_policy, &resource.update_policy, &resource.metadata}) {
      resources.check(*part);
    }
  }
  resources.finish();
  Block outputs(stack, Block::Kind::outputs);
  for (const Output& output : stack.outputs()) {
    check_condition(stack, output.condition);
    outputs.check(output.value);
    outputs.check(output.export_name);
  }
  outputs.finish();
}

}  // namespace tidemill::lang::templates
