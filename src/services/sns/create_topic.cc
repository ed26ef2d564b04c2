// Makes a topic. The same topic once more is answered as the first time; one that differs is refused.
#include "base/text.h"
#include "services/sns/errors.h"
#include "services/sns/operations.h"
#include "services/sns/tags.h"
#include "services/sns/topic_attributes.h"

namespace tidemill::sns {
namespace {

void check_name(const std::string& name, bool is_fifo) {
  if (is_fifo == name.ends_with(kFifoSuffix) && is_topic_name(name)) return;
  throw invalid_parameter("Topic Name");
}

// `asked`: the same as they came. A policy may have been kept so, before it was kept with ids.
void check_same(const Topic& topic, const AttributeMap& attributes, const AttributeMap& asked,
                const std::map<std::string, std::string>& tags) {
  for (const auto& [name, value] : attributes) {
    const std::string has = effective_topic_attribute(topic, name).value_or("");
    if (has == value || has == asked.at(name)) continue;
    // What topics are without the attribute.
    if ((value == "false" || (name == "FifoThroughputScope" && value == "Topic")) && !topic.attributes.contains(name)) continue;
    throw invalid_attribute("Topic already exists with different attributes");
  }
  // Fewer tags than it has are no difference.
  const auto has = [&](const auto& tag) {
    const auto found = topic.tags.find(tag.first);
    return found != topic.tags.end() && found->second == tag.second;
  };
  if (!std::ranges::all_of(tags, has)) {
    throw invalid_parameter("Tags Reason: Topic already exists with different tags");
  }
}

}  // namespace

Task<shapes::CreateTopicOutput> create_topic(Service& service, wire::Context& context,
                                             const shapes::CreateTopicInput& request) {
  const AttributeMap asked = request.attributes.value_or(AttributeMap{});
  const auto fifo = asked.find("FifoTopic");
  const bool is_fifo = fifo != asked.end() && fifo->second == "true";
  check_name(request.name, is_fifo);
  for (const auto& [name, value] : asked) check_topic_attribute(name, value, is_fifo, true);
  AttributeMap attributes = asked;
  for (auto& [name, value] : attributes) value = co_await kept_topic_attribute(context, name, std::move(value));

  const TopicAddress address{context.account, context.region, request.name};
  Topic topic{.address = address, .id = new_topic_id(), .created = context.now(), .attributes = attributes};
  std::erase_if(topic.attributes, [](const auto& attribute) {
    return attribute.second.empty() || (attribute.first == "FifoTopic" && attribute.second == "false");
  });
  if (request.tags) topic.tags = with_tags({}, *request.tags);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    if (const auto existing = co_await find_topic(txn, address)) {
      check_same(*existing, attributes, asked, topic.tags);
      co_return;
    }
    txn.put(topic_key(address), encode_topic(topic));
  });
  co_return shapes::CreateTopicOutput{.topic_arn = address.arn()};
}

}  // namespace tidemill::sns
