// Stacks whose process is killed at any step, each of them in one situation where that once did harm: what was promised
// before the kill holds after it.
#include <set>

#include "services/cloudformation/deployment_sim.h"
#include "wire/timestamp.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;

constexpr uint64_t kSeeds = 40;
constexpr std::string_view kTopic = "arn:aws:sns:us-east-1:000000000000:told";

// One stack after the other, or several, of a client whose requests are known by their tokens.
class Stacks {
 public:
  explicit Stacks(uint64_t seed, bool has_tables = false) : client(seed, has_tables) {}

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

// ---- Events ---------------------------------------------------------------------------------------------------------

TEST(DeploymentKills, NoTwoEventsOfAStackHaveTheSameTime) {
  json::Object parameters;
  for (int i = 0; i < 10; ++i) parameters.set(cat("Parameter", i), parameter("1"));
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string id = stacks.begin("CreateStack", "brewing", json::Object{{"Resources", parameters}});
    stacks.expect("CREATE_COMPLETE", id);
    stacks.remove(id);
    base::Time behind = base::Time::max();
    for (const json::Value& one : stacks.events(id)) {
      const std::string& text = one.find("Timestamp")->string();
      const auto time = wire::parse_timestamp(text, wire::TimestampFormat::date_time).value();
      EXPECT_LT(time, behind) << text << " " << one.find("EventId")->string();
      behind = time;
    }
  }
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

// ---- Imports --------------------------------------------------------------------------------------------------------

// A stack exports two values, and another imports what it likes.
class Trade {
 public:
  explicit Trade(uint64_t seed) : stacks_(seed) {
    seller_ = stacks_.begin("CreateStack", "seller", seller({"first", "second"}));
    stacks_.expect("CREATE_COMPLETE", seller_);
    buyer_ = stacks_.begin("CreateStack", "buyer", buyer({{"Uses", imported("first")}, {"Plain", parameter("1")}}));
    stacks_.expect("CREATE_COMPLETE", buyer_);
    expect_imported("first", true);
  }

  static json::Object imported(std::string_view name) { return parameter(json::Object{{"Fn::ImportValue", name}}); }

  void update_buyer(json::Object resources, std::string_view status) {
    stacks_.begin("UpdateStack", "buyer", buyer(std::move(resources)));
    stacks_.expect(status, buyer_);
  }

  void expect_imported(std::string_view name, bool is_imported) {
    const auto reply = stacks_.client.send("cloudformation", "ListImports", json::Object{{"ExportName", name}}, false);
    EXPECT_EQ(reply.refusal.empty(), is_imported) << name << " " << reply.refusal;
  }

  // The seller keeps only these.
  void narrow_seller(const std::vector<std::string>& kept) {
    stacks_.begin("UpdateStack", "seller", seller(kept));
    stacks_.expect("UPDATE_COMPLETE", seller_);
  }

  void end() {
    stacks_.remove(buyer_);
    expect_imported("first", false);
    expect_imported("second", false);
    stacks_.remove(seller_);
  }

 private:
  static json::Object seller(const std::vector<std::string>& names) {
    json::Object outputs;
    for (const std::string& name : names) {
      outputs.set(name, json::Object{{"Value", cat("value of ", name)}, {"Export", json::Object{{"Name", name}}}});
    }
    outputs.set("Own", json::Object{{"Value", "own"}});
    return {{"Resources", json::Object{{"Thing", parameter("1")}}}, {"Outputs", std::move(outputs)}};
  }

  static json::Object buyer(json::Object resources) { return {{"Resources", std::move(resources)}}; }

  Stacks stacks_;
  std::string seller_, buyer_;
};

TEST(DeploymentKills, AnImportThatAPropertyGivesUpIsReleased) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Trade trade(seed);
    trade.update_buyer({{"Uses", Trade::imported("second")}, {"Plain", parameter("1")}}, "UPDATE_COMPLETE");
    trade.expect_imported("first", false);
    trade.expect_imported("second", true);
    trade.narrow_seller({"second"});
    trade.end();
  }
}

TEST(DeploymentKills, AnImportOfAResourceThatIsRemovedIsReleased) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Trade trade(seed);
    trade.update_buyer({{"Plain", parameter("1")}}, "UPDATE_COMPLETE");
    trade.expect_imported("first", false);
    trade.narrow_seller({"second"});
    trade.end();
  }
}

