// Help for this room's tests: a platform without a store behind it, requests made of text.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/metrics.h"
#include "net/http.h"
#include "store/store.h"
#include "wire/context.h"
#include "wire/front.h"
#include "wire/registry.h"

namespace tidemill::wire::testing {

namespace detail {
struct Fire {
  struct promise_type {
    Fire get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

template <class T>
Fire fire(Task<T> task, std::optional<T>& result, std::exception_ptr& error) {
  try {
    result.emplace(co_await task);
  } catch (...) {
    error = std::current_exception();
  }
}
}  // namespace detail

// The result of a task that never waits.
template <class T>
T run(Task<T> task) {
  std::optional<T> result;
  std::exception_ptr error;
  detail::fire(std::move(task), result, error);
  if (error) std::rethrow_exception(error);
  return std::move(result).value();
}

// The front only hands the store on.
class NoStore : public store::Store {
 public:
  std::shared_ptr<store::Snapshot> snapshot() override { return nullptr; }
  std::shared_ptr<store::Transaction> begin() override { return nullptr; }
  Task<store::CommitResult> commit(std::shared_ptr<store::Transaction>) override { return Task<store::CommitResult>::ready(); }
  store::Subscription subscribe(std::string_view, std::function<void()>) override { return {}; }
  [[nodiscard]] store::StoreMetrics metrics() const override { return {}; }
};

class TextBody : public net::Body {
 public:
  explicit TextBody(std::string text) : text_(std::move(text)) {}
  Task<std::string> read_all(size_t limit) override {
    if (text_.size() > limit) throw net::BodyTooLarge();
    return Task<std::string>::ready(std::exchange(text_, {}));
  }
  Task<std::optional<std::string>> read_some() override {
    if (text_.empty()) return Task<std::optional<std::string>>::ready();
    return Task<std::optional<std::string>>::ready(std::exchange(text_, {}));
  }

 private:
  std::string text_;
};

inline net::Request make_request(std::string method, std::string target,
                                 std::vector<std::pair<std::string, std::string>> headers, std::string body) {
  net::Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  for (auto& [name, value] : headers) request.headers.add(name, value);
  request.body = std::make_shared<TextBody>(std::move(body));
  return request;
}

struct TestPlatform {
  NoStore store;
  base::RealClock clock;
  base::Metrics metrics;
  Registry registry;
  Platform platform{store, clock, metrics, registry};
};

}  // namespace tidemill::wire::testing
