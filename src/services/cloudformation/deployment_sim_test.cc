// Seeds drive stacks, flat ones and hierarchies, through creations, updates, cancellations and removals, of which some
// fail, over a store with conflicts, slow commits and a process that is killed at any step. Whatever happens: a stack that
// has succeeded is what its template says, and what the templates of its nested stacks say, and nothing else is there, no
// other stack either; one that was taken back is exactly what it was; one that is gone leaves nothing.
#include "services/cloudformation/deployment_sim.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <set>

namespace tidemill::cloudformation {
namespace {

using base::cat;

// TIDEMILL_SIM_SEEDS=N runs more.
constexpr uint64_t kSeedsByDefault = 200;
constexpr uint64_t kHierarchiesByDefault = 100;
constexpr uint64_t kImportsByDefault = 100;
constexpr int kUpdates = 3;
constexpr int kResourcesMax = 8;
constexpr int kResourcesOfNestedMax = 3;
constexpr int kNestedDeepMax = 2;
constexpr std::string_view kBucket = "templates";
constexpr std::string_view kNobody = "nobody";  // a key without a template
// What refers_to may be beside a logical id: the parameter by which a nested stack is told something from outside.
constexpr std::string_view kTold = "Told";

struct Wanted;
using Wish = std::map<std::string, Wanted>;
// Everything there is, by its physical id.
using State = std::map<std::string, std::string>;

json::Value reference_to(const std::string& name, const Wish& stack);

// A resource of a template: a queue or a parameter that names others, or a stack of such.
struct Wanted {
  enum class Kind { parameter, queue, stack };

  Kind kind = Kind::parameter;
  int value = 0;          // DelaySeconds, or what stands in front of a parameter's value
  int name = 0;           // of the template's choice; 0: none. Another one is another resource
  std::string refers_to;  // logical id, or kTold; empty: nobody
  bool is_broken = false;
  Wish inside = {};       // of a stack
  std::string key = {};   // likewise: of its template in the bucket

  [[nodiscard]] json::Object resource(const Wish& around) const {
    const json::Value other = reference_to(refers_to, around);
    json::Object properties;
    if (kind == Kind::queue) {
      properties.set("DelaySeconds", value);
      properties.set("Tags", json::Array{json::Object{{"Key", "other"}, {"Value", other}}});
      if (name != 0) properties.set("QueueName", cat("named-", name));
      if (is_broken) properties.set("VisibilityTimeout", 99'999'999);
      return json::Object{{"Type", "AWS::SQS::Queue"}, {"Properties", std::move(properties)}};
    }
    if (kind == Kind::stack) {
      properties.set("TemplateURL", cat("https://s3.amazonaws.com/", kBucket, "/", is_broken ? kNobody : key));
      properties.set("Parameters", json::Object{{std::string(kTold), other}});
      return json::Object{{"Type", "AWS::CloudFormation::Stack"}, {"Properties", std::move(properties)}};
    }
    properties.set("Type", "String");
    properties.set("Value", json::Object{{"Fn::Join", json::Array{"", json::Array{cat(value, " "), other}}}});
    if (name != 0) properties.set("Name", cat("named-", name));
    if (is_broken) properties.set("AllowedPattern", "^never$");
    return json::Object{{"Type", "AWS::SSM::Parameter"}, {"Properties", std::move(properties)}};
  }
};

json::Value reference_to(const std::string& name, const Wish& stack) {
  if (name.empty()) return "";
  const auto found = stack.find(name);
  const bool is_stack = found != stack.end() && found->second.kind == Wanted::Kind::stack;
  if (is_stack) return json::Object{{"Fn::GetAtt", json::Array{name, "Outputs.First"}}};
  return json::Object{{"Ref", name}};
}

// Its output is what its first resource is.
std::string text_of(const Wish& stack) {
  json::Object resources;
  for (const auto& [name, one] : stack) resources.set(name, one.resource(stack));
  const json::Object told{{"Type", "String"}, {"Default", ""}};
  const json::Object first{{"Value", json::Object{{"Ref", stack.begin()->first}}}};
  return json::write(json::Object{{"Parameters", json::Object{{std::string(kTold), told}}},
                                  {"Resources", std::move(resources)},
                                  {"Outputs", json::Object{{"First", first}}}});
}

class Mill {
 public:
  // `deep`: how many stacks may stand in one another below the first.
  Mill(uint64_t seed, int deep) : client_(seed), deep_(deep) {}

