// AWS::SecretsManager::Secret. As on AWS, a stack's deletion deletes it at once, without a recovery window.
#include <algorithm>

#include "base/text.h"
#include "services/cloudformation/types/claim.h"
#include "services/cloudformation/types/documents.h"
#include "services/cloudformation/types/tagging.h"
#include "services/cloudformation/types/types.h"

namespace tidemill::cloudformation {
namespace {

constexpr size_t kSecretNameSizeMax = 512;
constexpr std::string_view kNoSecret = "ResourceNotFoundException";
constexpr std::string_view kOneRegion = "secrets are of one region.";
constexpr std::string_view kSecretService = "secretsmanager";

constexpr Property kGenerateSecretString[] = {
    {.name = "ExcludeCharacters"},
    {.name = "ExcludeLowercase", .kind = Kind::boolean},
    {.name = "ExcludeNumbers", .kind = Kind::boolean},
    {.name = "ExcludePunctuation", .kind = Kind::boolean},
    {.name = "ExcludeUppercase", .kind = Kind::boolean},
    {.name = "GenerateStringKey"},
    {.name = "IncludeSpace", .kind = Kind::boolean},
    {.name = "PasswordLength", .kind = Kind::integer},
    {.name = "RequireEachIncludedType", .kind = Kind::boolean},
    {.name = "SecretStringTemplate"},
};

constexpr Property kSecretProperties[] = {
    {.name = "Description"},
    {.name = "GenerateSecretString", .kind = Kind::object, .members = kGenerateSecretString},
    {.name = "KmsKeyId"},
    {.name = "Name", .update = Update::replaces},
    {.name = "ReplicaRegions", .kind = Kind::json, .refused = kOneRegion},
    {.name = "SecretString"},
    {.name = "Tags", .kind = Kind::object, .form = Form::list, .members = kTagProperties},
    {.name = "Type", .refused = "secrets are not managed by other services."},
};

constexpr TagOperations kSecretTags = {
    .service = kSecretService, .tag = "TagResource", .untag = "UntagResource", .resource_member = "SecretId"};

json::Object secret_named(const std::string& id) { return json::Object{{"SecretId", id}}; }

// The template with the password as one more member; without a template, the password alone.
std::string secret_of(const json::Object& how, std::string password) {
  const std::string text = text_of(how, "SecretStringTemplate");
  const std::string key = text_of(how, "GenerateStringKey");
  if (text.empty() != key.empty()) {
    throw InvalidRequest("GenerateStringKey and SecretStringTemplate are given together, or neither.");
  }
  if (text.empty()) return password;
  auto document = json::parse(text);
  if (!document || !document->is_object()) throw InvalidRequest("SecretStringTemplate is not a JSON object.");
  document->object().set(key, std::move(password));
  return json::write(*document);
}

// Sets the value that the properties say; none: nothing is set.
Task<void> add_secret_value(Step& step, json::Object& request, const json::Object& properties) {
  const json::Value* given = properties.find("SecretString");
  const json::Value* generated = properties.find("GenerateSecretString");
  if (given && generated) throw InvalidRequest("You can't use both GenerateSecretString and SecretString.");
  if (given) request.set("SecretString", *given);
  if (!generated) co_return;
  const json::Object how = generated->object();
  json::Object asked = take(how, {"ExcludeCharacters", "ExcludeLowercase", "ExcludeNumbers", "ExcludePunctuation",
                                  "ExcludeUppercase", "IncludeSpace", "PasswordLength", "RequireEachIncludedType"});
  const json::Value made = co_await step.call(std::string(kSecretService), "GetRandomPassword", std::move(asked));
  request.set("SecretString", secret_of(how, answered_text(made, "RandomPassword")));
}

// All that have a value, {VersionId, VersionStages, CreatedDate}, those without labels, too. One page holds them.
Task<json::Array> versions_of(Step& step, std::string arn) {
  constexpr int kVersionsMax = 100;
  json::Object request = secret_named(arn);
  request.set("IncludeDeprecated", true);
  request.set("MaxResults", kVersionsMax);
  const json::Value answer = co_await step.call(std::string(kSecretService), "ListSecretVersionIds", std::move(request));
  const json::Value versions = answered(answer, "Versions");
  co_return versions.is_array() ? versions.array() : json::Array();
}

bool has_stage(const json::Value& version, std::string_view stage) {
  const json::Value* stages = version.find("VersionStages");
  if (!stages || !stages->is_array()) return false;
  return std::ranges::any_of(stages->array(), [&](const json::Value& one) { return one.is_string() && one.string() == stage; });
}

// Whether a change that is taken back has made it.
bool is_taken_back(const Step& step, const std::string& version) {
  for (int64_t operation = step.scope().since; operation <= step.scope().operation; ++operation) {
    if (version == step.client_token_of(operation)) return true;
  }
  return false;
}

// A generated value is not made twice alike: the version that was current before is so again. False: there is none. What
// somebody else has made current since then stays so.
Task<bool> bring_back_version(Step& step, std::string arn) {
  std::string current, previous, newest, newest_time;
  for (const json::Value& version : co_await versions_of(step, arn)) {
    const std::string id = answered_text(version, "VersionId");
    if (has_stage(version, "AWSCURRENT")) current = id;
    if (is_taken_back(step, id) || has_stage(version, "AWSPENDING")) continue;
    if (has_stage(version, "AWSPREVIOUS")) previous = id;
    if (std::string time = answered_text(version, "CreatedDate"); newest.empty() || time > newest_time) {
      newest = id;
      newest_time = std::move(time);
    }
  }
  if (current.empty()) co_return false;
  if (!is_taken_back(step, current)) co_return true;
  const std::string target = previous.empty() ? newest : previous;  // two changes before it has no label
  if (target.empty()) co_return false;
  json::Object request = secret_named(arn);
  request.set("VersionStage", "AWSCURRENT");
  request.set("RemoveFromVersionId", current);
  request.set("MoveToVersionId", target);
  co_await step.call(std::string(kSecretService), "UpdateSecretVersionStage", std::move(request));
  co_return true;
}

// By a version whose id is the step's: a try before this one may have made it, with another password.
Task<void> change_secret_value(Step& step, std::string arn, json::Object& request, const json::Object& after) {
  const bool brings_back = step.scope().brings_back;
  if (brings_back && !after.find("SecretString") && co_await bring_back_version(step, arn)) co_return;
  const std::string version = step.client_token(brings_back ? "back" : "");
  if (step.may_repeat() && after.find("GenerateSecretString")) {
    for (const json::Value& one : co_await versions_of(step, arn)) {
      if (answered_text(one, "VersionId") == version) co_return;
    }
  }
  co_await add_secret_value(step, request, after);
  if (request.find("SecretString")) request.set("ClientRequestToken", version);
}

// The ARN of the one that a try before this one has made, with another password perhaps; empty: there is none.
Task<std::string> secret_made_before(Step& step, std::string name) {
  const json::Value there =
      co_await step.call_or_null(std::string(kSecretService), "DescribeSecret", secret_named(name), {kNoSecret});
  co_return there.is_object() ? answered_text(there, "ARN") : "";
}

Task<std::string> create_secret(Step& step, const json::Object& properties) {
  const std::string name = name_of(step, properties, "Name", kSecretNameSizeMax);
  if (properties.find("Name")) {
    co_await claim(step, name, {std::string(kSecretService), "DescribeSecret", secret_named(name), {kNoSecret}});
  }
  if (step.may_repeat()) {
    if (std::string arn = co_await secret_made_before(step, name); !arn.empty()) co_return arn;
  }
  json::Object request = take(properties, {"Description", "KmsKeyId"});
  request.set("Name", name);
  request.set("ClientRequestToken", step.client_token());
  if (json::Array tags = tag_list(step, properties); !tags.empty()) request.set("Tags", std::move(tags));
  co_await add_secret_value(step, request, properties);
  const json::Value made = co_await step.call(std::string(kSecretService), "CreateSecret", std::move(request));
  co_return answered_text(made, "ARN");
}

Task<std::string> update_secret(Step& step, std::string arn, const json::Object& before, const json::Object& after) {
  json::Object request = secret_named(arn);
  if (!same_member(before, after, "Description")) request.set("Description", text_of(after, "Description"));
  if (!same_member(before, after, "KmsKeyId")) {
    request.set("KmsKeyId", text_or(after, "KmsKeyId", "alias/aws/secretsmanager"));
  }
  if (differ(before, after, {"SecretString", "GenerateSecretString"})) co_await change_secret_value(step, arn, request, after);
  if (request.size() > 1) co_await step.call(std::string(kSecretService), "UpdateSecret", std::move(request));
  co_await change_tags(step, kSecretTags, arn, before, after);
  co_return arn;
}

Task<void> remove_secret(Step& step, std::string arn, const json::Object&) {
  json::Object request = secret_named(arn);
  request.set("ForceDeleteWithoutRecovery", true);
  co_await step.call(std::string(kSecretService), "DeleteSecret", std::move(request));
}

Task<json::Object> describe_secret(Step&, std::string arn, const json::Object&) {
  co_return json::Object{{"Id", arn}};
}

}  // namespace

const ResourceType types::kSecretsManagerSecret = {
    .name = "AWS::SecretsManager::Secret",
    .properties = kSecretProperties,
    .create = create_secret,
    .update = update_secret,
    .remove = remove_secret,
    .attributes = describe_secret,
    .name_property = "Name",
};

}  // namespace tidemill::cloudformation
