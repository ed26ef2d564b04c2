// What happens when there is no room: the disk is full, or no more files may be open. The store then takes no writes,
// opens itself anew as soon as there is, with all that is checked at a start, and goes on. (After a failed sync it does
// not: what was written before may be lost, and only a restart reads it again. Then it is StoreFailed.)
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "store/store.h"

namespace tidemill::store {

// Nothing of the transaction was acknowledged; the same may be tried again later. what() says what there is no room
// for.
class StorePaused : public Overloaded {
 public:
  using Overloaded::Overloaded;
};

// The transaction was under way just then: it may be there all the same once the store is open again.
class CommitUnsure : public StorePaused {
 public:
  using StorePaused::StorePaused;
};

// What a store says of itself beside its metrics. Any thread.
class Condition {
 public:
  void pause(std::string reason) {
    const std::lock_guard lock(mutex_);
    reason_ = std::move(reason);
  }
  void go_on() {
    const std::lock_guard lock(mutex_);
    reason_.clear();
    ++reopened_;
  }
  // There is room, and yet the store does not open: only a restart helps.
  void give_up() {
    const std::lock_guard lock(mutex_);
    reason_.clear();
  }
  // Why no writes are taken for now; empty: they are, or never will be again.
  [[nodiscard]] std::string pause_reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
  }
  // How often it was opened anew.
  [[nodiscard]] uint64_t reopened() const {
    const std::lock_guard lock(mutex_);
    return reopened_;
  }

 private:
  mutable std::mutex mutex_;
  std::string reason_;
  uint64_t reopened_ = 0;
};

}  // namespace tidemill::store
