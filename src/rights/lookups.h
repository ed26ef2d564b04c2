// Resources whose ARNs or policies only their services know: asked by their own operations, as the platform.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/task.h"
#include "lang/policies/facts.h"
#include "lang/policies/policy.h"
#include "rights/actor.h"
#include "rights/ask.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::rights {

// Puts the ARN in place of the name, and adds the condition keys that the record tells. Of what is not there, the ARN as
// it would be.
Task<void> settle(store::Store& store, const wire::Context& context, const Actor& actor, Ask& ask);

// What says about a resource itself who may use it.
// A policy that cannot be read, or that its service cannot tell just now, denies all but the account's root, who can put
// another in its place.
struct ResourceSide {
  std::optional<lang::policies::Policy> policy;
  std::string account;      // whose it is; empty: nobody's, or there is no such
  std::optional<lang::policies::Policy> reader_policy;  // for actions that are the reader account's; without one: policy
  std::string reader_account;  // of an object that another account has put into a bucket: whose it is to read; or empty
  bool may_change = false;     // without an operation that changes policies: not to be kept
  bool must_allow = false;  // a key's: no policy of an identity is enough
  size_t bytes = 0;         // about what it holds
};

// The account whose policies decide of an action.
[[nodiscard]] const std::string& account_for(const ResourceSide& side, std::string_view action);
// The policy that counts for it; null: none.
[[nodiscard]] const lang::policies::Policy* policy_for(const ResourceSide& side, std::string_view action);

// What has the same side: a bucket's objects that of the bucket, an index that of its table, groups of logs and their
// streams that of their account's region.
[[nodiscard]] std::string side_key(std::string_view resource);

// Of an object; empty: the current one.
[[nodiscard]] std::string version_of(const Ask& ask);

// The tags that the object has which is asked about, as "s3:ExistingObjectTag/team"; of other asks nothing.
Task<void> add_object_tags(store::Store& store, const Ask& ask, lang::policies::Facts& facts);

// What was said of the object when the upload began, as headers of S3's ("s3:x-amz-server-side-encryption"): parts and
// the end are judged as what is put and cannot say it themselves. `upload`: its id, or empty: none.
Task<void> add_upload_headers(store::Store& store, const Ask& ask, std::string upload, lang::policies::Facts& facts);

// `resource` is an ARN or "*"; `version` of an object that is asked about, or empty: the current one.
Task<std::shared_ptr<const ResourceSide>> load_resource_side(store::Store& store, const wire::Context& context,
                                                             std::string resource, std::string version);

}  // namespace tidemill::rights
