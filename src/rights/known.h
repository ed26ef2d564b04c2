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
  // Then it begins anew: so many entries, or about so many bytes of keys and values together.
  static constexpr size_t kMax = 1 << 16;
  static constexpr size_t kBytesMax = 64 << 20;

  [[nodiscard]] std::shared_ptr<const T> find(const std::string& key) const {
    const std::shared_lock lock(mutex_);
    const auto found = map_.find(key);
    return found == map_.end() ? nullptr : found->second;
  }
  // `bytes`: about what the value holds.
  void put(std::string key, std::shared_ptr<const T> value, size_t bytes) {
    bytes += key.size();
    const std::unique_lock lock(mutex_);
    if (map_.size() >= kMax || bytes_ + bytes > kBytesMax) {
      map_.clear();
      bytes_ = 0;
    }
    bytes_ += bytes;
    map_.insert_or_assign(std::move(key), std::move(value));
  }
  [[nodiscard]] size_t size() const {
    const std::shared_lock lock(mutex_);
    return map_.size();
  }

 private:
  mutable std::shared_mutex mutex_;
  size_t bytes_ = 0;  // of what was put since it began; what was put twice counts twice
  std::unordered_map<std::string, std::shared_ptr<const T>> map_;
};

struct Known {
  explicit Known(uint64_t of) : generation(of) {}

  const uint64_t generation;
  KnownMap<Actor> actors;        // by actor_key()
  KnownMap<ResourceSide> sides;  // by side_key()
  KnownMap<Judgment> judgments;  // by actor, action and resource; only those that no fact changes
};

// Behind who asks.
inline void append_ask_key(std::string& key, const Ask& ask) {
  key.append("\n").append(ask.action).append("\n").append(ask.resource);
}

}  // namespace tidemill::rights
