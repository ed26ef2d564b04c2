// What a call carries beside its request: on whose behalf, where, and until when, and the platform it runs on.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "store/store.h"

namespace tidemill::wire {

class Authorizer;
class PlatformMetrics;
class Registry;

// What every operation may use. Made once in main; outlives all contexts.
struct Platform {
  store::Store& store;
  base::Clock& clock;
  base::Metrics& metrics;
  Registry& registry;
  PlatformMetrics* usage = nullptr;  // what the platform gathers of itself (wire/metrics/platform_metrics.h); null: nothing
  Authorizer* authorizer = nullptr;  // who may call what (wire/pipeline/authorize.h); null: everybody everything
};

// Somebody who acts without a key of their own, or with one that stands for a role.
struct Standing {
  std::string role_arn;      // a session of this role; empty: a service on its own behalf
  std::string session_name;  // "order-handler"
  std::string service;       // "scheduler.amazonaws.com": who acts, or took the role on
  std::string source_arn;    // of what the service acts for: a rule, a topic, a bucket
  std::string source_account = {};  // whose that is, where its ARN does not say it, as a bucket's; empty: as it says
  std::string taken_by = {};        // the role that took this one on, and had the right to; empty: the service did
};

// Who asks. That a call is the platform's own is not a matter of its name, which anybody could sign with.
class Principal {
 public:
  enum class Kind { anonymous, access_key, platform, role, service };

  Principal() = default;  // nobody who has said a name
  Principal(std::string access_key_id) : kind_(Kind::access_key), name_(std::move(access_key_id)) {}
  Principal(const char* access_key_id) : Principal(std::string(access_key_id)) {}
  // The platform itself, for its own housekeeping.
  [[nodiscard]] static Principal platform() {
    Principal principal("tidemill.internal");
    principal.kind_ = Kind::platform;
    return principal;
  }
  // A session of a role: a function's, with the key that it signs with, or one that a service took on.
  [[nodiscard]] static Principal role(Standing standing, std::string access_key_id = "") {
    Principal principal(access_key_id.empty() ? standing.role_arn : std::move(access_key_id));
    principal.kind_ = Kind::role;
    principal.standing_ = std::make_shared<const Standing>(std::move(standing));
    return principal;
  }
  // A service of AWS, which may do what the resource's policy lets it.
  [[nodiscard]] static Principal service(std::string service, std::string source_arn, std::string source_account = {}) {
    Principal principal(service);
    principal.kind_ = Kind::service;
    principal.standing_ = std::make_shared<const Standing>(
        Standing{"", "", std::move(service), std::move(source_arn), std::move(source_account)});
    return principal;
  }

  [[nodiscard]] Kind kind() const { return kind_; }
  // "AKIDEXAMPLE", "anonymous", "tidemill.internal", "sns.amazonaws.com".
  [[nodiscard]] const std::string& name() const { return name_; }
  // Of roles and services; null: of others.
  [[nodiscard]] const Standing* standing() const { return standing_.get(); }

 private:
  Kind kind_ = Kind::anonymous;
  std::string name_ = "anonymous";
  std::shared_ptr<const Standing> standing_;
};

class Context {
 public:
  Context(Platform& platform, std::string account, std::string region, std::string request_id, Principal principal)
      : account(std::move(account)),
        region(std::move(region)),
        request_id(std::move(request_id)),
        principal(std::move(principal)),
        platform_(platform) {}

  std::string account;     // 12 digits
  std::string region;      // "us-east-1"
  std::string request_id;  // UUID
  Principal principal;     // who asks
  // Where clients reach this server: "http://127.0.0.1:4566". For URLs in answers.
  std::string endpoint;
  // The address that the request came from: "203.0.113.7". Empty: the platform itself asks.
  std::string source_ip;
  std::string user_agent;  // as the request has it
  // What the call belongs to, to be handed on to whatever comes of it (wire/trace_header.h). Empty: nothing that says so.
  std::string trace_header;

  [[nodiscard]] store::Store& store() const { return platform_.store; }
  [[nodiscard]] base::Clock& clock() const { return platform_.clock; }
  [[nodiscard]] Registry& registry() const { return platform_.registry; }
  [[nodiscard]] Platform& platform() const { return platform_; }
  [[nodiscard]] base::Time now() const { return platform_.clock.now(); }

 private:
  Platform& platform_;
};

}  // namespace tidemill::wire
