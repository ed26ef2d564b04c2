// Events of a bucket: what happens to its objects is told to queues, topics and functions, by deliveries that are enqueued
// in the transaction in which it happens. S3 User Guide, "Amazon S3 Event Notifications".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "services/s3/bucket.h"
#include "services/s3/object.h"
#include "store/store.h"
#include "wire/context.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

struct ObjectEvent {
  std::string name;  // without "s3:": "ObjectCreated:Put"
  std::string key;
  std::optional<uint64_t> size;
  std::string etag;     // empty: not told
  std::string version;
  uint64_t sequence = 0;
};

[[nodiscard]] ObjectEvent created_event(std::string name, std::string key, const Object& object);
// `sequence` of the deletion.
[[nodiscard]] ObjectEvent removed_event(std::string name, std::string key, const Object& object, uint64_t sequence);

// Enqueues what the bucket's configuration asks for.
Task<void> announce(store::Transaction& txn, const wire::Context& context, const Bucket& bucket, ObjectEvent event);
// The same for what the platform itself does, when a rule says so.
Task<void> announce(store::Transaction& txn, base::Time now, std::string request_id, const Bucket& bucket, ObjectEvent event);

// When, and at whose request.
struct Occasion {
  base::Time now;
  std::string request_id;
  std::string principal;
  std::string source_ip;
  std::string trace_header = {};
};

// The document that targets receive.
[[nodiscard]] std::string event_document(const Bucket& bucket, const ObjectEvent& event, std::string_view configuration_id,
                                         const Occasion& occasion);

// Whether an event's name is of a configured type, "s3:ObjectCreated:*" say.
[[nodiscard]] bool is_event_of(std::string_view type, std::string_view name);
// Whether a key passes a filter.
[[nodiscard]] bool passes(const std::optional<wire::s3::NotificationConfigurationFilter>& filter, std::string_view key);

}  // namespace tidemill::s3
