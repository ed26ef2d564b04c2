// Requests of the Cloud Control API: a resource made, changed or removed by its type (resource_type.h), outside of stacks. What a
// request is to do is in the store before it begins, with a timer by which whoever owns it carries it out, also after a
// crash: what was under way is done again under the same names and tokens (Step::may_repeat).
//
//   resource-request, token                 a request, until it is forgotten
//   resource-request-order, i64(-created µs) token   the same requests, newest first
//   resource-client-token, ClientToken      the token of the request that it has made
//   resource-in-work, type, identifier      the token of the request that works on it now
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "engine/caller.h"
#include "engine/timer_service.h"
#include "services/cloudformation/keys.h"
#include "services/cloudformation/resource_type.h"
#include "store/store.h"
#include "wire/context.h"

namespace tidemill::cloudformation {

inline constexpr std::string_view kRequestTimer = "cloudcontrol-run";
inline constexpr std::string_view kForgetRequestTimer = "cloudcontrol-forget";
inline constexpr size_t kRequestsRunningMax = 100;
inline constexpr std::chrono::hours kRequestsKept{24 * 7};  // as on AWS
inline constexpr std::chrono::hours kClientTokensKept{36};  // likewise

struct ResourceRequest {
  Place place;
  std::string token;
  std::string client_token;
  std::string type;
  std::string identifier;  // empty: of a creation that has none yet
  std::string operation;   // CREATE, UPDATE, DELETE
  std::string status;      // PENDING, IN_PROGRESS, SUCCESS, FAILED, CANCEL_IN_PROGRESS, CANCEL_COMPLETE
  std::string error_code;
  std::string message;
  base::Time created;
  base::Time changed;
  std::string asked;  // the request's own text: DesiredState, PatchDocument
  json::Object before;
  json::Object after;
  json::Value memory;  // what a step leaves itself
  engine::Caller caller;  // on whose behalf
  std::string endpoint;

  [[nodiscard]] bool is_over() const;
};

[[nodiscard]] std::string encode_request(const ResourceRequest& request);
[[nodiscard]] ResourceRequest decode_request(const Place& place, std::string_view bytes);

[[nodiscard]] std::string request_key(const Place& place, std::string_view token);
[[nodiscard]] store::Range request_order_range(const Place& place);
// The token in a key of that range.
[[nodiscard]] std::string token_of_order_key(const Place& place, std::string_view key);

void put_request(store::Transaction& txn, const ResourceRequest& request);
Task<std::optional<ResourceRequest>> load_request(store::Snapshot& reader, Place place, std::string token);
// The request that a ClientToken has made.
Task<std::optional<ResourceRequest>> request_of_client(store::Snapshot& reader, Place place, std::string client_token,
                                                       base::Time now);
// The one that works on the resource now.
Task<std::optional<ResourceRequest>> request_in_work(store::Snapshot& reader, Place place, std::string type,
                                                     std::string identifier);
// With its timer, and all by which it is found.
Task<void> begin_request(store::Transaction& txn, const ResourceRequest& request);

class ResourceRequests {
 public:
  explicit ResourceRequests(wire::Platform& platform) : platform_(platform) {}

  // Before the timers start.
  void register_with(engine::TimerService& timers);

 private:
  Task<void> run(const store::Timer& timer);
  Task<void> forget(const store::Timer& timer);
  Task<void> end(const store::Timer& timer, ResourceRequest request);

  wire::Platform& platform_;
  engine::TimerService* timers_ = nullptr;
};

// A step outside of stacks and requests, that only asks: in the name of who asks here.
class AskingStep final : public Step {
 public:
  AskingStep(wire::Context& context, std::string_view type);

  Task<json::Value> call(std::string service, std::string operation, json::Value document) override;
  Task<void> made(std::string) override { co_return; }
  [[nodiscard]] json::Value memory() const override { return {}; }
  Task<void> remember(json::Value) override { co_return; }
  Task<bool> wait_until(std::function<Task<bool>()> done, base::Duration) override { return done(); }
  Task<bool> wait_for_topic(std::string, std::function<Task<bool>()> done, base::Duration) override { return done(); }
  [[nodiscard]] wire::Context& context() override { return context_; }

 private:
  wire::Context& context_;
};

// Between what the Cloud Control API calls a resource by and its physical id (ResourceType::identifier_of).
[[nodiscard]] std::string identifier_of(const ResourceType& type, const Step& step, std::string id);
[[nodiscard]] std::string id_of(const ResourceType& type, const Step& step, std::string identifier);

// "NotFound" and its kin: ErrorCode of a request that failed so, and what it says.
struct HandlerFailure {
  std::string code;
  std::string message;
};
[[nodiscard]] HandlerFailure handler_failure(const std::exception_ptr& problem, std::string_view type);

}  // namespace tidemill::cloudformation
