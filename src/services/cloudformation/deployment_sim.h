// For tests: a world of stacks, the services that they are made of, and a client who asks while the process is killed at
// any step, all by one seed. Requests that a crash cuts off are sent again, under the same token.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "services/cloudformation/answers.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/service.h"
#include "services/dynamodb/index_backfill.h"
#include "services/dynamodb/replica_fill.h"
#include "services/dynamodb/service.h"
#include "services/iam/service.h"
#include "services/s3/service.h"
#include "services/sqs/service.h"
#include "services/ssm/service.h"
#include "services/sts/service.h"
#include "services/test_world.h"
#include "store/sim_blobs.h"
#include "wire/shapes/lambda.h"
#include "wire/shapes/sns.h"

namespace tidemill::cloudformation::testing {

class StackWorld : public services::testing::TestWorld {
 public:
  // `has_tables`: DynamoDB is there too. Each batch of an index or a replica that it fills takes kFillTime, as if there
  // were many items.
  explicit StackWorld(uint64_t seed, bool has_tables = false)
      : TestWorld({}, seed, store::SimFaults{}), has_tables_(has_tables) {
    boot();
  }
  ~StackWorld() { shut_down(); }

  // All that topics and functions were told, oldest first. They are not of this world: nobody forgets it. A function
  // has the runtime that it is named after.
  std::vector<std::string> told;

 private:
  static constexpr base::Duration kFillTime = std::chrono::seconds(5);

  void make_services() override {
    blobs_ = store::make_sim_blobs(blob_disk_);
    s3_ = std::make_unique<s3::Service>(*store, *blobs_, clock);
    sqs_ = std::make_unique<sqs::Service>(*store, clock);
    ssm_ = std::make_unique<ssm::Service>(*store);
    iam_ = std::make_unique<iam::Service>(*store);
    sts_ = std::make_unique<sts::Service>(*store);
    stacks_ = std::make_unique<Service>(*platform, 0);
    const auto enrol = [this](auto& service) { service.register_operations(*registry); };
    enrol(*s3_), enrol(*sqs_), enrol(*ssm_), enrol(*iam_), enrol(*sts_), enrol(*stacks_);
    registry->add<wire::sns::ops::Publish>(
        [this](wire::Context&, const wire::sns::PublishInput& request) { return note(request.message); });
    registry->add<wire::lambda::ops::Invoke>(
        [this](wire::Context&, const wire::lambda::InvokeInput& request) { return run(request.payload.value_or("")); });
    registry->add<wire::lambda::ops::GetFunctionConfiguration>(
        [](wire::Context&, const wire::lambda::GetFunctionConfigurationInput& request) {
          return describe(request.function_name);
        });
    s3_->register_timers(*timers, &gathered);
    sqs_->register_timers(*timers);
    stacks_->register_timers(*timers);
    if (has_tables_) make_dynamodb();
  }
  // Without the timers of what no test here makes: each kind costs steps after every crash.
  void make_dynamodb() {
    dynamodb_ = std::make_unique<dynamodb::Service>(*store, clock);
    dynamodb_->register_operations(*registry);
    timers->handle(dynamodb::kBackfillTimer,
                   [this](const store::Timer& timer) { return fill_slowly(timer, dynamodb::backfill); });
    timers->handle(dynamodb::kReplicaFillTimer,
                   [this](const store::Timer& timer) { return fill_slowly(timer, dynamodb::fill_replica); });
  }
  void drop_services() override {
    dynamodb_.reset();
    stacks_.reset(), sts_.reset(), iam_.reset(), ssm_.reset(), sqs_.reset(), s3_.reset(), blobs_.reset();
  }

  Task<wire::sns::PublishOutput> note(std::string message) {
    told.push_back(std::move(message));
    co_return wire::sns::PublishOutput();
  }

  Task<wire::lambda::InvokeOutput> run(std::string event) {
    told.push_back(std::move(event));
    co_return wire::lambda::InvokeOutput{};
  }
  static Task<wire::lambda::FunctionConfiguration> describe(std::string arn) {
    wire::lambda::FunctionConfiguration function;
    function.runtime = arn.substr(arn.rfind(':') + 1);
    co_return function;
  }

