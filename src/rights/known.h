// What has been read and decided since the last change of any policy: thrown away as a whole with the next one. Whoever
// reads while policies change puts what it has read into what is thrown away.
#pragma once

#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "rights/actor.h"
#include "rights/judgment.h"
#include "rights/lookups.h"

namespace tidemill::rights {

// Any thread.
template <class T>
class KnownMap {
 public:
  static constexpr size_t kMax = 1 << 16;  // entries; then it begins anew

  [[nodiscard]] std::shared_ptr<const T> find(const std::string& key) const {
    const std::shared_lock lock(mutex_);
    const auto found = map_.find(key);
    return found == map_.end() ? nullptr : found->second;
  }
  void put(std::string key, std::shared_ptr<const T> value) {
    const std::unique_lock lock(mutex_);
    if (map_.size() >= kMax) map_.clear();
    map_.insert_or_assign(std::move(key), std::move(value));
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const T>> map_;
};

struct Known {
  explicit Known(uint64_t of) : generation(of) {}

  const uint64_t generation;
  KnownMap<Actor> actors;        // by actor_key()
  KnownMap<ResourceSide> sides;  // by ARN
  KnownMap<Judgment> judgments;  // by actor, action and resource; only those that no fact changes
};

// Behind who asks.
inline void append_ask_key(std::string& key, const Ask& ask) {
  key.append("\n").append(ask.action).append("\n").append(ask.resource);
}

}  // namespace tidemill::rights
