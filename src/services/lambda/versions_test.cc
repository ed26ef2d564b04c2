// Versions and aliases.
#include "engine/mappings/mapping.h"
#include "services/lambda/alias.h"
#include "services/lambda/functions_world.h"

namespace tidemill::lambda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kArn = "arn:aws:lambda:eu-west-1:123456789012:function:echo";

class VersionsTest : public FunctionsTest {
 protected:
  VersionsTest() { call<ops::CreateFunction>(definition()); }

  shapes::FunctionConfiguration publish(std::optional<std::string> description = {}) {
    shapes::PublishVersionInput request;
    request.function_name = "echo";
    request.description = std::move(description);
    return call<ops::PublishVersion>(request);
  }
  // Makes the handler answer `text`.
  shapes::FunctionConfiguration change_code(const std::string& text, bool publishes = false) {
    shapes::UpdateFunctionCodeInput code;
    code.function_name = "echo";
    code.zip_file = zip_of({{"app.py", "def handler(e, c):\n    return '" + text + "' + c.function_version\n"}});
    code.publish = publishes;
    return call<ops::UpdateFunctionCode>(code);
  }
  shapes::CreateAliasInput alias(std::string name, std::string version) {
    shapes::CreateAliasInput request;
    request.function_name = "echo";
    request.name = std::move(name);
    request.function_version = std::move(version);
    return request;
  }
  static shapes::AliasRoutingConfiguration weight(std::string version, double share) {
    shapes::AliasRoutingConfiguration routing;
    routing.additional_version_weights.emplace().emplace(std::move(version), share);
    return routing;
  }
  std::vector<std::string> versions() {
    shapes::ListVersionsByFunctionInput request;
    request.function_name = "echo";
    std::vector<std::string> names;
    for (const auto& version : *call<ops::ListVersionsByFunction>(request).versions) names.push_back(*version.version);
    return names;
  }
  std::string delete_refusal(std::string qualifier) {
    shapes::DeleteFunctionInput request;
    request.function_name = "echo";
    if (!qualifier.empty()) request.qualifier = std::move(qualifier);
    return refusal<ops::DeleteFunction>(request);
  }
  // Under its qualifier for a name.
  void keep_mapping(const std::string& qualifier) {
    engine::Mapping mapping;
    mapping.uuid = qualifier;
    mapping.function_arn = base::cat(kArn, ":", qualifier);
    run_on(loop_, [](store::Store& store, engine::Mapping mapping) -> Task<void> {
      co_await store.transact([&](store::Transaction& txn) -> Task<void> {
        txn.put(engine::mapping_key(mapping.uuid), engine::encode_mapping(mapping));
        co_return;
      });
    }(*store_, std::move(mapping)));
  }
  std::string role_left_to(const std::string& qualifier) {
    const auto snapshot = store_->snapshot();
    const auto bytes = run_on(loop_, snapshot->get(engine::mapping_key(qualifier)));
    const auto mapping = engine::decode_mapping(bytes.value());
    return mapping ? mapping->last_role : "damaged";
  }
  shapes::InvokeOutput run(const std::string& name) { return call<ops::Invoke>(invocation(name)); }
};

TEST_F(VersionsTest, AVersionStaysAsItWasWhenLatestChanges) {
  change_code("one ");
  const auto published = publish("the first");
  EXPECT_EQ(published.version, "1");
  EXPECT_EQ(published.function_arn, std::string(kArn) + ":1");
  EXPECT_EQ(published.description, "the first");
  change_code("two ");
  EXPECT_EQ(run("echo:1").payload, "\"one 1\"");
  EXPECT_EQ(run("echo:1").executed_version, "1");
  EXPECT_EQ(run("echo").payload, "\"two $LATEST\"");
}

TEST_F(VersionsTest, NothingIsPublishedAnewThatHasNotChanged) {
  EXPECT_EQ(publish().version, "1");
  EXPECT_EQ(publish("said otherwise").version, "1");
  change_code("two ");
  EXPECT_EQ(publish().version, "2");
  EXPECT_THAT(versions(), ElementsAre("$LATEST", "1", "2"));
}

TEST_F(VersionsTest, WhatIsPublishedMustBeWhatTheCallerExpects) {
  shapes::PublishVersionInput request;
  request.function_name = "echo";
  request.code_sha256 = "bm9uZQ==";
  EXPECT_THAT(refusal<ops::PublishVersion>(request), HasSubstr("CodeSHA256 (bm9uZQ==) is different from current"));
  request.code_sha256.reset();
  request.revision_id = "other";
  EXPECT_THAT(refusal<ops::PublishVersion>(request), HasSubstr("PreconditionFailedException: "));
}

