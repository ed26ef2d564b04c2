// Stacks that take in what others export or put out, whose process is killed at any step.
#include "services/cloudformation/deployment_kills.h"

namespace tidemill::cloudformation {
namespace {

using base::cat;
using testing::kSeeds;
using testing::parameter;
using testing::Stacks;

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

// The name of the one stack that takes it in.
std::string importer_of_goods(Stacks& stacks) {
  const json::Value found = stacks.client.ask("cloudformation", "ListImports", json::Object{{"ExportName", kGoods}});
  return found.find("Imports")->array().front().string();
}

void remove_importer_of_goods(Stacks& stacks) {
  const json::Object request{{"StackName", importer_of_goods(stacks)}};
  const json::Value found = stacks.client.ask("cloudformation", "DescribeStacks", request);
  stacks.remove(found.find("Stacks")->array().front().find("StackId")->string());
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

TEST(DeploymentKills, AnExportStaysThatANestedStackTakesInWhichTheRollbackLeavesAlone) {
  json::Object buyer = NestedSeller::nested("buyer");
  buyer.set("DependsOn", "Seller");
  buyer.set("DeletionPolicy", "Retain");
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    NestedSeller world(seed);
    Stacks& stacks = world.stacks;
    world.begin_failing_update({{"Buyer", buyer}});
    world.fail();
    stacks.expect("UPDATE_ROLLBACK_FAILED", world.root);
    EXPECT_EQ(exported(stacks), copied(stacks));

    remove_importer_of_goods(stacks);
    stacks.client.ask("cloudformation", "ContinueUpdateRollback", json::Object{{"StackName", "root"}});
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", world.root);
    EXPECT_EQ(exported(stacks), "");
  }
}

// ---- Hierarchies that take in what they export, and go --------------------------------------------------------------

// "root", which becomes one version after the other.
class Hierarchy {
 public:
  explicit Hierarchy(uint64_t seed) : stacks(seed) {
    stacks.client.ask("s3", "CreateBucket", json::Object{{"Bucket", "templates"}});
    put("seller", exporting({{"Thing", parameter("2")}}, "value"));
    put("buyer", importing());
  }

  void put(std::string_view key, json::Object text) {
    stacks.client.ask("s3", "PutObject",
                      json::Object{{"Bucket", "templates"}, {"Key", key}, {"Body", json::write(std::move(text))}});
  }

  void become(const json::Object& body) {
    const bool is_new = root.empty();
    root = stacks.begin(is_new ? "CreateStack" : "UpdateStack", "root", body);
    stacks.expect(is_new ? "CREATE_COMPLETE" : "UPDATE_COMPLETE", root);
  }

  // It stays as it was, since a stack that would stay behind uses the export.
  void expect_kept() {
    const std::string before = stacks.client.status_of(root);
    begin_deletion(stacks, root);
    EXPECT_EQ(stacks.client.status_of(root), before);
    const std::string user = importer_of_goods(stacks);
    EXPECT_THAT(stacks.client.reasons(root),
                ::testing::HasSubstr(cat("Export goods cannot be deleted as it is in use by ", user)));
    EXPECT_EQ(exported(stacks), "value");
  }

