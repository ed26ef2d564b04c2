// What a call carries beside its request: on whose behalf, where, and until when, and the platform it runs on.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "store/store.h"

namespace tidemill::wire {

class PlatformMetrics;
class Registry;

// What every operation may use. Made once in main; outlives all contexts.
struct Platform {
  store::Store& store;
  base::Clock& clock;
  base::Metrics& metrics;
  Registry& registry;
  PlatformMetrics* usage = nullptr;  // what the platform gathers of itself (wire/platform_metrics.h); null: nothing
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
  // The address that the request came from: "203.0.113.7". Empty: the platform itself asks.
  std::string source_ip;

  [[nodiscard]] store::Store& store() const { return platform_.store; }
  [[nodiscard]] base::Clock& clock() const { return platform_.clock; }
  [[nodiscard]] Registry& registry() const { return platform_.registry; }
  [[nodiscard]] Platform& platform() const { return platform_; }
  [[nodiscard]] base::Time now() const { return platform_.clock.now(); }

 private:
  Platform& platform_;
};

}  // namespace tidemill::wire