TEST(DeploymentKills, AnImportIsReleasedByTheRollbackOfTheUpdateThatBeganIt) {
  json::Object broken{{"Type", "AWS::SQS::Queue"},
                      {"Properties", json::Object{{"VisibilityTimeout", 99'999'999}}},
                      {"DependsOn", json::Array{"Uses", "New"}}};
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Trade trade(seed);
    trade.update_buyer({{"Uses", Trade::imported("second")},
                        {"New", Trade::imported("second")},
                        {"Plain", parameter("1")},
                        {"Broken", broken}},
                       "UPDATE_ROLLBACK_COMPLETE");
    trade.expect_imported("first", true);
    trade.expect_imported("second", false);
    trade.narrow_seller({"first"});
    trade.end();
  }
}

// ---- Exports that go while others take them in ----------------------------------------------------------------------

constexpr std::string_view kGoods = "goods";

json::Object exporting(json::Object resources, std::string_view value) {
  const json::Object output{{"Value", value}, {"Export", json::Object{{"Name", kGoods}}}};
  return {{"Resources", std::move(resources)}, {"Outputs", json::Object{{"Out", output}}}};
}

json::Object importing() {
  json::Object copy = parameter(json::Object{{"Fn::ImportValue", kGoods}});
  copy.find("Properties")->object().set("Name", "/copy");
  return {{"Resources", json::Object{{"Copy", copy}}}};
}

std::string copied(Stacks& stacks) {
  const json::Value found = stacks.client.ask("ssm", "GetParameter", json::Object{{"Name", "/copy"}});
  return found.find("Parameter")->find("Value")->string();
}

// What the export is; empty: it is not there.
std::string exported(Stacks& stacks) {
  for (const json::Value& one : stacks.client.list("cloudformation", "ListExports", "Exports")) {
    if (one.find("Name")->string() == kGoods) return one.find("Value")->string();
  }
  return "";
}

void begin_deletion(Stacks& stacks, const std::string& id) {
  const json::Object request{{"StackName", id}, {"ClientRequestToken", "begin-deletion"}};
  EXPECT_EQ(stacks.client.send("cloudformation", "DeleteStack", request).refusal, "");
}

TEST(DeploymentKills, WhatWasTakenInIsThereAsItWasTaken) {
  const json::Object without{{"Resources", json::Object{{"Thing", parameter("2")}}}};
  int taken = 0, refused = 0;
  for (uint64_t seed = 1; seed <= kSeeds * 3 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string seller =
        stacks.begin("CreateStack", "seller", exporting({{"Thing", parameter("1")}}, "old"));
    stacks.expect("CREATE_COMPLETE", seller);
    const auto withdraw = [&] {
      if (seed % 3 == 0) return begin_deletion(stacks, seller);
      (void)stacks.begin("UpdateStack", "seller",
                         seed % 3 == 1 ? without : exporting({{"Thing", parameter("2")}}, "new"));
    };
    const bool is_first = stacks.client.dice(2) == 0;
    if (is_first) withdraw();
    stacks.client.pass(stacks.client.dice(40));
    const std::string buyer = stacks.begin("CreateStack", "buyer", importing());
    stacks.client.pass(stacks.client.dice(40));
    if (!is_first) withdraw();

    const std::string bought = stacks.client.rest(buyer);
    (void)stacks.client.rest(seller);
    if (bought == "CREATE_COMPLETE") {
      ++taken;
      EXPECT_EQ(exported(stacks), copied(stacks)) << stacks.client.reasons(seller);
    } else {
      ++refused;
      EXPECT_EQ(bought, "ROLLBACK_COMPLETE");
      EXPECT_EQ(exported(stacks), "");
      EXPECT_THAT(stacks.client.reasons(buyer), ::testing::HasSubstr("No export named goods found"));
      const json::Object name{{"ExportName", kGoods}};
      EXPECT_NE(stacks.client.send("cloudformation", "ListImports", name, false).refusal, "");
    }
  }
  EXPECT_GT(taken, 0);
  EXPECT_GT(refused, 0);
}

