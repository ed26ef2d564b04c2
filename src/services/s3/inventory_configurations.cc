// Which inventories of a bucket are written.
#include "services/s3/bucket_settings.h"
#include "services/s3/inventory.h"
#include "services/s3/kept_configurations.h"
#include "services/s3/operations.h"

namespace tidemill::s3 {
namespace {

namespace ops = shapes::ops;

std::string setting_of(const std::string& id) { return std::string(kInventorySettings) + id; }

// With the timer that the bucket's configurations then need.
Task<void> change_inventories(Service& service, wire::Context& context, std::string name,
                              std::optional<std::string> owner, std::function<void(Bucket& bucket)> change) {
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Bucket bucket = co_await require_bucket(txn, name, owner);
    change(bucket);
    save_bucket(txn, bucket);
    co_await schedule_inventory(txn, bucket, context.now());
  });
}

}  // namespace

Task<ops::PutBucketInventoryConfiguration::Response> put_bucket_inventory_configuration(
    Service& service, wire::Context& context, const shapes::PutBucketInventoryConfigurationInput& request) {
  check_configuration_id(request.id, request.inventory_configuration.id);
  check_inventory(request.inventory_configuration);
  co_await change_inventories(service, context, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    keep_configuration(bucket, kInventorySettings, request.id,
                       write_document<ops::GetBucketInventoryConfiguration>(
                           {.inventory_configuration = request.inventory_configuration}));
  });
  co_return shapes::PutBucketInventoryConfigurationOutput{};
}

Task<shapes::GetBucketInventoryConfigurationOutput> get_bucket_inventory_configuration(
    Service& service, wire::Context&, const shapes::GetBucketInventoryConfigurationInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  const std::string name = setting_of(request.id);
  const auto stored =
      require_setting<ops::PutBucketInventoryConfiguration>(bucket, name.c_str(), no_such_configuration());
  co_return shapes::GetBucketInventoryConfigurationOutput{.inventory_configuration = stored.inventory_configuration};
}

Task<shapes::ListBucketInventoryConfigurationsOutput> list_bucket_inventory_configurations(
    Service& service, wire::Context&, const shapes::ListBucketInventoryConfigurationsInput& request) {
  const Bucket bucket = co_await read_bucket(service, request.bucket, request.expected_bucket_owner);
  using Output = shapes::ListBucketInventoryConfigurationsOutput;
  co_return show_configurations<Output>(inventory_configurations(bucket), request.continuation_token,
                                        &Output::inventory_configuration_list);
}

Task<ops::DeleteBucketInventoryConfiguration::Response> delete_bucket_inventory_configuration(
    Service& service, wire::Context& context, const shapes::DeleteBucketInventoryConfigurationInput& request) {
  co_await change_inventories(service, context, request.bucket, request.expected_bucket_owner, [&](Bucket& bucket) {
    if (bucket.settings.erase(setting_of(request.id)) == 0) throw no_such_configuration();
  });
  co_return shapes::DeleteBucketInventoryConfigurationOutput{};
}

}  // namespace tidemill::s3
