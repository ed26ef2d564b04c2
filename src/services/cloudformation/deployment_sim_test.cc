// Seeds drive stacks through creations, updates, cancellations and removals, of which some fail, over a store with
// conflicts, slow commits and a process that is killed at any step. Whatever happens: a stack that has succeeded is
// what its template says and nothing else is there; one that was taken back is exactly what it was; one that is gone
// leaves nothing. Requests that a crash cuts off are sent again under the same token.
#include <cstdlib>
#include <random>

#include "services/cloudformation/service.h"
#include "services/iam/service.h"
#include "services/sqs/service.h"
#include "services/ssm/service.h"
#include "services/sts/service.h"
#include "services/test_world.h"

namespace tidemill::cloudformation {
namespace {

using namespace std::chrono_literals;
using base::cat;

// TIDEMILL_SIM_SEEDS=N runs more.
constexpr uint64_t kSeedsByDefault = 200;
constexpr int kUpdates = 3;
constexpr int kResourcesMax = 8;
constexpr int kLooksMax = 3'000;  // at a stack until it is at rest

class World : public services::testing::TestWorld {
 public:
  World(uint64_t seed, store::SimFaults faults) : TestWorld({}, seed, faults) { boot(); }
  ~World() { shut_down(); }

 private:
  void make_services() override {
    sqs_ = std::make_unique<sqs::Service>(*store, clock);
    ssm_ = std::make_unique<ssm::Service>(*store);
    iam_ = std::make_unique<iam::Service>(*store);
    sts_ = std::make_unique<sts::Service>(*store);
    stacks_ = std::make_unique<Service>(*platform, 0);
    const auto enrol = [this](auto& service) { service.register_operations(*registry); };
    enrol(*sqs_), enrol(*ssm_), enrol(*iam_), enrol(*sts_), enrol(*stacks_);
    sqs_->register_timers(*timers);
    stacks_->register_timers(*timers);
  }
  void drop_services() override { stacks_.reset(), sts_.reset(), iam_.reset(), ssm_.reset(), sqs_.reset(); }

  std::unique_ptr<sqs::Service> sqs_;
  std::unique_ptr<ssm::Service> ssm_;
  std::unique_ptr<iam::Service> iam_;
  std::unique_ptr<sts::Service> sts_;
  std::unique_ptr<Service> stacks_;
};

// A resource of a template: a queue or a parameter that names others.
struct Wanted {
  bool is_queue = false;
  int value = 0;          // DelaySeconds, or what stands in front of a parameter's value
  int name = 0;           // of the template's choice; 0: none. Another one is another resource
  std::string refers_to;  // logical id; empty: nobody
  bool is_broken = false;

  [[nodiscard]] json::Object resource() const {
    const json::Value other = refers_to.empty() ? json::Value("") : json::Value(json::Object{{"Ref", refers_to}});
    json::Object properties;
    if (is_queue) {
      properties.set("DelaySeconds", value);
      properties.set("Tags", json::Array{json::Object{{"Key", "other"}, {"Value", other}}});
      if (name != 0) properties.set("QueueName", cat("named-", name));
      if (is_broken) properties.set("VisibilityTimeout", 99'999'999);
    } else {
      properties.set("Type", "String");
      properties.set("Value", json::Object{{"Fn::Join", json::Array{"", json::Array{cat(value, " "), other}}}});
      if (name != 0) properties.set("Name", cat("named-", name));
      if (is_broken) properties.set("AllowedPattern", "^never$");
    }
    return json::Object{{"Type", is_queue ? "AWS::SQS::Queue" : "AWS::SSM::Parameter"},
                        {"Properties", std::move(properties)}};
  }
};

using Wish = std::map<std::string, Wanted>;
// Everything there is, by its physical id.
using State = std::map<std::string, std::string>;

class Mill {
 public:
  explicit Mill(uint64_t seed) : world_(seed, store::SimFaults{}), random_(seed), crashes_(seed % 4 != 0) {}

  void run() {
    create();
    for (int i = 0; i < kUpdates && !::testing::Test::HasFailure(); ++i) update();
    remove();
  }

 private:
  // ---- what happens ----

  void create() {
    Wish wanted = changed({});
    if (dice(3) == 0) {
      break_one(wanted);
      begin("CreateStack", wanted);
      expect("ROLLBACK_COMPLETE", {});
      remove();
      wanted = changed({});
    }
    if (dice(4) == 0) {  // and removed while it is made
      begin("CreateStack", wanted);
      pass(dice(400));
      remove();
    }
    begin("CreateStack", wanted);
    expect("CREATE_COMPLETE", wanted);
    now_ = wanted;
  }

