#include "services/s3/acl.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "services/s3/bucket_settings.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/words.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;
namespace json = base::json;
using shapes::Grant;
using Grants = std::vector<Grant>;

constexpr const char* kAcl = "acl";              // in a description: the list's document
constexpr const char* kOwner = "owner-account";  // there, if it is another's than the bucket's

constexpr std::string_view kFull = "FULL_CONTROL";
constexpr std::array<std::string_view, 5> kPermissions{"FULL_CONTROL", "READ", "READ_ACP", "WRITE", "WRITE_ACP"};
constexpr std::string_view kEverybody = "http://acs.amazonaws.com/groups/global/AllUsers";
constexpr std::string_view kAuthenticated = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers";
constexpr std::string_view kLogDelivery = "http://acs.amazonaws.com/groups/s3/LogDelivery";
constexpr size_t kCanonicalIdSize = 64;

Grant to_account(std::string_view id, std::string_view permission) {
  return {.grantee = shapes::Grantee{.id = std::string(id), .type = "CanonicalUser"},
          .permission = std::string(permission)};
}
Grant to_group(std::string_view uri, std::string_view permission) {
  return {.grantee = shapes::Grantee{.type = "Group", .uri = std::string(uri)}, .permission = std::string(permission)};
}

bool is_group(std::string_view uri) { return uri == kEverybody || uri == kAuthenticated || uri == kLogDelivery; }
bool is_canonical_id(std::string_view id) {
  return id.size() == kCanonicalIdSize && id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Of a canned list; nothing: there is none of that name. `bucket_owner`: empty for a bucket's own.
std::optional<Grants> canned(std::string_view name, std::string_view owner, std::string_view bucket_owner) {
  Grants grants{to_account(owner, kFull)};
  const bool is_bucket = bucket_owner.empty();
  if (name == "private" || name == "aws-exec-read") return grants;
  if (name == "public-read" || name == "public-read-write") grants.push_back(to_group(kEverybody, "READ"));
  if (name == "public-read-write") grants.push_back(to_group(kEverybody, "WRITE"));
  if (name == "authenticated-read") grants.push_back(to_group(kAuthenticated, "READ"));
  if (grants.size() > 1) return grants;
  if (is_bucket && name == "log-delivery-write") {
    for (const char* permission : {"WRITE", "READ_ACP"}) grants.push_back(to_group(kLogDelivery, permission));
    return grants;
  }
  if (name != "bucket-owner-read" && name != "bucket-owner-full-control") return std::nullopt;
  if (!is_bucket && owner != bucket_owner) {
    grants.push_back(to_account(bucket_owner, name == "bucket-owner-read" ? "READ" : kFull));
  }
  return grants;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\"");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\"") - begin + 1);
}

// `id="…", uri="…"` of a header.
void add_granted(Grants& grants, const std::optional<std::string>& header, std::string_view permission,
                 const char* name) {
  if (!header) return;
  for (std::string_view rest = *header; !rest.empty();) {
    const std::string_view each = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), each.size() + 1));
    const size_t equals = each.find('=');
    const std::string_view type = trimmed(each.substr(0, equals));
    const std::string_view value = equals == std::string_view::npos ? "" : trimmed(each.substr(equals + 1));
    if (type == "emailAddress") {
      throw errors::error("UnresolvableGrantByEmailAddress", 400,
                          "The e-mail address you provided does not match any account on record.",
                          {{"EmailAddress", std::string(value)}});
    }
    if (type != "id" && type != "uri") throw errors::invalid_argument("Argument format not recognized", name, *header);
    if (type == "id" && !is_canonical_id(value)) throw errors::invalid_argument("Invalid id", "id", value);
    if (type == "uri" && !is_group(value)) throw errors::invalid_argument("Invalid group uri", "uri", value);
    grants.push_back(type == "id" ? to_account(value, permission) : to_group(value, permission));
  }
}

