// AWS::IAM::AccessKey. Its secret is told once, when it is made: from then on only the stack knows it.
#include <algorithm>

#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/iam_principals.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr Property kAccessKeyProperties[] = {
    {.name = "UserName", .required = true, .update = Update::replaces},
    {.name = "Serial", .kind = Kind::integer, .update = Update::replaces},
    {.name = "Status"},
};

Task<json::Array> access_keys_of(Step& step, std::string user) {
  const json::Value answer = co_await step.call("iam", "ListAccessKeys", json::Object{{"UserName", user}});
  json::Array ids;
  for (const json::Value& key : list_of(answer.object(), "AccessKeyMetadata")) {
    ids.push_back(text_of(key.object(), "AccessKeyId"));
  }
  co_return ids;
}

json::Object access_key_request(const std::string& user, const std::string& id) {
  return json::Object{{"UserName", user}, {"AccessKeyId", id}};
}

// A key that a try before this one has made without living to tell its secret is of no use.
Task<void> drop_untold_keys(Step& step, std::string user) {
  const json::Value memory = step.memory();
  if (!memory.is_object()) {
    co_await step.remember(json::Object{{"KeysBefore", co_await access_keys_of(step, user)}});
    co_return;
  }
  const json::Array before = list_of(memory.object(), "KeysBefore");
  for (const json::Value& id : co_await access_keys_of(step, user)) {
    const bool was_there =
        std::ranges::any_of(before, [&](const json::Value& one) { return one.string() == id.string(); });
    if (was_there) continue;
    co_await step.call_or_null("iam", "DeleteAccessKey", access_key_request(user, id.string()), {kNoSuchEntity});
  }
}

Task<void> set_key_status(Step& step, std::string id, const json::Object& properties) {
  json::Object request = access_key_request(text_of(properties, "UserName"), id);
  request.set("Status", text_or(properties, "Status", "Active"));
  co_await step.call("iam", "UpdateAccessKey", std::move(request));
}

Task<std::string> create_access_key(Step& step, const json::Object& properties) {
  const std::string user = text_of(properties, "UserName");
  co_await drop_untold_keys(step, user);
  const json::Value made = co_await step.call("iam", "CreateAccessKey", json::Object{{"UserName", user}});
  const json::Value key = answered(made, "AccessKey");
  const std::string id = answered_text(key, "AccessKeyId");
  json::Value memory = step.memory();
  memory.object().set("SecretAccessKey", answered_text(key, "SecretAccessKey"));
  co_await step.remember(std::move(memory));
  co_await step.made(id);
  if (properties.find("Status")) co_await set_key_status(step, id, properties);
  co_return id;
}

Task<std::string> update_access_key(Step& step, std::string id, const json::Object&, const json::Object& after) {
  co_await set_key_status(step, id, after);
  co_return id;
}

Task<void> remove_access_key(Step& step, std::string id, const json::Object& properties) {
  co_await step.call_or_null("iam", "DeleteAccessKey", access_key_request(text_of(properties, "UserName"), id),
                             {kNoSuchEntity});
}

Task<json::Object> describe_access_key(Step& step, std::string id, const json::Object&) {
  json::Object result{{"Id", id}};
  copy_member(result, step.scope().attributes, "SecretAccessKey");
  if (const json::Value memory = step.memory(); memory.is_object()) {
    copy_member(result, memory.object(), "SecretAccessKey");
  }
  co_return result;
}

}  // namespace

const ResourceType types::kIamAccessKey = {
    .name = "AWS::IAM::AccessKey",
    .properties = kAccessKeyProperties,
    .create = create_access_key,
    .update = update_access_key,
    .remove = remove_access_key,
    .attributes = describe_access_key,
};

}  // namespace tidemill::cloudformation
