// What concerns access to a bucket: its policy, the block of public access, and encryption. What policies say is judged
// in front of all operations (src/rights).
#include "base/json.h"
#include "base/text.h"
#include "engine/policy_principals.h"
#include "lang/policies/policy.h"
#include "services/s3/bucket_settings.h"
#include "services/s3/describing.h"
#include "services/s3/encryption.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/public_policy.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

constexpr size_t kPolicyBytesMax = 20 << 10;

wire::Error malformed_policy(std::string message) { return errors::error("MalformedPolicy", 400, std::move(message)); }

// What `--auth iam` could not judge by is refused: left aside, its denials would be, too.
void check_policy(const std::string& text) {
  if (text.size() > kPolicyBytesMax) {
    throw errors::error("PolicyTooLarge", 400, "Policies must not exceed 20 KB");
  }
  const auto policy = json::parse(text);
  if (!policy || !policy->is_object()) {
    throw malformed_policy("Policies must be valid JSON and the first byte must be '{'");
  }
  if (!policy->find("Statement")) throw malformed_policy("Missing required field Statement");
  if (const auto parsed = lang::policies::Policy::parse_of_resource(text); !parsed) throw malformed_policy(parsed.error());
}

bool blocks_public_policy(const Bucket& bucket) {
  const std::string* document = bucket.setting(kPublicAccessBlock);
  if (!document) return false;
  return read_document<ops::PutPublicAccessBlock>(*document)
      .public_access_block_configuration.block_public_policy.value_or(false);
}

wire::Error no_such_policy(const Bucket& bucket) {
  return errors::error("NoSuchBucketPolicy", 404, "The bucket policy does not exist", {{"BucketName", bucket.name}});
}

wire::Error no_public_access_block(const std::string& bucket) {
  return errors::error("NoSuchPublicAccessBlockConfiguration", 404, "The public access block configuration was not found",
                       {{"BucketName", bucket}});
}

}  // namespace

Task<ops::PutBucketPolicy::Response> put_bucket_policy(Service& service, wire::Context& context,
                                                       const shapes::PutBucketPolicyInput& request) {
  check_policy(request.policy.value_or(""));
  const bool everybody = is_public_policy(*request.policy);
  const std::string policy = co_await engine::with_ids(context, *request.policy, [](std::string_view principal) {
    return errors::error("MalformedPolicy", 400, "Invalid principal in policy",
                         {{"Detail", base::cat("\"AWS\" : \"", principal, "\"")}});
  });
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    if (everybody && blocks_public_policy(bucket)) throw errors::access_denied();
    bucket.settings[kPolicy] = policy;
  });
  co_return shapes::PutBucketPolicyOutput{};
}

Task<shapes::GetBucketPolicyOutput> get_bucket_policy(Service& service, wire::Context& context,
                                                      const shapes::GetBucketPolicyInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  const std::string* policy = bucket.setting(kPolicy);
  if (!policy) throw no_such_policy(bucket);
  co_return shapes::GetBucketPolicyOutput{.policy = co_await engine::with_arns(context, *policy)};
}

Task<ops::DeleteBucketPolicy::Response> delete_bucket_policy(Service& service, wire::Context&,
                                                             const shapes::DeleteBucketPolicyInput& request) {
  co_await drop_setting(service, request.bucket, request.expected_bucket_owner, kPolicy);
  co_return shapes::DeleteBucketPolicyOutput{};
}

Task<shapes::GetBucketPolicyStatusOutput> get_bucket_policy_status(Service& service, wire::Context&,
                                                                   const shapes::GetBucketPolicyStatusInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  const std::string* policy = bucket.setting(kPolicy);
  if (!policy) throw no_such_policy(bucket);
  co_return shapes::GetBucketPolicyStatusOutput{
      .policy_status = shapes::PolicyStatus{.is_public = is_public_policy(*policy)}};
}

Task<ops::PutPublicAccessBlock::Response> put_public_access_block(Service& service, wire::Context&,
                                                                  const shapes::PutPublicAccessBlockInput& request) {
  shapes::PublicAccessBlockConfiguration block = request.public_access_block_configuration;
  for (auto* member :
       {&block.block_public_acls, &block.ignore_public_acls, &block.block_public_policy, &block.restrict_public_buckets}) {
    *member = member->value_or(false);
  }
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    bucket.settings[kPublicAccessBlock] =
        write_document<ops::GetPublicAccessBlock>({.public_access_block_configuration = block});
  });
  co_return shapes::PutPublicAccessBlockOutput{};
}

Task<shapes::GetPublicAccessBlockOutput> get_public_access_block(Service& service, wire::Context&,
                                                                 const shapes::GetPublicAccessBlockInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  const auto stored = require_setting<ops::PutPublicAccessBlock>(bucket, kPublicAccessBlock,
                                                                 no_public_access_block(bucket.name));
  co_return shapes::GetPublicAccessBlockOutput{.public_access_block_configuration =
                                                   stored.public_access_block_configuration};
}

Task<ops::DeletePublicAccessBlock::Response> delete_public_access_block(
    Service& service, wire::Context&, const shapes::DeletePublicAccessBlockInput& request) {
  co_await drop_setting(service, request.bucket, request.expected_bucket_owner, kPublicAccessBlock);
  co_return shapes::DeletePublicAccessBlockOutput{};
}

// What is asked for by default is kept and shown: no object is encrypted with a key.
Task<ops::PutBucketEncryption::Response> put_bucket_encryption(Service& service, wire::Context&,
                                                               const shapes::PutBucketEncryptionInput& request) {
  const auto& configuration = request.server_side_encryption_configuration;
  if (configuration.rules.size() != 1) throw errors::malformed_xml();
  const auto& wanted = configuration.rules.front().apply_server_side_encryption_by_default;
  if (!wanted) throw errors::malformed_xml();
  const std::string& algorithm = wanted->sse_algorithm;
  if (algorithm != kEncryption && algorithm != kKeyEncryption) {
    throw errors::not_implemented(base::cat("the encryption ", algorithm));
  }
  if (algorithm == kEncryption && wanted->kms_master_key_id) {
    throw errors::invalid_argument(
        "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or aws:kms:dsse",
        "ApplyServerSideEncryptionByDefault", algorithm);
  }
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    bucket.settings[kEncryptionRules] =
        write_document<ops::GetBucketEncryption>({.server_side_encryption_configuration = configuration});
  });
  co_return shapes::PutBucketEncryptionOutput{};
}

Task<shapes::GetBucketEncryptionOutput> get_bucket_encryption(Service& service, wire::Context&,
                                                              const shapes::GetBucketEncryptionInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  shapes::ServerSideEncryptionConfiguration configuration;
  if (const std::string* document = bucket.setting(kEncryptionRules)) {
    configuration = read_document<ops::PutBucketEncryption>(*document).server_side_encryption_configuration;
  } else {
    configuration.rules = {{.apply_server_side_encryption_by_default =
                                shapes::ServerSideEncryptionByDefault{.sse_algorithm = std::string(kEncryption)}}};
  }
  for (auto& rule : configuration.rules) rule.bucket_key_enabled = rule.bucket_key_enabled.value_or(false);
  co_return shapes::GetBucketEncryptionOutput{.server_side_encryption_configuration = std::move(configuration)};
}

Task<ops::DeleteBucketEncryption::Response> delete_bucket_encryption(Service& service, wire::Context&,
                                                                     const shapes::DeleteBucketEncryptionInput& request) {
  co_await drop_setting(service, request.bucket, request.expected_bucket_owner, kEncryptionRules);
  co_return shapes::DeleteBucketEncryptionOutput{};
}

}  // namespace tidemill::s3
