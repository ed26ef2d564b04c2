// Access control lists: who may read and write a bucket or an object beside its owner, where the bucket's Object
// Ownership leaves them on (it does not unless somebody says so). S3 User Guide, "Access control list (ACL) overview"
// and "Controlling ownership of objects".
//
// A list is kept as the document by which the API gives it: a bucket's among its settings, an object's in its
// description beside the headers. Where rights are judged (src/rights) it counts as statements of the bucket's policy.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "services/s3/bucket.h"
#include "services/s3/object.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

inline constexpr size_t kGrantsMax = 100;

// What a request asks for in its headers.
struct AclHeaders {
  std::optional<std::string> canned;  // x-amz-acl
  std::optional<std::string> full_control;
  std::optional<std::string> read;
  std::optional<std::string> read_acp;
  std::optional<std::string> write;
  std::optional<std::string> write_acp;

  [[nodiscard]] bool has_grants() const { return full_control || read || read_acp || write || write_acp; }
  [[nodiscard]] bool asks() const { return canned || has_grants(); }
};
template <class Request>
AclHeaders acl_headers_of(const Request& request) {
  AclHeaders headers{request.acl, request.grant_full_control, request.grant_read, request.grant_read_acp,
                     {},          request.grant_write_acp};
  if constexpr (requires { request.grant_write; }) headers.write = request.grant_write;
  return headers;
}

// What Object Ownership says of a bucket.
enum class Ownership { bucket_owner_enforced, bucket_owner_preferred, object_writer };
[[nodiscard]] Ownership ownership_of(const Bucket& bucket);
[[nodiscard]] inline bool allows_acls(const Bucket& bucket) {
  return ownership_of(bucket) != Ownership::bucket_owner_enforced;
}

// A list, and whose thing it is of.
struct Acl {
  std::string owner;  // an account
  std::vector<wire::s3::Grant> grants;
};
[[nodiscard]] Acl acl_of(const Bucket& bucket);
[[nodiscard]] Acl acl_of(const Bucket& bucket, const Object& object);

// The account that owns an object.
[[nodiscard]] const std::string& owner_of_object(const Bucket& bucket, const Object& object);

// Sets a bucket's list. Throws AccessControlListNotSupported, InvalidArgument, MalformedACLError, AccessDenied (public
// ones are blocked), and MissingSecurityHeader if nothing is asked for.
void set_acl(Bucket& bucket, const AclHeaders& headers, const std::optional<wire::s3::AccessControlPolicy>& policy);
void set_acl(const Bucket& bucket, Object& object, const AclHeaders& headers,
             const std::optional<wire::s3::AccessControlPolicy>& policy);

// Puts owner and list of a new object among its headers. `writer`: the account that makes it. Throws the same.
void take_acl(const Bucket& bucket, const std::string& writer, const AclHeaders& headers, TextMap& description);
// What does not go into a copy.
void drop_acl(TextMap& description);

// Whether somebody beside the owner is granted anything.
[[nodiscard]] bool grants_others(const Bucket& bucket);
// Whether everybody is.
[[nodiscard]] bool is_public(const std::vector<wire::s3::Grant>& grants);

// The lists as statements of a policy, which are meant for the thing itself alone ("Resource": "*"): of a bucket, and
// of a key in it, whose current object is `object` (null: there is none).
[[nodiscard]] base::json::Array acl_statements(const Bucket& bucket);
[[nodiscard]] base::json::Array acl_statements(const Bucket& bucket, const Object* object);

}  // namespace tidemill::s3
