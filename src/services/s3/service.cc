#include "services/s3/service.h"

#include "services/s3/inventory.h"
#include "services/s3/lifecycle.h"
#include "services/s3/notification_targets.h"
#include "services/s3/operations.h"
#include "services/s3/request_metrics.h"
#include "services/s3/storage_metrics.h"

namespace tidemill::s3 {
namespace {

template <class Op>
using Handler = Task<typename Op::Response> (*)(Service&, wire::Context&, const typename Op::Request&);

// Carries out a request to a bucket, and measures it where the bucket's configurations mean it.
template <class Op>
Task<typename Op::Response> carry_out_measured(Service& service, Handler<Op> handler, wire::Context& context,
                                               const typename Op::Request& request) {
  std::string_view key;
  if constexpr (requires { request.key.size(); }) key = request.key;
  else if constexpr (requires { request.key->size(); })
    key = request.key ? std::string_view(*request.key) : std::string_view();
  std::optional<uint64_t> uploaded;
  if constexpr (requires { request.body.length(); }) uploaded = request.body.length();
  const RequestMeter meter(context, Op::info, request.bucket, key);
  std::vector<std::string> filters = co_await service.request_metrics().filters_of(request.bucket, key);
  if (filters.empty()) co_return co_await handler(service, context, request);
  try {
    typename Op::Response response = co_await handler(service, context, request);
    if constexpr (requires { response.body.trailers(); }) {
      response.body = meter.downloading(std::move(response.body), std::move(filters));
    } else {
      meter.succeeded(std::move(filters), uploaded);
    }
    co_return response;
  } catch (...) {
    meter.failed(filters);
    throw;
  }
}

}  // namespace

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      if constexpr (requires { request.bucket; }) {
        if (context.platform().usage && request_metrics_.may_apply()) {
          return carry_out_measured<Op>(*this, handler, context, request);
        }
      }
      return handler(*this, context, request);
    });
  };
  add(ops::ListBuckets{}, list_buckets);
  add(ops::CreateBucket{}, create_bucket);
  add(ops::HeadBucket{}, head_bucket);
  add(ops::DeleteBucket{}, delete_bucket);
  add(ops::GetBucketLocation{}, get_bucket_location);
  add(ops::PutObject{}, put_object);
  add(ops::PostObject{}, post_object);
  add(ops::GetObject{}, get_object);
  add(ops::HeadObject{}, head_object);
  add(ops::DeleteObject{}, delete_object);
  add(ops::DeleteObjects{}, delete_objects);
  add(ops::CopyObject{}, copy_object);
  add(ops::SelectObjectContent{}, select_object_content);
  add(ops::GetObjectAttributes{}, get_object_attributes);
  add(ops::ListObjects{}, list_objects);
  add(ops::ListObjectsV2{}, list_objects_v2);
  add(ops::ListObjectVersions{}, list_object_versions);
  add(ops::CreateMultipartUpload{}, create_multipart_upload);
  add(ops::UploadPart{}, upload_part);
  add(ops::UploadPartCopy{}, upload_part_copy);
  add(ops::CompleteMultipartUpload{}, complete_multipart_upload);
  add(ops::AbortMultipartUpload{}, abort_multipart_upload);
  add(ops::ListParts{}, list_parts);
  add(ops::ListMultipartUploads{}, list_multipart_uploads);
  add(ops::PutObjectTagging{}, put_object_tagging);
  add(ops::GetObjectTagging{}, get_object_tagging);
  add(ops::DeleteObjectTagging{}, delete_object_tagging);
  add(ops::PutBucketTagging{}, put_bucket_tagging);
  add(ops::GetBucketTagging{}, get_bucket_tagging);
  add(ops::DeleteBucketTagging{}, delete_bucket_tagging);
  add(ops::PutBucketVersioning{}, put_bucket_versioning);
  add(ops::GetBucketVersioning{}, get_bucket_versioning);
  add(ops::PutBucketCors{}, put_bucket_cors);
  add(ops::GetBucketCors{}, get_bucket_cors);
  add(ops::DeleteBucketCors{}, delete_bucket_cors);
  add(ops::PutBucketLifecycleConfiguration{}, put_bucket_lifecycle_configuration);
  add(ops::GetBucketLifecycleConfiguration{}, get_bucket_lifecycle_configuration);
  add(ops::DeleteBucketLifecycle{}, delete_bucket_lifecycle);
  add(ops::PutBucketNotificationConfiguration{}, put_bucket_notification_configuration);
  add(ops::GetBucketNotificationConfiguration{}, get_bucket_notification_configuration);
  add(ops::PutBucketPolicy{}, put_bucket_policy);
  add(ops::GetBucketPolicy{}, get_bucket_policy);
  add(ops::DeleteBucketPolicy{}, delete_bucket_policy);
  add(ops::GetBucketPolicyStatus{}, get_bucket_policy_status);
  add(ops::PutPublicAccessBlock{}, put_public_access_block);
  add(ops::GetPublicAccessBlock{}, get_public_access_block);
  add(ops::PutBucketMetricsConfiguration{}, put_bucket_metrics_configuration);
  add(ops::GetBucketMetricsConfiguration{}, get_bucket_metrics_configuration);
  add(ops::ListBucketMetricsConfigurations{}, list_bucket_metrics_configurations);
  add(ops::DeleteBucketMetricsConfiguration{}, delete_bucket_metrics_configuration);
  add(ops::PutBucketInventoryConfiguration{}, put_bucket_inventory_configuration);
  add(ops::GetBucketInventoryConfiguration{}, get_bucket_inventory_configuration);
  add(ops::ListBucketInventoryConfigurations{}, list_bucket_inventory_configurations);
  add(ops::DeleteBucketInventoryConfiguration{}, delete_bucket_inventory_configuration);
  add(ops::DeletePublicAccessBlock{}, delete_public_access_block);
  add(ops::PutBucketOwnershipControls{}, put_bucket_ownership_controls);
  add(ops::GetBucketOwnershipControls{}, get_bucket_ownership_controls);
  add(ops::DeleteBucketOwnershipControls{}, delete_bucket_ownership_controls);
  add(ops::PutBucketEncryption{}, put_bucket_encryption);
  add(ops::GetBucketEncryption{}, get_bucket_encryption);
  add(ops::DeleteBucketEncryption{}, delete_bucket_encryption);
  add(ops::PutBucketAcl{}, put_bucket_acl);
  add(ops::GetBucketAcl{}, get_bucket_acl);
  add(ops::PutObjectAcl{}, put_object_acl);
  add(ops::GetObjectAcl{}, get_object_acl);
  add(ops::GetBucketAccelerateConfiguration{}, get_bucket_accelerate_configuration);
  add(ops::GetBucketLogging{}, get_bucket_logging);
  add(ops::PutBucketLogging{}, put_bucket_logging);
  add(ops::GetBucketRequestPayment{}, get_bucket_request_payment);
  add(ops::GetBucketReplication{}, get_bucket_replication);
  add(ops::PutBucketWebsite{}, put_bucket_website);
  add(ops::GetBucketWebsite{}, get_bucket_website);
  add(ops::DeleteBucketWebsite{}, delete_bucket_website);
  add(ops::PutObjectLockConfiguration{}, put_object_lock_configuration);
  add(ops::GetObjectLockConfiguration{}, get_object_lock_configuration);
  add(ops::PutObjectRetention{}, put_object_retention);
  add(ops::GetObjectRetention{}, get_object_retention);
  add(ops::PutObjectLegalHold{}, put_object_legal_hold);
  add(ops::GetObjectLegalHold{}, get_object_legal_hold);
  registry.refuse(shapes::refused_operations());
}

void Service::register_timers(engine::TimerService& timers, wire::PlatformMetrics* usage) {
  timers.handle(kStorageTimer, [this, usage](const store::Timer& timer) { return measure_storage(*this, usage, timer); },
                {.purpose = base::Purpose::housekeeping});
  timers.handle(kLifecycleTimer, [this](const store::Timer& timer) { return run_lifecycle(*this, timer); },
                {.purpose = base::Purpose::housekeeping});
}

void Service::register_inventories(engine::TimerService& timers, wire::Platform& platform) {
  timers.handle(kInventoryTimer,
                [this, &platform](const store::Timer& timer) { return run_inventory(*this, platform, timer); },
                {.purpose = base::Purpose::housekeeping});
}

void Service::register_senders(engine::Deliveries& deliveries, wire::Platform& platform) {
  deliveries.send_with(kEventTarget,
                       [&platform](const store::Delivery& delivery) { return send_event(platform, delivery); });
  deliveries.send_with(kTopicTarget,
                       [&platform](const store::Delivery& delivery) { return publish_event(platform, delivery); });
}

}  // namespace tidemill::s3
