#include "services/iam/instance_profile.h"

#include "base/json_members.h"
#include "base/text.h"
#include "services/iam/errors.h"
#include "services/iam/names.h"

namespace tidemill::iam {
namespace {

constexpr store::ResourceType kProfiles{"iam", "instance-profile"};

constexpr auto kProfileMembers = [](auto& member, auto& profile) {
  member("name", profile.name);
  member("path", profile.path);
  member("id", profile.id);
  member("created_us", profile.created);
  member("tags", profile.tags);
  member.unless_empty("role", profile.role);
};

}  // namespace

std::string InstanceProfile::arn() const { return arn_of(account, "instance-profile", path, name); }

std::string profile_key(std::string_view account, std::string_view name) { return key_of(kProfiles, account, name); }

store::Range profiles_range(std::string_view account) { return range_of(kProfiles, account); }

std::string encode_profile(const InstanceProfile& profile) { return json::encode(profile, kProfileMembers); }

InstanceProfile decode_profile(std::string account, std::string_view bytes) {
  return json::decode("instance profile", bytes, kProfileMembers, InstanceProfile{.account = std::move(account)});
}

Task<InstanceProfile> load_profile(store::Snapshot& reader, std::string account, std::string name) {
  const auto bytes = co_await reader.get(profile_key(account, name));
  if (bytes) {
    InstanceProfile profile = decode_profile(std::move(account), *bytes);
    if (profile.name == name) co_return profile;
  }
  throw errors::no_such_entity_exception(base::cat("Instance Profile ", name, " cannot be found."));
}

void put_profile(store::Transaction& txn, const InstanceProfile& profile) {
  txn.put(profile_key(profile.account, profile.name), encode_profile(profile));
}

}  // namespace tidemill::iam