  void update() {
    const State before = state();
    Wish wanted = changed(now_);
    const bool fails = dice(3) == 0;
    if (fails) break_one(wanted);
    if (!begin("UpdateStack", wanted)) return;  // it was the same
    bool is_cancelled = false;
    if (dice(4) == 0) {
      pass(dice(300));
      const std::string token = cat("cancel-", ++tokens_);
      is_cancelled =
          send("cloudformation", "CancelUpdateStack", json::Object{{"StackName", kName}, {"ClientRequestToken", token}})
              .refusal.empty();
    }
    const std::string status = rest();
    if (status == "UPDATE_COMPLETE" && !fails) {
      expect(status, wanted);
      now_ = wanted;
    } else {
      EXPECT_TRUE(fails || is_cancelled) << "nothing was to go wrong";
      expect("UPDATE_ROLLBACK_COMPLETE", now_, before);
    }
  }

  void remove() {
    const std::string token = cat("delete-", ++tokens_);
    send("cloudformation", "DeleteStack", json::Object{{"StackName", kName}, {"ClientRequestToken", token}});
    expect("DELETE_COMPLETE", {});
    now_.clear();
  }

  // ---- templates ----

  Wish changed(Wish from) {
    Wish result;
    for (int i = 0; i < kResourcesMax; ++i) {
      const std::string name = cat("R", i);
      const auto found = from.find(name);
      if (found == from.end() ? dice(2) == 0 : dice(5) == 0) continue;  // not there, or gone
      Wanted one = found == from.end() ? Wanted{.is_queue = dice(2) == 0} : found->second;
      if (found == from.end() || dice(3) == 0) one.value = dice(900);
      if (dice(4) == 0) one.name = ++names_;
      // Of those before it, so that nothing goes round.
      if (found == from.end() || dice(3) == 0 || !result.contains(one.refers_to)) {
        one.refers_to = result.empty() || dice(3) == 0 ? "" : std::next(result.begin(), dice(result.size()))->first;
      }
      result[name] = one;
    }
    if (result.empty()) {  // a name keeps its type
      const bool is_queue = !from.contains("R0") || from["R0"].is_queue;
      result["R0"] = Wanted{.is_queue = is_queue, .value = dice(900)};
    }
    return result;
  }

  void break_one(Wish& stack) {
    Wanted& one = std::next(stack.begin(), dice(stack.size()))->second;
    one.is_broken = true;
  }

  static std::string text_of(const Wish& stack) {
    json::Object resources;
    for (const auto& [name, one] : stack) resources.set(name, one.resource());
    return json::write(json::Object{{"Resources", std::move(resources)}});
  }

  // ---- requests ----

  struct Reply {
    json::Value answer;
    std::string refusal;
    bool done = false;
  };

  static Task<void> carry_out(World& world, std::string service, std::string operation, json::Object document,
                              std::shared_ptr<Reply> reply) {
    wire::Context context(*world.platform, std::string(World::kAccount), std::string(World::kRegion), "request",
                          "tester");
    context.endpoint = World::kEndpoint;
    try {
      reply->answer = co_await world.registry->call(context, service, operation, document);
    } catch (const wire::Error& error) {
      reply->refusal = cat(error.code, ": ", error.message);
    }
    reply->done = true;
  }

  // Sends it, and again after each crash that comes in between.
  Reply send(const std::string& service, const std::string& operation, const json::Object& document,
             bool may_crash = true) {
    for (;;) {
      const auto reply = std::make_shared<Reply>();
      {
        const base::Executor::Enter enter(world_.executor);
        world_.tasks.spawn(carry_out(world_, service, operation, document, reply));
      }
      bool has_crashed = false;
      while (!reply->done && !has_crashed) {
        if (!world_.executor.run_one()) world_.advance(1s);
        has_crashed = may_crash && !reply->done && crash_perhaps();
      }
      if (reply->done) return *reply;
    }
  }

  json::Value ask(const std::string& service, const std::string& operation, const json::Object& document) {
    const Reply reply = send(service, operation, document, false);
    EXPECT_EQ(reply.refusal, "") << operation;
    return reply.answer;
  }

  // False: nothing was to be changed.
  bool begin(const std::string& operation, const Wish& stack) {
    const Reply reply = send(
        "cloudformation", operation,
        json::Object{
            {"StackName", kName}, {"TemplateBody", text_of(stack)}, {"ClientRequestToken", cat("token-", ++tokens_)}});
    if (reply.refusal.ends_with("No updates are to be performed.")) return false;
    EXPECT_EQ(reply.refusal, "");
    if (reply.refusal.empty()) id_ = reply.answer.find("StackId")->string();
    return true;
  }

