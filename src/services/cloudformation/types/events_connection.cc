// AWS::Events::Connection.
#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kConnectionNameSizeMax = 64;

constexpr Property kConnectionApiKeyAuthParameters[] = {
    {.name = "ApiKeyName", .required = true},
    {.name = "ApiKeyValue", .required = true},
};

constexpr Property kConnectionBasicAuthParameters[] = {
    {.name = "Password", .required = true},
    {.name = "Username", .required = true},
};

constexpr Property kConnectionParameter[] = {
    {.name = "IsValueSecret", .kind = Kind::boolean},
    {.name = "Key", .required = true},
    {.name = "Value", .required = true},
};

constexpr Property kConnectionConnectionHttpParameters[] = {
    {.name = "BodyParameters", .kind = Kind::object, .form = Form::list, .members = kConnectionParameter},
    {.name = "HeaderParameters", .kind = Kind::object, .form = Form::list, .members = kConnectionParameter},
    {.name = "QueryStringParameters", .kind = Kind::object, .form = Form::list, .members = kConnectionParameter},
};

constexpr Property kConnectionAuthParameters[] = {
    {.name = "ApiKeyAuthParameters", .kind = Kind::object, .members = kConnectionApiKeyAuthParameters},
    {.name = "BasicAuthParameters", .kind = Kind::object, .members = kConnectionBasicAuthParameters},
    {.name = "ConnectivityParameters", .kind = Kind::json},
    {.name = "InvocationHttpParameters", .kind = Kind::object, .members = kConnectionConnectionHttpParameters},
    {.name = "OAuthParameters", .kind = Kind::json},
};

constexpr Property kConnectionProperties[] = {
    {.name = "Name", .update = Update::replaces},
    {.name = "AuthParameters", .kind = Kind::object, .members = kConnectionAuthParameters},
    {.name = "AuthorizationType"},
    {.name = "Description"},
    {.name = "InvocationConnectivityParameters", .kind = Kind::json},
    {.name = "KmsKeyIdentifier"},
};

json::Object connection_request(const std::string& name, const json::Object& properties) {
  json::Object request = properties;
  request.set("Name", name);
  return request;
}

Task<std::string> create_connection(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "Name", kConnectionNameSizeMax);
  if (properties.find("Name")) {
    co_await claim(step, name,
                   {"events", "DescribeConnection", json::Object{{"Name", name}}, {"ResourceNotFoundException"}});
  }
  co_await step.call_or_null("events", "CreateConnection", connection_request(name, properties),
                             {"ResourceAlreadyExistsException"});
  co_return name;
}

Task<std::string> update_connection(Step& step, std::string name, const json::Object& before,
                                    const json::Object& after) {
  json::Object request = connection_request(name, after);
  set_removed(request, before, {{"Description", ""}});
  co_await step.call("events", "UpdateConnection", std::move(request));
  co_return name;
}

Task<void> remove_connection(Step& step, std::string name, const json::Object&) {
  co_await step.call_or_null("events", "DeleteConnection", json::Object{{"Name", name}}, {"ResourceNotFoundException"});
}

// Policies name connections and destinations without the id behind their names.
Task<json::Object> describe_connection(Step& step, std::string name, const json::Object&) {
  const json::Value found = co_await step.call("events", "DescribeConnection", json::Object{{"Name", name}});
  json::Object result = take(found.object(), {{"ConnectionArn", "Arn"}, {"SecretArn", "SecretArn"}});
  result.set("ArnForPolicy", step.arn("events", base::cat("connection/", name)));
  co_return result;
}

}  // namespace

const ResourceType types::kEventsConnection = {
    .name = "AWS::Events::Connection",
    .properties = kConnectionProperties,
    .create = create_connection,
    .update = update_connection,
    .remove = remove_connection,
    .attributes = describe_connection,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation
