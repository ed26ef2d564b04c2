#include "engine/mappings/failure_destination.h"

#include <limits>
#include <stdexcept>

#include "base/ordered.h"
#include "base/text.h"
#include "engine/mappings/mapping_events.h"
#include "engine/mappings/mapping_rights.h"
#include "engine/mappings/mapping_usage.h"
#include "engine/targets/bucket_target.h"
#include "engine/targets/queue_target.h"
#include "engine/targets/topic_target.h"
#include "wire/arn.h"

namespace tidemill::engine {

namespace {

constexpr uint8_t kFormatWithoutRole = 1;
constexpr uint8_t kFormat = 2;

// A document for a bucket has its batch, up to 6 MB, which is in memory about three times while it is sent.
constexpr size_t kDocumentsSentMax = 32;

// A destination that does not answer is tried for this long; one that refuses the document is given up at once.
constexpr base::Duration kAgeMax = std::chrono::hours(24);

// A delivery's payload: who tells, what its outcome is counted under, and the document.
struct Payload {
  std::string role;  // empty: the platform itself
  Mapping mapping;  // account, region, uuid, function_arn and count_events only
  uint64_t events = 0;
  std::string object_key;  // in a bucket; else empty
  std::string document;
};

std::string encode(const Payload& payload) {
  std::string out;
  base::append_u8(out, kFormat);
  base::append_string(out, payload.role);
  for (const std::string* text : {&payload.mapping.account, &payload.mapping.region, &payload.mapping.uuid,
                                  &payload.mapping.function_arn, &payload.object_key}) {
    base::append_string(out, *text);
  }
  base::append_u8(out, payload.mapping.count_events ? 1 : 0);
  base::append_u64(out, payload.events);
  base::append_fixed(out, payload.document);
  return out;
}

Payload decode(std::string_view bytes) {
  base::OrderedReader reader(bytes);
  Payload payload;
  const uint8_t format = reader.u8();
  if (format == kFormat) payload.role = reader.string();
  for (std::string* text : {&payload.mapping.account, &payload.mapping.region, &payload.mapping.uuid,
                            &payload.mapping.function_arn, &payload.object_key}) {
    *text = reader.string();
  }
  payload.mapping.count_events = reader.u8() != 0;
  payload.events = reader.u64();
  payload.document = reader.rest();
  const bool is_known = format == kFormat || format == kFormatWithoutRole;
  if (!is_known || !reader.ok()) throw std::runtime_error("a stored failure document is damaged");
  return payload;
}

store::RetryPolicy policy() {
  store::RetryPolicy policy;
  for (base::Duration delay = store::kUnavailableDelayFirst; delay < store::kUnavailableDelayMax; delay *= 2) {
    policy.delays.push_back(delay);
  }
  policy.delays.push_back(store::kUnavailableDelayMax);
  policy.attempts_max = std::numeric_limits<int>::max();
  policy.age_max = kAgeMax;
  return policy;
}

Task<store::SendOutcome> send(wire::Platform& platform, const store::Delivery& delivery) {
  Payload payload = decode(delivery.payload);
  const auto target = wire::parse_arn(delivery.target);
  const std::string_view service = target ? target->service : std::string_view();
  // What is on its way from before roles were kept is the platform's own.
  wire::Principal by = payload.role.empty() ? wire::Principal::platform()
                                            : session_of(std::move(payload.role), payload.mapping.function_arn);
  if (service == "sqs") {
    const QueueMessage message{.body = std::move(payload.document)};
    co_return co_await send_to_queue(platform, delivery.target, message, std::move(by));
  }
  if (service == "sns") {
    const TopicMessage message{.body = std::move(payload.document)};
    co_return co_await publish_to_topic(platform, delivery.target, message, std::move(by));
  }
  if (service == "s3") {
    const BucketObject object{
        .key = std::move(payload.object_key), .content_type = "application/json", .body = std::move(payload.document)};
    co_return co_await put_into_bucket(platform, delivery.target, object, std::move(by));
  }
  co_return store::SendOutcome{store::SendStatus::rejected, "nothing here takes failure documents for this ARN"};
}

// AWS: what did not arrive counts as dropped, and as one failure of the function's destination.
void count(wire::PlatformMetrics* usage, const store::Delivery& delivery, bool is_delivered) {
  if (usage == nullptr) return;
  const Payload payload = decode(delivery.payload);
  add_events(usage, payload.mapping, is_delivered ? kEventsAtDestination : kDroppedEvents, payload.events);
  if (is_delivered || goes_to_pipe(payload.mapping)) return;
  usage->add(kDestinationDeliveryFailures, payload.mapping.account, payload.mapping.region,
             function_name_in(payload.mapping.function_arn));
}

}  // namespace

bool is_bucket(std::string_view arn) { return wire::parse_arn_of("s3", arn).has_value(); }

std::optional<store::Delivery> failure_delivery(const Mapping& mapping, const DiscardedBatch& batch, base::Time now) {
  if (mapping.failure_destination.empty()) return std::nullopt;
  const bool to_bucket = is_bucket(mapping.failure_destination);
  Payload payload;
  payload.mapping.account = mapping.account;
  payload.mapping.region = mapping.region;
  payload.mapping.uuid = mapping.uuid;
  payload.mapping.function_arn = mapping.function_arn;
  payload.mapping.count_events = mapping.count_events;
  payload.events = batch.count;
  if (to_bucket) payload.object_key = failure_object_key(mapping, batch, now);
  payload.document = failure_document(mapping, batch, now, to_bucket);

  store::Delivery delivery;
  // A batch is given up once: the checkpoint passes its records in the same transaction.
  delivery.id = base::cat("mapping/", mapping.uuid, "/", batch.shard_id, "/", batch.first_sequence_number, "/",
                          batch.last_sequence_number, "/", batch.first.version.value, "-", batch.first.index);
  delivery.target_kind = kMappingFailureTarget;
  delivery.target = mapping.failure_destination;
  delivery.payload = encode(payload);
  delivery.policy = policy();
  return delivery;
}

Task<void> keep_teller(wire::Platform& platform, store::Delivery& delivery) {
  Payload payload = decode(delivery.payload);
  const auto who = co_await acting_for(platform, payload.mapping.uuid, payload.mapping.function_arn);
  const wire::Standing* standing = who ? who->standing() : nullptr;
  if (standing == nullptr) co_return;
  payload.role = standing->role_arn;
  delivery.payload = encode(payload);
}

std::string document_in(const store::Delivery& delivery) { return decode(delivery.payload).document; }

void add_failure_sender(Deliveries& deliveries, wire::Platform& platform, wire::PlatformMetrics* usage) {
  deliveries.send_with(
      kMappingFailureTarget, [&platform](const store::Delivery& delivery) { return send(platform, delivery); }, {},
      [usage](store::Transaction&, const store::Delivery& delivery,
              std::optional<store::GiveUpReason> reason) -> Task<void> {
        count(usage, delivery, !reason);
        co_return;
      },
      {.concurrent_max = kDocumentsSentMax});
}

}  // namespace tidemill::engine
