#include "services/cloudformation/resource_request.h"

#include "base/json_members.h"
#include "base/ordered.h"
#include "base/text.h"
#include "base/uuid.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/patience.h"
#include "services/cloudformation/types/types.h"
#include "store/resources.h"
#include "store/timer.h"
#include "wire/registry.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

constexpr auto kRequestMembers = [](auto& member, auto& request) {
  member("token", request.token);
  member("type", request.type);
  member("operation", request.operation);
  member("status", request.status);
  member("created_us", request.created);
  member("changed_us", request.changed);
  member.unless_empty("client_token", request.client_token);
  member.unless_empty("identifier", request.identifier);
  member.unless_empty("error_code", request.error_code);
  member.unless_empty("message", request.message);
  member.unless_empty("asked", request.asked);
  member.unless_empty("before", request.before);
  member.unless_empty("after", request.after);
  member.when(!request.memory.is_null(), "memory", request.memory);
  engine::kCallerMembers(member, request.caller);
  member.unless_empty("endpoint", request.endpoint);
};

std::string below(const Place& place, std::string_view kind) {
  return store::resource_prefix({"cloudformation", kind}, place.account, place.region);
}

std::string key_of(const Place& place, std::string_view kind, std::string_view first) {
  std::string key = below(place, kind);
  base::append_string(key, first);
  return key;
}

std::string order_key(const ResourceRequest& request) {
  std::string key = below(request.place, "resource-request-order");
  base::append_i64(key, -request.created.time_since_epoch().count());
  base::append_string(key, request.token);
  return key;
}

std::string client_key(const Place& place, std::string_view token) {
  return key_of(place, "resource-client-token", token);
}

std::string work_key(const Place& place, std::string_view type, std::string_view identifier) {
  std::string key = key_of(place, "resource-in-work", type);
  base::append_string(key, identifier);
  return key;
}

std::string timer_id(const ResourceRequest& request) {
  return cat(request.place.account, "/", request.place.region, "/", request.token);
}

struct Where {
  Place place;
  std::string token;
};
Where where_of(const store::Timer& timer) {
  const std::string& id = timer.id;
  const size_t first = id.find('/'), second = id.find('/', first + 1);
  if (first == std::string::npos || second == std::string::npos) {
    throw std::runtime_error(cat("the timer of a request for a resource is damaged: ", id));
  }
  return {{id.substr(0, first), id.substr(first + 1, second - first - 1)}, id.substr(second + 1)};
}

}  // namespace

bool ResourceRequest::is_over() const {
  return status == "SUCCESS" || status == "FAILED" || status == "CANCEL_COMPLETE";
}

std::string encode_request(const ResourceRequest& request) { return json::encode(request, kRequestMembers); }

ResourceRequest decode_request(const Place& place, std::string_view bytes) {
  return json::decode("request for a resource", bytes, kRequestMembers, ResourceRequest{.place = place});
}

std::string request_key(const Place& place, std::string_view token) { return key_of(place, "resource-request", token); }

store::Range request_order_range(const Place& place) { return store::Range::prefix(below(place, "resource-request-order")); }

std::string token_of_order_key(const Place& place, std::string_view key) {
  base::OrderedReader reader(key.substr(below(place, "resource-request-order").size()));
  (void)reader.i64();
  return reader.string();
}

void put_request(store::Transaction& txn, const ResourceRequest& request) {
  txn.put(request_key(request.place, request.token), encode_request(request));
}

Task<std::optional<ResourceRequest>> load_request(store::Snapshot& reader, Place place, std::string token) {
  const auto bytes = co_await reader.get(request_key(place, token));
  if (!bytes) co_return std::nullopt;
  co_return decode_request(place, *bytes);
}

Task<std::optional<ResourceRequest>> request_of_client(store::Snapshot& reader, Place place, std::string client_token,
                                                       base::Time now) {
  if (client_token.empty()) co_return std::nullopt;
  const auto token = co_await reader.get(client_key(place, client_token));
  if (!token) co_return std::nullopt;
  auto request = co_await load_request(reader, place, *token);
  if (request && request->created + kClientTokensKept <= now) co_return std::nullopt;
  co_return request;
}

Task<std::optional<ResourceRequest>> request_in_work(store::Snapshot& reader, Place place, std::string type,
                                                     std::string identifier) {
  const auto token = co_await reader.get(work_key(place, type, identifier));
  if (!token) co_return std::nullopt;
  co_return co_await load_request(reader, place, *token);
}

