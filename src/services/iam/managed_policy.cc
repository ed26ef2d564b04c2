#include "services/iam/managed_policy.h"

#include "base/json_members.h"
#include "base/text.h"
#include "services/iam/errors.h"
#include "services/iam/names.h"
#include "wire/arn.h"

namespace tidemill::iam {

using base::cat;

namespace {

constexpr store::ResourceType kPolicies{"iam", "policy"};
constexpr std::string_view kResource = "policy/";

struct NumberedVersion {
  int64_t number = 0;
  PolicyVersion version;
};
using Versions = std::map<int64_t, PolicyVersion>;

constexpr auto kVersionMembers = [](auto& member, auto& each) {
  member("number", each.number);
  member("document", each.version.document);
  member("created_us", each.version.created);
};

std::vector<NumberedVersion> numbered(const Versions& versions) {
  std::vector<NumberedVersion> list;
  for (const auto& [number, version] : versions) list.push_back({number, version});
  return list;
}

Versions by_number(std::vector<NumberedVersion> list) {
  Versions versions;
  for (NumberedVersion& each : list) versions[each.number] = std::move(each.version);
  return versions;
}

constexpr auto kPolicyMembers = [](auto& member, auto& policy) {
  member("name", policy.name);
  member("path", policy.path);
  member("id", policy.id);
  member("created_us", policy.created);
  member("updated_us", policy.updated);
  member("description", policy.description);
  member("tags", policy.tags);
  member.list_as("versions", "policy version", policy.versions, numbered, by_number, kVersionMembers);
  member("default_version", policy.default_version);
  member("last_version", policy.last_version);
  member("attachments", policy.attachments);
  member("bounds", policy.bounds);
};

}  // namespace

std::string ManagedPolicy::arn() const { return arn_of(account, "policy", path, name); }

PolicyArn parse_policy_arn(std::string_view arn) {
  if (!wire::parse_arn(arn)) throw invalid("Invalid ARN:  Could not be parsed!");
  const auto parsed = wire::parse_arn_of("iam", arn);
  if (!parsed || !parsed->resource.starts_with(kResource) || parsed->resource.ends_with('/')) {
    throw errors::invalid_input_exception(cat("ARN ", arn, " is not valid."));
  }
  const std::string_view rest = parsed->resource.substr(kResource.size() - 1);
  const size_t slash = rest.rfind('/');
  return {std::string(parsed->account), std::string(rest.substr(0, slash + 1)), std::string(rest.substr(slash + 1))};
}

std::string policy_key(std::string_view account, std::string_view name) { return key_of(kPolicies, account, name); }

store::Range policies_range(std::string_view account) { return range_of(kPolicies, account); }

std::string encode_policy(const ManagedPolicy& policy) { return json::encode(policy, kPolicyMembers); }

ManagedPolicy decode_policy(std::string account, std::string_view bytes) {
  return json::decode("policy", bytes, kPolicyMembers, ManagedPolicy{.account = std::move(account)});
}

Task<std::optional<ManagedPolicy>> find_policy(store::Snapshot& reader, std::string_view account,
                                               std::string_view arn) {
  const PolicyArn parsed = parse_policy_arn(arn);
  if (parsed.account != account) co_return std::nullopt;
  const auto bytes = co_await reader.get(policy_key(account, parsed.name));
  if (!bytes) co_return std::nullopt;
  ManagedPolicy policy = decode_policy(parsed.account, *bytes);
  if (policy.name != parsed.name || policy.path != parsed.path) co_return std::nullopt;
  co_return policy;
}

Task<ManagedPolicy> load_policy(store::Snapshot& reader, std::string_view account, std::string_view arn) {
  if (parse_policy_arn(arn).is_of_aws()) throw not_supported(cat("looking into AWS's own policies such as ", arn));
  auto policy = co_await find_policy(reader, account, arn);
  if (!policy) throw no_policy(arn);
  co_return *std::move(policy);
}

void put_policy(store::Transaction& txn, const ManagedPolicy& policy) {
  txn.put(policy_key(policy.account, policy.name), encode_policy(policy));
}

Task<void> count_use(store::Transaction& txn, std::string_view account, std::string_view arn, PolicyUse use) {
  if (parse_policy_arn(arn).is_of_aws()) co_return;
  auto policy = co_await find_policy(txn, account, arn);
  if (!policy) throw not_attachable(arn);
  policy->attachments += use.attachments;
  policy->bounds += use.bounds;
  put_policy(txn, *policy);
}

}  // namespace tidemill::iam
