#include "services/iam/held_policies.h"

#include "base/log.h"
#include "base/text.h"
#include "services/iam/aws_policies.h"
#include "services/iam/managed_policy.h"
#include "wire/error.h"

namespace tidemill::iam {

namespace {

using base::cat;

constexpr std::string_view kOfAws = "arn:aws:iam::aws:policy/";
constexpr std::string_view kAllowsNothing = R"({"Version":"2012-10-17","Statement":[]})";

Task<void> add_policies(store::Snapshot& reader, const Identity& identity, std::vector<HeldPolicy>& out) {
  const IdentityAddress& address = identity.address;
  for (const auto& [name, text] : identity.inline_policies) {
    out.push_back({name, cat(name_of(address.kind), "_", address.name, "_", name), text});
  }
  for (const std::string& arn : identity.attached) {
    out.push_back(co_await managed_policy_of(reader, address.account, arn));
  }
}

}  // namespace

Task<HeldPolicy> managed_policy_of(store::Snapshot& reader, std::string account, std::string arn) {
  std::string text;
  if (arn.starts_with(kOfAws)) {
    text = document_of_aws(std::string_view(arn).substr(kOfAws.size()));
    if (text.empty())
      base::log_info("what a policy of AWS says is not known here; it allows nothing", {{"policy", arn}});
  } else {
    try {
      const auto found = co_await find_policy(reader, account, arn);
      if (found) text = found->versions.at(found->default_version).document;
    } catch (const wire::Error&) {  // no ARN of a policy
    }
  }
  std::string label = arn.substr(arn.rfind('/') + 1);
  co_return HeldPolicy{std::move(arn), std::move(label), text.empty() ? std::string(kAllowsNothing) : std::move(text)};
}

Task<std::vector<HeldPolicy>> policies_of(store::Snapshot& reader, const Identity& identity) {
  std::vector<HeldPolicy> all;
  co_await add_policies(reader, identity, all);
  for (const std::string& name : identity.groups) {
    const IdentityAddress address{Kind::group, identity.address.account, name};
    if (const auto group = co_await find_identity(reader, address)) co_await add_policies(reader, *group, all);
  }
  co_return all;
}

Task<std::vector<HeldPolicy>> boundaries_of(store::Snapshot& reader, const Identity& identity) {
  std::vector<HeldPolicy> all;
  if (!identity.boundary.empty()) {
    all.push_back(co_await managed_policy_of(reader, identity.address.account, identity.boundary));
  }
  co_return all;
}

}  // namespace tidemill::iam
