#include "services/cloudformation/references.h"

#include "base/text.h"
#include "lang/templates/template_error.h"

namespace tidemill::cloudformation {

using base::cat;
using lang::templates::DynamicReference;
using lang::templates::TemplateError;

namespace {

Task<std::string> stored_parameter(Step& step, const DynamicReference& reference) {
  const bool is_secure = reference.service == DynamicReference::Service::ssm_secure;
  const std::string name = reference.version.empty() ? reference.id : cat(reference.id, ":", reference.version);
  const json::Value answer =
      co_await step.call("ssm", "GetParameter", json::Object{{"Name", name}, {"WithDecryption", is_secure}});
  const json::Value* parameter = answer.find("Parameter");
  const json::Value* value = parameter ? parameter->find("Value") : nullptr;
  const json::Value* type = parameter ? parameter->find("Type") : nullptr;
  if (!is_secure && type && type->is_string() && type->string() == "SecureString") {  // its value is a ciphertext
    throw TemplateError(cat("Non-secure ssm prefix was used for secure parameter: [", name, "]"));
  }
  co_return value && value->is_string() ? value->string() : std::string();
}

std::string member_of_secret(const std::string& secret, const std::string& key) {
  const auto parsed = json::parse(secret);
  const json::Value* value = parsed ? parsed->find(key) : nullptr;
  if (!value) throw TemplateError(cat("Could not find a value associated with JSONKey in SecretString"));
  return value->is_string() ? value->string() : json::write(*value);
}

Task<std::string> secret(Step& step, const DynamicReference& reference) {
  json::Object request{{"SecretId", reference.id}};
  if (!reference.version.empty()) request.set("VersionId", reference.version);
  if (!reference.version_stage.empty()) request.set("VersionStage", reference.version_stage);
  const json::Value answer = co_await step.call("secretsmanager", "GetSecretValue", std::move(request));
  const json::Value* text = answer.find("SecretString");
  if (!text || !text->is_string()) throw TemplateError(cat("Secret ", reference.id, " has no SecretString"));
  co_return reference.json_key.empty() ? text->string() : member_of_secret(text->string(), reference.json_key);
}

}  // namespace

Task<std::map<std::string, std::string, std::less<>>> resolve_references(Step& step,
                                                                         std::vector<DynamicReference> references) {
  std::map<std::string, std::string, std::less<>> result;
  for (const DynamicReference& one : references) {
    if (one.service == DynamicReference::Service::secrets_manager) {
      result[one.text] = co_await secret(step, one);
    } else {
      result[one.text] = co_await stored_parameter(step, one);
    }
  }
  co_return result;
}

std::vector<std::string> misplaced_secure_references(std::string_view type, const json::Value& properties) {
  // The only one of AWS's list that a type of ours has; it is refused for itself.
  constexpr std::string_view kPasswordOfUser = "AWS::IAM::User/Properties/LoginProfile/Password";
  auto places = lang::templates::places_of_secure_references(properties, cat(type, "/Properties"));
  std::erase(places, kPasswordOfUser);
  return places;
}

std::string refusal_of_secure_references(const std::vector<std::string>& places) {
  std::string all;
  for (const std::string& place : places) all += all.empty() ? place : cat(",", place);
  return cat("SSM Secure reference is not supported in: [", all, "]");
}

std::string unknown_attribute(const Resource& resource, std::string_view attribute, std::string_view where) {
  const bool is_custom = resource.type.starts_with("Custom::") || resource.type == "AWS::CloudFormation::CustomResource";
  if (is_custom) {
    return cat("CustomResource attribute error: Vendor response doesn't contain ", attribute, " key in object");
  }
  return cat("[Error] ", where, "/Fn::GetAtt: Resource type ", resource.type, " does not support attribute {", attribute,
             "}");
}

}  // namespace tidemill::cloudformation
