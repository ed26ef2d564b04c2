// What was read of a key, kept in memory, and whether it still stands there: for caches of what is made of descriptions
// (tables, queues, functions), which are read with each operation and change seldom. Whoever uses what is kept asks in
// their own snapshot or transaction, so it holds whoever changes it, this process or another; mostly that is not a read
// (Snapshot::unchanged_since).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "store/store.h"

namespace tidemill::store {

// Any thread.
class Remembered {
 public:
  Remembered() = default;
  // Read at a version that is not known, or not read from there at all: the first is_current() compares.
  Remembered(std::string key, std::string value) : key_(std::move(key)), value_(std::move(value)) {}
  Remembered(const Remembered& other) { *this = other; }
  Remembered& operator=(const Remembered& other);

  // Nothing: there is no such key.
  static Task<std::optional<Remembered>> read(Snapshot& reader, std::string key);

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& value() const { return value_; }
  // Whether `reader` reads the same, and if it is a transaction makes it conflict with a later change. This must outlive
  // the task.
  Task<bool> is_current(Snapshot& reader) const;

 private:
  Task<bool> compare(Snapshot& reader, Task<bool> unchanged) const;
  // `reader` has read the value.
  Task<void> note_read(Snapshot& reader) const;

  std::string key_;
  std::string value_;
  mutable std::atomic<uint64_t> version_ = 0;  // at which the key had the value; 0: none is known
};

// What was made of descriptions, by their keys. `Made` has a member `stored`, the Remembered that it was made of.
template <class Made>
class RememberedMap {
 public:
  using Ptr = std::shared_ptr<const Made>;

  // Beyond so many it starts anew.
  explicit RememberedMap(size_t entries_max) : entries_max_(entries_max) {}

  // What is kept, current or not; nullptr: nothing.
  [[nodiscard]] Ptr kept(const std::string& key) const {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() ? found->second : nullptr;
  }

  // As `reader` reads it, tracked if that is a transaction. nullptr: there is no such key. make(Remembered) gives a Ptr,
  // nullptr for none; it lives until this has ended.
  template <class Make>
  Task<Ptr> find(Snapshot& reader, std::string key, Make make) {
    Ptr made = kept(key);
    if (!made) return load(reader, std::move(key), std::move(make));
    Task<bool> current = made->stored.is_current(reader);
    if (current.await_ready() && current.await_resume()) return Task<Ptr>::ready(std::move(made));
    return check(reader, std::move(made), std::move(current), std::move(make));
  }

 private:
  template <class Make>
  Task<Ptr> check(Snapshot& reader, Ptr made, Task<bool> current, Make make) {
    if (co_await current) co_return made;
    co_return co_await load(reader, made->stored.key(), std::move(make));
  }

  template <class Make>
  Task<Ptr> load(Snapshot& reader, std::string key, Make make) {
    std::optional<Remembered> stored = co_await Remembered::read(reader, key);
    if (!stored) co_return nullptr;
    Ptr made = make(*std::move(stored));
    if (!made) co_return nullptr;
    const std::unique_lock lock(mutex_);
    if (entries_.size() >= entries_max_) entries_.clear();
    entries_.insert_or_assign(std::move(key), made);
    co_return made;
  }

  const size_t entries_max_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, Ptr> entries_;
};

}  // namespace tidemill::store
