#include "services/s3/notifications.h"

#include "base/json.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/targets/bus_target.h"
#include "services/s3/listing.h"
#include "services/s3/notification_targets.h"
#include "services/s3/settings_document.h"
#include "services/s3/words.h"
#include "store/delivery.h"

namespace tidemill::s3 {
namespace {

namespace shapes = wire::s3;

constexpr std::string_view kPrefix = "s3:";
constexpr std::string_view kDeleted = "Object Deleted";
constexpr int kSequencerDigits = 18;
constexpr std::string_view kService = "s3.amazonaws.com";  // where the platform itself is the cause

std::string sequencer_of(const ObjectEvent& event) {
  std::string sequencer = base::hex(event.sequence, kSequencerDigits);
  for (char& c : sequencer) c = static_cast<char>(c >= 'a' ? c - 32 : c);
  return sequencer;
}

// What EventBridge calls an event, and the request that it names as the reason.
std::string_view bus_detail_type(std::string_view name) {
  if (name.starts_with("ObjectCreated:")) return "Object Created";
  if (name == "ObjectTagging:Put") return "Object Tags Added";
  return name == "ObjectTagging:Delete" ? "Object Tags Deleted" : kDeleted;
}
std::string_view bus_reason(std::string_view name) {
  if (name == "ObjectCreated:Put") return "PutObject";
  if (name == "ObjectCreated:Post") return "POST Object";
  if (name == "ObjectCreated:Copy") return "CopyObject";
  if (name == "ObjectCreated:CompleteMultipartUpload") return "CompleteMultipartUpload";
  if (name.starts_with("ObjectRemoved:")) return "DeleteObject";
  return name.starts_with("LifecycleExpiration:") ? "Lifecycle Expiration" : "";
}

std::string bus_event_detail(const Bucket& bucket, const ObjectEvent& event, const Occasion& occasion) {
  json::Object object{{"key", event.key}};
  if (event.size) object.set("size", *event.size);
  if (!event.etag.empty()) object.set("etag", event.etag);
  if (bucket.versioning != Versioning::never) object.set("version-id", event.version);
  object.set("sequencer", sequencer_of(event));
  const bool is_by_platform = occasion.principal == kService;
  json::Object detail{{"version", "0"},
                      {"bucket", json::Object{{"name", bucket.name}}},
                      {"object", std::move(object)},
                      {"request-id", occasion.request_id},
                      {"requester", is_by_platform ? std::string(kService) : bucket.account}};
  if (!is_by_platform) detail.set("source-ip-address", occasion.source_ip);
  if (const std::string_view reason = bus_reason(event.name); !reason.empty()) detail.set("reason", reason);
  if (bus_detail_type(event.name) == kDeleted) {
    detail.set("deletion-type",
               event.name.ends_with("DeleteMarkerCreated") ? "Delete Marker Created" : "Permanently Deleted");
  }
  return json::write(detail);
}

Task<void> tell(store::Transaction& txn, const Bucket& bucket, const ObjectEvent& event, const Occasion& occasion,
                TargetKind kind, std::string target, std::string configuration_id) {
  std::string document =
      event_document(bucket, event, configuration_id, occasion);
  store::Delivery delivery = delivery_to(kind, bucket, std::move(target), std::move(document));
  delivery.trace_header = occasion.trace_header;
  co_await store::enqueue_delivery(txn, std::move(delivery), occasion.now);
}

// The account's default bus, which gets every event of the bucket.
Task<void> tell_bus(store::Transaction& txn, const Bucket& bucket, const ObjectEvent& event, const Occasion& occasion) {
  co_await engine::tell_default_bus(txn, bucket.account, bucket.region, occasion.now, [&] {
    return engine::BusEvent{.source = "aws.s3",
                            .detail_type = std::string(bus_detail_type(event.name)),
                            .resource = "arn:aws:s3:::" + bucket.name,
                            .detail = bus_event_detail(bucket, event, occasion),
                            .trace_header = occasion.trace_header};
  });
}

Task<void> announce_to_all(store::Transaction& txn, const Bucket& bucket, const ObjectEvent& event,
                           const Occasion& occasion) {
  const std::string* document = bucket.setting(kNotification);
  if (!document) co_return;
  const auto configuration =
      read_document<shapes::ops::PutBucketNotificationConfiguration>(*document).notification_configuration;
  const auto wants = [&](const auto& each) {
    for (const std::string& type : each.events) {
      if (is_event_of(type, event.name)) return passes(each.filter, event.key);
    }
    return false;
  };
  if (configuration.event_bridge_configuration) co_await tell_bus(txn, bucket, event, occasion);
  if (configuration.queue_configurations) {
    for (const auto& each : *configuration.queue_configurations) {
      if (wants(each))
        co_await tell(txn, bucket, event, occasion, TargetKind::queue, each.queue_arn, each.id.value_or(""));
    }
  }
  if (configuration.topic_configurations) {
    for (const auto& each : *configuration.topic_configurations) {
      if (wants(each))
        co_await tell(txn, bucket, event, occasion, TargetKind::topic, each.topic_arn, each.id.value_or(""));
    }
  }
  if (configuration.lambda_function_configurations) {
    for (const auto& each : *configuration.lambda_function_configurations) {
      if (wants(each))
        co_await tell(txn, bucket, event, occasion, TargetKind::function, each.lambda_function_arn, each.id.value_or(""));
    }
  }
}

}  // namespace

ObjectEvent created_event(std::string name, std::string key, const Object& object) {
  return {std::move(name), std::move(key), object.size, object.etag, object.version, object.sequence};
}

ObjectEvent removed_event(std::string name, std::string key, const Object& object, uint64_t sequence) {
  return {std::move(name), std::move(key), std::nullopt, "", object.version, sequence};
}

bool is_event_of(std::string_view type, std::string_view name) {
  if (!type.starts_with(kPrefix)) return false;
  type.remove_prefix(kPrefix.size());
  if (type.ends_with('*')) return name.starts_with(type.substr(0, type.size() - 1));
  return type == name;
}

bool passes(const std::optional<shapes::NotificationConfigurationFilter>& filter, std::string_view key) {
  if (!filter || !filter->key || !filter->key->filter_rules) return true;
  for (const auto& rule : *filter->key->filter_rules) {
    const std::string& value = rule.value.value_or("");
    const bool is_prefix = lower(rule.name.value_or("")) == "prefix";
    if (is_prefix ? !key.starts_with(value) : !key.ends_with(value)) return false;
  }
  return true;
}

std::string event_document(const Bucket& bucket, const ObjectEvent& event, std::string_view configuration_id,
                           const Occasion& occasion) {
  json::Object object{{"key", encode_key(event.key)}};
  if (event.size) object.set("size", *event.size);
  if (!event.etag.empty()) object.set("eTag", event.etag);
  if (bucket.versioning != Versioning::never) object.set("versionId", event.version);
  const bool is_of_tags = event.name.starts_with("ObjectTagging:");
  if (!is_of_tags) object.set("sequencer", sequencer_of(event));
  const std::string owner = canonical_id(bucket.account);
  json::Object record{
      {"eventVersion", is_of_tags ? "2.3" : "2.1"},
      {"eventSource", "aws:s3"},
      {"awsRegion", bucket.region},
      {"eventTime", base::iso_milliseconds(occasion.now) + "Z"},
      {"eventName", event.name},
      {"userIdentity", json::Object{{"principalId", occasion.principal}}},
      {"requestParameters", json::Object{{"sourceIPAddress", occasion.source_ip}}},
      {"responseElements", json::Object{{"x-amz-request-id", occasion.request_id}, {"x-amz-id-2", occasion.request_id}}},
      {"s3", json::Object{{"s3SchemaVersion", "1.0"},
                          {"configurationId", configuration_id},
                          {"bucket", json::Object{{"name", bucket.name},
                                                  {"ownerIdentity", json::Object{{"principalId", owner}}},
                                                  {"arn", "arn:aws:s3:::" + bucket.name}}},
                          {"object", std::move(object)}}}};
  return json::write(json::Object{{"Records", json::Array{std::move(record)}}});
}

Task<void> announce(store::Transaction& txn, const wire::Context& context, const Bucket& bucket, ObjectEvent event) {
  if (!bucket.setting(kNotification)) co_return;
  const Occasion occasion{context.now(), context.request_id, "AWS:" + context.principal.name(),
                          context.source_ip.empty() ? std::string(kService) : context.source_ip, context.trace_header};
  co_await announce_to_all(txn, bucket, event, occasion);
}

Task<void> announce(store::Transaction& txn, base::Time now, std::string request_id, const Bucket& bucket,
                    ObjectEvent event) {
  if (!bucket.setting(kNotification)) co_return;
  const Occasion occasion{now, std::move(request_id), std::string(kService), std::string(kService)};
  co_await announce_to_all(txn, bucket, event, occasion);
}

}  // namespace tidemill::s3