  // ---- time ----

  int dice(size_t sides) { return static_cast<int>(random_() % sides); }

  bool crash_perhaps() {
    if (!crashes_ || dice(60) != 0) return false;
    world_.crash();
    return true;
  }

  void pass(int steps) {
    for (int i = 0; i < steps; ++i) {
      (void)world_.executor.run_one();
      (void)crash_perhaps();
    }
  }

  // The status that the stack has come to.
  std::string rest() {
    for (int look = 0; look < kLooksMax; ++look) {
      pass(10);
      const json::Value found = ask("cloudformation", "DescribeStacks", json::Object{{"StackName", id_}});
      std::string status = found.find("Stacks")->array().at(0).find("StackStatus")->string();
      if (!status.ends_with("_IN_PROGRESS")) return status;
      if (look % 20 == 19) world_.advance(1s);  // throttled calls and what waits
    }
    ADD_FAILURE() << "the stack does not come to rest";
    return "";
  }

  // ---- what is there ----

  State state() {
    State result;
    const json::Value queues = ask("sqs", "ListQueues", json::Object());
    if (const json::Value* urls = queues.find("QueueUrls"); urls && urls->is_array()) {
      for (const json::Value& url : urls->array()) result[url.string()] = queue(url.string());
    }
    const json::Value parameters = ask("ssm", "DescribeParameters", json::Object());
    for (const json::Value& one : parameters.find("Parameters")->array()) {
      const std::string name = one.find("Name")->string();
      result[name] =
          ask("ssm", "GetParameter", json::Object{{"Name", name}}).find("Parameter")->find("Value")->string();
    }
    return result;
  }

  std::string queue(const std::string& url) {
    const json::Value found = ask("sqs", "GetQueueAttributes",
                                  json::Object{{"QueueUrl", url}, {"AttributeNames", json::Array{"DelaySeconds"}}});
    const json::Value tags = ask("sqs", "ListQueueTags", json::Object{{"QueueUrl", url}});
    return cat(found.find("Attributes")->find("DelaySeconds")->string(), " ",
               tags.find("Tags")->find("other")->string());
  }

  // `exactly`: what was there before, if that is to be again.
  void expect(std::string_view status, const Wish& stack, std::optional<State> exactly = {}) {
    const std::string reached = rest();
    ASSERT_EQ(reached, status) << reasons();
    const State found = state();
    if (exactly) EXPECT_EQ(found, *exactly);
    State wanted;
    std::map<std::string, std::string> ids;
    if (!stack.empty()) {
      const json::Value listed = ask("cloudformation", "DescribeStackResources", json::Object{{"StackName", id_}});
      for (const json::Value& one : listed.find("StackResources")->array()) {
        ids[one.find("LogicalResourceId")->string()] = one.find("PhysicalResourceId")->string();
        EXPECT_TRUE(one.find("ResourceStatus")->string().ends_with("_COMPLETE"));
      }
      EXPECT_EQ(ids.size(), stack.size()) << "resources are shown that are not there";
    }
    for (const auto& [name, one] : stack) {
      wanted[ids[name]] = cat(one.value, " ", one.refers_to.empty() ? "" : ids[one.refers_to]);
    }
    EXPECT_EQ(found, wanted);
  }

  std::string reasons() {
    std::string result;
    const json::Value found = ask("cloudformation", "DescribeStackEvents", json::Object{{"StackName", id_}});
    for (const json::Value& one : found.find("StackEvents")->array()) {
      const json::Value* reason = one.find("ResourceStatusReason");
      result += cat(one.find("LogicalResourceId")->string(), " ", one.find("ResourceStatus")->string(), " ",
                    reason && reason->is_string() ? reason->string() : "", "\n");
    }
    return result;
  }

  static constexpr const char* kName = "mill";

  World world_;
  std::mt19937_64 random_;
  const bool crashes_;
  std::string id_;
  Wish now_;
  int names_ = 0;
  int tokens_ = 0;
};

TEST(DeploymentSimulation, AStackIsWhatItsTemplateSaysOrWhatItWas) {
  const char* more = std::getenv("TIDEMILL_SIM_SEEDS");
  const uint64_t seeds = more ? std::strtoull(more, nullptr, 10) : kSeedsByDefault;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Mill mill(seed);
    mill.run();
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace tidemill::cloudformation
