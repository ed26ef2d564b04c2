#include "services/sns/topic.h"

#include <openssl/rand.h>

#include <stdexcept>

#include "base/json_members.h"
#include "services/sns/errors.h"
#include "services/sns/topic_attributes.h"
#include "store/resources.h"

namespace tidemill::sns {
namespace {

constexpr store::ResourceType kTopics{"sns", "topic"};

constexpr auto kTopicMembers = [](auto& member, auto& topic) {
  member.bytes("id", topic.id);
  member.check(topic.id.size() == kTopicIdSize, "id");
  member("created_us", topic.created);
  member("attributes", topic.attributes);
  member("tags", topic.tags);
};

}  // namespace

std::string new_topic_id() {
  std::string id(kTopicIdSize, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(id.data()), static_cast<int>(id.size())) != 1) {
    throw std::runtime_error("no random bytes");
  }
  return id;
}

std::string topic_key(const TopicAddress& address) {
  return store::resource_key(kTopics, address.account, address.region, address.name);
}

store::Range topics_range(std::string_view account, std::string_view region) {
  return store::resources_range(kTopics, account, region);
}

std::optional<TopicAddress> topic_of_key(std::string_view key) {
  auto found = store::resource_of_key(kTopics, key);
  if (!found) return std::nullopt;
  return TopicAddress{std::move(found->account), std::move(found->region), std::move(found->name)};
}

std::string encode_topic(const Topic& topic) { return json::encode(topic, kTopicMembers); }

Topic decode_topic(TopicAddress address, std::string_view bytes) {
  Topic topic = json::decode("topic", bytes, kTopicMembers, Topic{.address = std::move(address)});
  apply_topic_attributes(topic);
  return topic;
}

Task<std::optional<Topic>> find_topic(store::Snapshot& reader, TopicAddress address) {
  const auto bytes = co_await reader.get(topic_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_topic(std::move(address), *bytes);
}

Task<Topic> load_topic(store::Snapshot& reader, TopicAddress address) {
  auto topic = co_await find_topic(reader, std::move(address));
  if (!topic) throw topic_does_not_exist();
  co_return *std::move(topic);
}

}  // namespace tidemill::sns