TEST(DeploymentKills, AStackWhoseExportIsInUseIsNotDeleted) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string seller =
        stacks.begin("CreateStack", "seller", exporting({{"Thing", parameter("1")}}, "value"));
    stacks.expect("CREATE_COMPLETE", seller);
    const std::string buyer = stacks.begin("CreateStack", "buyer", importing());
    stacks.expect("CREATE_COMPLETE", buyer);
    const size_t before = stacks.events(seller).size();

    begin_deletion(stacks, seller);
    EXPECT_EQ(stacks.client.status_of(seller), "CREATE_COMPLETE");
    const json::Array events = stacks.events(seller);
    ASSERT_EQ(events.size(), before + 2);
    EXPECT_EQ(events[1].find("ResourceStatus")->string(), "DELETE_IN_PROGRESS");
    EXPECT_EQ(events[1].find("ResourceStatusReason")->string(), "User Initiated");
    EXPECT_EQ(events[0].find("ResourceStatus")->string(), "CREATE_COMPLETE");
    EXPECT_EQ(events[0].find("ResourceStatusReason")->string(),
              "Export goods cannot be deleted as it is in use by buyer");
    stacks.client.settle();
    EXPECT_EQ(stacks.events(seller).size(), before + 2);
    EXPECT_EQ(exported(stacks), "value");

    stacks.remove(buyer);
    stacks.remove(seller);
    EXPECT_EQ(exported(stacks), "");
  }
}

TEST(DeploymentKills, ADeletionThatFailsBringsItsExportsBack) {
  const json::Object bucket{{"Type", "AWS::S3::Bucket"}, {"Properties", json::Object{{"BucketName", "store-house"}}}};
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string seller = stacks.begin("CreateStack", "seller", exporting({{"Bucket", bucket}}, "value"));
    stacks.expect("CREATE_COMPLETE", seller);
    const json::Object object{{"Bucket", "store-house"}, {"Key", "box"}};
    json::Object filled = object;
    filled.set("Body", "full");
    stacks.client.ask("s3", "PutObject", filled);

    begin_deletion(stacks, seller);
    stacks.expect("DELETE_FAILED", seller);
    EXPECT_EQ(exported(stacks), "value");
    const std::string buyer = stacks.begin("CreateStack", "buyer", importing());
    stacks.expect("CREATE_COMPLETE", buyer);
    EXPECT_EQ(copied(stacks), "value");

    stacks.remove(buyer);
    stacks.client.ask("s3", "DeleteObject", object);
    stacks.remove(seller);
    EXPECT_EQ(exported(stacks), "");
  }
}

// What an update has made a nested stack export is there until the parent fails.
class NestedSeller {
 public:
  explicit NestedSeller(uint64_t seed) : stacks(seed) {
    stacks.client.ask("s3", "CreateBucket", json::Object{{"Bucket", "templates"}});
    put("plain", {{"Resources", json::Object{{"Thing", parameter("1")}}}});
    put("seller", exporting({{"Thing", parameter("2")}}, "value"));
    put("buyer", importing());
    root = stacks.begin("CreateStack", "root", body({{"Seller", nested("plain")}}));
    stacks.expect("CREATE_COMPLETE", root);
  }

  // `more` is made before the update fails, which it does when fail() lets a wait condition time out.
  void begin_failing_update(json::Object more) {
    json::Object wait{{"Type", "AWS::CloudFormation::WaitCondition"},
                      {"Properties", json::Object{{"Handle", json::Object{{"Ref", "Handle"}}}, {"Timeout", "60"}}}};
    json::Array after{"Seller"};
    for (const auto& [name, one] : more) after.push_back(name);
    wait.set("DependsOn", std::move(after));
    more.set("Seller", nested("seller"));
    more.set("Handle", json::Object{{"Type", "AWS::CloudFormation::WaitConditionHandle"}});
    more.set("Wait", std::move(wait));
    stacks.begin("UpdateStack", "root", body(std::move(more)));
    stacks.client.settle();
  }

  // Nobody is killed until it has: who goes on after a kill waits from the beginning.
  void fail() {
    stacks.client.settle();
    stacks.client.advance(std::chrono::seconds(61));
  }

  static json::Object nested(std::string_view key) {
    return {{"Type", "AWS::CloudFormation::Stack"},
            {"Properties", json::Object{{"TemplateURL", cat("https://s3.amazonaws.com/templates/", key)}}}};
  }

  Stacks stacks;
  std::string root;

 private:
  static json::Object body(json::Object resources) { return {{"Resources", std::move(resources)}}; }

  void put(std::string_view key, json::Object text) {
    stacks.client.ask("s3", "PutObject",
                      json::Object{{"Bucket", "templates"}, {"Key", key}, {"Body", json::write(std::move(text))}});
  }
};

