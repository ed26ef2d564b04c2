#include "services/s3/bucket_settings.h"

#include "services/s3/operations.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

}  // namespace

void set_defaults(Bucket& bucket, const std::optional<std::string>& ownership) {
  bucket.settings[kPublicAccessBlock] = write_document<ops::GetPublicAccessBlock>(
      {.public_access_block_configuration = shapes::PublicAccessBlockConfiguration{true, true, true, true}});
  bucket.settings[kOwnershipControls] = write_document<ops::GetBucketOwnershipControls>(
      {.ownership_controls = shapes::OwnershipControls{
           .rules = {{.object_ownership = ownership.value_or(std::string(kOwnerEnforced))}}}});
}

bool is_object_ownership(std::string_view ownership) {
  return ownership == kOwnerEnforced || ownership == "BucketOwnerPreferred" || ownership == "ObjectWriter";
}

Task<Bucket> read_bucket(Service& service, std::string name, std::optional<std::string> owner) {
  const auto snapshot = service.store().snapshot();
  co_return co_await require_bucket(*snapshot, std::move(name), std::move(owner));
}

Task<void> change_bucket(Service& service, std::string name, std::optional<std::string> owner,
                         std::function<void(Bucket& bucket)> change) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Bucket bucket = co_await require_bucket(txn, name, owner);
    change(bucket);
    save_bucket(txn, bucket);
  });
}

Task<void> drop_setting(Service& service, std::string name, std::optional<std::string> owner, const char* setting) {
  return change_bucket(service, std::move(name), std::move(owner),
                       [setting](Bucket& bucket) { bucket.settings.erase(setting); });
}

}  // namespace tidemill::s3
