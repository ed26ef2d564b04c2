// Inside: the arguments of intrinsic functions, as far as they are told without evaluating them. Each throws
// TemplateError in AWS's words.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace tidemill::lang::templates {

// What the messages say of wrong arguments, before and after evaluating them.
[[noreturn]] void refuse_ref();
[[noreturn]] void refuse_get_att();
[[noreturn]] void refuse_join();
[[noreturn]] void refuse_split();
[[noreturn]] void refuse_select();
[[noreturn]] void refuse_find_in_map();
[[noreturn]] void refuse_equals();
[[noreturn]] void refuse_base64();
[[noreturn]] void refuse_get_stack_output();
// "Template error: encountered unsupported function: …"
[[noreturn]] void refuse_function(std::string_view name);

const std::string& ref_name(const json::Value& argument);

struct GetAttArguments {
  std::string_view resource;
  json::Value attribute;  // a text, or a function that gives one
};
GetAttArguments get_att_arguments(const json::Value& argument);

struct SubArguments {
  const std::string& text;
  const json::Object& own;  // variables that the function brings itself
};
SubArguments sub_arguments(const json::Value& argument);

// Of Fn::Join and Fn::Split.
struct DelimitedArguments {
  const std::string& delimiter;
  const json::Value& value;
};
DelimitedArguments join_arguments(const json::Value& argument);
DelimitedArguments split_arguments(const json::Value& argument);

struct SelectArguments {
  const json::Value& index;
  const json::Value& list;
};
SelectArguments select_arguments(const json::Value& argument);

struct IfArguments {
  const std::string& condition;
  const json::Value& then;
  const json::Value& otherwise;
};
IfArguments if_arguments(const json::Value& argument);

struct StackOutputArguments {
  const json::Value& stack;
  const json::Value& output;
  const json::Value* region;  // null: it is not said; so with the role
  const json::Value* role;
};
StackOutputArguments stack_output_arguments(const json::Value& argument);

// Three: the map, the first and the second key.
const json::Array& find_in_map_arguments(const json::Value& argument);
// Two.
const json::Array& equals_arguments(const json::Value& argument);

}  // namespace tidemill::lang::templates