TEST(DeploymentKills, AnExportThatOthersHaveTakenInStaysWhenItsUpdateIsTakenBack) {
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    NestedSeller world(seed);
    Stacks& stacks = world.stacks;
    world.begin_failing_update({});
    const std::string buyer = stacks.begin("CreateStack", "buyer", importing());
    stacks.expect("CREATE_COMPLETE", buyer);
    world.fail();
    stacks.expect("UPDATE_ROLLBACK_FAILED", world.root);
    EXPECT_THAT(stacks.client.reasons(world.root),
                ::testing::HasSubstr("Export goods cannot be deleted as it is in use by buyer"));
    EXPECT_EQ(exported(stacks), copied(stacks));

    stacks.remove(buyer);
    stacks.client.ask("cloudformation", "ContinueUpdateRollback", json::Object{{"StackName", "root"}});
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", world.root);
    EXPECT_EQ(exported(stacks), "");
  }
}

TEST(DeploymentKills, WhatNestedStacksTakeInFromEachOtherGoesBackWithThem) {
  json::Object buyer = NestedSeller::nested("buyer");
  buyer.set("DependsOn", "Seller");
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    NestedSeller world(seed);
    world.begin_failing_update({{"Buyer", buyer}});
    EXPECT_EQ(exported(world.stacks), "value");
    world.fail();
    world.stacks.expect("UPDATE_ROLLBACK_COMPLETE", world.root);
    EXPECT_EQ(exported(world.stacks), "");
  }
}

// ---- Outputs of other stacks ----------------------------------------------------------------------------------------

json::Object output_of(json::Value stack, json::Object more = {}) {
  more.set("StackName", std::move(stack));
  more.set("OutputName", "Told");
  return {{"Fn::GetStackOutput", std::move(more)}};
}

TEST(DeploymentKills, AnOutputOfAnotherStackIsWhatItIsWhenItIsAskedFor) {
  const auto teller = [](std::string_view told) {
    return json::Object{{"Resources", json::Object{{"Thing", parameter("1")}}},
                        {"Outputs", json::Object{{"Told", json::Object{{"Value", told}}}}}};
  };
  const auto asker = [](json::Value what, std::string_view plain) {
    json::Object copy = parameter(std::move(what));
    copy.find("Properties")->object().set("Name", "/copy");
    // The other stack's name is known once this is made.
    json::Object name = parameter(plain);
    name.find("Properties")->object().set("Name", "teller");
    return json::Object{{"Resources", json::Object{{"Copy", copy}, {"Name", name}}},
                        {"Outputs", json::Object{{"Again", json::Object{{"Value", output_of("teller")}}}}}};
  };
  const json::Value by_resource = output_of(json::Object{{"Ref", "Name"}}, {{"Region", json::Object{{"Ref", "AWS::Region"}}}});
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const auto copied = [&] {
      return stacks.client.ask("ssm", "GetParameter", json::Object{{"Name", "/copy"}}).find("Parameter")->find("Value")->string();
    };
    const std::string told = stacks.begin("CreateStack", "teller", teller("one"));
    stacks.expect("CREATE_COMPLETE", told);
    const std::string asking = stacks.begin("CreateStack", "asker", asker(by_resource, "1"));
    stacks.expect("CREATE_COMPLETE", asking);
    EXPECT_EQ(copied(), "one");
    // It may change and go: nothing holds it.
    stacks.begin("UpdateStack", "teller", teller("two"));
    stacks.expect("UPDATE_COMPLETE", told);
    EXPECT_EQ(copied(), "one");
    stacks.begin("UpdateStack", "asker", asker(by_resource, "2"));
    stacks.expect("UPDATE_COMPLETE", asking);
    EXPECT_EQ(copied(), "two");
    // Of another region there is none.
    stacks.begin("UpdateStack", "asker", asker(output_of("teller", {{"Region", "eu-west-1"}}), "3"));
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", asking);
    EXPECT_EQ(copied(), "two");
    stacks.remove(told);
    stacks.begin("UpdateStack", "asker", asker("plain", "4"));  // its own output asks in vain
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", asking);
    EXPECT_EQ(copied(), "two");
    stacks.remove(asking);
  }
}

// ---- Custom resources -----------------------------------------------------------------------------------------------

