// Tag, Untag and List…Tags of users, roles, policies and instance profiles.
#include "services/iam/instance_profile.h"
#include "services/iam/listing.h"
#include "services/iam/managed_policy.h"
#include "services/iam/operations.h"
#include "services/iam/requests.h"
#include "wire/tags.h"

namespace tidemill::iam {

namespace ops = shapes::ops;

namespace {

constexpr size_t kTagsMax = 50;

// The record that a request means, and how it goes back.
template <class Request>
auto load_tagged(store::Snapshot& reader, const wire::Context& context, const Request& request) {
  if constexpr (requires { request.policy_arn; }) {
    return load_policy(reader, context.account, request.policy_arn);
  } else if constexpr (requires { request.instance_profile_name; }) {
    return load_profile(reader, context.account, request.instance_profile_name);
  } else {
    return load_identity(reader, address_of(context, request));
  }
}
void put_tagged(store::Transaction& txn, const ManagedPolicy& policy) { put_policy(txn, policy); }
void put_tagged(store::Transaction& txn, const InstanceProfile& profile) { put_profile(txn, profile); }
void put_tagged(store::Transaction& txn, const Identity& identity) { put_identity(txn, identity); }

template <class Request, class Change>
Task<void> change_tags(Service& service, wire::Context& context, const Request& request, Change change) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    auto tagged = co_await load_tagged(txn, context, request);
    change(tagged.tags);
    put_tagged(txn, tagged);
  });
}

}  // namespace

json::TextMap with_tags(json::TextMap tags, const std::vector<shapes::Tag>& added) {
  NameSet keys;
  for (const shapes::Tag& tag : added) {
    if (!keys.insert(lower(tag.key)).second) {
      throw errors::invalid_input_exception(
          "Duplicate tag keys found. Please note that Tag keys are case insensitive.");
    }
    if (wire::is_reserved_tag_key(tag.key)) {
      throw errors::invalid_input_exception(
          "Caller is not an internal service, and thus is not allowed to set system tags");
    }
    std::erase_if(tags, [&](const auto& each) { return lower(each.first) == lower(tag.key); });
    tags.insert_or_assign(tag.key, tag.value);
  }
  if (tags.size() > kTagsMax) throw over_quota("TagsPerResource", kTagsMax);
  return tags;
}

template <class Op>
Task<typename Op::Response> tag(Service& service, wire::Context& context, const typename Op::Request& request) {
  co_await change_tags(service, context, request,
                       [&](json::TextMap& tags) { tags = with_tags(std::move(tags), request.tags); });
  co_return typename Op::Response{};
}

template <class Op>
Task<typename Op::Response> untag(Service& service, wire::Context& context, const typename Op::Request& request) {
  NameSet keys;
  for (const std::string& key : request.tag_keys) keys.insert(lower(key));
  co_await change_tags(service, context, request, [&](json::TextMap& tags) {
    std::erase_if(tags, [&](const auto& each) { return keys.contains(lower(each.first)); });
  });
  co_return typename Op::Response{};
}

template <class Op>
Task<typename Op::Response> list_tags(Service& service, wire::Context& context, const typename Op::Request& request) {
  const auto snapshot = service.store().snapshot();
  const auto tagged = co_await load_tagged(*snapshot, context, request);
  typename Op::Response out;
  list_some(
      out, request, tagged.tags, [](const auto& each) -> const std::string& { return each.first; },
      [&](const auto& each) { out.tags.push_back({.key = each.first, .value = each.second}); });
  co_return out;
}

template Task<shapes::TagRoleOutput> tag<ops::TagRole>(Service&, wire::Context&, const shapes::TagRoleInput&);
template Task<shapes::UntagRoleOutput> untag<ops::UntagRole>(Service&, wire::Context&, const shapes::UntagRoleInput&);
template Task<shapes::ListRoleTagsOutput> list_tags<ops::ListRoleTags>(
    Service&, wire::Context&, const shapes::ListRoleTagsInput&);
template Task<shapes::TagUserOutput> tag<ops::TagUser>(Service&, wire::Context&, const shapes::TagUserInput&);
template Task<shapes::UntagUserOutput> untag<ops::UntagUser>(Service&, wire::Context&, const shapes::UntagUserInput&);
template Task<shapes::ListUserTagsOutput> list_tags<ops::ListUserTags>(
    Service&, wire::Context&, const shapes::ListUserTagsInput&);
template Task<shapes::TagPolicyOutput> tag<ops::TagPolicy>(Service&, wire::Context&, const shapes::TagPolicyInput&);
template Task<shapes::UntagPolicyOutput> untag<ops::UntagPolicy>(
    Service&, wire::Context&, const shapes::UntagPolicyInput&);
template Task<shapes::ListPolicyTagsOutput> list_tags<ops::ListPolicyTags>(
    Service&, wire::Context&, const shapes::ListPolicyTagsInput&);
template Task<shapes::TagInstanceProfileOutput> tag<ops::TagInstanceProfile>(
    Service&, wire::Context&, const shapes::TagInstanceProfileInput&);
template Task<shapes::UntagInstanceProfileOutput> untag<ops::UntagInstanceProfile>(
    Service&, wire::Context&, const shapes::UntagInstanceProfileInput&);
template Task<shapes::ListInstanceProfileTagsOutput> list_tags<ops::ListInstanceProfileTags>(
    Service&, wire::Context&, const shapes::ListInstanceProfileTagsInput&);

}  // namespace tidemill::iam