Task<void> begin_request(store::Transaction& txn, const ResourceRequest& request) {
  put_request(txn, request);
  txn.put(order_key(request), "");
  if (!request.client_token.empty()) txn.put(client_key(request.place, request.client_token), request.token);
  if (!request.identifier.empty()) txn.put(work_key(request.place, request.type, request.identifier), request.token);
  co_await store::set_timer(txn, {std::string(kRequestTimer), timer_id(request), request.created, ""});
}

// ---- Failures -------------------------------------------------------------------------------------------------------

HandlerFailure handler_failure(const std::exception_ptr& problem, std::string_view type) {
  const std::string reason = failure_reason(problem, type, "", "The request was cancelled.");
  constexpr std::string_view kCode = "HandlerErrorCode: ";
  const size_t code = reason.rfind(kCode);
  constexpr std::string_view kMessage = "Resource handler returned message: \"";
  if (code == std::string::npos || !reason.starts_with(kMessage)) return {"InvalidRequest", reason};
  const size_t end = reason.rfind("\" (RequestToken: ");
  return {reason.substr(code + kCode.size(), reason.find(')', code) - code - kCode.size()),
          reason.substr(kMessage.size(), end - kMessage.size())};
}

// ---- Identifiers ----------------------------------------------------------------------------------------------------

std::string identifier_of(const ResourceType& type, const Step& step, std::string id) {
  return type.identifier_of ? type.identifier_of(step, std::move(id)) : id;
}

std::string id_of(const ResourceType& type, const Step& step, std::string identifier) {
  if (!type.id_of) return identifier;
  std::string id = type.id_of(identifier);
  if (type.identifier_of(step, id) != identifier) throw InvalidRequest(cat("Identifier ", identifier, " is not valid"));
  return id;
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

namespace {

StepScope scope_of(const Place& place, std::string_view type, std::string_view token) {
  StepScope scope;
  scope.account = place.account;
  scope.region = place.region;
  scope.stack_id = cat("cloudcontrol/", token);
  scope.stack_name = "cloudcontrol";
  scope.logical_id = type.substr(type.rfind(':') + 1);
  scope.type = type;
  scope.operation = 1;
  return scope;
}

StepScope scope_of(const ResourceRequest& request, bool may_repeat) {
  StepScope scope = scope_of(request.place, request.type, request.token);
  scope.may_repeat = may_repeat;
  return scope;
}

class RequestStep final : public Step {
 public:
  RequestStep(wire::Platform& platform, const engine::Tenure& tenure, ResourceRequest& request, bool may_repeat)
      : Step(scope_of(request, may_repeat)),
        platform_(platform),
        tenure_(tenure),
        request_(request),
        context_(platform, request.place.account, request.place.region, base::new_uuid(), request.caller.principal()) {
    context_.endpoint = request.endpoint;
  }

  Task<json::Value> call(std::string service, std::string operation, json::Value document) override {
    return call_patiently(context_, std::move(service), std::move(operation), std::move(document),
                          [this](base::Time until) { return rest(until); });
  }

  Task<void> made(std::string id) override {
    request_.identifier = identifier_of(*find_type(request_.type), *this, std::move(id));
    return save();
  }

  [[nodiscard]] json::Value memory() const override { return request_.memory; }
  Task<void> remember(json::Value value) override {
    request_.memory = std::move(value);
    return save();
  }

  Task<bool> wait_until(std::function<Task<bool>()> done, base::Duration most) override {
    return wait_patiently(context_, std::move(done), most, [this](base::Time until) { return rest(until); });
  }
  // Nothing that is waited for like that is made outside of stacks.
  Task<bool> wait_for_topic(std::string, std::function<Task<bool>()> done, base::Duration most) override {
    return wait_until(std::move(done), most);
  }

  [[nodiscard]] wire::Context& context() override { return context_; }

 private:
  Task<void> rest(base::Time until) {
    const auto snapshot = platform_.store.snapshot();
    const auto stored = co_await load_request(*snapshot, request_.place, request_.token);
    if (!stored || stored->status == "CANCEL_IN_PROGRESS") throw Cancelled();
    (void)co_await platform_.clock.wait(base::Signal(), until);
  }

  Task<void> save() {
    co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
      co_await tenure_.fence(txn);
      auto stored = co_await load_request(txn, request_.place, request_.token);
      if (!stored) co_return;
      stored->identifier = request_.identifier;
      stored->memory = request_.memory;
      put_request(txn, *stored);
    });
  }

  wire::Platform& platform_;
  const engine::Tenure& tenure_;
  ResourceRequest& request_;
  wire::Context context_;
};

