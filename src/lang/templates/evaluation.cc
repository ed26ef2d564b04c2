// Walking a value; Ref, Fn::GetAtt, Fn::ImportValue, Fn::GetStackOutput, Fn::If.
#include "lang/templates/evaluation.h"

#include <array>
#include <utility>

#include "base/json_objects.h"
#include "base/text.h"
#include "lang/templates/arguments.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

constexpr std::string_view kPseudoPrefix = "AWS::";
constexpr std::string_view kNoValue = "AWS::NoValue";

class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(depth) {
    if (++depth_ > kEvaluationDepthMax) {
      --depth_;
      refuse("functions and conditions are nested too deeply");
    }
  }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

json::Value strings(const std::vector<std::string>& texts) {
  json::Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

}  // namespace

Evaluation::Result Evaluation::evaluate(const json::Value& value) {
  const Deeper deeper(depth_);
  if (const auto function = as_call(value)) return call(*function);
  if (value.is_array()) {
    json::Array array;
    for (const json::Value& element : value.array()) {
      if (Result result = evaluate(element)) array.push_back(std::move(*result));
    }
    return array;
  }
  if (!value.is_object()) return value;
  std::vector<json::Member> members;
  members.reserve(value.object().size());
  for (const auto& [name, member] : value.object()) {
    if (Result result = evaluate(member)) members.emplace_back(name, std::move(*result));
  }
  return json::object_of(std::move(members));
}

Evaluation::Result Evaluation::call(const Call& call) {
  using Function = Result (Evaluation::*)(const json::Value&);
  using Maker = json::Value (Evaluation::*)(const json::Value&);
  static constexpr std::array<std::pair<std::string_view, Function>, 6> kFunctions = {{
      {kRef, &Evaluation::ref},
      {kGetAtt, &Evaluation::attribute},
      {kIf, &Evaluation::choose},
      {"Fn::ImportValue", &Evaluation::import},
      {kGetStackOutput, &Evaluation::stack_output},
      {"Fn::Select", &Evaluation::select},
  }};
  static constexpr std::array<std::pair<std::string_view, Maker>, 7> kMakers = {{
      {kSub, &Evaluation::sub},
      {"Fn::Join", &Evaluation::join},
      {"Fn::Split", &Evaluation::split},
      {"Fn::Base64", &Evaluation::base64},
      {kFindInMap, &Evaluation::find_in_map},
      {"Fn::GetAZs", &Evaluation::zones},
      {"Fn::Cidr", &Evaluation::cidr},
  }};
  for (const auto& [name, function] : kFunctions) {
    if (name == call.name) return (this->*function)(*call.argument);
  }
  for (const auto& [name, function] : kMakers) {
    if (name == call.name) return (this->*function)(*call.argument);
  }
  if (place_ == Place::rule && call.name == "Fn::RefAll") return ref_all(*call.argument);
  refuse_function(call.name);
}

Evaluation::Result Evaluation::ref(const json::Value& argument) { return ref_by_name(ref_name(argument)); }

Evaluation::Result Evaluation::ref_by_name(std::string_view name) {
  if (name == kNoValue) return std::nullopt;
  if (name.starts_with(kPseudoPrefix)) {
    auto value = pseudo(name);
    if (!value) refuse_format(cat("Unrecognized pseudo parameter: ", name));
    charge(*value);
    return value;
  }
  if (const Parameter* parameter = stack_.parameter(name)) {
    parameters_.insert(parameter->name);
    const auto found = inputs_.parameters.find(name);
    if (found == inputs_.parameters.end()) throw TemplateError(cat("Parameters: [", name, "] must have values"));
    json::Value value = known_.hides_no_echo && parameter->no_echo ? json::Value(kHiddenValue)
                                                                   : parameter_as_value(*parameter, found->second);
    charge(value);
    return value;
  }
  needs_.refs.insert(std::string(name));
  const auto found = known_.refs.find(name);
  if (found != known_.refs.end()) {
    charge(found->second);
    return found->second;
  }
  if (known_.partial) return kKnownAfterApply;
  refuse_format(cat("Unresolved resource dependencies [", name, "] in the Resources block of the template"));
}

std::optional<json::Value> Evaluation::pseudo(std::string_view name) const {
  const Pseudo& from = inputs_.pseudo;
  const std::string_view rest = name.substr(kPseudoPrefix.size());
  if (rest == "AccountId") return from.account_id;
  if (rest == "Region") return from.region;
  if (rest == "Partition") return from.partition;
  if (rest == "URLSuffix") return from.url_suffix;
  if (rest == "StackId") return from.stack_id;
  if (rest == "StackName") return from.stack_name;
  if (rest == "NotificationARNs") return strings(from.notification_arns);
  return std::nullopt;
}

