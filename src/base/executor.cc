#include "base/executor.h"

#include <cassert>
#include <unordered_set>

#include "base/log.h"

namespace tidemill::base {

namespace {
thread_local Executor* current_executor = nullptr;
}

Executor& Executor::current() {
  assert(current_executor != nullptr);
  return *current_executor;
}

Executor* Executor::current_or_null() noexcept { return current_executor; }

Executor::Enter::Enter(Executor& executor) noexcept : previous_(std::exchange(current_executor, &executor)) {}
Executor::Enter::~Enter() { current_executor = previous_; }

bool Executor::is_slice_over() {
  const auto now = std::chrono::steady_clock::now();
  if (!slice_began_) {
    slice_began_ = now;
    return false;
  }
  return now - *slice_began_ >= kSlice;
}

struct Scope::Roots {
  std::unordered_set<void*> frames;
};

namespace {

// The frame at the bottom of a spawned chain: removes itself from its scope when the chain has ended.
struct Root {
  struct promise_type {
    std::shared_ptr<Scope::Roots> roots;

    Root get_return_object() { return Root{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    auto final_suspend() const noexcept {
      struct DestroySelf {
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<promise_type> self) const noexcept {
          auto roots = std::move(self.promise().roots);
          roots->frames.erase(self.address());
          self.destroy();
        }
        void await_resume() const noexcept {}
      };
      return DestroySelf{};
    }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }  // run_root catches everything
  };
  std::coroutine_handle<promise_type> handle;
};

Root run_root(Task<void> task) {
  try {
    co_await task;
  } catch (const std::exception& error) {
    log_error("defect", {{"what", error.what()}, {"where", "a detached task"}});
  } catch (...) {
    log_error("defect", {{"what", "unknown exception"}, {"where", "a detached task"}});
  }
}

}  // namespace

Scope::Scope() : roots_(std::make_shared<Roots>()) {}
Scope::~Scope() { clear(); }

void Scope::spawn(Task<void> task) {
  Root root = run_root(std::move(task));
  root.handle.promise().roots = roots_;
  roots_->frames.insert(root.handle.address());
  root.handle.resume();
}

size_t Scope::running() const noexcept { return roots_->frames.size(); }

void Scope::clear() {
  while (!roots_->frames.empty()) {
    void* frame = *roots_->frames.begin();
    roots_->frames.erase(frame);
    std::coroutine_handle<>::from_address(frame).destroy();
  }
}

}  // namespace tidemill::base
