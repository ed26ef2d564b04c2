// Every operation of S3, each in the file of its name or of its family. Shapes: models/s3.smithy; docs/s3.md says what works.
#pragma once

#include "base/task.h"
#include "services/s3/service.h"
#include "wire/context.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

namespace shapes = wire::s3;

// Name(Service&, Context&, const NameInput&) -> NameOutput. Outputs that are empty have no shape of their own.
#define TIDEMILL_S3_OPERATION(function, Name) \
  Task<shapes::ops::Name::Response> function(Service&, wire::Context&, const shapes::ops::Name::Request&)

// Buckets.
TIDEMILL_S3_OPERATION(list_buckets, ListBuckets);
TIDEMILL_S3_OPERATION(create_bucket, CreateBucket);
TIDEMILL_S3_OPERATION(head_bucket, HeadBucket);
TIDEMILL_S3_OPERATION(delete_bucket, DeleteBucket);
TIDEMILL_S3_OPERATION(get_bucket_location, GetBucketLocation);

// Objects.
TIDEMILL_S3_OPERATION(put_object, PutObject);
TIDEMILL_S3_OPERATION(post_object, PostObject);
TIDEMILL_S3_OPERATION(get_object, GetObject);
TIDEMILL_S3_OPERATION(head_object, HeadObject);
TIDEMILL_S3_OPERATION(delete_object, DeleteObject);
TIDEMILL_S3_OPERATION(delete_objects, DeleteObjects);
TIDEMILL_S3_OPERATION(copy_object, CopyObject);
TIDEMILL_S3_OPERATION(select_object_content, SelectObjectContent);
TIDEMILL_S3_OPERATION(get_object_attributes, GetObjectAttributes);

// Listings.
TIDEMILL_S3_OPERATION(list_objects, ListObjects);
TIDEMILL_S3_OPERATION(list_objects_v2, ListObjectsV2);
TIDEMILL_S3_OPERATION(list_object_versions, ListObjectVersions);

// Uploads in parts.
TIDEMILL_S3_OPERATION(create_multipart_upload, CreateMultipartUpload);
TIDEMILL_S3_OPERATION(upload_part, UploadPart);
TIDEMILL_S3_OPERATION(upload_part_copy, UploadPartCopy);
TIDEMILL_S3_OPERATION(complete_multipart_upload, CompleteMultipartUpload);
TIDEMILL_S3_OPERATION(abort_multipart_upload, AbortMultipartUpload);
TIDEMILL_S3_OPERATION(list_parts, ListParts);
TIDEMILL_S3_OPERATION(list_multipart_uploads, ListMultipartUploads);

// Tags.
TIDEMILL_S3_OPERATION(put_object_tagging, PutObjectTagging);
TIDEMILL_S3_OPERATION(get_object_tagging, GetObjectTagging);
TIDEMILL_S3_OPERATION(delete_object_tagging, DeleteObjectTagging);
TIDEMILL_S3_OPERATION(put_bucket_tagging, PutBucketTagging);
TIDEMILL_S3_OPERATION(get_bucket_tagging, GetBucketTagging);
TIDEMILL_S3_OPERATION(delete_bucket_tagging, DeleteBucketTagging);