Grants granted(const AclHeaders& headers) {
  Grants grants;
  add_granted(grants, headers.full_control, kFull, "x-amz-grant-full-control");
  add_granted(grants, headers.read, "READ", "x-amz-grant-read");
  add_granted(grants, headers.read_acp, "READ_ACP", "x-amz-grant-read-acp");
  add_granted(grants, headers.write, "WRITE", "x-amz-grant-write");
  add_granted(grants, headers.write_acp, "WRITE_ACP", "x-amz-grant-write-acp");
  return grants;
}

wire::Error malformed_acl() {
  return errors::error("MalformedACLError", 400,
                       "The XML you provided was not well-formed or did not validate against our published schema");
}

// What a document grants, checked and in the form in which it is shown.
Grants checked(const shapes::AccessControlPolicy& policy, std::string_view owner) {
  if (!policy.owner || !policy.grants) throw malformed_acl();
  if (policy.owner->id != owner) throw errors::access_denied();
  Grants grants;
  for (const Grant& grant : *policy.grants) {
    const bool is_known = grant.permission && contains(kPermissions, *grant.permission);
    if (!is_known || !grant.grantee) throw malformed_acl();
    const shapes::Grantee& grantee = *grant.grantee;
    if (grantee.type == "CanonicalUser" && grantee.id) {
      if (!is_canonical_id(*grantee.id)) throw errors::invalid_argument("Invalid id", "CanonicalUser/ID", *grantee.id);
      grants.push_back(to_account(*grantee.id, *grant.permission));
    } else if (grantee.type == "Group" && grantee.uri) {
      if (!is_group(*grantee.uri)) throw errors::invalid_argument("Invalid group uri", "Group/URI", *grantee.uri);
      grants.push_back(to_group(*grantee.uri, *grant.permission));
    } else if (grantee.type == "AmazonCustomerByEmail" && grantee.email_address) {
      throw errors::error("UnresolvableGrantByEmailAddress", 400,
                          "The e-mail address you provided does not match any account on record.",
                          {{"EmailAddress", *grantee.email_address}});
    } else {
      throw malformed_acl();
    }
  }
  return grants;
}

bool blocks(const Bucket& bucket, std::optional<bool> shapes::PublicAccessBlockConfiguration::*member) {
  const std::string* document = bucket.setting(kPublicAccessBlock);
  if (!document) return false;
  return (read_document<ops::PutPublicAccessBlock>(*document).public_access_block_configuration.*member)
      .value_or(false);
}

// What is asked for, of a thing of `owner`; nothing: nothing is asked for.
std::optional<Grants> asked(const Bucket& bucket, const AclHeaders& headers,
                            const std::optional<shapes::AccessControlPolicy>& policy, const std::string& owner,
                            bool is_bucket) {
  if (headers.canned && headers.has_grants()) {
    throw errors::invalid_request("Specifying both Canned ACLs and Header Grants is not allowed");
  }
  if (headers.asks() && policy) throw errors::error("UnexpectedContent", 400, "This request does not support content");
  const std::string owner_id = canonical_id(owner);
  std::optional<Grants> grants;
  if (headers.canned) {
    grants = canned(*headers.canned, owner_id, is_bucket ? std::string() : canonical_id(bucket.account));
    if (!grants) throw errors::invalid_argument("", "x-amz-acl", *headers.canned);
  } else if (headers.has_grants()) {
    grants = granted(headers);
  } else if (policy) {
    grants = checked(*policy, owner_id);
  }
  if (grants && grants->size() > kGrantsMax) throw malformed_acl();
  if (grants && is_public(*grants) && blocks(bucket, &shapes::PublicAccessBlockConfiguration::block_public_acls)) {
    throw errors::access_denied();
  }
  return grants;
}

std::string document_of(const std::string& owner, const Grants& grants) {
  return write_document<ops::GetBucketAcl>({.owner = shapes::Owner{.id = canonical_id(owner)}, .grants = grants});
}

