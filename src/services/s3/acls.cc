// The lists of who may read and write a bucket and its objects, and whether there are such lists at all.
#include "services/s3/acl.h"
#include "services/s3/bucket_settings.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"
#include "services/s3/reading.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

wire::Error no_ownership_controls(const std::string& bucket) {
  return errors::error("OwnershipControlsNotFoundError", 404, "The bucket ownership controls were not found",
                       {{"BucketName", bucket}});
}

}  // namespace

Task<ops::PutBucketAcl::Response> put_bucket_acl(Service& service, wire::Context&,
                                                 const shapes::PutBucketAclInput& request) {
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    set_acl(bucket, acl_headers_of(request), request.access_control_policy);
  });
  co_return shapes::PutBucketAclOutput{};
}

Task<shapes::GetBucketAclOutput> get_bucket_acl(Service& service, wire::Context&,
                                                const shapes::GetBucketAclInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  co_return shapes::GetBucketAclOutput{.owner = owner_of(bucket), .grants = acl_of(bucket).grants};
}

Task<shapes::PutObjectAclOutput> put_object_acl(Service& service, wire::Context&,
                                                const shapes::PutObjectAclInput& request) {
  const ObjectRequest where{request.bucket, request.key, request.version_id, request.expected_bucket_owner, "PUT"};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    FoundObject found = co_await require_object(txn, where);
    set_acl(found.bucket, found.object, acl_headers_of(request), request.access_control_policy);
    const auto current = co_await find_object(txn, found.bucket, request.key);
    save_object(txn, found.bucket, request.key, found.object, current && current->version == found.object.version);
  });
  co_return shapes::PutObjectAclOutput{};
}

Task<shapes::GetObjectAclOutput> get_object_acl(Service& service, wire::Context&,
                                                const shapes::GetObjectAclInput& request) {
  const auto snapshot = service.store().snapshot();
  const FoundObject found = co_await require_object(
      *snapshot, {request.bucket, request.key, request.version_id, request.expected_bucket_owner});
  Acl acl = acl_of(found.bucket, found.object);
  co_return shapes::GetObjectAclOutput{.owner = shapes::Owner{.id = canonical_id(acl.owner)},
                                       .grants = std::move(acl.grants)};
}

Task<ops::PutBucketOwnershipControls::Response> put_bucket_ownership_controls(
    Service& service, wire::Context&, const shapes::PutBucketOwnershipControlsInput& request) {
  if (request.ownership_controls.rules.size() != 1) throw errors::malformed_xml();
  const std::string& ownership = request.ownership_controls.rules.front().object_ownership;
  if (!is_object_ownership(ownership)) throw errors::malformed_xml();
  co_await change_bucket(service, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    if (ownership == kOwnerEnforced && grants_others(bucket)) {
      throw errors::error("InvalidBucketAclWithObjectOwnership", 400,
                          "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting");
    }
    bucket.settings[kOwnershipControls] =
        write_document<ops::GetBucketOwnershipControls>({.ownership_controls = request.ownership_controls});
  });
  co_return shapes::PutBucketOwnershipControlsOutput{};
}

Task<shapes::GetBucketOwnershipControlsOutput> get_bucket_ownership_controls(
    Service& service, wire::Context&, const shapes::GetBucketOwnershipControlsInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  const auto stored =
      require_setting<ops::PutBucketOwnershipControls>(bucket, kOwnershipControls, no_ownership_controls(bucket.name));
  co_return shapes::GetBucketOwnershipControlsOutput{.ownership_controls = stored.ownership_controls};
}

Task<ops::DeleteBucketOwnershipControls::Response> delete_bucket_ownership_controls(
    Service& service, wire::Context&, const shapes::DeleteBucketOwnershipControlsInput& request) {
  co_await drop_setting(service, request.bucket, request.expected_bucket_owner, kOwnershipControls);
  co_return shapes::DeleteBucketOwnershipControlsOutput{};
}

}  // namespace tidemill::s3
