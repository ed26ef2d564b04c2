#include "rights/lookups.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "services/events/address.h"
#include "services/iam/identity.h"
#include "services/iam/instance_profile.h"
#include "services/kinesis/stream_address.h"
#include "services/lambda/layer.h"
#include "services/s3/acl.h"
#include "services/s3/bucket.h"
#include "services/s3/public_policy.h"
#include "services/s3/settings_document.h"
#include "services/s3/uploads.h"
#include "services/s3/versions.h"
#include "wire/arn.h"
#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::rights {

namespace {

using base::cat;
using lang::policies::Policy;

constexpr std::string_view kLogGroups = "log-group:";

wire::Context as_platform(const wire::Context& context, std::string account, std::string region) {
  wire::Context asking(context.platform(), std::move(account), std::move(region), context.request_id,
                       wire::Principal::platform());
  asking.endpoint = context.endpoint;
  return asking;
}

wire::Context at_place_of(const wire::Context& context, const wire::Arn& arn) {
  return as_platform(context, arn.account.empty() ? context.account : std::string(arn.account),
                     arn.region.empty() ? context.region : std::string(arn.region));
}

// Null where the service refuses: there is no such resource.
Task<json::Value> ask_service(wire::Context context, std::string service, std::string operation, json::Value request) {
  try {
    co_return co_await context.registry().call(context, std::move(service), std::move(operation), std::move(request));
  } catch (const wire::Error&) {
  }
  co_return json::Value();
}

// That there is no such resource or that it has no policy; also that there cannot be one, as its name is none. Of layers
// that are not there Lambda says AccessDeniedException.
bool says_there_is_none(const wire::Error& error) {
  constexpr std::string_view kSayings[] = {"NotFound",         "NonExistent",     "DoesNotExist", "Validation",
                                           "InvalidParameter", "InvalidArgument", "InvalidArn",   "AccessDenied"};
  return std::ranges::any_of(kSayings, [&](std::string_view saying) { return error.code.contains(saying); });
}

// Null: there is none. Throws Error where the service cannot tell.
Task<json::Value> ask_for_policy(wire::Context context, std::string service, std::string operation, json::Value request) {
  try {
    co_return co_await context.registry().call(context, std::move(service), std::move(operation), std::move(request));
  } catch (const wire::Error& error) {
    if (!says_there_is_none(error)) throw;
  }
  co_return json::Value();
}

// The text at a path of members, or nothing.
std::string text_at(const json::Value& value, std::initializer_list<std::string_view> path) {
  const json::Value* at = &value;
  for (const std::string_view name : path) {
    at = at->is_object() ? at->find(name) : nullptr;
    if (!at) return "";
  }
  return at->is_string() ? at->string() : "";
}

// Of which iam:PermissionsBoundary is the boundary that the user or role has (service authorization reference); of
// others that give one it is that one, and the rest have no such key.
bool is_by_boundary(std::string_view action) {
  constexpr std::string_view kActions[] = {
      "iam:AttachRolePolicy", "iam:AttachUserPolicy", "iam:DeleteRolePermissionsBoundary",
      "iam:DeleteRolePolicy", "iam:DeleteUserPolicy", "iam:DeleteUserPermissionsBoundary",
      "iam:DetachRolePolicy", "iam:DetachUserPolicy", "iam:PutRolePolicy",
      "iam:PutUserPolicy"};
  return std::ranges::find(kActions, action) != std::end(kActions);
}

Task<void> settle_identity(store::Store& store, const wire::Context& context, iam::Kind kind, Ask& ask) {
  const auto snapshot = store.snapshot();
  const iam::IdentityAddress address{kind, context.account, ask.resource};
  const auto found = co_await iam::find_identity(*snapshot, address);
  ask.resource = found ? found->arn() : iam::arn_of(context.account, iam::name_of(kind), "/", ask.resource);
  if (found && !found->boundary.empty() && is_by_boundary(ask.action)) {
    ask.facts.push_back({"iam:PermissionsBoundary", {found->boundary}});
  }
}

Task<void> settle_instance_profile(store::Store& store, const wire::Context& context, Ask& ask) {
  const auto snapshot = store.snapshot();
  std::string path = "/";
  try {
    path = (co_await iam::load_profile(*snapshot, context.account, ask.resource)).path;
  } catch (const wire::Error&) {  // there is none
  }
  ask.resource = iam::arn_of(context.account, "instance-profile", path, ask.resource);
}

// No name of an identity has a slash in it.
Task<void> settle_renamed(store::Store& store, const wire::Context& context, iam::Kind kind, Ask& ask) {
  const size_t slash = ask.resource.find('/');
  const std::string new_name = ask.resource.substr(slash + 1);
  const auto snapshot = store.snapshot();
  const iam::IdentityAddress address{kind, context.account, ask.resource.substr(0, slash)};
  const auto found = co_await iam::find_identity(*snapshot, address);
  ask.resource = iam::arn_of(context.account, iam::name_of(kind), found ? found->path : "/", new_name);
}

Task<void> settle_secret(const wire::Context& context, Ask& ask) {
  wire::Context asking = as_platform(context, context.account, context.region);
  json::Object request{{"SecretId", ask.resource}};
  const json::Value found =
      co_await ask_service(std::move(asking), "secretsmanager", "DescribeSecret", std::move(request));
  if (std::string arn = text_at(found, {"ARN"}); !arn.empty()) {
    ask.resource = std::move(arn);
  } else if (!wire::parse_arn(ask.resource)) {
    ask.resource = wire::Arn{.service = "secretsmanager",
                             .region = context.region,
                             .account = context.account,
                             .resource = cat("secret:", ask.resource)}
                       .text();
  }
}

Task<void> settle_key(const wire::Context& context, Ask& ask) {
  const auto arn = wire::parse_arn_of("kms", ask.resource);
  wire::Context asking = arn ? at_place_of(context, *arn) : as_platform(context, context.account, context.region);
  json::Object request{{"KeyId", ask.resource}};
  const json::Value found = co_await ask_service(std::move(asking), "kms", "DescribeKey", std::move(request));
  const std::string key_arn = text_at(found, {"KeyMetadata", "Arn"});
  if (!key_arn.empty())
    ask.resource = key_arn;
  else if (!arn) {
    ask.resource = wire::Arn{.service = "kms",
                             .region = context.region,
                             .account = context.account,
                             .resource = cat("key/", ask.resource)}
                       .text();
  }
}

Task<void> settle_change_set(const wire::Context& context, Ask& ask) {
  wire::Context asking = as_platform(context, context.account, context.region);
  json::Object request{{"ChangeSetName", ask.resource}};
  const json::Value found =
      co_await ask_service(std::move(asking), "cloudformation", "DescribeChangeSet", std::move(request));
  const std::string arn = text_at(found, {"StackId"});
  ask.resource = arn.empty() ? "*" : arn;
}

// Of what belongs to no stack: of any.
Task<void> settle_stack_of_resource(const wire::Context& context, Ask& ask) {
  wire::Context asking = as_platform(context, context.account, context.region);
  json::Object request{{"PhysicalResourceId", ask.resource}};
  const json::Value found =
      co_await ask_service(std::move(asking), "cloudformation", "DescribeStackResources", std::move(request));
  const json::Value* resources = found.is_object() ? found.find("StackResources") : nullptr;
  const bool is_there = resources && resources->is_array() && !resources->array().empty();
  const std::string arn = is_there ? text_at(resources->array().front(), {"StackId"}) : "";
  ask.resource = arn.empty() ? "*" : arn;
}

Task<void> settle_consumer(const wire::Context& context, Ask& ask) {
  const size_t at = std::min(ask.resource.find(kinesis::kConsumerPart), ask.resource.size());
  const size_t name_at = std::min(at + kinesis::kConsumerPart.size(), ask.resource.size());
  json::Object request{{"StreamARN", ask.resource.substr(0, at)}, {"ConsumerName", ask.resource.substr(name_at)}};
  const json::Value found = co_await ask_service(as_platform(context, context.account, context.region), "kinesis",
                                                 "DescribeStreamConsumer", std::move(request));
  std::string arn = text_at(found, {"ConsumerDescription", "ConsumerARN"});
  if (!arn.empty()) ask.resource = std::move(arn);
}

Task<void> settle_destination(const wire::Context& context, Ask& ask) {
  json::Object request{{"Name", ask.resource}};
  const json::Value found = co_await ask_service(as_platform(context, context.account, context.region), "events",
                                                 "DescribeApiDestination", std::move(request));
  std::string connection = text_at(found, {"ConnectionArn"});
  if (!connection.empty()) {
    ask.resource = std::move(connection);
  } else {
    ask.resource = wire::Arn{.service = "events",
                             .region = context.region,
                             .account = context.account,
                             .resource = cat("api-destination/", ask.resource)}
                       .text();
  }
}

// Whose batches it gets is a condition of whatever is done to a mapping.
Task<void> settle_mapping(const wire::Context& context, Ask& ask) {
  json::Object request{{"UUID", ask.resource}};
  const json::Value found = co_await ask_service(as_platform(context, context.account, context.region), "lambda",
                                                 "GetEventSourceMapping", std::move(request));
  std::string function = text_at(found, {"FunctionArn"});
  if (!function.empty()) ask.facts.push_back({"lambda:FunctionArn", {std::move(function)}});
  ask.resource = wire::Arn{.service = "lambda",
                           .region = context.region,
                           .account = context.account,
                           .resource = cat("event-source-mapping:", ask.resource)}
                     .text();
}

// ---- Policies of resources ----

struct Question {
  std::string service;
  std::string operation;
  json::Object request;
  std::vector<std::string_view> path;  // to the policy's text
};

// The table's ARN, of its indexes too; a stream is a resource of its own.
std::string table_or_stream(const std::string& arn) { return arn.substr(0, arn.find("/index/")); }

// One that is yet to be created, which the tables call "key/*", has no policy.
bool is_key(const wire::Arn& arn) {
  return arn.service == "kms" && arn.resource.starts_with("key/") && arn.resource != "key/*";
}

// The policy of a bus says also who may do what with its rules.
std::optional<std::string> bus_with_policy(const std::string& arn) {
  if (auto bus = events::parse_bus_arn(arn)) return std::move(bus->name);
  if (auto rule = events::parse_rule_arn(arn)) return std::move(rule->bus.name);
  return std::nullopt;
}

std::optional<Question> policy_question(const wire::Arn& arn, const std::string& text) {
  const std::string_view resource = arn.resource;
  if (arn.service == "dynamodb" && resource.starts_with("table/")) {
    return Question{"dynamodb", "GetResourcePolicy", {{"ResourceArn", table_or_stream(text)}}, {"Policy"}};
  }
  if (arn.service == "kinesis") return Question{"kinesis", "GetResourcePolicy", {{"ResourceARN", text}}, {"Policy"}};
  if (arn.service == "sqs") {
    json::Object request{{"QueueUrl", std::string(resource)}, {"AttributeNames", json::Array{json::Value("Policy")}}};
    return Question{"sqs", "GetQueueAttributes", std::move(request), {"Attributes", "Policy"}};
  }
  if (arn.service == "sns") {
    return Question{"sns", "GetTopicAttributes", {{"TopicArn", text}}, {"Attributes", "Policy"}};
  }
  if (arn.service == "lambda" && resource.starts_with("function:")) {
    return Question{"lambda", "GetPolicy", {{"FunctionName", text}}, {"Policy"}};
  }
  if (arn.service == "lambda" && resource.starts_with("layer:")) {
    const auto version = lambda::parse_layer_version_arn(text);
    if (!version) return std::nullopt;
    json::Object request{{"LayerName", version->address.arn()}, {"VersionNumber", version->number}};
    return Question{"lambda", "GetLayerVersionPolicy", std::move(request), {"Policy"}};
  }
  if (const auto bus = bus_with_policy(text)) {
    return Question{"events", "DescribeEventBus", {{"Name", *bus}}, {"Policy"}};
  }
  if (is_key(arn)) {
    return Question{"kms", "GetKeyPolicy", {{"KeyId", text}, {"PolicyName", "default"}}, {"Policy"}};
  }
  if (arn.service == "secretsmanager") {
    return Question{"secretsmanager", "GetResourcePolicy", {{"SecretId", text}}, {"ResourcePolicy"}};
  }
  if (arn.service == "ecr" && resource.starts_with("repository/")) {
    const std::string repository(resource.substr(resource.find('/') + 1));
    return Question{"ecr", "GetRepositoryPolicy", {{"RepositoryName", repository}}, {"PolicyText"}};
  }
  return std::nullopt;
}

// Whether the document has no statements at all, as services answer where there is no policy ("{}").
bool says_nothing(const std::string& text) {
  const auto document = json::parse(text);
  return document && document->is_object() && !document->find("Statement");
}

// In the place of what cannot be read: whom its Deny kept out nobody knows any more.
Policy denies_all_but_root(std::string_view account) {
  const std::string root = cat("arn:aws:iam::", account, ":root");
  json::Array statements;
  statements.push_back(json::Object{{"Sid", "ThePolicyCannotBeRead"},
                                    {"Effect", "Deny"},
                                    {"NotPrincipal", json::Object{{"AWS", root}}},
                                    {"Action", "*"},
                                    {"Resource", "*"}});
  statements.push_back(json::Object{
      {"Effect", "Allow"}, {"Principal", json::Object{{"AWS", root}}}, {"Action", "*"}, {"Resource", "*"}});
  const json::Object document{{"Version", "2012-10-17"}, {"Statement", std::move(statements)}};
  return Policy::parse_of_resource(json::write(json::Value(document))).value();
}

// `what`: whose it is, for the log.
Policy read_policy(const ResourceSide& side, const std::string& what, const std::string& text) {
  auto policy = Policy::parse_of_resource(text);
  if (policy) return *std::move(policy);
  base::log_warning("a resource's policy cannot be evaluated, and denies all but the account's root",
                    {{"resource", what}, {"error", policy.error()}});
  return denies_all_but_root(side.account);
}

void set_policy(std::optional<Policy>& to, ResourceSide& side, const std::string& what, const std::string& text) {
  if (text.empty() || says_nothing(text)) return;
  to = read_policy(side, what, text);
  side.bytes += text.size() * kParsedPerByte;
}

// The policy with more statements, as text; empty: there are none. `denials_only`: what it allows is left out.
std::string with_statements(const std::string* policy, json::Array statements, bool denials_only = false) {
  if (statements.empty() && !denials_only) return policy ? *policy : std::string();
  json::Object document{{"Version", "2012-10-17"}};
  if (policy) {
    if (auto kept = json::parse(*policy); kept && kept->is_object()) document = std::move(kept->object());
  }
  json::Array all;
  if (json::Value* kept = document.find("Statement")) {
    if (kept->is_array())
      all = std::move(kept->array());
    else
      all.push_back(std::move(*kept));
  }
  if (denials_only) {
    std::erase_if(all, [](const json::Value& statement) {
      const json::Value* effect = statement.is_object() ? statement.find("Effect") : nullptr;
      return !effect || !effect->is_string() || effect->string() != "Deny";
    });
  }
  std::ranges::move(statements, std::back_inserter(all));
  document.set("Statement", std::move(all));
  return json::write(json::Value(std::move(document)));
}

// What RestrictPublicBuckets makes of a public policy: of others than the bucket's account AWS's services alone.
json::Value only_own_and_services(const std::string& account) {
  json::Object condition{{"StringNotEquals", json::Object{{"aws:PrincipalAccount", account}}},
                         {"Bool", json::Object{{"aws:PrincipalIsAWSService", "false"}}}};
  return json::Object{{"Sid", "RestrictPublicBuckets"}, {"Effect", "Deny"},  {"Principal", "*"},
                      {"Action", "*"},                  {"Resource", "*"}, {"Condition", std::move(condition)}};
}

// What is no version's id is refused by the operation.
Task<std::optional<s3::Object>> find_asked(store::Snapshot& reader, const s3::Bucket& bucket, std::string key,
                                           std::string version) {
  if (version.empty()) co_return co_await s3::find_object(reader, bucket, std::move(key));
  try {
    co_return co_await s3::find_version(reader, bucket, std::move(key), std::move(version));
  } catch (const wire::Error&) {
  }
  co_return std::nullopt;
}

// Of groups of logs: all policies of their account's region together.
Task<void> load_logs_side(wire::Context asking, std::string resource, ResourceSide& side) {
  const json::Value answer =
      co_await ask_for_policy(std::move(asking), "logs", "DescribeResourcePolicies", json::Object());
  const json::Value* list = answer.is_object() ? answer.find("ResourcePolicies") : nullptr;
  if (!list || !list->is_array()) co_return;
  std::string text;
  for (const json::Value& each : list->array()) {
    const auto document = json::parse(text_at(each, {"PolicyDocument"}));
    const json::Value* statements = document && document->is_object() ? document->find("Statement") : nullptr;
    if (!statements) continue;
    json::Array more = statements->is_array() ? statements->array() : json::Array{*statements};
    text = with_statements(text.empty() ? nullptr : &text, std::move(more));
  }
  set_policy(side.policy, side, resource, text);
}

Task<void> load_bucket_side(store::Store& store, std::string resource, std::string version, ResourceSide& side) {
  const auto snapshot = store.snapshot();
  const std::string name = resource.substr(0, resource.find('/'));
  const auto bucket = co_await s3::find_bucket(*snapshot, name);
  if (!bucket) co_return;
  side.account = bucket->account;
  const std::string* policy = bucket->setting(s3::kPolicy);
  // Mixed with the statements of lists it might read as less than it says.
  if (policy && !Policy::parse_of_resource(*policy)) co_return set_policy(side.policy, side, name, *policy);
  std::string restricted;
  if (s3::restricts_public_policy(*bucket)) {
    restricted = with_statements(policy, json::Array{only_own_and_services(bucket->account)});
    policy = &restricted;
  }
  if (!s3::allows_acls(*bucket)) {
    if (policy) set_policy(side.policy, side, name, *policy);
    co_return;
  }
  side.may_change = true;
  const std::string key = name.size() < resource.size() ? resource.substr(name.size() + 1) : std::string();
  if (key.empty()) {
    set_policy(side.policy, side, name, with_statements(policy, s3::acl_statements(*bucket)));
    co_return;
  }
  const auto object = co_await find_asked(*snapshot, *bucket, key, std::move(version));
  const json::Array lists = s3::acl_statements(*bucket, object ? &*object : nullptr);
  set_policy(side.policy, side, name, with_statements(policy, lists));
  if (!object) co_return;
  side.reader_account = s3::owner_of_object(*bucket, *object);
  // Of objects of others the bucket's owner may deny what he may not allow.
  if (side.reader_account != bucket->account)
    set_policy(side.reader_policy, side, name, with_statements(policy, lists, true));
}

Task<void> load_asked_side(const wire::Context& context, const wire::Arn& arn, const std::string& resource,
                           ResourceSide& side) {
  if (arn.service == "logs" && arn.resource.starts_with(kLogGroups)) {
    co_return co_await load_logs_side(at_place_of(context, arn), resource, side);
  }
  auto question = policy_question(arn, resource);
  if (!question) co_return;
  const json::Value answer = co_await ask_for_policy(at_place_of(context, arn), std::move(question->service),
                                                     std::move(question->operation), std::move(question->request));
  const json::Value* at = &answer;
  for (const std::string_view name : question->path) {
    at = at && at->is_object() ? at->find(name) : nullptr;
  }
  if (at && at->is_string()) set_policy(side.policy, side, resource, at->string());
}

bool is_readers(const ResourceSide& side, std::string_view action) {
  constexpr std::string_view kReads[] = {"s3:GetObject", "s3:PutObjectAcl", "s3:PutObjectVersionAcl"};
  return !side.reader_account.empty() &&
         std::ranges::any_of(kReads, [&](std::string_view read) { return action.starts_with(read); });
}

}  // namespace