Acl parse(const std::string& owner, const std::string* document) {
  if (!document) return {owner, {to_account(canonical_id(owner), kFull)}};
  const auto policy = read_document<ops::PutBucketAcl>(*document).access_control_policy;
  return {owner, policy && policy->grants ? *policy->grants : Grants()};
}

// Where lists are off, only what says what is so anyway: the owner has all.
void check_enforced(const Bucket& bucket, const AclHeaders& headers,
                    const std::optional<shapes::AccessControlPolicy>& policy) {
  check_acl_headers(headers.canned, headers.has_grants());
  if (!policy) return;
  const std::string owner = canonical_id(bucket.account);
  const bool is_owners = !policy->owner || policy->owner->id.value_or(owner) == owner;
  const bool is_all = policy->grants && policy->grants->size() == 1 && policy->grants->front().permission == kFull &&
                      policy->grants->front().grantee && policy->grants->front().grantee->id == owner;
  if (!is_owners || !is_all)
    throw errors::error("AccessControlListNotSupported", 400, "The bucket does not allow ACLs");
}

wire::Error nothing_asked() {
  return errors::error("MissingSecurityHeader", 400, "Your request was missing a required header",
                       {{"MissingHeaderName", "x-amz-acl"}});
}

const std::string* find(const TextMap& description, const char* name) {
  const auto found = description.find(name);
  return found == description.end() ? nullptr : &found->second;
}

// ---- As statements ----

bool ignores_public(const Bucket& bucket) {
  return blocks(bucket, &shapes::PublicAccessBlockConfiguration::ignore_public_acls);
}

struct Meaning {
  std::string_view permission;
  std::vector<std::string_view> actions;
};

void add_statement(json::Array& statements, const Grant& grant, const std::vector<Meaning>& meanings) {
  json::Array actions;
  for (const Meaning& meaning : meanings) {
    if (grant.permission != meaning.permission && grant.permission != kFull) continue;
    for (const std::string_view action : meaning.actions) actions.push_back(json::Value(action));
  }
  if (actions.empty()) return;
  json::Object principal;
  const bool is_account = grant.grantee->id.has_value();
  if (is_account)
    principal.set("CanonicalUser", *grant.grantee->id);
  else
    principal.set("AWS", "*");
  json::Object statement{
      {"Effect", "Allow"}, {"Principal", std::move(principal)}, {"Action", std::move(actions)}, {"Resource", "*"}};
  if (grant.grantee->uri == kAuthenticated) {
    statement.set("Condition", json::Object{{"StringNotEquals", json::Object{{"aws:PrincipalType", "Anonymous"}}}});
  }
  statements.push_back(std::move(statement));
}

void add_list(json::Array& statements, const Acl& acl, bool without_public, const std::vector<Meaning>& meanings) {
  for (const Grant& grant : acl.grants) {
    if (!grant.grantee || grant.grantee->uri == kLogDelivery) continue;  // nobody delivers logs
    if (grant.grantee->uri && without_public) continue;
    add_statement(statements, grant, meanings);
  }
}

}  // namespace

Ownership ownership_of(const Bucket& bucket) {
  const std::string* document = bucket.setting(kOwnershipControls);
  if (!document) return Ownership::object_writer;  // as buckets were before there were such controls
  const auto rules = read_document<ops::PutBucketOwnershipControls>(*document).ownership_controls.rules;
  if (rules.empty()) return Ownership::object_writer;
  if (rules.front().object_ownership == "BucketOwnerPreferred") return Ownership::bucket_owner_preferred;
  return rules.front().object_ownership == "ObjectWriter" ? Ownership::object_writer : Ownership::bucket_owner_enforced;
}

bool is_public(const std::vector<Grant>& grants) {
  return std::ranges::any_of(grants, [](const Grant& grant) {
    return grant.grantee && grant.grantee->uri && *grant.grantee->uri != kLogDelivery;
  });
}

Acl acl_of(const Bucket& bucket) {
  return parse(bucket.account, allows_acls(bucket) ? bucket.setting(kBucketAcl) : nullptr);
}

