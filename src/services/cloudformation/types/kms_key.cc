// AWS::KMS::Key. A stack's deletion schedules the key's.
#include "base/text.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

// CreateKey knows no token: until the key's id is durable this tag tells whose it is.
constexpr std::string_view kKeyOfStepTag = "tidemill:made-by-step";
constexpr int64_t kKeysOfPage = 1000;
constexpr int64_t kRotationDaysUsual = 365;

constexpr Property kKeyProperties[] = {
    {.name = "BypassPolicyLockoutSafetyCheck", .kind = Kind::boolean},
    {.name = "Description"},
    {.name = "EnableKeyRotation", .kind = Kind::boolean},
    {.name = "Enabled", .kind = Kind::boolean},
    {.name = "KeyPolicy", .kind = Kind::json},
    {.name = "KeySpec", .update = Update::replaces},
    {.name = "KeyUsage", .update = Update::replaces},
    {.name = "MultiRegion", .kind = Kind::boolean, .update = Update::replaces},
    {.name = "Origin", .update = Update::replaces},
    {.name = "PendingWindowInDays", .kind = Kind::integer},
    {.name = "RotationPeriodInDays", .kind = Kind::integer},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
};

json::Object key_named(const std::string& id) { return json::Object{{"KeyId", id}}; }

bool is_enabled_by(const json::Object& properties) {
  const json::Value* enabled = properties.find("Enabled");
  return !enabled || enabled->boolean();
}

json::Array key_tags(const json::Object& tags) {
  json::Array list;
  for (const auto& [key, value] : tags) list.push_back(json::Object{{"TagKey", key}, {"TagValue", value}});
  return list;
}

Task<bool> is_key_of_step(Step& step, std::string id) {
  const json::Value answer = co_await step.call_or_null("kms", "ListResourceTags", key_named(id), {"NotFoundException"});
  if (!answer.is_object()) co_return false;
  for (const json::Value& tag : list_of(answer.object(), "Tags")) {
    if (text_of(tag.object(), "TagKey") != kKeyOfStepTag) continue;
    if (text_of(tag.object(), "TagValue") == step.client_token()) co_return true;
  }
  co_return false;
}

// The one that a try before this one has made without living to note its id; empty: there is none.
Task<std::string> find_key_of_step(Step& step) {
  json::Object request{{"Limit", kKeysOfPage}};
  for (;;) {
    const json::Value page = co_await step.call("kms", "ListKeys", request);
    for (const json::Value& key : list_of(page.object(), "Keys")) {
      std::string id = text_of(key.object(), "KeyId");
      if (co_await is_key_of_step(step, id)) co_return id;
    }
    const std::string next = text_of(page.object(), "NextMarker");
    if (next.empty()) co_return "";
    request.set("Marker", next);
  }
}

Task<std::string> make_key(Step& step, const json::Object& properties) {
  if (step.memory().is_object()) co_return text_of(step.memory().object(), "KeyId");
  std::string id;
  if (step.may_repeat()) id = co_await find_key_of_step(step);
  if (id.empty()) {
    json::Object request = take(properties, {"BypassPolicyLockoutSafetyCheck", "Description", "KeySpec", "KeyUsage",
                                             "MultiRegion", "Origin", {"KeyPolicy", "Policy"}});
    make_json_text(request, "Policy");
    json::Object tags = tag_map(step, properties);
    tags.set(std::string(kKeyOfStepTag), step.client_token());
    request.set("Tags", key_tags(tags));
    const json::Value made = co_await step.call("kms", "CreateKey", std::move(request));
    id = answered_text(answered(made, "KeyMetadata"), "KeyId");
  }
  co_await step.remember(key_named(id));
  co_return id;
}

Task<void> set_rotation(Step& step, std::string id, const json::Object& properties) {
  json::Object request = key_named(id);
  if (!is_true(properties, "EnableKeyRotation")) {
    co_await step.call("kms", "DisableKeyRotation", std::move(request));
    co_return;
  }
  const json::Value* period = properties.find("RotationPeriodInDays");
  request.set("RotationPeriodInDays", period ? *period : json::Value(kRotationDaysUsual));  // else one it had stays
  co_await step.call("kms", "EnableKeyRotation", std::move(request));
}

