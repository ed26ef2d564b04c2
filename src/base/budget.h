// Something of which there is only so much, memory mostly, and which many want: each takes a share, and gives it back.
// Who finds none left waits its turn: first come, first served, so that a large share is not put off by small ones.
//
//   Budget budget(64 << 20);
//   std::optional<Budget::Share> share = co_await budget.take(bytes, 10s);
//   if (!share) throw Busy();              // nobody gave back enough
//   share->resize(what_it_came_to);
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/future.h"

namespace tidemill::base {

// Any thread. Outlives its shares and those who wait.
class Budget {
 public:
  explicit Budget(size_t total) : total_(total) {}
  Budget(const Budget&) = delete;

  // Given back when destroyed.
  class [[nodiscard]] Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(size_, other.size_);
      return *this;
    }
    ~Share() {
      if (budget_) budget_->give_back(size_);
    }

    [[nodiscard]] size_t size() const { return size_; }
    // Gives some back, or takes more: at once, and also if there is none left. For what is there already and must be
    // counted.
    void resize(size_t size);
    // Takes more if there is as much; does nothing if it has that.
    [[nodiscard]] bool grow(size_t size);

   private:
    friend class Budget;
    Share(Budget* budget, size_t size) : budget_(budget), size_(size) {}
    Budget* budget_ = nullptr;
    size_t size_ = 0;
  };

  // A share of nothing, to be resized.
  [[nodiscard]] Share none() { return {this, 0}; }
  // Nothing if there is no room, or others wait for it.
  [[nodiscard]] std::optional<Share> try_take(size_t size);
  // Waits its turn, and for no longer than `patience`; nothing if it has not come by then. Who wants more than
  // the whole budget waits for all of it.
  Task<std::optional<Share>> take(size_t size, std::optional<std::chrono::nanoseconds> patience = std::nullopt);

  [[nodiscard]] size_t total() const { return total_; }
  [[nodiscard]] size_t used() const;
  [[nodiscard]] size_t waiting() const;

 private:
  struct Waiter {
    size_t size;
    Signal signal;
    bool is_served = false;  // its share is counted as used
  };
  class Place;

  // Under the mutex.
  [[nodiscard]] bool fits(size_t size) const { return used_ + size <= total_ || used_ == 0; }
  void serve();
  void give_back(size_t size);

  const size_t total_;
  mutable std::mutex mutex_;
  size_t used_ = 0;
  std::list<Waiter*> waiting_;
};

}  // namespace tidemill::base