const std::string& owner_of_object(const Bucket& bucket, const Object& object) {
  const std::string* other = allows_acls(bucket) ? find(object.description.system, kOwner) : nullptr;
  return other ? *other : bucket.account;
}

Acl acl_of(const Bucket& bucket, const Object& object) {
  return parse(owner_of_object(bucket, object), allows_acls(bucket) ? find(object.description.system, kAcl) : nullptr);
}

void set_acl(Bucket& bucket, const AclHeaders& headers, const std::optional<shapes::AccessControlPolicy>& policy) {
  if (!headers.asks() && !policy) throw nothing_asked();
  if (!allows_acls(bucket)) return check_enforced(bucket, headers, policy);
  const auto grants = asked(bucket, headers, policy, bucket.account, true);
  bucket.settings[kBucketAcl] = document_of(bucket.account, *grants);
}

void set_acl(const Bucket& bucket, Object& object, const AclHeaders& headers,
             const std::optional<shapes::AccessControlPolicy>& policy) {
  if (!headers.asks() && !policy) throw nothing_asked();
  if (!allows_acls(bucket)) return check_enforced(bucket, headers, policy);
  const std::string& owner = owner_of_object(bucket, object);
  const auto grants = asked(bucket, headers, policy, owner, false);
  object.description.system.insert_or_assign(kAcl, document_of(owner, *grants));
}

void take_acl(const Bucket& bucket, const std::string& writer, const AclHeaders& headers, TextMap& description) {
  drop_acl(description);
  const Ownership ownership = ownership_of(bucket);
  if (ownership == Ownership::bucket_owner_enforced) return check_enforced(bucket, headers, std::nullopt);
  const bool is_given = ownership == Ownership::bucket_owner_preferred && headers.canned == "bucket-owner-full-control";
  // What the platform writes (failure documents, logs) goes by the bucket's ARN, which tells no account.
  const std::string& owner = is_given || writer.empty() ? bucket.account : writer;
  if (owner != bucket.account) description.insert_or_assign(kOwner, owner);
  if (const auto grants = asked(bucket, headers, std::nullopt, owner, false)) {
    description.insert_or_assign(kAcl, document_of(owner, *grants));
  }
}

void drop_acl(TextMap& description) {
  description.erase(kAcl);
  description.erase(kOwner);
}

bool grants_others(const Bucket& bucket) {
  const std::string owner = canonical_id(bucket.account);
  const Acl acl = acl_of(bucket);
  return std::ranges::any_of(acl.grants,
                             [&](const Grant& grant) { return !grant.grantee || grant.grantee->id != owner; });
}

json::Array acl_statements(const Bucket& bucket) {
  static const std::vector<Meaning> kMeanings{
      {"READ", {"s3:ListBucket", "s3:ListBucketVersions", "s3:ListBucketMultipartUploads"}},
      {"READ_ACP", {"s3:GetBucketAcl"}},
      {"WRITE_ACP", {"s3:PutBucketAcl"}}};
  json::Array statements;
  if (allows_acls(bucket)) add_list(statements, acl_of(bucket), ignores_public(bucket), kMeanings);
  return statements;
}

json::Array acl_statements(const Bucket& bucket, const Object* object) {
  static const std::vector<Meaning> kOfBucket{{"WRITE", {"s3:PutObject"}}};
  static const std::vector<Meaning> kOfObject{{"READ", {"s3:GetObject", "s3:GetObjectVersion"}},
                                              {"READ_ACP", {"s3:GetObjectAcl", "s3:GetObjectVersionAcl"}},
                                              {"WRITE_ACP", {"s3:PutObjectAcl", "s3:PutObjectVersionAcl"}}};
  json::Array statements;
  if (!allows_acls(bucket)) return statements;
  add_list(statements, acl_of(bucket), ignores_public(bucket), kOfBucket);
  if (object) add_list(statements, acl_of(bucket, *object), ignores_public(bucket), kOfObject);
  return statements;
}

}  // namespace tidemill::s3
