#include "lang/templates/arguments.h"

#include "base/text.h"
#include "lang/templates/functions.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

bool is_list_of(const json::Value& value, size_t count) { return value.is_array() && value.array().size() == count; }

// A list, or what may give one.
bool may_be_list(const json::Value& value) { return value.is_array() || as_call(value).has_value(); }

// A text, or what may give one.
bool may_be_text(const json::Value& value) { return as_text(value).has_value() || as_call(value).has_value(); }

[[noreturn]] void refuse_sub() {
  refuse(
      "One or more Fn::Sub intrinsic functions don't specify expected arguments. Specify a string as first argument, "
      "and "
      "an optional second argument to specify a mapping of values to replace in the string");
}

}  // namespace

void refuse_ref() { refuse("every Ref object must have a single String value."); }

void refuse_get_att() {
  refuse("every Fn::GetAtt object requires two non-empty parameters, the resource name and the resource attribute");
}

void refuse_join() {
  refuse(
      "every Fn::Join object requires two parameters, (1) a string delimiter and (2) a list of strings to be joined or "
      "a "
      "function that returns a list of strings (such as Fn::GetAZs) to be joined.");
}

void refuse_split() {
  refuse(
      "every Fn::Split object requires two parameters, (1) a string delimiter and (2) a string to be split or a "
      "function "
      "that returns a string to be split.");
}

void refuse_select() { refuse("Fn::Select requires a list argument with two elements: an integer index and a list"); }

void refuse_find_in_map() {
  refuse(
      "every Fn::FindInMap object requires three parameters, the map name, map key and the attribute for return value");
}

void refuse_equals() { refuse("every Fn::Equals object requires a list of 2 string parameters."); }

void refuse_base64() { refuse("every Fn::Base64 object must have a String-typed value."); }

void refuse_get_stack_output() {
  refuse(
      "every Fn::GetStackOutput object requires the String-typed parameters StackName and OutputName, and takes Region "
      "and RoleArn");
}

void refuse_function(std::string_view name) {
  refuse(base::cat(
      "encountered unsupported function: ", name,
      " Supported functions are: [Fn::Base64, Fn::GetAtt, Fn::GetAZs, Fn::ImportValue, Fn::Join, Fn::Split, "
      "Fn::FindInMap, Fn::Select, Ref, Fn::Equals, Fn::If, Fn::Not, Condition, Fn::And, Fn::Or, Fn::Contains, "
      "Fn::EachMemberEquals, Fn::EachMemberIn, Fn::RefAll, Fn::Sub, Fn::Cidr]"));
}

const std::string& ref_name(const json::Value& argument) {
  if (!argument.is_string()) refuse_ref();
  return argument.string();
}

GetAttArguments get_att_arguments(const json::Value& argument) {
  GetAttArguments arguments;
  if (argument.is_string()) {
    const std::string_view text = argument.string();
    const size_t dot = text.find('.');
    if (dot == std::string_view::npos) refuse_get_att();
    arguments = {text.substr(0, dot), text.substr(dot + 1)};
  } else {
    if (!is_list_of(argument, 2) || !argument.array()[0].is_string()) refuse_get_att();
    arguments = {argument.array()[0].string(), argument.array()[1]};
  }
  const json::Value& attribute = arguments.attribute;
  if (arguments.resource.empty() || !may_be_text(attribute)) refuse_get_att();
  if (attribute.is_string() && attribute.string().empty()) refuse_get_att();
  return arguments;
}

SubArguments sub_arguments(const json::Value& argument) {
  static const json::Object kNone;
  if (argument.is_string()) return {argument.string(), kNone};
  if (!is_list_of(argument, 2) || !argument.array()[0].is_string() || !argument.array()[1].is_object()) refuse_sub();
  return {argument.array()[0].string(), argument.array()[1].object()};
}

DelimitedArguments join_arguments(const json::Value& argument) {
  if (!is_list_of(argument, 2) || !argument.array()[0].is_string() || !may_be_list(argument.array()[1])) refuse_join();
  return {argument.array()[0].string(), argument.array()[1]};
}

DelimitedArguments split_arguments(const json::Value& argument) {
  if (!is_list_of(argument, 2) || !argument.array()[0].is_string() || argument.array()[0].string().empty() ||
      !may_be_text(argument.array()[1])) {
    refuse_split();
  }
  return {argument.array()[0].string(), argument.array()[1]};
}

SelectArguments select_arguments(const json::Value& argument) {
  if (!is_list_of(argument, 2) || !may_be_text(argument.array()[0]) || !may_be_list(argument.array()[1]))
    refuse_select();
  return {argument.array()[0], argument.array()[1]};
}

IfArguments if_arguments(const json::Value& argument) {
  if (!argument.is_array() || argument.array().empty() || !argument.array()[0].is_string()) {
    refuse("Fn::If requires a list argument with the first element being a condition");
  }
  if (argument.array().size() != 3) refuse("Fn::If requires a list argument with three elements");
  return {argument.array()[0].string(), argument.array()[1], argument.array()[2]};
}

StackOutputArguments stack_output_arguments(const json::Value& argument) {
  if (!argument.is_object()) refuse_get_stack_output();
  for (const auto& [name, part] : argument.object()) {
    const bool is_known = name == "StackName" || name == "OutputName" || name == "Region" || name == "RoleArn";
    if (!is_known || !may_be_text(part)) refuse_get_stack_output();
  }
  const json::Value *stack = argument.find("StackName"), *output = argument.find("OutputName");
  if (!stack || !output) refuse_get_stack_output();
  return {*stack, *output, argument.find("Region"), argument.find("RoleArn")};
}

const json::Array& find_in_map_arguments(const json::Value& argument) {
  if (!is_list_of(argument, 3)) refuse_find_in_map();
  for (const json::Value& part : argument.array()) {
    if (!may_be_text(part)) refuse_find_in_map();
  }
  return argument.array();
}

const json::Array& equals_arguments(const json::Value& argument) {
  if (!is_list_of(argument, 2)) refuse_equals();
  for (const json::Value& part : argument.array()) {
    if (!may_be_text(part)) refuse_equals();
  }
  return argument.array();
}

}  // namespace tidemill::lang::templates