Task<std::string> create_key(Step& step, const json::Object& properties) {
  std::string id = co_await make_key(step, properties);
  co_await step.made(id);
  json::Object untag = key_named(id);
  untag.set("TagKeys", json::Array{kKeyOfStepTag});
  co_await step.call("kms", "UntagResource", std::move(untag));
  if (is_true(properties, "EnableKeyRotation")) {
    co_await step.call("kms", "EnableKey", key_named(id));
    co_await set_rotation(step, id, properties);
  }
  if (!is_enabled_by(properties)) co_await step.call("kms", "DisableKey", key_named(id));
  co_return id;
}

Task<void> update_key_policy(Step& step, std::string id, const json::Object& after) {
  json::Object request = key_named(id);
  request.set("PolicyName", "default");
  const json::Value* given = after.find("KeyPolicy");
  json::Value policy = given ? *given : json::Object{
      {"Version", "2012-10-17"}, {"Id", "key-default-1"},
      {"Statement", json::Array{json::Object{
          {"Sid", "Enable IAM User Permissions"}, {"Effect", "Allow"},
          {"Principal", json::Object{{"AWS", cat("arn:aws:iam::", step.account(), ":root")}}},
          {"Action", "kms:*"}, {"Resource", "*"}}}}};
  request.set("Policy", json_text(policy));
  copy_member(request, after, "BypassPolicyLockoutSafetyCheck");
  co_await step.call("kms", "PutKeyPolicy", std::move(request));
}

Task<void> update_key_tags(Step& step, std::string id, const json::Object& before, const json::Object& after) {
  TagChange change = tag_change(step, before, after);
  if (!change.gone.empty()) {
    json::Object request = key_named(id);
    request.set("TagKeys", std::move(change.gone));
    co_await step.take_away("kms", "UntagResource", std::move(request));
  }
  if (!change.set.empty()) {
    json::Object request = key_named(id);
    request.set("Tags", key_tags(change.set));
    co_await step.call("kms", "TagResource", std::move(request));
  }
}

Task<std::string> update_key(Step& step, std::string id, const json::Object& before, const json::Object& after) {
  const bool rotates_otherwise = differ(before, after, {"EnableKeyRotation", "RotationPeriodInDays"});
  // Rotation is set of keys that are enabled only.
  if (rotates_otherwise || differ(before, after, {"Enabled"})) co_await step.call("kms", "EnableKey", key_named(id));
  if (rotates_otherwise) co_await set_rotation(step, id, after);
  if (!same_member(before, after, "Description")) {
    json::Object request = key_named(id);
    request.set("Description", text_of(after, "Description"));
    co_await step.call("kms", "UpdateKeyDescription", std::move(request));
  }
  if (!same_member(before, after, "KeyPolicy")) co_await update_key_policy(step, id, after);
  co_await update_key_tags(step, id, before, after);
  if (!is_enabled_by(after)) co_await step.call("kms", "DisableKey", key_named(id));
  co_return id;
}

// One that waits for its deletion already is as good as gone.
Task<void> remove_key(Step& step, std::string id, const json::Object& properties) {
  json::Object request = key_named(id);
  copy_member(request, properties, "PendingWindowInDays");
  co_await step.call_or_null("kms", "ScheduleKeyDeletion", std::move(request),
                             {"NotFoundException", "KMSInvalidStateException"});
}

Task<json::Object> describe_key(Step& step, std::string id, const json::Object&) {
  co_return json::Object{{"Arn", step.arn("kms", cat("key/", id))}, {"KeyId", id}};
}

}  // namespace

const ResourceType types::kKmsKey = {
    .name = "AWS::KMS::Key",
    .properties = kKeyProperties,
    .create = create_key,
    .update = update_key,
    .remove = remove_key,
    .attributes = describe_key,
};

}  // namespace tidemill::cloudformation