// How often a request of this type was sent, and of the last where its answer goes and whom it went to.
struct Asked {
  int count = 0;
  std::string url;
  std::string token;
};
Asked asked(const std::vector<std::string>& told, std::string_view type) {
  Asked result;
  for (const std::string& message : told) {
    const auto request = json::parse(message);
    if (!request || request->find("RequestType")->string() != type) continue;
    ++result.count;
    result.url = request->find("ResponseURL")->string();
    result.token = request->find("ServiceToken")->string();
  }
  return result;
}

std::string answer_of(std::string_view id, std::string_view data) {
  return json::write(
      json::Object{{"Status", "SUCCESS"}, {"PhysicalResourceId", id}, {"Data", json::Object{{"Colour", data}}}});
}

TEST(DeploymentKills, AnAnswerOfACustomResourceCountsOnceItIsTaken) {
  const auto body = [](std::string_view size) {
    const json::Object custom{{"Type", "Custom::Thing"},
                              {"Properties", json::Object{{"ServiceToken", kTopic}, {"Size", size}}}};
    const json::Object colour{{"Value", json::Object{{"Fn::GetAtt", json::Array{"Thing", "Colour"}}}}};
    return json::Object{{"Resources", json::Object{{"Thing", custom}}}, {"Outputs", json::Object{{"Colour", colour}}}};
  };
  for (uint64_t seed = 1; seed <= kSeeds * 2 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    testing::StackClient& client = stacks.client;
    // Nobody is killed until the answer is there: before, a request may well be sent again.
    const auto change = [&](const std::string& operation, std::string_view size) {
      const json::Object request{{"StackName", "custom"}, {"TemplateBody", json::write(body(size))}};
      const std::string id = client.ask("cloudformation", operation, request).find("StackId")->string();
      client.settle();
      return id;
    };
    const auto colour = [&](const std::string& id) {
      const json::Value found = client.ask("cloudformation", "DescribeStacks", json::Object{{"StackName", id}});
      return found.find("Stacks")->array().at(0).find("Outputs")->array().at(0).find("OutputValue")->string();
    };

    const std::string id = change("CreateStack", "small");
    client.answer(asked(client.told(), "Create").url, answer_of("it", "red"));
    stacks.expect("CREATE_COMPLETE", id);
    EXPECT_EQ(asked(client.told(), "Create").count, 1);
    EXPECT_EQ(colour(id), "red");

    (void)change("UpdateStack", "large");
    client.answer(asked(client.told(), "Update").url, answer_of("it", "blue"));
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(asked(client.told(), "Create").count, 1);
    EXPECT_EQ(asked(client.told(), "Update").count, 1);
    EXPECT_EQ(colour(id), "blue");
  }
}

TEST(DeploymentKills, ACustomResourceIsAnsweredWhereItsRuntimeReachesTheServer) {
  constexpr std::string_view kOfAws = "https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/";
  const auto function = [](std::string_view name) {
    return cat("arn:aws:lambda:us-east-1:000000000000:function:", name);
  };
  const std::pair<std::string, std::string_view> cases[] = {{function("nodejs22.x"), kOfAws},
                                                            {function("python3.12"), kOfAws},
                                                            {function("java21"), testing::StackWorld::kEndpoint},
                                                            {std::string(kTopic), testing::StackWorld::kEndpoint}};
  for (const auto& [token, start] : cases) {
    SCOPED_TRACE(token);
    Stacks stacks(1);
    testing::StackClient& client = stacks.client;
    const json::Object custom{{"Type", "Custom::Thing"}, {"Properties", json::Object{{"ServiceToken", token}}}};
    const json::Object body{{"Resources", json::Object{{"Thing", custom}}}};
    const json::Object request{{"StackName", "custom"}, {"TemplateBody", json::write(body)}};
    const std::string id = client.ask("cloudformation", "CreateStack", request).find("StackId")->string();
    client.settle();
    const std::string url = asked(client.told(), "Create").url;
    EXPECT_TRUE(url.starts_with(start)) << url;
    client.answer(url, answer_of("it", "red"));
    stacks.expect("CREATE_COMPLETE", id);
  }
}