  void run() {
    client_.ask("s3", "CreateBucket", json::Object{{"Bucket", kBucket}});
    create();
    for (int i = 0; i < kUpdates && !::testing::Test::HasFailure(); ++i) update();
    remove();
  }

 private:
  // ---- what happens ----

  void create() {
    Wish wanted = changed({}, 0);
    if (dice(3) == 0) {
      break_one(wanted);
      begin("CreateStack", wanted);
      expect("ROLLBACK_COMPLETE", {});
      remove();
      wanted = changed({}, 0);
    }
    if (dice(4) == 0) {  // and removed while it is made
      begin("CreateStack", wanted);
      client_.pass(dice(400));
      remove();
    }
    begin("CreateStack", wanted);
    expect("CREATE_COMPLETE", wanted);
    now_ = wanted;
  }

  void update() {
    const State before = state();
    Wish wanted = changed(now_, 0);
    const bool fails = dice(3) == 0;
    if (fails) break_one(wanted);
    const bool keeps_failures = dice(3) == 0;
    if (!begin("UpdateStack", wanted, keeps_failures)) return;  // it was the same
    bool is_cancelled = false;
    if (dice(4) == 0) {
      client_.pass(dice(300));
      const std::string token = cat("cancel-", ++tokens_);
      is_cancelled = client_
                         .send("cloudformation", "CancelUpdateStack",
                               json::Object{{"StackName", kName}, {"ClientRequestToken", token}})
                         .refusal.empty();
    }
    const std::string status = client_.rest(id_);
    if (status == "UPDATE_COMPLETE" && !fails) {
      expect(status, wanted);
      now_ = wanted;
    } else if (status == "UPDATE_FAILED" && fails && keeps_failures) {
      after_kept_failure(before, wanted);
    } else {
      EXPECT_TRUE(fails || is_cancelled) << "nothing was to go wrong\n" << client_.reasons(id_);
      expect("UPDATE_ROLLBACK_COMPLETE", now_, before);
    }
  }

  // It is taken back after all, or goes on to what is not broken, perhaps once more in vain.
  void after_kept_failure(const State& before, Wish wanted) {
    if (dice(3) == 0) {
      Wish next = changed(mended(wanted), 0);
      break_one(next);
      if (!begin("UpdateStack", next, true)) return;
      ASSERT_EQ(client_.rest(id_), "UPDATE_FAILED") << client_.reasons(id_);
      wanted = std::move(next);
    }
    if (dice(2) == 0) {
      const std::string token = cat("rollback-", ++tokens_);
      client_.send("cloudformation", "RollbackStack",
                   json::Object{{"StackName", kName}, {"ClientRequestToken", token}});
      return expect("UPDATE_ROLLBACK_COMPLETE", now_, before);
    }
    wanted = changed(mended(wanted), 0);
    if (!begin("UpdateStack", wanted)) return;
    expect("UPDATE_COMPLETE", wanted);
    now_ = wanted;
  }

  void remove() {
    const std::string token = cat("delete-", ++tokens_);
    client_.send("cloudformation", "DeleteStack", json::Object{{"StackName", kName}, {"ClientRequestToken", token}});
    expect("DELETE_COMPLETE", {});
    now_.clear();
  }

  // ---- templates ----

  // `path`: of the stack. A resource keeps its type, also where it was left out for a while.
  Wish changed(const Wish& from, int depth, const std::string& path = "") {
    Wish result;
    for (int i = 0; i < (depth == 0 ? kResourcesMax : kResourcesOfNestedMax); ++i) {
      const std::string name = cat("R", i);
      const auto found = from.find(name);
      const bool is_new = found == from.end();
      if (is_new ? dice(2) == 0 : dice(5) == 0) continue;  // not there, or gone
      Wanted one = is_new ? Wanted{.kind = kind_of(cat(path, "/", name), depth)} : found->second;
      if (is_new || dice(3) == 0) one.value = dice(900);
      if (dice(4) == 0) one.name = ++names_;
      if (one.kind == Wanted::Kind::stack) change_nested(one, is_new, depth, cat(path, "/", name));
      // Of those before it, so that nothing goes round.
      const bool is_lost = !one.refers_to.empty() && one.refers_to != kTold && !result.contains(one.refers_to);
      if (is_new || dice(3) == 0 || is_lost) one.refers_to = any_of(result);
      result[name] = std::move(one);
    }
    if (result.empty()) {  // a name keeps its type
      const bool is_new = !from.contains("R0");
      Wanted one = is_new ? Wanted{.kind = kind_of(cat(path, "/R0"), kNestedDeepMax)} : from.at("R0");
      if (is_new && one.kind == Wanted::Kind::stack) change_nested(one, true, depth, cat(path, "/R0"));
      if (one.refers_to != kTold) one.refers_to.clear();
      one.value = dice(900);
      result["R0"] = std::move(one);
    }
    return result;
  }

