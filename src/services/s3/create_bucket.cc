// Makes a bucket. Its name must be free in all accounts and regions.
#include <algorithm>

#include "base/text.h"
#include "services/s3/acl.h"
#include "services/s3/bucket.h"
#include "services/s3/bucket_settings.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/storage_metrics.h"
#include "services/s3/tags.h"
#include "services/s3/words.h"
#include "wire/credential_scope.h"

namespace tidemill::s3 {
namespace {

constexpr std::string_view kFirstRegion = "us-east-1";  // whose rules are older than the others'
constexpr std::string_view kEurope = "EU";              // eu-west-1 by its oldest name

// "eu-central-1": words, and a number at last.
bool names_region(std::string_view text) {
  const auto dashes = std::ranges::count(text, '-');
  return wire::is_region_by_form(text) && dashes >= 2 && text.size() >= 2 && text[text.size() - 2] == '-' && text.back() >= '0' &&
         text.back() <= '9';
}

// Where the bucket is to be; throws as AWS does if that is not where the request was sent to.
void check_location(const wire::Context& context, const std::optional<std::string>& location) {
  const std::string_view wanted = !location ? kFirstRegion : *location == kEurope ? "eu-west-1" : std::string_view(*location);
  const bool is_in_first = context.region == kFirstRegion;
  if (location && is_in_first && (wanted == kFirstRegion || !names_region(wanted))) {
    throw errors::error("InvalidLocationConstraint", 400, "The specified location-constraint is not valid",
                        {{"LocationConstraint", *location}});
  }
  if (wanted == context.region || is_in_first) return;
  throw errors::error("IllegalLocationConstraintException", 400,
                      base::cat("The ", location ? *location : std::string("unspecified"),
                                " location constraint is incompatible for the region specific endpoint this request was "
                                "sent to."));
}

std::string region_of(const wire::Context& context, const std::optional<std::string>& location) {
  if (!location) return context.region;
  return *location == kEurope ? "eu-west-1" : *location;
}

wire::Error exists_already(const Bucket& bucket, const wire::Context& context) {
  if (bucket.account == context.account) {
    return errors::error("BucketAlreadyOwnedByYou", 409,
                         "Your previous request to create the named bucket succeeded and you already own it.",
                         {{"BucketName", bucket.name}});
  }
  return errors::error("BucketAlreadyExists", 409,
                       "The requested bucket name is not available. The bucket namespace is shared by all users of the "
                       "system. Please select a different name and try again.",
                       {{"BucketName", bucket.name}});
}

// Objects can be locked only where versions are kept.
void lock_objects(Bucket& bucket) {
  bucket.versioning = Versioning::enabled;
  bucket.settings[kObjectLock] = write_document<shapes::ops::GetObjectLockConfiguration>(
      {.object_lock_configuration = shapes::ObjectLockConfiguration{.object_lock_enabled = "Enabled"}});
}

// The bucket's list, where its Object Ownership has any.
void give_acl(Bucket& bucket, const AclHeaders& headers) {
  const bool is_owners = !headers.has_grants() && headers.canned.value_or("private") == "private";
  if (is_owners) return;
  if (!allows_acls(bucket)) {
    throw errors::error("InvalidBucketAclWithObjectOwnership", 400,
                        "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting");
  }
  try {
    set_acl(bucket, headers, std::nullopt);
  } catch (const wire::Error& error) {
    if (error.code != "AccessDenied") throw;
    throw errors::error("InvalidBucketAclWithBlockPublicAccessError", 400,
                        "Bucket cannot have public ACLs set with BlockPublicAccess enabled");
  }
}

}  // namespace

Task<shapes::CreateBucketOutput> create_bucket(Service& service, wire::Context& context,
                                               const shapes::CreateBucketInput& request) {
  check_bucket_name(request.bucket);
  const auto& configuration = request.create_bucket_configuration;
  const auto location = configuration ? configuration->location_constraint : std::nullopt;
  check_location(context, location);
  if (request.object_ownership && !is_object_ownership(*request.object_ownership)) {
    throw errors::invalid_argument(base::cat("Invalid x-amz-object-ownership header: ", *request.object_ownership),
                                   "x-amz-object-ownership", *request.object_ownership);
  }

  Bucket bucket{.name = request.bucket, .id = random_id(), .account = context.account};
  bucket.region = region_of(context, location);
  bucket.created = context.now();
  if (configuration && configuration->tags) bucket.tags = tags_of(*configuration->tags);
  check_new_bucket_tags(bucket.tags);
  if (location == kEurope) bucket.settings[kLocation] = std::string(kEurope);
  set_defaults(bucket, request.object_ownership);
  give_acl(bucket, acl_headers_of(request));
  if (request.object_lock_enabled_for_bucket && lower(*request.object_lock_enabled_for_bucket) == "true")
    lock_objects(bucket);

  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    const auto existing = co_await find_bucket(txn, bucket.name);
    // The first region answers its owner as if the bucket had been made now.
    const bool same = existing && existing->account == context.account && existing->region == kFirstRegion &&
                      context.region == kFirstRegion;
    if (existing && !same) throw exists_already(*existing, context);
    if (existing) co_return;
    save_bucket(txn, bucket);
    co_await schedule_storage_metrics(txn, bucket.created);
  });
  // AWS's own name, where the bucket is elsewhere than in the first region.
  const std::string place =
      bucket.region == kFirstRegion ? "/" + bucket.name : base::cat("http://", bucket.name, ".s3.amazonaws.com/");
  co_return shapes::CreateBucketOutput{.location = place, .bucket_arn = bucket_arn(bucket.name)};
}

}  // namespace tidemill::s3