Evaluation::Result Evaluation::attribute(const json::Value& argument) {
  const GetAttArguments arguments = get_att_arguments(argument);
  const auto name = text(arguments.attribute);
  if (!name || name->empty()) refuse_get_att();
  return attribute_of(arguments.resource, *name);
}

json::Value Evaluation::attribute_of(std::string_view resource, std::string_view name) {
  if (stack_.resource(resource) == nullptr) {
    refuse(cat("instance of Fn::GetAtt references undefined resource ", resource));
  }
  Attribute attribute{resource, name};
  needs_.attributes.insert(attribute);
  const auto found = known_.attributes.find(attribute);
  if (found != known_.attributes.end()) {
    charge(found->second);
    return found->second;
  }
  if (is_hidden(attribute.second)) return kHiddenValue;
  if (known_.partial) return kKnownAfterApply;
  refuse(cat("instance of Fn::GetAtt references undefined resource ", resource));
}

Evaluation::Result Evaluation::import(const json::Value& argument) {
  Needs others = std::exchange(needs_, {});
  const auto name = text(argument);
  std::swap(needs_, others);
  if (!others.empty()) {
    refuse("the attribute in Fn::ImportValue must not depend on any resources, imported values, or Fn::GetAZs");
  }
  if (!name) refuse("the attribute in Fn::ImportValue must be a string or a function that returns a string");
  needs_.imports.insert(*name);
  const auto found = known_.imports.find(*name);
  if (found != known_.imports.end()) {
    charge(found->second);
    return found->second;
  }
  if (is_hidden(*name)) return kHiddenValue;
  if (known_.partial) return kKnownAfterApply;
  throw TemplateError(cat("No export named ", *name, " found."));
}

Evaluation::Result Evaluation::stack_output(const json::Value& argument) {
  const StackOutputArguments arguments = stack_output_arguments(argument);
  const auto evaluated = [&](const json::Value* part) -> std::string {
    const Result result = part ? evaluate(*part) : std::nullopt;
    if (!result) return "";  // AWS::NoValue, too
    auto text = as_text(*result);
    if (!text) refuse_get_stack_output();
    return *std::move(text);
  };
  OutputOfStack name{evaluated(&arguments.stack), evaluated(&arguments.output), evaluated(arguments.region),
                     evaluated(arguments.role)};
  if (name.stack.empty() || name.output.empty()) refuse_get_stack_output();
  needs_.outputs.insert(name);
  const auto found = known_.outputs.find(name);
  if (found != known_.outputs.end()) {
    charge(found->second);
    return found->second;
  }
  if (known_.hides_no_echo && name.mentions(kHiddenValue)) return kHiddenValue;
  if (known_.partial) return kKnownAfterApply;
  throw TemplateError(output_not_found(name));
}

Evaluation::Result Evaluation::choose(const json::Value& argument) {
  const IfArguments arguments = if_arguments(argument);
  if (stack_.conditions().find(arguments.condition) == nullptr) {
    refuse(cat("unresolved condition dependency ", arguments.condition, " in Fn::If"));
  }
  return evaluate(condition(arguments.condition) ? arguments.then : arguments.otherwise);
}

std::optional<std::string> Evaluation::text(const json::Value& value) {
  const Result result = evaluate(value);
  if (!result) return std::nullopt;
  return as_text(*result);
}

bool Evaluation::is_unknown(const json::Value& value) const {
  return known_.partial && value.is_string() && value.string().find(kKnownAfterApply) != std::string::npos;
}

bool Evaluation::is_hidden(const json::Value& value) const {
  return known_.hides_no_echo && value.is_string() && value.string().find(kHiddenValue) != std::string::npos;
}

Evaluation::Result Evaluation::not_to_be_told(const json::Value& value) const {
  if (is_unknown(value)) return value;
  if (is_hidden(value)) return kHiddenValue;
  return std::nullopt;
}

void Evaluation::charge(size_t bytes) {
  bytes_ += bytes;
  if (bytes_ > kEvaluatedBytesMax) {
    refuse(cat("what functions make of a value may not exceed ", kEvaluatedBytesMax, " bytes"));
  }
}

void Evaluation::charge(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::string:
      return charge(value.string().size() + 1);
    case json::Kind::array:
      for (const json::Value& element : value.array()) charge(element);
      return charge(1);
    case json::Kind::object:
      for (const auto& [name, member] : value.object()) {
        charge(name.size());
        charge(member);
      }
      return charge(1);
    default:
      return charge(1);
  }
}

}  // namespace tidemill::lang::templates