  Wanted::Kind kind_of(const std::string& path, int depth) {
    const auto found = kinds_.find(path);
    return found != kinds_.end() ? found->second : kinds_[path] = any_kind(depth);
  }

  Wanted::Kind any_kind(int depth) {
    if (depth < deep_ && dice(3) == 0) return Wanted::Kind::stack;
    return dice(2) == 0 ? Wanted::Kind::queue : Wanted::Kind::parameter;
  }

  std::string any_of(const Wish& before) {
    if (dice(6) == 0) return std::string(kTold);
    return before.empty() || dice(3) == 0 ? "" : std::next(before.begin(), dice(before.size()))->first;
  }

  // Its template stays where it is, or comes from elsewhere from now on.
  void change_nested(Wanted& one, bool is_new, int depth, const std::string& path) {
    if (is_new || dice(2) == 0) one.inside = changed(one.inside, depth + 1, path);
    if (is_new || dice(3) == 0) one.key = cat("template-", ++names_);
  }

  void break_one(Wish& stack) {
    Wanted& one = std::next(stack.begin(), dice(stack.size()))->second;
    if (one.kind == Wanted::Kind::stack && dice(3) != 0) return break_one(one.inside);
    one.is_broken = true;
  }

  // A nested stack whose creation was kept half-made goes on with its templates, and has its names until the next stands.
  Wish mended(Wish stack, bool is_nested = false) {
    for (auto& [name, one] : stack) {
      one.is_broken = false;
      if (is_nested && one.name != 0) one.name = ++names_;
      if (one.kind == Wanted::Kind::stack) one.key = cat("template-", ++names_);
      one.inside = mended(std::move(one.inside), true);
    }
    return stack;
  }

  // ---- requests ----

  void put_templates(const Wish& stack) {
    for (const auto& [name, one] : stack) {
      if (one.kind != Wanted::Kind::stack) continue;
      client_.ask("s3", "PutObject",
                  json::Object{{"Bucket", kBucket}, {"Key", one.key}, {"Body", text_of(one.inside)}});
      put_templates(one.inside);
    }
  }

  // False: nothing was to be changed.
  bool begin(const std::string& operation, const Wish& stack, bool keeps_failures = false) {
    put_templates(stack);
    const auto reply = client_.send(
        "cloudformation", operation,
        json::Object{
            {"StackName", kName},
            {"TemplateBody", text_of(stack)},
            {"ClientRequestToken", cat("token-", ++tokens_)},
            {"DisableRollback", keeps_failures}});
    if (reply.refusal.ends_with("No updates are to be performed.")) return false;
    EXPECT_EQ(reply.refusal, "");
    if (reply.refusal.empty()) id_ = reply.answer.find("StackId")->string();
    return true;
  }

  int dice(size_t sides) { return client_.dice(sides); }

  // ---- what is there ----

  State state() {
    State result;
    const json::Value queues = client_.ask("sqs", "ListQueues", json::Object());
    if (const json::Value* urls = queues.find("QueueUrls"); urls && urls->is_array()) {
      for (const json::Value& url : urls->array()) result[url.string()] = queue(url.string());
    }
    for (const json::Value& one : client_.list("ssm", "DescribeParameters", "Parameters")) {
      const std::string name = one.find("Name")->string();
      const json::Value found = client_.ask("ssm", "GetParameter", json::Object{{"Name", name}});
      result[name] = found.find("Parameter")->find("Value")->string();
    }
    return result;
  }

