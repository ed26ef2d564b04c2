#include "services/s3/inventory.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "services/s3/errors.h"
#include "services/s3/lifecycle.h"
#include "services/s3/settings_document.h"

namespace tidemill::s3 {
namespace {

using wire::s3::InventoryConfiguration;

constexpr std::string_view kBucketArn = "arn:aws:s3:::";
// In the order in which reports have them.
constexpr std::string_view kFields[] = {"Size",
                                        "LastModifiedDate",
                                        "ETag",
                                        "StorageClass",
                                        "IsMultipartUploaded",
                                        "ReplicationStatus",
                                        "EncryptionStatus",
                                        "ObjectLockRetainUntilDate",
                                        "ObjectLockMode",
                                        "ObjectLockLegalHoldStatus",
                                        "IntelligentTieringAccessTier",
                                        "BucketKeyStatus",
                                        "ChecksumAlgorithm"};
constexpr std::string_view kFieldsNotHere[] = {"ObjectAccessControlList", "ObjectOwner", "LifecycleExpirationDate"};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::vector<InventoryConfiguration> inventory_configurations(const Bucket& bucket) {
  std::vector<InventoryConfiguration> result;
  for (auto at = bucket.settings.lower_bound(std::string(kInventorySettings));
       at != bucket.settings.end() && at->first.starts_with(kInventorySettings); ++at) {
    result.push_back(read_document<wire::s3::ops::PutBucketInventoryConfiguration>(at->second).inventory_configuration);
  }
  return result;
}

void check_inventory(const InventoryConfiguration& configuration) {
  const auto& target = configuration.destination.s3_bucket_destination;
  if (is_one_of(target.format, {"ORC", "Parquet"})) {
    throw errors::not_implemented(base::cat("inventories in the format ", target.format));
  }
  if (target.encryption && target.encryption->ssekms) throw errors::not_implemented("inventories encrypted with keys");
  if (target.format != "CSV" || !is_one_of(configuration.included_object_versions, {"All", "Current"}) ||
      !is_one_of(configuration.schedule.frequency, {"Daily", "Weekly"})) {
    throw errors::malformed_xml();
  }
  if (!target.bucket.starts_with(kBucketArn)) {
    throw errors::error("InvalidS3DestinationBucket", 400, "Invalid bucket ARN.");
  }
  if (!configuration.optional_fields) return;
  for (const std::string& field : *configuration.optional_fields) {
    if (std::ranges::find(kFieldsNotHere, field) != std::end(kFieldsNotHere)) {
      throw errors::not_implemented(base::cat("the field ", field, " of inventories"));
    }
    if (std::ranges::find(kFields, field) == std::end(kFields)) throw errors::malformed_xml();
  }
}

std::vector<std::string> inventory_columns(const InventoryConfiguration& configuration) {
  std::vector<std::string> columns{"Bucket", "Key"};
  if (configuration.included_object_versions == "All") {
    for (const char* column : {"VersionId", "IsLatest", "IsDeleteMarker"}) columns.emplace_back(column);
  }
  for (const std::string_view field : kFields) {
    const auto& wanted = configuration.optional_fields;
    if (wanted && std::ranges::find(*wanted, field) != wanted->end()) columns.emplace_back(field);
  }
  return columns;
}

Task<void> schedule_inventory(store::Transaction& txn, const Bucket& bucket, base::Time now) {
  const auto configurations = inventory_configurations(bucket);
  if (std::ranges::none_of(configurations, &InventoryConfiguration::is_enabled)) {
    co_await store::cancel_timer(txn, kInventoryTimer, bucket.id);
    co_return;
  }
  co_await store::set_timer(txn, {.kind = std::string(kInventoryTimer.name),
                                  .id = bucket.id,
                                  .due = midnight_after(now, 0),
                                  .payload = bucket.name});
}

}  // namespace tidemill::s3