  Stacks stacks;
  std::string root;
};

json::Object retained(json::Object resource) {
  resource.set("DeletionPolicy", "Retain");
  return resource;
}

json::Object body_of(json::Object resources) { return {{"Resources", std::move(resources)}}; }

TEST(DeploymentKills, WhatIsNestedInANestedStackGoesWithItThoughItTakesInItsExport) {
  for (uint64_t seed = 1; seed <= kSeeds / 2 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Hierarchy world(seed);
    world.put("around", exporting({{"Thing", parameter("2")}, {"Buyer", NestedSeller::nested("buyer")}}, "value"));
    world.become(body_of({{"Middle", NestedSeller::nested("seller")}}));
    world.become(body_of({{"Middle", NestedSeller::nested("around")}}));
    EXPECT_EQ(copied(world.stacks), "value");
    world.stacks.remove(world.root);
    EXPECT_EQ(exported(world.stacks), "");
  }
}

TEST(DeploymentKills, AnExportStaysWhileANestedStackThatIsLeftAloneTakesItIn) {
  for (uint64_t seed = 1; seed <= kSeeds / 2 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Hierarchy world(seed);
    const bool is_deeper = seed % 2 == 0;
    world.put("around", body_of({{"Buyer", retained(NestedSeller::nested("buyer"))}}));
    world.become(exporting({{"Thing", parameter("1")}}, "value"));
    world.become(exporting({{"Inner", is_deeper ? NestedSeller::nested("around")
                                                : retained(NestedSeller::nested("buyer"))}},
                           "value"));
    world.expect_kept();
    remove_importer_of_goods(world.stacks);
    world.stacks.remove(world.root);
    EXPECT_EQ(exported(world.stacks), "");
  }
}

TEST(DeploymentKills, AnExportStaysWhileANestedStackTakesItInThatIsToBeRetained) {
  const json::Object bucket{{"Type", "AWS::S3::Bucket"}, {"Properties", json::Object{{"BucketName", "store-house"}}}};
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Hierarchy world(seed);
    Stacks& stacks = world.stacks;
    json::Object buyer = importing();
    buyer.find("Resources")->object().set("Bucket", bucket);
    world.put("buyer", buyer);
    world.become(exporting({{"Thing", parameter("1")}}, "value"));
    world.become(exporting({{"Inner", NestedSeller::nested("buyer")}}, "value"));
    stacks.client.ask("s3", "PutObject",
                      json::Object{{"Bucket", "store-house"}, {"Key", "box"}, {"Body", "full"}});
    begin_deletion(stacks, world.root);
    stacks.expect("DELETE_FAILED", world.root);  // the bucket is not empty

    const json::Object request{{"StackName", world.root}, {"RetainResources", json::Array{"Inner"}}};
    stacks.client.ask("cloudformation", "DeleteStack", request);
    stacks.expect("DELETE_FAILED", world.root);
    EXPECT_EQ(exported(stacks), "value");
    stacks.client.ask("s3", "DeleteObject", json::Object{{"Bucket", "store-house"}, {"Key", "box"}});
    stacks.remove(world.root);
    EXPECT_EQ(exported(stacks), "");
  }
}

TEST(DeploymentKills, AStackTakesInWhatIsNestedInItExportsUntilItIsRidOfBoth) {
  json::Object copy = importing().find("Resources")->object().find("Copy")->object();
  copy.set("DependsOn", "Seller");
  for (uint64_t seed = 1; seed <= kSeeds / 2 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Hierarchy world(seed);
    world.become(body_of({{"Seller", NestedSeller::nested("seller")}}));
    world.become(body_of({{"Seller", NestedSeller::nested("seller")}, {"Copy", copy}}));
    EXPECT_EQ(copied(world.stacks), "value");
    if (seed % 2 == 0) {
      world.become(body_of({{"Thing", parameter("1")}}));
      EXPECT_EQ(exported(world.stacks), "");
    }
    world.stacks.remove(world.root);
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
  const json::Object here{{"Region", json::Object{{"Ref", "AWS::Region"}}}};
  const json::Value by_resource = output_of(json::Object{{"Ref", "Name"}}, here);
  for (uint64_t seed = 1; seed <= kSeeds / 4 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Stacks stacks(seed);
    const std::string told = stacks.begin("CreateStack", "teller", teller("one"));
    stacks.expect("CREATE_COMPLETE", told);
    const std::string asking = stacks.begin("CreateStack", "asker", asker(by_resource, "1"));
    stacks.expect("CREATE_COMPLETE", asking);
    EXPECT_EQ(copied(stacks), "one");
    // It may change and go: nothing holds it.
    stacks.begin("UpdateStack", "teller", teller("two"));
    stacks.expect("UPDATE_COMPLETE", told);
    EXPECT_EQ(copied(stacks), "one");
    stacks.begin("UpdateStack", "asker", asker(by_resource, "2"));
    stacks.expect("UPDATE_COMPLETE", asking);
    EXPECT_EQ(copied(stacks), "two");
    // Of another region there is none.
    stacks.begin("UpdateStack", "asker", asker(output_of("teller", {{"Region", "eu-west-1"}}), "3"));
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", asking);
    EXPECT_EQ(copied(stacks), "two");
    stacks.remove(told);
    stacks.begin("UpdateStack", "asker", asker("plain", "4"));  // its own output asks in vain
    stacks.expect("UPDATE_ROLLBACK_COMPLETE", asking);
    EXPECT_EQ(copied(stacks), "two");
    stacks.remove(asking);
  }
}

}  // namespace
}  // namespace tidemill::cloudformation