  using Fill = Task<void> (*)(store::Store& store, base::Clock& clock, const store::Timer& timer);
  // By the time that the timer was due at, which outlives crashes.
  Task<void> fill_slowly(store::Timer timer, Fill fill) {
    co_await clock.sleep_until(timer.due + kFillTime);
    co_await fill(*store, clock, timer);
  }

  const bool has_tables_;
  store::SimBlobDisk blob_disk_;
  std::unique_ptr<store::Blobs> blobs_;
  std::unique_ptr<s3::Service> s3_;
  std::unique_ptr<sqs::Service> sqs_;
  std::unique_ptr<ssm::Service> ssm_;
  std::unique_ptr<iam::Service> iam_;
  std::unique_ptr<sts::Service> sts_;
  std::unique_ptr<Service> stacks_;
  std::unique_ptr<dynamodb::Service> dynamodb_;
};

class StackClient {
 public:
  struct Reply {
    json::Value answer;
    std::string refusal;
    bool done = false;
  };

  // `has_tables`: as StackWorld's.
  explicit StackClient(uint64_t seed, bool has_tables = false)
      : world_(seed, has_tables), random_(seed), crashes_(seed % 4 != 0) {}

  // Sends it, and again after each crash that comes in between.
  Reply send(const std::string& service, const std::string& operation, const json::Object& document,
             bool may_crash = true) {
    for (;;) {
      const auto reply = std::make_shared<Reply>();
      {
        const base::Executor::Enter enter(world_.executor);
        world_.tasks.spawn(told_to(reply, carry_out(world_, service, operation, document, reply)));
      }
      bool has_crashed = false;
      for (int steps = 0; !reply->done && !has_crashed; ++steps) {
        go_on(operation, steps);
        has_crashed = may_crash && !reply->done && crash_perhaps();
      }
      if (reply->done) return *reply;
    }
  }

  // What is not to fail, and is asked while nobody is killed.
  json::Value ask(const std::string& service, const std::string& operation, const json::Object& document) {
    const Reply reply = send(service, operation, document, false);
    EXPECT_EQ(reply.refusal, "") << operation;
    return reply.answer;
  }

  // The elements of all pages.
  json::Array list(const std::string& service, const std::string& operation, std::string_view member) {
    json::Array result;
    json::Object request;
    for (;;) {
      const json::Value page = ask(service, operation, request);
      for (const json::Value& one : page.find(member)->array()) result.push_back(one);
      const json::Value* next = page.find("NextToken");
      if (!next || !next->is_string()) return result;
      request.set("NextToken", *next);
    }
  }

  int dice(size_t sides) { return static_cast<int>(random_() % sides); }

  void pass(int steps) {
    for (int i = 0; i < steps; ++i) {
      (void)world_.executor.run_one();
      (void)crash_perhaps();
    }
  }

  // Until all that goes on waits for something from outside; nobody is killed meanwhile.
  void settle() { world_.settle(); }
  void advance(base::Duration by) { world_.advance(by); }
  [[nodiscard]] const std::vector<std::string>& told() const { return world_.told; }

  // What a custom resource or a wait condition is answered at its URL.
  void answer(std::string_view url, std::string text) {
    const auto reply = std::make_shared<Reply>();
    {
      const base::Executor::Enter enter(world_.executor);
      world_.tasks.spawn(told_to(reply, put(world_, token_of_url(url), std::move(text))));
    }
    finish("an answer", *reply);
  }

  // Changes the record of a resource of a stack at rest: to what a kill at one moment would have left. Throws if there
  // is none.
  void rewrite(const std::string& stack, const std::string& logical_id, std::function<void(Resource&)> change) {
    const auto reply = std::make_shared<Reply>();
    {
      const base::Executor::Enter enter(world_.executor);
      world_.tasks.spawn(told_to(reply, put_changed(world_, *parse_stack_arn(stack), logical_id, std::move(change))));
    }
    finish("a change of a record", *reply);
  }

