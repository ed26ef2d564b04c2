#include "services/sns/filtering.h"

#include <map>
#include <optional>

#include "base/json.h"

namespace tidemill::sns {
namespace {

// Attributes as the document that filter policies see: numbers, strings, lists; no binary ones.
json::Value document_of(const std::vector<MessageAttribute>& attributes) {
  json::Object object;
  for (const auto& [name, type, value] : attributes) {
    if (type.starts_with("Binary")) continue;
    if (type == "String.Array" || type.starts_with("Number")) {
      if (auto parsed = json::parse(value)) {
        object.set(name, *std::move(parsed));
        continue;
      }
    }
    object.set(name, value);
  }
  return object;
}

class Filter {
 public:
  explicit Filter(const Message& message) : message_(message) {}

  bool accepts(const Subscription& subscription) {
    if (subscription.status != SubscriptionStatus::confirmed) return false;
    if (!subscription.filter || subscription.filter->is_empty()) return true;
    if (!subscription.filters_body) return subscription.filter->matches(attributes());
    const json::Value* body = body_for(subscription.protocol);
    return body && subscription.filter->matches(*body);
  }

 private:
  const json::Value& attributes() {
    if (!attributes_) attributes_ = document_of(message_.attributes);
    return *attributes_;
  }

  // nullptr: it is no JSON.
  const json::Value* body_for(const std::string& protocol) {
    const std::string name = message_.text_name(protocol);
    auto found = bodies_.find(name);
    if (found == bodies_.end()) {
      auto parsed = json::parse(message_.texts.at(name));
      found = bodies_.emplace(name, parsed ? std::optional(*std::move(parsed)) : std::nullopt).first;
    }
    return found->second ? &*found->second : nullptr;
  }

  const Message& message_;
  std::optional<json::Value> attributes_;
  std::map<std::string, std::optional<json::Value>> bodies_;  // by the texts' names
};

}  // namespace

std::vector<SubscriptionPtr> receivers_of(const Message& message, const std::vector<SubscriptionPtr>& subscriptions) {
  Filter filter(message);
  std::vector<SubscriptionPtr> receivers;
  for (const SubscriptionPtr& subscription : subscriptions) {
    if (filter.accepts(*subscription)) receivers.push_back(subscription);
  }
  return receivers;
}

}  // namespace tidemill::sns