  std::string queue(const std::string& url) {
    const json::Value found = client_.ask(
        "sqs", "GetQueueAttributes", json::Object{{"QueueUrl", url}, {"AttributeNames", json::Array{"DelaySeconds"}}});
    const json::Value tags = client_.ask("sqs", "ListQueueTags", json::Object{{"QueueUrl", url}});
    return cat(found.find("Attributes")->find("DelaySeconds")->string(), " ",
               tags.find("Tags")->find("other")->string());
  }

  // All stacks that are not deleted.
  std::set<std::string> stacks() {
    std::set<std::string> result;
    for (const json::Value& one : client_.list("cloudformation", "ListStacks", "StackSummaries")) {
      if (one.find("StackStatus")->string() != "DELETE_COMPLETE") result.insert(one.find("StackId")->string());
    }
    return result;
  }

  struct Expected {
    State state;
    std::set<std::string> stacks;
  };

  // What a stack and those below it come to; returns what its output is.
  std::string add_expected(const std::string& id, const Wish& stack, const std::string& told, Expected& expected) {
    expected.stacks.insert(id);
    std::map<std::string, std::string> ids;
    const json::Value listed = client_.ask("cloudformation", "DescribeStackResources", json::Object{{"StackName", id}});
    for (const json::Value& one : listed.find("StackResources")->array()) {
      ids[one.find("LogicalResourceId")->string()] = one.find("PhysicalResourceId")->string();
      EXPECT_TRUE(one.find("ResourceStatus")->string().ends_with("_COMPLETE"));
    }
    EXPECT_EQ(ids.size(), stack.size()) << "resources are shown that are not there";
    std::map<std::string, std::string> values{{"", ""}, {std::string(kTold), told}};
    for (const auto& [name, one] : stack) {
      const std::string other = values[one.refers_to];
      values[name] = ids[name];
      if (one.kind == Wanted::Kind::stack) {
        values[name] = add_expected(ids[name], one.inside, other, expected);
      } else {
        expected.state[ids[name]] = cat(one.value, " ", other);
      }
    }
    return ids[stack.begin()->first];
  }

  // `exactly`: what was there before, if that is to be again.
  void expect(std::string_view status, const Wish& stack, std::optional<State> exactly = {}) {
    const std::string reached = client_.rest(id_);
    ASSERT_EQ(reached, status) << client_.reasons(id_);
    const State found = state();
    if (exactly) EXPECT_EQ(found, *exactly);
    Expected expected;
    if (!stack.empty()) (void)add_expected(id_, stack, "", expected);
    if (status == "ROLLBACK_COMPLETE") expected.stacks.insert(id_);
    EXPECT_EQ(found, expected.state) << client_.reasons(id_);
    EXPECT_EQ(stacks(), expected.stacks);
  }

  static constexpr const char* kName = "mill";

  testing::StackClient client_;
  const int deep_;
  std::string id_;
  Wish now_;
  std::map<std::string, Wanted::Kind> kinds_;  // by the path of the resource
  int names_ = 0;
  int tokens_ = 0;
};

uint64_t seeds(uint64_t by_default) {
  const char* more = std::getenv("TIDEMILL_SIM_SEEDS");
  return more ? std::strtoull(more, nullptr, 10) : by_default;
}

TEST(DeploymentSimulation, AStackIsWhatItsTemplateSaysOrWhatItWas) {
  for (uint64_t seed = 1; seed <= seeds(kSeedsByDefault) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Mill(seed, 0).run();
  }
}

TEST(DeploymentSimulation, AHierarchyIsWhatItsTemplatesSayOrWhatItWas) {
  for (uint64_t seed = 1; seed <= seeds(kHierarchiesByDefault) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Mill(seed, kNestedDeepMax).run();
  }
}

// ---- Imports among other changes ------------------------------------------------------------------------------------

// Stacks that take in what stands, beside what they make: whatever becomes of them, that stays as it was.
class Importer {
 public:
  explicit Importer(uint64_t seed) : client_(seed) {}

