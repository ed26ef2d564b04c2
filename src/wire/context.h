// What a call carries beside its request: on whose behalf, where, and until when, and the platform it runs on.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "store/store.h"

namespace tidemill::wire {

class Registry;

// What every operation may use. Made once in main; outlives all contexts.
struct Platform {
  store::Store& store;
  base::Clock& clock;
  base::Metrics& metrics;
  Registry& registry;
};

class Context {
 public:
  Context(Platform& platform, std::string account, std::string region, std::string request_id, std::string principal)
      : account(std::move(account)),
        region(std::move(region)),
        request_id(std::move(request_id)),
        principal(std::move(principal)),
        platform_(platform) {}

  std::string account;     // 12 digits
  std::string region;      // "us-east-1"
  std::string request_id;  // UUID
  std::string principal;   // who asks: an access key id, or "tidemill.internal" for the platform's own calls
  // Where clients reach this server: "http://127.0.0.1:4566". For URLs in answers.
  std::string endpoint;

  [[nodiscard]] store::Store& store() const { return platform_.store; }
  [[nodiscard]] base::Clock& clock() const { return platform_.clock; }
  [[nodiscard]] Registry& registry() const { return platform_.registry; }
  [[nodiscard]] Platform& platform() const { return platform_; }
  [[nodiscard]] base::Time now() const { return platform_.clock.now(); }

 private:
  Platform& platform_;
};

}  // namespace tidemill::wire