TEST_F(VersionsTest, CreatingAndUpdatingCodeMayPublish) {
  auto request = definition("other");
  request.publish = true;
  const auto created = call<ops::CreateFunction>(request);
  EXPECT_EQ(created.version, "1");
  const auto updated = change_code("two ", true);
  EXPECT_EQ(updated.version, "1");
  EXPECT_EQ(updated.function_arn, std::string(kArn) + ":1");
}

TEST_F(VersionsTest, AnAliasStandsForAVersionAndMayBeMoved) {
  change_code("one ", true);
  change_code("two ", true);
  const auto created = call<ops::CreateAlias>(alias("live", "1"));
  EXPECT_EQ(created.alias_arn, std::string(kArn) + ":live");
  EXPECT_EQ(run("echo:live").payload, "\"one 1\"");
  shapes::UpdateAliasInput update;
  update.function_name = "echo";
  update.name = "live";
  update.function_version = "2";
  update.revision_id = created.revision_id;
  call<ops::UpdateAlias>(update);
  EXPECT_EQ(run("echo:live").executed_version, "2");
  EXPECT_THAT(refusal<ops::UpdateAlias>(update), HasSubstr("PreconditionFailedException: "));

  shapes::GetFunctionConfigurationInput get;
  get.function_name = "echo";
  get.qualifier = "live";
  const auto found = call<ops::GetFunctionConfiguration>(get);
  EXPECT_EQ(found.function_arn, std::string(kArn) + ":live");
  EXPECT_EQ(found.version, "2");
}

// Its processes are kept of a version, and of that by one configuration.
TEST_F(VersionsTest, AnAliasWithProcessesGoesNeitherToLatestNorToAVersionWithItsOwn) {
  change_code("one ", true);
  change_code("two ", true);
  call<ops::CreateAlias>(alias("live", "1"));
  shapes::PutProvisionedConcurrencyConfigInput put;
  put.function_name = "echo";
  put.provisioned_concurrent_executions = 1;
  for (const char* qualifier : {"live", "2"}) {
    put.qualifier = qualifier;
    call<ops::PutProvisionedConcurrencyConfig>(put);
  }
  shapes::UpdateAliasInput update;
  update.function_name = "echo";
  update.name = "live";
  update.function_version = "$LATEST";
  EXPECT_THAT(refusal<ops::UpdateAlias>(update), HasSubstr("cannot be applied to unpublished function versions"));
  update.function_version = "2";
  EXPECT_THAT(refusal<ops::UpdateAlias>(update), HasSubstr("on an already Provisioned version"));
  update.function_version.reset();
  update.routing_config = weight("2", 0.5);
  EXPECT_THAT(refusal<ops::UpdateAlias>(update), HasSubstr("on an already Provisioned version"));

  shapes::DeleteProvisionedConcurrencyConfigInput remove;
  remove.function_name = "echo";
  remove.qualifier = "2";
  call<ops::DeleteProvisionedConcurrencyConfig>(remove);
  EXPECT_EQ(refusal<ops::UpdateAlias>(update), "accepted");
}

TEST_F(VersionsTest, AnAliasSharesItsCallsOutByWeight) {
  change_code("one ", true);
  change_code("two ", true);
  auto request = alias("live", "1");
  request.routing_config = weight("2", 1.0);
  call<ops::CreateAlias>(request);
  EXPECT_EQ(run("echo:live").executed_version, "2");

  Alias shared{.name = "live", .version = 1, .weights = {{2, 0.25}}};
  EXPECT_EQ(shared.choose(0), 2U);
  EXPECT_EQ(shared.choose(0.2499), 2U);
  EXPECT_EQ(shared.choose(0.25), 1U);
  EXPECT_EQ(shared.choose(0.9999), 1U);
}

TEST_F(VersionsTest, AliasesThatCannotBeAreRefused) {
  change_code("one ", true);
  EXPECT_EQ(refusal<ops::CreateAlias>(alias("live", "7")),
            "ResourceNotFoundException: Function not found: " + std::string(kArn) + ":7");
  EXPECT_THAT(refusal<ops::CreateAlias>(alias("12", "1")), HasSubstr("'12' at 'name' failed to satisfy constraint"));
  auto request = alias("live", "$LATEST");
  request.routing_config = weight("1", 0.5);
  EXPECT_THAT(refusal<ops::CreateAlias>(request), HasSubstr("$LATEST is not supported for an alias pointing to more"));
  request = alias("live", "1");
  request.routing_config = weight("1", 0.5);
  EXPECT_THAT(refusal<ops::CreateAlias>(request), HasSubstr("is already included in routing configuration"));
  request.routing_config->additional_version_weights->emplace("2", 0.1);
  EXPECT_THAT(refusal<ops::CreateAlias>(request), HasSubstr("cannot be greater than 1"));
  call<ops::CreateAlias>(alias("live", "1"));
  EXPECT_EQ(refusal<ops::CreateAlias>(alias("live", "1")),
            "ResourceConflictException: Alias already exists: " + std::string(kArn) + ":live");
  shapes::GetAliasInput get;
  get.function_name = "echo";
  get.name = "none";
  EXPECT_EQ(refusal<ops::GetAlias>(get),
            "ResourceNotFoundException: Cannot find alias arn: " + std::string(kArn) + ":none");
}