TEST(DeploymentKills, ARefusedServiceTokenLeavesACustomResourceItsOwn) {
  const auto body = [](std::string_view token, std::string_view size) {
    return json::Object{
        {"Resources",
         json::Object{{"Thing", json::Object{{"Type", "Custom::Thing"},
                                             {"Properties", json::Object{{"ServiceToken", token}, {"Size", size}}}}}}}};
  };
  constexpr std::string_view kOther = "arn:aws:sns:us-east-1:000000000000:other";
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    testing::StackClient& client = stacks.client;
    // Nobody is killed until the answer is there.
    const auto ask = [&](const std::string& operation, json::Object request, std::string_view type) {
      request.set("StackName", "custom");
      client.ask("cloudformation", operation, request);
      client.settle();
      client.answer(asked(client.told(), type).url, answer_of("it", "red"));
    };
    const auto id_of_stack = [&] {
      const json::Value found = client.ask("cloudformation", "DescribeStacks", json::Object{{"StackName", "custom"}});
      return found.find("Stacks")->array().at(0).find("StackId")->string();
    };

    ask("CreateStack", json::Object{{"TemplateBody", json::write(body(kTopic, "small"))}}, "Create");
    const std::string id = id_of_stack();
    stacks.expect("CREATE_COMPLETE", id);
    stacks.begin("UpdateStack", "custom", body(kOther, "small"), json::Object{{"DisableRollback", true}});
    stacks.expect("UPDATE_FAILED", id);
    EXPECT_THAT(client.reasons(id), ::testing::HasSubstr("UPDATE_FAILED Modifying service token is not allowed."));
    EXPECT_EQ(asked(client.told(), "Update").count, 0);

    ask("UpdateStack", json::Object{{"TemplateBody", json::write(body(kTopic, "large"))}}, "Update");
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(asked(client.told(), "Update").token, kTopic);
    stacks.begin("UpdateStack", "custom", body(kOther, "large"), json::Object{{"DisableRollback", true}});
    stacks.expect("UPDATE_FAILED", id);
    ask("DeleteStack", {}, "Delete");
    stacks.expect("DELETE_COMPLETE", id);
    EXPECT_EQ(asked(client.told(), "Delete").token, kTopic);
  }
}

// ---- Tables ---------------------------------------------------------------------------------------------------------

json::Object table(std::string_view type, json::Object more) {
  more.set("TableName", "things");
  more.set("BillingMode", "PAY_PER_REQUEST");
  more.set("KeySchema", json::Array{json::Object{{"AttributeName", "id"}, {"KeyType", "HASH"}}});
  if (!more.find("AttributeDefinitions")) {
    more.set("AttributeDefinitions", json::Array{json::Object{{"AttributeName", "id"}, {"AttributeType", "S"}}});
  }
  return {{"Type", type}, {"Properties", std::move(more)}};
}

json::Object plain_table() { return table("AWS::DynamoDB::Table", {}); }

json::Object indexed_table() {
  const json::Object index{{"IndexName", "by-time"},
                           {"KeySchema", json::Array{json::Object{{"AttributeName", "at"}, {"KeyType", "HASH"}}}},
                           {"Projection", json::Object{{"ProjectionType", "ALL"}}}};
  return table("AWS::DynamoDB::Table",
               {{"AttributeDefinitions", json::Array{json::Object{{"AttributeName", "id"}, {"AttributeType", "S"}},
                                                     json::Object{{"AttributeName", "at"}, {"AttributeType", "N"}}}},
                {"GlobalSecondaryIndexes", json::Array{index}}});
}

json::Object global_table(json::Array replicas) {
  return table("AWS::DynamoDB::GlobalTable",
               {{"StreamSpecification", json::Object{{"StreamViewType", "NEW_AND_OLD_IMAGES"}}},
                {"Replicas", std::move(replicas)}});
}

// Fails at once, while others still wait for what they have begun.
json::Object broken_queue() {
  return {{"Type", "AWS::SQS::Queue"}, {"Properties", json::Object{{"VisibilityTimeout", 99'999'999}}}};
}

json::Object resources(json::Object members) { return {{"Resources", std::move(members)}}; }

json::Value described_table(Stacks& stacks) {
  return *stacks.client.ask("dynamodb", "DescribeTable", json::Object{{"TableName", "things"}}).find("Table");
}

std::string index_status(Stacks& stacks) {
  const json::Value found = described_table(stacks);
  const json::Value* indexes = found.find("GlobalSecondaryIndexes");
  return indexes && indexes->is_array() ? indexes->array().at(0).find("IndexStatus")->string() : "none";
}

