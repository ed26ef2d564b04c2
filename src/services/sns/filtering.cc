#include "services/sns/filtering.h"

#include <map>
#include <optional>

#include "base/executor.h"
#include "base/json.h"
#include "base/json_objects.h"

namespace tidemill::sns {
namespace {

constexpr size_t kBytesPerStep = 128;  // of a subscription with its filter are gone through in about a microsecond

// What it takes to ask it (base::slice_is_over).
size_t steps_of(const Subscription& subscription) {
  return subscription.filter ? 1 + subscription.encoded.size() / kBytesPerStep : 1;
}

// Attributes as the document that filter policies see: numbers, strings, lists; no binary ones.
json::Value document_of(const std::vector<MessageAttribute>& attributes) {
  std::vector<json::Member> members;
  members.reserve(attributes.size());
  for (const auto& [name, type, value] : attributes) {
    if (type.starts_with("Binary")) continue;
    if (type == "String.Array" || type.starts_with("Number")) {
      if (auto parsed = json::parse(value)) {
        members.emplace_back(name, *std::move(parsed));
        continue;
      }
    }
    members.emplace_back(name, value);
  }
  return json::object_of(std::move(members));
}

class Filter {
 public:
  explicit Filter(const Message& message) : message_(message) {}

  // Notes in `result` whether the subscription takes the message, or why not.
  void judge(const SubscriptionPtr& subscription, Receivers& result) {
    if (subscription->status != SubscriptionStatus::confirmed) return;
    if (!subscription->filter || subscription->filter->is_empty()) {
      result.subscriptions.push_back(subscription);
    } else if (!subscription->filters_body) {
      if (subscription->filter->matches(attributes())) result.subscriptions.push_back(subscription);
      else ++(message_.attributes.empty() ? result.filtered_without_attributes : result.filtered_by_attributes);
    } else if (const json::Value* body = body_for(subscription->protocol)) {
      if (subscription->filter->matches(*body)) result.subscriptions.push_back(subscription);
      else ++result.filtered_by_body;
    } else {
      ++result.filtered_invalid_body;
    }
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

Task<Receivers> receivers_of(const Message& message, const std::vector<SubscriptionPtr>& subscriptions) {
  Filter filter(message);
  Receivers result;
  for (const SubscriptionPtr& subscription : subscriptions) {
    filter.judge(subscription, result);
    if (base::slice_is_over(steps_of(*subscription))) co_await base::give_way();
  }
  co_return result;
}

}  // namespace tidemill::sns