const std::string& account_for(const ResourceSide& side, std::string_view action) {
  return is_readers(side, action) ? side.reader_account : side.account;
}

const Policy* policy_for(const ResourceSide& side, std::string_view action) {
  if (side.reader_policy && is_readers(side, action)) return &*side.reader_policy;
  return side.policy ? &*side.policy : nullptr;
}

Task<void> settle(store::Store& store, const wire::Context& context, const Actor& actor, Ask& ask) {
  const Lookup lookup = std::exchange(ask.lookup, Lookup::none);
  switch (lookup) {
    case Lookup::none:
      break;
    case Lookup::caller:
      ask.resource = actor.caller.arn;
      break;
    case Lookup::user:
      co_await settle_identity(store, context, iam::Kind::user, ask);
      break;
    case Lookup::group:
      co_await settle_identity(store, context, iam::Kind::group, ask);
      break;
    case Lookup::role:
      co_await settle_identity(store, context, iam::Kind::role, ask);
      break;
    case Lookup::instance_profile:
      co_await settle_instance_profile(store, context, ask);
      break;
    case Lookup::renamed_user:
      co_await settle_renamed(store, context, iam::Kind::user, ask);
      break;
    case Lookup::renamed_group:
      co_await settle_renamed(store, context, iam::Kind::group, ask);
      break;
    case Lookup::secret:
      co_await settle_secret(context, ask);
      break;
    case Lookup::key:
      co_await settle_key(context, ask);
      break;
    case Lookup::change_set:
      co_await settle_change_set(context, ask);
      break;
    case Lookup::stack_of_resource:
      co_await settle_stack_of_resource(context, ask);
      break;
    case Lookup::consumer:
      co_await settle_consumer(context, ask);
      break;
    case Lookup::destination:
      co_await settle_destination(context, ask);
      break;
    case Lookup::mapping:
      co_await settle_mapping(context, ask);
      break;
  }
}