  void run() {
    for (const std::string& one : kStrays) {
      client_.ask("ssm", "PutParameter", json::Object{{"Name", one}, {"Value", "as it was"}, {"Type", "String"}});
    }
    const bool fails = client_.dice(2) == 0, updates = client_.dice(2) == 0;
    if (updates) {
      deploy("CREATE", {}, false);
      ASSERT_EQ(client_.rest(id_), "CREATE_COMPLETE") << client_.reasons(id_);
    }
    deploy(updates ? "UPDATE" : "CREATE", kStrays, fails);
    const bool is_removed = client_.dice(4) == 0;
    if (is_removed) {
      client_.pass(client_.dice(200));
      remove();
    }
    const std::string status = client_.rest(id_);
    if (!is_removed) {
      const std::string_view failed = updates ? "UPDATE_ROLLBACK_COMPLETE" : "ROLLBACK_COMPLETE";
      ASSERT_EQ(status, fails ? failed : updates ? "UPDATE_COMPLETE" : "CREATE_COMPLETE") << client_.reasons(id_);
      EXPECT_EQ(parameters(), fails && !updates ? kStrays : with_fresh()) << client_.reasons(id_);
    }
    remove();
    EXPECT_EQ(client_.rest(id_), "DELETE_COMPLETE") << client_.reasons(id_);
    EXPECT_EQ(parameters(), kStrays) << client_.reasons(id_);
    for (const std::string& one : kStrays) {
      const json::Value found = client_.ask("ssm", "GetParameter", json::Object{{"Name", one}});
      EXPECT_EQ(found.find("Parameter")->find("Value")->string(), "as it was");
    }
  }

 private:
  using Names = std::set<std::string>;

  static json::Object parameter(const std::string& name, std::string_view policy) {
    json::Object result{{"Type", "AWS::SSM::Parameter"},
                        {"Properties", json::Object{{"Name", name}, {"Type", "String"}, {"Value", "made"}}}};
    if (!policy.empty()) result.set("DeletionPolicy", policy);
    return result;
  }

  // The strays come in between the others.
  json::Object resources(const Names& strays, bool fails) {
    json::Object result{{"Fresh", parameter("fresh", "")}};
    int count = 0;
    for (const std::string& one : strays) {
      json::Object stray = parameter(one, client_.dice(2) == 0 ? "Retain" : "RetainExceptOnCreate");
      if (client_.dice(2) == 0) stray.set("DependsOn", "Fresh");
      result.set(cat("Stray", ++count), std::move(stray));
    }
    if (!fails) return result;
    json::Object broken{{"Type", "AWS::SQS::Queue"}, {"Properties", json::Object{{"VisibilityTimeout", 99'999'999}}}};
    if (!strays.empty()) broken.set("DependsOn", "Stray1");
    result.set("Broken", std::move(broken));
    return result;
  }

  void deploy(const std::string& kind, const Names& strays, bool fails) {
    const json::Object body{{"Resources", resources(strays, fails)}};
    const std::string set = cat("set-", ++tokens_);
    const auto made = client_.send("cloudformation", "CreateChangeSet",
                                   json::Object{{"StackName", kName},
                                                {"ChangeSetName", set},
                                                {"ChangeSetType", kind},
                                                {"ImportExistingResources", true},
                                                {"ClientToken", set},
                                                {"TemplateBody", json::write(body)}});
    ASSERT_EQ(made.refusal, "");
    id_ = made.answer.find("StackId")->string();
    const auto begun = client_.send(
        "cloudformation", "ExecuteChangeSet",
        json::Object{{"StackName", kName}, {"ChangeSetName", set}, {"ClientRequestToken", cat("run-", set)}});
    ASSERT_EQ(begun.refusal, "");
  }

  void remove() {
    client_.send("cloudformation", "DeleteStack",
                 json::Object{{"StackName", kName}, {"ClientRequestToken", cat("delete-", ++tokens_)}});
  }

  Names parameters() {
    Names result;
    for (const json::Value& one : client_.list("ssm", "DescribeParameters", "Parameters")) {
      result.insert(one.find("Name")->string());
    }
    return result;
  }

  static Names with_fresh() {
    Names result = kStrays;
    result.insert("fresh");
    return result;
  }

  static constexpr const char* kName = "importer";
  static inline const Names kStrays{"stray-1", "stray-2", "stray-3"};

  testing::StackClient client_;
  std::string id_;
  int tokens_ = 0;
};

TEST(DeploymentSimulation, WhatIsImportedAmongOtherChangesOutlivesThem) {
  for (uint64_t seed = 1; seed <= seeds(kImportsByDefault) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Importer(seed).run();
  }
}

}  // namespace
}  // namespace tidemill::cloudformation
