// Stacks whose process is killed at any step, each of them in one situation where that once did harm: what was promised
// before the kill holds after it.
#include <set>

#include "services/cloudformation/deployment_sim.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr uint64_t kSeeds = 40;
constexpr std::string_view kTopic = "arn:aws:sns:us-east-1:000000000000:told";

// One stack after the other, or several, of a client whose requests are known by their tokens.
class Stacks {
 public:
  explicit Stacks(uint64_t seed) : client(seed) {}

  // Begins "CreateStack" or "UpdateStack"; returns the stack's id.
  std::string begin(const std::string& operation, std::string_view name, const json::Object& body,
                    json::Object more = {}) {
    more.set("StackName", name);
    more.set("TemplateBody", json::write(body));
    more.set("ClientRequestToken", cat("token-", ++tokens_));
    const auto reply = client.send("cloudformation", operation, more);
    EXPECT_EQ(reply.refusal, "");
    return reply.refusal.empty() ? reply.answer.find("StackId")->string() : "";
  }

  void expect(std::string_view status, const std::string& id) {
    EXPECT_EQ(client.rest(id), status) << client.reasons(id);
  }

  void remove(const std::string& id) {
    client.send("cloudformation", "DeleteStack",
                json::Object{{"StackName", id}, {"ClientRequestToken", cat("delete-", ++tokens_)}});
    expect("DELETE_COMPLETE", id);
  }

  // Oldest last.
  json::Array events(const std::string& id) {
    json::Array result;
    json::Object request{{"StackName", id}};
    for (;;) {
      const json::Value page = client.ask("cloudformation", "DescribeStackEvents", request);
      for (const json::Value& one : page.find("StackEvents")->array()) result.push_back(one);
      const json::Value* next = page.find("NextToken");
      if (!next || !next->is_string()) return result;
      request.set("NextToken", *next);
    }
  }

  testing::StackClient client;

 private:
  int tokens_ = 0;
};

json::Object parameter(json::Value value) {
  return {{"Type", "AWS::SSM::Parameter"},
          {"Properties", json::Object{{"Type", "String"}, {"Value", std::move(value)}}}};
}

// ---- Notifications --------------------------------------------------------------------------------------------------

// What stands behind `name` in a message to a topic.
std::string line_of(const std::string& message, std::string_view name) {
  const std::string begin = cat(name, "='");
  const size_t at = message.find(begin);
  if (at == std::string::npos) return "";
  return message.substr(at + begin.size(), message.find("'\n", at) - at - begin.size());
}

TEST(DeploymentKills, TopicsAreToldOfEveryEventOfStepsThatRunAtOnce) {
  constexpr int kQueues = 50;
  json::Object queues;
  for (int i = 0; i < kQueues; ++i) queues.set(cat("Queue", i), json::Object{{"Type", "AWS::SQS::Queue"}});
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string id = stacks.begin("CreateStack", "told", json::Object{{"Resources", queues}},
                                        json::Object{{"NotificationARNs", json::Array{kTopic}}});
    stacks.expect("CREATE_COMPLETE", id);
    stacks.remove(id);
    stacks.client.settle();
    std::set<std::string> happened, told;
    for (const json::Value& one : stacks.events(id)) happened.insert(one.find("EventId")->string());
    for (const std::string& message : stacks.client.told()) told.insert(line_of(message, "EventId"));
    EXPECT_EQ(told, happened);
  }
}

TEST(DeploymentKills, TopicsThatAreGivenLaterAreNotToldOfWhatWasBefore) {
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string id =
        stacks.begin("CreateStack", "told", json::Object{{"Resources", json::Object{{"One", parameter("1")}}}});
    stacks.expect("CREATE_COMPLETE", id);
    stacks.begin("UpdateStack", "told", json::Object{{"Resources", json::Object{{"One", parameter("2")}}}},
                 json::Object{{"NotificationARNs", json::Array{kTopic}}});
    stacks.expect("UPDATE_COMPLETE", id);
    stacks.client.settle();
    ASSERT_FALSE(stacks.client.told().empty());
    const std::string& first = stacks.client.told().front();
    EXPECT_EQ(line_of(first, "LogicalResourceId"), "told");
    EXPECT_EQ(line_of(first, "ResourceStatus"), "UPDATE_IN_PROGRESS");
  }
}

}  // namespace
}  // namespace tidemill::cloudformation
