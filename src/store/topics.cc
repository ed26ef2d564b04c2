#include "store/topics.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace tidemill::store {

namespace {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace

// The lock is held while the callback runs, so that ending a subscription waits for it; recursive, so that a callback
// may end its own.
struct Topics::Subscriber {
  std::recursive_mutex mutex;
  std::function<void()> callback;
  bool ended = false;
  bool noted = false;  // guarded by the registry's mutex: already among those to notify

  void call() {
    const std::lock_guard lock(mutex);
    if (!ended) callback();
  }
};

struct Topics::Registry {
  std::mutex mutex;
  std::atomic<size_t> count = 0;
  std::unordered_map<std::string, std::vector<std::shared_ptr<Subscriber>>, StringHash, std::equal_to<>> topics;

  void remove(const std::string& topic, const std::shared_ptr<Subscriber>& subscriber) {
    const std::lock_guard lock(mutex);
    const auto found = topics.find(topic);
    if (found == topics.end()) return;
    std::erase(found->second, subscriber);
    if (found->second.empty()) topics.erase(found);
    --count;
  }
};

Topics::Topics() : registry_(std::make_shared<Registry>()) {}
Topics::~Topics() = default;

Subscription Topics::subscribe(std::string_view topic, std::function<void()> callback) {
  auto subscriber = std::make_shared<Subscriber>();
  subscriber->callback = std::move(callback);
  {
    const std::lock_guard lock(registry_->mutex);
    registry_->topics[std::string(topic)].push_back(subscriber);
    ++registry_->count;
  }
  // The token's deleter is the end of the subscription.
  return Subscription(std::shared_ptr<void>(
      subscriber.get(), [registry = registry_, subscriber, name = std::string(topic)](void*) {
        registry->remove(name, subscriber);
        const std::lock_guard lock(subscriber->mutex);
        subscriber->ended = true;
      }));
}

void Topics::add(const BufferedTransaction& txn) {
  if (registry_->count.load(std::memory_order_acquire) == 0) return;
  const std::lock_guard lock(registry_->mutex);
  txn.for_each_topic([&](std::string_view topic) {
    const auto found = registry_->topics.find(topic);
    if (found == registry_->topics.end()) return;
    for (const auto& subscriber : found->second) {
      if (std::exchange(subscriber->noted, true)) continue;
      to_notify_.push_back(subscriber);
    }
  });
}

void Topics::notify() {
  if (to_notify_.empty()) return;
  {
    const std::lock_guard lock(registry_->mutex);
    for (const auto& subscriber : to_notify_) subscriber->noted = false;
  }
  for (const auto& subscriber : to_notify_) subscriber->call();
  to_notify_.clear();
}

}  // namespace tidemill::store
