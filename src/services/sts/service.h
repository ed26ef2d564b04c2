// STS, assembled: what its operations share, and how they come into the registry.
#pragma once

#include <optional>
#include <string>

#include "engine/timer_service.h"
#include "wire/context.h"
#include "wire/registry.h"

namespace tidemill::sts {

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  explicit Service(store::Store& store) : store_(store) {}

  // Registers every operation, and refuses those that are not there.
  void register_operations(wire::Registry& registry);
  // Before the timers start.
  void register_timers(engine::TimerService& timers);

  // Signatures are checked: of keys that are no session's and no user's this one alone is the account's. Before the first
  // call; without, everybody is believed, and every such key is the account.
  void know_root(std::string access_key_id) { root_key_ = std::move(access_key_id); }

  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] const std::optional<std::string>& root_key() const { return root_key_; }

 private:
  store::Store& store_;
  std::optional<std::string> root_key_;
};

}  // namespace tidemill::sts