std::string side_key(std::string_view resource) {
  constexpr std::string_view kOfBuckets = "arn:aws:s3:::";
  if (resource.starts_with(kOfBuckets)) {
    return std::string(resource.substr(0, resource.find('/', kOfBuckets.size())));
  }
  const auto arn = wire::parse_arn(resource);
  if (!arn) return std::string(resource);
  if (arn->service == "dynamodb") return table_or_stream(std::string(resource));
  if (arn->service == "logs" && arn->resource.starts_with(kLogGroups)) {
    return cat("logs ", arn->partition, " ", arn->region, " ", arn->account);
  }
  return std::string(resource);
}

std::string version_of(const Ask& ask) {
  for (const auto& [key, values] : ask.facts) {
    if (key == "s3:VersionId" && !values.empty()) return values.front();
  }
  return "";
}

Task<void> add_upload_headers(store::Store& store, const Ask& ask, std::string upload, lang::policies::Facts& facts) {
  const auto arn = wire::parse_arn_of("s3", ask.resource);
  if (upload.empty() || ask.action != "s3:PutObject" || !arn) co_return;
  const size_t slash = arn->resource.find('/');
  if (slash == std::string_view::npos) co_return;
  const auto snapshot = store.snapshot();
  const auto bucket = co_await s3::find_bucket(*snapshot, std::string(arn->resource.substr(0, slash)));
  if (!bucket) co_return;
  std::string key(arn->resource.substr(slash + 1));
  const auto begun = co_await s3::find_upload(*snapshot, *bucket, std::move(key), std::move(upload));
  if (!begun) co_return;
  for (const std::string_view header : s3::kHeadersOfParts) {
    const auto given = begun->description.system.find(std::string(header));
    if (given != begun->description.system.end()) facts.set(cat("s3:", header), given->second);
  }
}

