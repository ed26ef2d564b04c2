// What a topic is, and how it is kept: KeySpace::resource, (account, region, "sns", "topic", name), as JSON.
//
// Whoever publishes reads the record, so that deleting a topic, which erases it, ends what is published at the same
// moment one way or the other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "services/sns/address.h"
#include "services/sns/backoff_policy.h"
#include "services/sns/delivery_policy.h"
#include "store/store.h"

namespace tidemill::sns {

inline constexpr size_t kTopicIdSize = 16;

using AttributeMap = std::map<std::string, std::string>;

struct Topic {
  TopicAddress address;
  std::string id;  // kTopicIdSize random bytes: a topic that is made again has another
  base::Time created;
  AttributeMap attributes;  // those that were set
  std::map<std::string, std::string> tags;

  // Of the attributes.
  bool content_based_deduplication = false;
  bool deduplicates_by_group = false;
  int signature_version = 1;
  std::string kms_key;  // encrypts messages; empty: none
  DeliveryPolicy delivery_policy;
  std::optional<BackoffPolicy> backoff;  // it holds back (backoff.h)

  [[nodiscard]] bool is_fifo() const { return address.is_fifo(); }
};

[[nodiscard]] std::string new_topic_id();
[[nodiscard]] std::string topic_key(const TopicAddress& address);
[[nodiscard]] store::Range topics_range(std::string_view account, std::string_view region);
// Nothing: the key is not one of a topic.
[[nodiscard]] std::optional<TopicAddress> topic_of_key(std::string_view key);

[[nodiscard]] std::string encode_topic(const Topic& topic);
// Throws std::runtime_error if `bytes` are damaged.
[[nodiscard]] Topic decode_topic(TopicAddress address, std::string_view bytes);

// Nothing: there is no such topic. The read is tracked if `reader` is a transaction.
Task<std::optional<Topic>> find_topic(store::Snapshot& reader, TopicAddress address);
// The same; throws NotFound.
Task<Topic> load_topic(store::Snapshot& reader, TopicAddress address);

}  // namespace tidemill::sns
