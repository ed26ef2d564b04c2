// For tests: stacks whose process is killed at any step, by one seed, each test in one situation where that once did
// harm: what was promised before the kill holds after it.
//
//   Stacks stacks(seed);
//   const std::string id = stacks.begin("CreateStack", "name", json::Object{{"Resources", …}});
//   stacks.expect("CREATE_COMPLETE", id);
#pragma once

#include <string>
#include <string_view>

#include "services/cloudformation/deployment_sim.h"

namespace tidemill::cloudformation::testing {

inline constexpr uint64_t kSeeds = 40;
inline constexpr std::string_view kTopic = "arn:aws:sns:us-east-1:000000000000:told";

// One stack after the other, or several, of a client whose requests are known by their tokens.
class Stacks {
 public:
  explicit Stacks(uint64_t seed, bool has_tables = false) : client(seed, has_tables) {}

  // Begins "CreateStack" or "UpdateStack"; returns the stack's id.
  std::string begin(const std::string& operation, std::string_view name, const json::Object& body,
                    json::Object more = {}) {
    more.set("StackName", name);
    more.set("TemplateBody", json::write(body));
    more.set("ClientRequestToken", base::cat("token-", ++tokens_));
    const auto reply = client.send("cloudformation", operation, more);
    EXPECT_EQ(reply.refusal, "");
    return reply.refusal.empty() ? reply.answer.find("StackId")->string() : "";
  }

  void expect(std::string_view status, const std::string& id) {
    EXPECT_EQ(client.rest(id), status) << client.reasons(id);
  }

  void remove(const std::string& id) {
    client.send("cloudformation", "DeleteStack",
                json::Object{{"StackName", id}, {"ClientRequestToken", base::cat("delete-", ++tokens_)}});
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

  StackClient client;

 private:
  int tokens_ = 0;
};

inline json::Object parameter(json::Value value) {
  return {{"Type", "AWS::SSM::Parameter"},
          {"Properties", json::Object{{"Type", "String"}, {"Value", std::move(value)}}}};
}

}  // namespace tidemill::cloudformation::testing