// Settings of buckets.
TIDEMILL_S3_OPERATION(put_bucket_versioning, PutBucketVersioning);
TIDEMILL_S3_OPERATION(get_bucket_versioning, GetBucketVersioning);
TIDEMILL_S3_OPERATION(put_bucket_cors, PutBucketCors);
TIDEMILL_S3_OPERATION(get_bucket_cors, GetBucketCors);
TIDEMILL_S3_OPERATION(delete_bucket_cors, DeleteBucketCors);
TIDEMILL_S3_OPERATION(put_bucket_lifecycle_configuration, PutBucketLifecycleConfiguration);
TIDEMILL_S3_OPERATION(get_bucket_lifecycle_configuration, GetBucketLifecycleConfiguration);
TIDEMILL_S3_OPERATION(delete_bucket_lifecycle, DeleteBucketLifecycle);
TIDEMILL_S3_OPERATION(put_bucket_notification_configuration, PutBucketNotificationConfiguration);
TIDEMILL_S3_OPERATION(get_bucket_notification_configuration, GetBucketNotificationConfiguration);
TIDEMILL_S3_OPERATION(put_bucket_policy, PutBucketPolicy);
TIDEMILL_S3_OPERATION(get_bucket_policy, GetBucketPolicy);
TIDEMILL_S3_OPERATION(delete_bucket_policy, DeleteBucketPolicy);
TIDEMILL_S3_OPERATION(get_bucket_policy_status, GetBucketPolicyStatus);
TIDEMILL_S3_OPERATION(put_public_access_block, PutPublicAccessBlock);
TIDEMILL_S3_OPERATION(get_public_access_block, GetPublicAccessBlock);
TIDEMILL_S3_OPERATION(delete_public_access_block, DeletePublicAccessBlock);
TIDEMILL_S3_OPERATION(put_bucket_ownership_controls, PutBucketOwnershipControls);
TIDEMILL_S3_OPERATION(get_bucket_ownership_controls, GetBucketOwnershipControls);
TIDEMILL_S3_OPERATION(delete_bucket_ownership_controls, DeleteBucketOwnershipControls);
TIDEMILL_S3_OPERATION(put_bucket_encryption, PutBucketEncryption);
TIDEMILL_S3_OPERATION(get_bucket_encryption, GetBucketEncryption);
TIDEMILL_S3_OPERATION(delete_bucket_encryption, DeleteBucketEncryption);
TIDEMILL_S3_OPERATION(put_bucket_acl, PutBucketAcl);
TIDEMILL_S3_OPERATION(get_bucket_acl, GetBucketAcl);
TIDEMILL_S3_OPERATION(put_object_acl, PutObjectAcl);
TIDEMILL_S3_OPERATION(get_object_acl, GetObjectAcl);

// Locks.
TIDEMILL_S3_OPERATION(put_object_lock_configuration, PutObjectLockConfiguration);
TIDEMILL_S3_OPERATION(get_object_lock_configuration, GetObjectLockConfiguration);
TIDEMILL_S3_OPERATION(put_object_retention, PutObjectRetention);
TIDEMILL_S3_OPERATION(get_object_retention, GetObjectRetention);
TIDEMILL_S3_OPERATION(put_object_legal_hold, PutObjectLegalHold);
TIDEMILL_S3_OPERATION(get_object_legal_hold, GetObjectLegalHold);

// Websites.
TIDEMILL_S3_OPERATION(put_bucket_website, PutBucketWebsite);
TIDEMILL_S3_OPERATION(get_bucket_website, GetBucketWebsite);
TIDEMILL_S3_OPERATION(delete_bucket_website, DeleteBucketWebsite);

// Settings that no bucket has here.
TIDEMILL_S3_OPERATION(get_bucket_accelerate_configuration, GetBucketAccelerateConfiguration);
TIDEMILL_S3_OPERATION(get_bucket_logging, GetBucketLogging);
TIDEMILL_S3_OPERATION(put_bucket_inventory_configuration, PutBucketInventoryConfiguration);
TIDEMILL_S3_OPERATION(get_bucket_inventory_configuration, GetBucketInventoryConfiguration);
TIDEMILL_S3_OPERATION(list_bucket_inventory_configurations, ListBucketInventoryConfigurations);
TIDEMILL_S3_OPERATION(delete_bucket_inventory_configuration, DeleteBucketInventoryConfiguration);
TIDEMILL_S3_OPERATION(put_bucket_logging, PutBucketLogging);
TIDEMILL_S3_OPERATION(get_bucket_request_payment, GetBucketRequestPayment);
TIDEMILL_S3_OPERATION(get_bucket_replication, GetBucketReplication);

#undef TIDEMILL_S3_OPERATION

// Which requests are measured: metrics_configurations.cc.
Task<shapes::ops::PutBucketMetricsConfiguration::Response> put_bucket_metrics_configuration(
    Service&, wire::Context&, const shapes::PutBucketMetricsConfigurationInput&);
Task<shapes::GetBucketMetricsConfigurationOutput> get_bucket_metrics_configuration(
    Service&, wire::Context&, const shapes::GetBucketMetricsConfigurationInput&);
Task<shapes::ListBucketMetricsConfigurationsOutput> list_bucket_metrics_configurations(
    Service&, wire::Context&, const shapes::ListBucketMetricsConfigurationsInput&);
Task<shapes::ops::DeleteBucketMetricsConfiguration::Response> delete_bucket_metrics_configuration(
    Service&, wire::Context&, const shapes::DeleteBucketMetricsConfigurationInput&);

}  // namespace tidemill::s3
