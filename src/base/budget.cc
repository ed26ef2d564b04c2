#include "base/budget.h"

namespace tidemill::base {

// A place in the line, also if whoever holds it is destroyed.
class Budget::Place {
 public:
  Place(Budget& budget, size_t size) : budget_(budget) {
    waiter_.size = size;
    const std::lock_guard lock(budget_.mutex_);
    place_ = budget_.waiting_.insert(budget_.waiting_.end(), &waiter_);
    budget_.serve();
  }
  ~Place() {
    const std::lock_guard lock(budget_.mutex_);
    if (!waiter_.is_served) budget_.waiting_.erase(place_);
    else if (!is_taken_) budget_.used_ -= waiter_.size;
    budget_.serve();
  }
  Place(const Place&) = delete;

  [[nodiscard]] const Signal& signal() const { return waiter_.signal; }
  [[nodiscard]] std::optional<Share> take() {
    const std::lock_guard lock(budget_.mutex_);
    if (!waiter_.is_served) return std::nullopt;
    is_taken_ = true;
    return Share(&budget_, waiter_.size);
  }

 private:
  Budget& budget_;
  Waiter waiter_{};
  std::list<Waiter*>::iterator place_;
  bool is_taken_ = false;
};

void Budget::Share::resize(size_t size) {
  const std::lock_guard lock(budget_->mutex_);
  budget_->used_ = budget_->used_ - size_ + size;
  if (size < std::exchange(size_, size)) budget_->serve();
}

bool Budget::Share::grow(size_t size) {
  if (size <= size_) return true;
  const std::lock_guard lock(budget_->mutex_);
  const size_t others = budget_->used_ - size_;
  if (others + size > budget_->total_) return false;
  budget_->used_ = others + size;
  size_ = size;
  return true;
}

std::optional<Budget::Share> Budget::try_take(size_t size) {
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty() || !fits(size)) return std::nullopt;
  used_ += size;
  return Share(this, size);
}

Task<std::optional<Budget::Share>> Budget::take(size_t size, std::optional<std::chrono::nanoseconds> patience) {
  if (auto share = try_take(size)) co_return std::move(share);
  Place place(*this, size);
  if (patience) {
    (void)co_await place.signal().wait(
        [&](Function expire) { return Executor::current().call_after(*patience, std::move(expire)); });
  } else {
    co_await place.signal();
  }
  co_return place.take();
}

size_t Budget::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

size_t Budget::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void Budget::serve() {
  while (!waiting_.empty() && fits(waiting_.front()->size)) {
    Waiter& waiter = *waiting_.front();
    waiting_.pop_front();
    used_ += waiter.size;
    waiter.is_served = true;
    waiter.signal.signal();
  }
}

void Budget::give_back(size_t size) {
  if (size == 0) return;
  const std::lock_guard lock(mutex_);
  used_ -= size;
  serve();
}

}  // namespace tidemill::base
