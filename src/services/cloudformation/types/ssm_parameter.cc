// AWS::SSM::Parameter.
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/reading.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kParameterNameSizeMax = 1011;

constexpr Property kParameterProperties[] = {
    {.name = "Name", .update = Update::replaces},
    {.name = "AllowedPattern"},
    {.name = "DataType"},
    {.name = "Description"},
    {.name = "Policies"},
    {.name = "Tags", .form = Form::map},
    {.name = "Tier"},
    {.name = "Type", .required = true},
    {.name = "Value", .required = true},
};

json::Object parameter_of(const json::Object& properties) {
  return take(properties, {"AllowedPattern", "DataType", "Description", "Policies", "Tier", "Type", "Value"});
}

Task<std::string> create_parameter(Step& step, const json::Object& properties) {
  if (text_of(properties, "Type") == "SecureString") {
    throw InvalidRequest("The following types of parameters cannot be made by CloudFormation: SecureString");
  }
  std::string name = text_of(properties, "Name");
  if (name.empty()) {
    name = step.physical_name(kParameterNameSizeMax);
  } else {
    co_await claim(step, name, {"ssm", "GetParameter", json::Object{{"Name", name}}, {"ParameterNotFound"}});
  }
  json::Object request = parameter_of(properties);
  request.set("Name", name);
  if (json::Array tags = tag_list(step, properties); !tags.empty()) request.set("Tags", std::move(tags));
  co_await step.call_or_null("ssm", "PutParameter", std::move(request), {"ParameterAlreadyExists"});
  co_return name;
}

Task<void> change_parameter_tags(Step& step, std::string name, const json::Object& before, const json::Object& after) {
  TagChange change = tag_change(step, before, after);
  const json::Object parameter{{"ResourceType", "Parameter"}, {"ResourceId", name}};
  if (!change.gone.empty()) {
    json::Object request = parameter;
    request.set("TagKeys", std::move(change.gone));
    co_await step.take_away("ssm", "RemoveTagsFromResource", std::move(request));
  }
  if (!change.set.empty()) {
    json::Object request = parameter;
    request.set("Tags", as_tag_list(change.set));
    co_await step.call("ssm", "AddTagsToResource", std::move(request));
  }
}

Task<std::string> update_parameter(Step& step, std::string name, const json::Object& before,
                                   const json::Object& after) {
  const json::Object old_parameter = parameter_of(before);
  json::Object request = parameter_of(after);
  if (!json::equal(old_parameter, request)) {
    set_removed(request, old_parameter, {{"Description", ""}, {"AllowedPattern", ""}});
    request.set("Name", name);
    request.set("Overwrite", true);
    co_await step.call("ssm", "PutParameter", std::move(request));
  }
  co_await change_parameter_tags(step, name, before, after);
  co_return name;
}

Task<void> remove_parameter(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("ssm", "DeleteParameter", json::Object{{"Name", name}}, {"ParameterNotFound"});
}

Task<json::Object> describe_parameter(Step&, std::string, const json::Object& properties) {
  co_return take(properties, {"Type", "Value"});
}

json::Array filter_of(std::string_view key, json::Array values) {
  return {json::Object{{"Key", key}, {"Option", "Equals"}, {"Values", std::move(values)}}};
}

Task<json::Object> read_parameter(Step& step, std::string name) {
  const json::Value found = co_await step.call("ssm", "GetParameter", json::Object{{"Name", name}});
  json::Object result = take(object_of(found.object(), "Parameter"), {"Name", "Type", "Value", "DataType"});
  if (text_of(result, "Type") == "SecureString") {
    throw InvalidRequest("The following types of parameters cannot be read by CloudFormation: SecureString");
  }
  const json::Value described =
      co_await step.call("ssm", "DescribeParameters", json::Object{{"ParameterFilters", filter_of("Name", {name})}});
  for (const json::Value& one : list_of(described.object(), "Parameters")) {
    for (const std::string_view member : {"AllowedPattern", "Description", "Tier"}) {
      if (const std::string text = text_of(one.object(), member); !text.empty()) result.set(std::string(member), text);
    }
  }
  const json::Value tags = co_await step.call("ssm", "ListTagsForResource",
                                              json::Object{{"ResourceType", "Parameter"}, {"ResourceId", name}});
  json::Object map;
  for (const json::Value& tag : list_of(tags.object(), "TagList")) {
    map.set(answered_text(tag, "Key"), answered_text(tag, "Value"));
  }
  if (!map.empty()) result.set("Tags", std::move(map));
  co_return result;
}

Task<std::vector<std::string>> list_parameters(Step& step) {
  return list_all(step, "ssm", "DescribeParameters", "Parameters", "Name",
                  json::Object{{"ParameterFilters", filter_of("Type", {"String", "StringList"})}});
}

}  // namespace

const ResourceType types::kSsmParameter = {
    .name = "AWS::SSM::Parameter",
    .properties = kParameterProperties,
    .create = create_parameter,
    .update = update_parameter,
    .remove = remove_parameter,
    .attributes = describe_parameter,
    .read = read_parameter,
    .list = list_parameters,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation
