// For tests: what rights read of the store, without the services that put it there.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/task.h"
#include "rights/actor.h"
#include "rights/lookups.h"
#include "wire/sim_platform_testing.h"

namespace tidemill::rights::testing {

inline constexpr const char* kAccount = "111111111111";
inline constexpr const char* kRegion = "us-east-1";

class World : wire::testing::SimPlatform {
 public:
  ~World() {
    const auto hold = clock_.activity().hold();
    {
      const base::Executor::Enter enter(executor_);
      tasks_.clear();
    }
    executor_.drop_all();
  }

  void write(const std::function<Task<void>(store::Transaction&)>& body) {
    (void)await([](store::Store& store, const std::function<Task<void>(store::Transaction&)>& change) -> Task<bool> {
      co_await store.transact([&](store::Transaction& txn) -> Task<void> { co_await change(txn); });
      co_return true;
    }(*store_, body));
  }

  std::shared_ptr<const Actor> actor(wire::Principal principal, Root root = {}, std::string account = kAccount) {
    wire::Context context(platform_, std::move(account), kRegion, "request", std::move(principal));
    return await(load_actor(*store_, context, std::move(root)));
  }
  std::shared_ptr<const ResourceSide> side(std::string resource) {
    wire::Context context(platform_, kAccount, kRegion, "request", wire::Principal::platform());
    return await(load_resource_side(*store_, context, std::move(resource), ""));
  }
  // What settle() makes of it.
  Ask settled(Ask ask) {
    return await([](World& world, Ask ask) -> Task<Ask> {
      co_await settle(*world.store_, world.context(wire::Principal::platform()), Actor(), ask);
      co_return ask;
    }(*this, std::move(ask)));
  }
  // What conditions are told of the upload beside what the request says.
  lang::policies::Facts told_of_upload(Ask ask, std::string upload) {
    return await([](World& world, Ask ask, std::string upload) -> Task<lang::policies::Facts> {
      lang::policies::Facts facts;
      co_await add_upload_headers(*world.store_, ask, std::move(upload), facts);
      co_return facts;
    }(*this, std::move(ask), std::move(upload)));
  }
  [[nodiscard]] wire::Registry& registry() { return registry_; }
  [[nodiscard]] wire::Context context(wire::Principal principal) {
    return {platform_, kAccount, kRegion, "request", std::move(principal)};
  }
  [[nodiscard]] base::Time now() { return clock_.now(); }

 private:
  template <class T>
  T await(Task<T> task) {
    std::optional<T> result;
    const base::Executor::Enter enter(executor_);
    tasks_.spawn(keep(std::move(task), result));
    while (!result && executor_.run_one()) {
    }
    return std::move(result).value();
  }
  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>& result) {
    result.emplace(co_await task);
  }

  base::Scope tasks_;
};

}  // namespace tidemill::rights::testing