  // The status that the stack has come to.
  std::string rest(const std::string& stack) {
    for (int look = 0; look < kLooksMax; ++look) {
      pass(10);
      std::string status = status_of(stack);
      if (!status.ends_with("_IN_PROGRESS")) return status;
      if (look % 20 == 19) world_.advance(std::chrono::seconds(1));  // throttled calls and what waits
    }
    ADD_FAILURE() << "the stack does not come to rest";
    return "";
  }

  std::string status_of(const std::string& stack) {
    const json::Value found = ask("cloudformation", "DescribeStacks", json::Object{{"StackName", stack}});
    return found.find("Stacks")->array().at(0).find("StackStatus")->string();
  }

  // Why a stack has come to what it is.
  std::string reasons(const std::string& stack) {
    std::string result;
    const json::Value found = ask("cloudformation", "DescribeStackEvents", json::Object{{"StackName", stack}});
    for (const json::Value& one : found.find("StackEvents")->array()) {
      const json::Value* reason = one.find("ResourceStatusReason");
      result += base::cat(one.find("LogicalResourceId")->string(), " ", one.find("ResourceStatus")->string(), " ",
                          reason && reason->is_string() ? reason->string() : "", "\n");
    }
    return result;
  }

 private:
  static constexpr int kLooksMax = 3'000;     // at a stack until it is at rest
  static constexpr size_t kStepsACrash = 60;  // on the average
  static constexpr int kStepsMax = 200'000;   // of a request until it is answered

  // One step, of whatever there is to do. What would go on for ever fails the test.
  void go_on(const std::string& what, int steps) {
    if (steps == kStepsMax) throw std::runtime_error(base::cat(what, " does not end"));
    if (!world_.executor.run_one()) world_.advance(std::chrono::seconds(1));
  }

  void finish(const std::string& what, const Reply& reply) {
    for (int steps = 0; !reply.done; ++steps) go_on(what, steps);
    if (!reply.refusal.empty()) throw std::runtime_error(base::cat(what, ": ", reply.refusal));
  }

  // However `work` ends, that is told.
  static Task<void> told_to(std::shared_ptr<Reply> reply, Task<void> work) {
    try {
      co_await std::move(work);
    } catch (const wire::Error& error) {
      reply->refusal = base::cat(error.code, ": ", error.message);
    } catch (const std::exception& error) {
      reply->refusal = error.what();
    }
    reply->done = true;
  }

  static Task<void> carry_out(StackWorld& world, std::string service, std::string operation, json::Object document,
                              std::shared_ptr<Reply> reply) {
    wire::Context context(*world.platform, std::string(StackWorld::kAccount), std::string(StackWorld::kRegion),
                          "request", "tester");
    context.endpoint = StackWorld::kEndpoint;
    reply->answer = co_await world.registry->call(context, service, operation, document);
  }

  static Task<void> put(StackWorld& world, std::string token, std::string text) {
    const Place place{std::string(StackWorld::kAccount), std::string(StackWorld::kRegion)};
    co_await world.store->transact(
        [&](store::Transaction& txn) -> Task<void> { EXPECT_TRUE(co_await put_answer(txn, place, token, text)); });
  }

  static Task<void> put_changed(StackWorld& world, StackId stack, std::string logical_id,
                                std::function<void(Resource&)> change) {
    co_await world.store->transact([&](store::Transaction& txn) -> Task<void> {
      const auto before = co_await find_resource(txn, stack, logical_id);
      if (!before) throw std::runtime_error(base::cat("no resource ", logical_id));
      Resource resource = *before;
      change(resource);
      put_resource(txn, stack, resource, &*before);
    });
  }

  bool crash_perhaps() {
    if (!crashes_ || dice(kStepsACrash) != 0) return false;
    world_.crash();
    return true;
  }

  StackWorld world_;
  std::mt19937_64 random_;
  const bool crashes_;
};

}  // namespace tidemill::cloudformation::testing