// "eu-west-1 ACTIVE"; of the replicas elsewhere.
std::vector<std::string> replicas_elsewhere(Stacks& stacks) {
  const json::Value found = described_table(stacks);
  const json::Value* replicas = found.find("Replicas");
  std::vector<std::string> result;
  if (!replicas || !replicas->is_array()) return result;
  for (const json::Value& one : replicas->array()) {
    const std::string region = one.find("RegionName")->string();
    if (region != testing::StackWorld::kRegion) result.push_back(cat(region, " ", one.find("ReplicaStatus")->string()));
  }
  return result;
}

// In a stack of its own, "indexed", whose id it returns.
std::string create_plain_table(Stacks& stacks) {
  const std::string id = stacks.begin("CreateStack", "indexed", resources({{"Table", plain_table()}}));
  stacks.expect("CREATE_COMPLETE", id);
  return id;
}

TEST(DeploymentKills, AnUpdateThatAddsAnIndexEndsOnceThatIsFilled) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id = create_plain_table(stacks);
    stacks.begin("UpdateStack", "indexed", resources({{"Table", indexed_table()}}));
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(index_status(stacks), "ACTIVE");
    stacks.remove(id);
  }
}

TEST(DeploymentKills, AnIndexThatAFailedUpdateHasBegunIsFilledBeforeTheNextOneEnds) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id = create_plain_table(stacks);
    stacks.begin("UpdateStack", "indexed", resources({{"Table", indexed_table()}, {"Broken", broken_queue()}}),
                 json::Object{{"DisableRollback", true}});
    stacks.expect("UPDATE_FAILED", id);
    stacks.begin("UpdateStack", "indexed", resources({{"Table", indexed_table()}}));
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(index_status(stacks), "ACTIVE");
  }
}

TEST(DeploymentKills, ARollbackTakesAnIndexAwayThatIsStillFilled) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id = create_plain_table(stacks);
    stacks.begin("UpdateStack", "indexed", resources({{"Table", indexed_table()}, {"Broken", broken_queue()}}));
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", id);
    EXPECT_EQ(index_status(stacks), "none");
  }
}

const json::Object kHere{{"Region", testing::StackWorld::kRegion}};
const json::Object kThere{{"Region", "eu-west-1"}};

TEST(DeploymentKills, ARollbackTakesAReplicaAwayThatIsStillFilled) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id =
        stacks.begin("CreateStack", "global", resources({{"Table", global_table(json::Array{kHere})}}));
    stacks.expect("CREATE_COMPLETE", id);
    stacks.begin("UpdateStack", "global",
                 resources({{"Table", global_table(json::Array{kHere, kThere})}, {"Broken", broken_queue()}}));
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", id);
    EXPECT_TRUE(replicas_elsewhere(stacks).empty());
    stacks.remove(id);
  }
}

TEST(DeploymentKills, ADeletionTakesAReplicaAwayThatAFailedUpdateHasAdded) {
  const json::Object kept{{"DisableRollback", true}};
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const auto failing = [&](json::Array replicas) {
      stacks.begin("UpdateStack", "global",
                   resources({{"Table", global_table(std::move(replicas))}, {"Broken", broken_queue()}}), kept);
    };
    const std::string id =
        stacks.begin("CreateStack", "global", resources({{"Table", global_table(json::Array{kHere})}}));
    stacks.expect("CREATE_COMPLETE", id);
    failing(json::Array{kHere, kThere});
    stacks.expect("UPDATE_FAILED", id);
    if (seed % 2 == 0) failing(json::Array{kHere, json::Object{{"Region", "eu-central-1"}}});
    stacks.expect("UPDATE_FAILED", id);
    stacks.remove(id);
    EXPECT_THAT(stacks.client.send("dynamodb", "DescribeTable", json::Object{{"TableName", "things"}}, false).refusal,
                ::testing::StartsWith("ResourceNotFoundException"));
  }
}

// Killed once a sibling has failed, an update begins nothing more when it goes on: what was under way it leaves so. The
// next one finds nothing new in the template, and yet has something to change.
TEST(DeploymentKills, WhatAFailedUpdateHasLeftInProgressIsChangedByTheNextOne) {
  int indexed = 0;
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id = create_plain_table(stacks);
    stacks.begin("UpdateStack", "indexed", resources({{"Table", indexed_table()}, {"Broken", broken_queue()}}),
                 json::Object{{"DisableRollback", true}});
    stacks.expect("UPDATE_FAILED", id);
    stacks.client.rewrite(id, "Table", [](Resource& resource) { resource.status = "UPDATE_IN_PROGRESS"; });
    if (index_status(stacks) != "none") ++indexed;
    stacks.begin("UpdateStack", "indexed", resources({{"Table", plain_table()}}));
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(index_status(stacks), "none");
  }
  EXPECT_GT(indexed, 0) << "no seed tells of it";
}