TEST_F(VersionsTest, AliasesAreListedByNameAndByVersion) {
  change_code("one ", true);
  call<ops::CreateAlias>(alias("live", "1"));
  call<ops::CreateAlias>(alias("beta", "$LATEST"));
  shapes::ListAliasesInput list;
  list.function_name = "echo";
  const auto all = call<ops::ListAliases>(list);
  ASSERT_EQ(all.aliases->size(), 2U);
  EXPECT_EQ(all.aliases->at(0).name, "beta");
  list.function_version = "1";
  const auto some = call<ops::ListAliases>(list);
  ASSERT_EQ(some.aliases->size(), 1U);
  EXPECT_EQ(some.aliases->at(0).name, "live");
}

TEST_F(VersionsTest, AVersionThatAnAliasNamesIsNotDeleted) {
  change_code("one ", true);
  change_code("two ", true);
  call<ops::CreateAlias>(alias("live", "1"));
  EXPECT_EQ(delete_refusal("1"),
            "ResourceConflictException: Unable to delete version because the following aliases reference it: [live]");
  EXPECT_THAT(delete_refusal("live"), HasSubstr("Deletion of aliases is not currently supported."));
  EXPECT_THAT(delete_refusal("$LATEST"), HasSubstr("$LATEST version cannot be deleted"));
  shapes::DeleteAliasInput request;
  request.function_name = "echo";
  request.name = "live";
  call<ops::DeleteAlias>(request);
  EXPECT_EQ(delete_refusal("1"), "accepted");
  EXPECT_EQ(delete_refusal("1"), "accepted");
  EXPECT_THAT(versions(), ElementsAre("$LATEST", "2"));
  EXPECT_THAT(refusal<ops::Invoke>(invocation("echo:1")), HasSubstr("Function not found"));
}

// Under it they tell their failures.
TEST_F(VersionsTest, AnAliasAndAVersionLeaveTheirRoleToTheirMappings) {
  change_code("one ", true);
  change_code("two ", true);
  call<ops::CreateAlias>(alias("live", "2"));
  for (const char* qualifier : {"live", "1", "2"}) keep_mapping(qualifier);
  shapes::DeleteAliasInput request;
  request.function_name = "echo";
  request.name = "live";
  call<ops::DeleteAlias>(request);
  const std::string role = definition().role;
  EXPECT_EQ(role_left_to("live"), role);
  EXPECT_EQ(role_left_to("1"), "");
  EXPECT_EQ(delete_refusal("1"), "accepted");
  EXPECT_EQ(role_left_to("1"), role);
  EXPECT_EQ(role_left_to("2"), "");
  EXPECT_EQ(delete_refusal(""), "accepted");
  EXPECT_EQ(role_left_to("2"), role);
}

TEST_F(VersionsTest, AFunctionTakesItsVersionsAndAliasesWithIt) {
  change_code("one ", true);
  call<ops::CreateAlias>(alias("live", "1"));
  EXPECT_EQ(delete_refusal(""), "accepted");
  call<ops::CreateFunction>(definition());
  EXPECT_THAT(versions(), ElementsAre("$LATEST"));
  EXPECT_THAT(refusal<ops::Invoke>(invocation("echo:live")), HasSubstr("Function not found"));
  EXPECT_EQ(publish().version, "1");
}

TEST_F(VersionsTest, PackagesOfVersionsAreKept) {
  change_code("one ", true);
  change_code("two ");
  run_on(loop_, service_.start());
  EXPECT_EQ(unpacked_in(service_.packages().directory()).size(), 2U);
  EXPECT_EQ(run("echo:1").payload, "\"one 1\"");
}

TEST_F(VersionsTest, AllVersionsAreListedWhereThatIsAskedFor) {
  change_code("one ", true);
  call<ops::CreateFunction>(definition("another"));
  shapes::ListFunctionsInput request;
  EXPECT_EQ(call<ops::ListFunctions>(request).functions->size(), 2U);
  request.function_version = "ALL";
  std::vector<std::string> arns;
  for (const auto& function : *call<ops::ListFunctions>(request).functions) arns.push_back(*function.function_arn);
  const std::string start = "arn:aws:lambda:eu-west-1:123456789012:function:";
  EXPECT_THAT(arns, ElementsAre(start + "another:$LATEST", start + "echo:$LATEST", start + "echo:1"));
}

}  // namespace
}  // namespace tidemill::lambda