Task<void> carry_out(RequestStep& step, ResourceRequest& request) {
  const ResourceType& type = *find_type(request.type);
  if (request.operation == "CREATE") {
    request.identifier = identifier_of(type, step, co_await type.create(step, request.after));
  } else if (request.operation == "UPDATE") {
    std::string id = co_await type.update(step, id_of(type, step, request.identifier), request.before, request.after);
    request.identifier = identifier_of(type, step, std::move(id));
  } else {
    co_await type.remove(step, id_of(type, step, request.identifier), request.before);
  }
}

}  // namespace

AskingStep::AskingStep(wire::Context& context, std::string_view type)
    : Step(scope_of(Place{context.account, context.region}, type, "")), context_(context) {}

Task<json::Value> AskingStep::call(std::string service, std::string operation, json::Value document) {
  return context_.registry().call(context_, std::move(service), std::move(operation), std::move(document));
}

// ---- Running --------------------------------------------------------------------------------------------------------

void ResourceRequests::register_with(engine::TimerService& timers) {
  timers_ = &timers;
  timers.handle(store::TimerKind{kRequestTimer}, [this](const store::Timer& timer) { return run(timer); },
                {.concurrent_max = kRequestsRunningMax});
  timers.handle(store::TimerKind{kForgetRequestTimer}, [this](const store::Timer& timer) { return forget(timer); },
                {.purpose = base::Purpose::housekeeping});
}

Task<void> ResourceRequests::run(const store::Timer& timer) {
  const Where where = where_of(timer);
  const auto tenure = timers_->tenure(store::TimerKind{kRequestTimer});
  std::optional<ResourceRequest> found;
  bool may_repeat = false;
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    co_await tenure->fence(txn);
    found = co_await load_request(txn, where.place, where.token);
    if (!found || found->is_over()) {
      (void)co_await store::finish_timer(txn, timer);
      found.reset();
      co_return;
    }
    may_repeat = found->status != "PENDING";
    if (found->status != "PENDING") co_return;
    found->status = "IN_PROGRESS";
    found->changed = platform_.clock.now();
    put_request(txn, *found);
  });
  if (!found) co_return;
  ResourceRequest request = *std::move(found);
  std::exception_ptr problem;
  if (request.status != "CANCEL_IN_PROGRESS") {
    RequestStep step(platform_, *tenure, request, may_repeat);
    try {
      co_await carry_out(step, request);
      request.status = "SUCCESS";
    } catch (...) {
      problem = std::current_exception();
    }
  }
  if (problem) {
    const HandlerFailure failure = handler_failure(problem, request.type);
    request.status = "FAILED";
    request.error_code = failure.code;
    request.message = failure.message;
  }
  co_await end(timer, std::move(request));
}

// What was to be cancelled and has failed or was never begun is cancelled; what was done by then is done.
Task<void> ResourceRequests::end(const store::Timer& timer, ResourceRequest request) {
  const auto tenure = timers_->tenure(store::TimerKind{kRequestTimer});
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    co_await tenure->fence(txn);
    const auto stored = co_await load_request(txn, request.place, request.token);
    if (!stored || !co_await store::finish_timer(txn, timer)) co_return;
    ResourceRequest ended = request;
    if (stored->status == "CANCEL_IN_PROGRESS" && ended.status != "SUCCESS") {
      ended.status = "CANCEL_COMPLETE";
      ended.error_code.clear();
      ended.message.clear();
    }
    ended.changed = platform_.clock.now();
    ended.memory = json::Value();
    put_request(txn, ended);
    const std::string work = work_key(ended.place, ended.type, ended.identifier);
    if (const auto token = co_await txn.get(work); token == ended.token) txn.erase(work);
    co_await store::set_timer(txn, {std::string(kForgetRequestTimer), timer_id(ended), ended.changed + kRequestsKept, ""});
  });
}

Task<void> ResourceRequests::forget(const store::Timer& timer) {
  const Where where = where_of(timer);
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    if (!co_await store::finish_timer(txn, timer)) co_return;
    const auto request = co_await load_request(txn, where.place, where.token);
    if (!request) co_return;
    txn.erase(request_key(where.place, where.token));
    txn.erase(order_key(*request));
    if (request->client_token.empty()) co_return;
    const auto token = co_await txn.get(client_key(where.place, request->client_token));
    if (token == where.token) txn.erase(client_key(where.place, request->client_token));
  });
}

}  // namespace tidemill::cloudformation