TEST(DeploymentKills, AnUpdateGoesOnWhileItsReplicaIsStillFilled) {
  json::Object protected_here = kHere;
  protected_here.set("DeletionProtectionEnabled", true);
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed, true);
    const std::string id =
        stacks.begin("CreateStack", "global", resources({{"Table", global_table(json::Array{kHere})}}));
    stacks.expect("CREATE_COMPLETE", id);
    stacks.begin("UpdateStack", "global", resources({{"Table", global_table(json::Array{protected_here, kThere})}}));
    stacks.expect("UPDATE_COMPLETE", id);
    EXPECT_EQ(replicas_elsewhere(stacks), std::vector<std::string>{"eu-west-1 ACTIVE"});
    EXPECT_TRUE(described_table(stacks).find("DeletionProtectionEnabled")->boolean());
  }
}

// ---- What is gone ----------------------------------------------------------------------------------------------------

// Long after it was last asked for; only the outputs need it once more. What was made cannot be removed without it.
TEST(DeploymentKills, ARoleThatIsGoneWhenOutputsAreReadFailsTheStack) {
  const json::Object custom{{"Type", "Custom::Thing"}, {"Properties", json::Object{{"ServiceToken", kTopic}}}};
  const json::Object output{{"Value", "{{resolve:ssm:/colour}}"}};
  const json::Object body{{"Resources", json::Object{{"Thing", custom}}},
                          {"Outputs", json::Object{{"Colour", output}}}};
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    testing::StackClient& client = stacks.client;
    client.ask("iam", "CreateRole",
               json::Object{{"RoleName", "r"},
                            {"AssumeRolePolicyDocument",
                             R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"sts:AssumeRole",)"
                             R"("Principal":{"Service":"cloudformation.amazonaws.com"}}})"}});
    client.ask("ssm", "PutParameter", json::Object{{"Name", "/colour"}, {"Type", "String"}, {"Value", "red"}});
    const json::Object request{{"StackName", "lost"},
                               {"TemplateBody", json::write(body)},
                               {"RoleARN", "arn:aws:iam::000000000000:role/r"}};
    const std::string id = client.ask("cloudformation", "CreateStack", request).find("StackId")->string();
    client.settle();
    client.ask("iam", "DeleteRole", json::Object{{"RoleName", "r"}});
    client.advance(std::chrono::minutes(31));
    client.answer(asked(client.told(), "Create").url, answer_of("it", "red"));
    EXPECT_TRUE(client.rest(id).starts_with("ROLLBACK_"));
    const std::string reasons = client.reasons(id);
    EXPECT_NE(reasons.find("Thing CREATE_COMPLETE"), std::string::npos) << reasons;
    EXPECT_NE(reasons.find("lost ROLLBACK_IN_PROGRESS Role arn:aws:iam::000000000000:role/r is invalid or cannot be "
                           "assumed. Rollback requested by user."),
              std::string::npos)
        << reasons;
  }
}

// ---- What never was whole -------------------------------------------------------------------------------------------

TEST(DeploymentKills, NoPolicyKeepsWhatWasOnlyHalfMade) {
  // The user is there before its group turns out not to be.
  const json::Object user{{"Type", "AWS::IAM::User"},
                          {"DeletionPolicy", "Retain"},
                          {"Properties", json::Object{{"Groups", json::Array{"nobody"}}}}};
  for (uint64_t seed = 1; seed <= kSeeds * 2 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string id =
        stacks.begin("CreateStack", "half", json::Object{{"Resources", json::Object{{"User", user}}}},
                     json::Object{{"Capabilities", json::Array{"CAPABILITY_NAMED_IAM"}}});
    stacks.expect("ROLLBACK_COMPLETE", id);
    const json::Value left = stacks.client.ask("iam", "ListUsers", json::Object());
    EXPECT_TRUE(left.find("Users")->array().empty()) << stacks.client.reasons(id);
    stacks.remove(id);
  }
}

}  // namespace
}  // namespace tidemill::cloudformation