Task<void> add_object_tags(store::Store& store, const Ask& ask, lang::policies::Facts& facts) {
  // Those that the service authorization reference names.
  const bool is_about_what_is_there = ask.action.starts_with("s3:GetObject") ||
                                      (ask.action.contains("Object") && (ask.action.ends_with("Tagging") ||
                                                                         ask.action.ends_with("Acl")));
  const auto arn = wire::parse_arn_of("s3", ask.resource);
  if (!is_about_what_is_there || !arn) co_return;
  const size_t slash = arn->resource.find('/');
  if (slash == std::string_view::npos) co_return;
  const auto snapshot = store.snapshot();
  const auto bucket = co_await s3::find_bucket(*snapshot, std::string(arn->resource.substr(0, slash)));
  if (!bucket) co_return;
  const auto object =
      co_await find_asked(*snapshot, *bucket, std::string(arn->resource.substr(slash + 1)), version_of(ask));
  if (!object) co_return;
  for (const auto& [key, value] : object->description.tags) facts.set(cat("s3:ExistingObjectTag/", key), value);
}

Task<std::shared_ptr<const ResourceSide>> load_resource_side(store::Store& store, const wire::Context& context,
                                                             std::string resource, std::string version) {
  const auto side = std::make_shared<ResourceSide>();
  const auto arn = wire::parse_arn(resource);
  if (!arn) co_return side;
  side->account = arn->account;
  side->must_allow = is_key(*arn);
  if (arn->service == "s3") {
    co_await load_bucket_side(store, std::string(arn->resource), std::move(version), *side);
    co_return side;
  }
  try {
    co_await load_asked_side(context, *arn, resource, *side);
  } catch (const wire::Error& error) {
    base::log_warning("a resource's policy cannot be told, and denies all but the account's root",
                      {{"resource", resource}, {"error", error.code}});
    side->policy = denies_all_but_root(side->account);
    side->may_change = true;  // the next time it may be told
  }
  co_return side;
}

}  // namespace tidemill::rights
