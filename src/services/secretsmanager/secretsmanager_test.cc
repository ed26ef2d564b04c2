// Secrets over the simulated store.
#include <set>

#include "services/secretsmanager/operations.h"
#include "services/secretsmanager/testing.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::secretsmanager::testing {
namespace {

using namespace std::chrono_literals;
using base::cat;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Secrets, SurviveACrash) {
  World world;
  const std::string made = world.create("mill/db", "tea", R"(,"Description":"d","Tags":[{"Key":"k","Value":"v"}])");
  const std::string arn = World::member(made, "ARN");
  EXPECT_THAT(arn, MatchesRegex("arn:aws:secretsmanager:us-east-1:000000000000:secret:mill/db-[a-zA-Z0-9]{6}"));
  world.crash();
  EXPECT_EQ(world.value("mill/db"), "tea");
  EXPECT_EQ(world.value(arn), "tea");
  EXPECT_EQ(world.value(arn.substr(0, arn.size() - 7)), "tea");
  EXPECT_THAT(world.value(arn.substr(0, arn.size() - 6) + "abcdef"), StartsWith("ResourceNotFoundException"));
  EXPECT_THAT(world.of("DescribeSecret", "mill/db"),
              HasSubstr(R"("Description":"d",)"));
  EXPECT_THAT(world.of("DescribeSecret", "mill/db"), HasSubstr(R"("Tags":[{"Key":"k","Value":"v"}])"));
}

TEST(Secrets, AreNotInTheStoreAsTheyAre) {
  World world;
  (void)world.create("s", "a value that is easily told");
  bool is_found = false;
  world.await([](World& in, bool& found) -> Task<int> {
    const auto snapshot = in.store->snapshot();
    co_await snapshot->scan({"", "\xff"}, store::Direction::forward, [&](std::string_view, std::string_view value) {
      found |= value.find("easily told") != std::string_view::npos;
      return true;
    });
    co_return 0;
  }(world, is_found));
  EXPECT_FALSE(is_found);
  EXPECT_EQ(world.value("s"), "a value that is easily told");
}

TEST(Secrets, NewValuesBecomeCurrentAndTheOneBeforeStaysPrevious) {
  World world;
  (void)world.create("s", "one");
  const std::string put = world.of("PutSecretValue", "s", R"(,"SecretString":"two")");
  EXPECT_THAT(put, HasSubstr(R"("VersionStages":["AWSCURRENT"])"));
  EXPECT_EQ(world.value("s"), "two");
  EXPECT_EQ(world.value("s", R"(,"VersionStage":"AWSPREVIOUS")"), "one");
  EXPECT_THAT(world.of("UpdateSecret", "s", R"(,"SecretString":"three")"), HasSubstr("VersionId"));
  EXPECT_EQ(world.value("s"), "three");
  EXPECT_EQ(world.value("s", R"(,"VersionStage":"AWSPREVIOUS")"), "two");
  EXPECT_EQ(world.value("s", R"(,"VersionStage":"AWSPENDING")"),
            "ResourceNotFoundException: Secrets Manager can't find the specified secret value for staging label: AWSPENDING");
  const std::string second = World::member(put, "VersionId");
  EXPECT_EQ(world.value("s", cat(R"(,"VersionId":")", second, "\"")), "two");
  EXPECT_EQ(world.value("s", cat(R"(,"VersionStage":"AWSCURRENT","VersionId":")", second, "\"")),
            "InvalidRequestException: You provided a VersionStage that is not associated to the provided VersionId.");
  EXPECT_EQ(World::parse(world.of("ListSecretVersionIds", "s")).find("Versions")->array().size(), 2u);
  EXPECT_EQ(World::parse(world.of("ListSecretVersionIds", "s", R"(,"IncludeDeprecated":true)")).find("Versions")->array().size(),
            3u);
}

TEST(Secrets, LabelsAreMoved) {
  World world;
  const auto id = [&](char letter) { return World::token(letter); };
  const auto move = [&](std::string_view stage, std::string from, std::string to) {
    if (!from.empty()) from = cat(R"(,"RemoveFromVersionId":")", from, "\"");
    if (!to.empty()) to = cat(R"(,"MoveToVersionId":")", to, "\"");
    return world.of("UpdateSecretVersionStage", "s", cat(R"(,"VersionStage":")", stage, "\"", from, to));
  };
  (void)world.create("s", "a", cat(R"(,"ClientRequestToken":")", id('a'), "\""));
  (void)world.of("PutSecretValue", "s",
                 cat(R"(,"SecretString":"b","VersionStages":["AWSPENDING"],"ClientRequestToken":")", id('b'), "\""));
  EXPECT_EQ(world.value("s"), "a");
  EXPECT_EQ(world.value("s", R"(,"VersionStage":"AWSPENDING")"), "b");
  EXPECT_THAT(move("AWSCURRENT", "", id('b')),
              HasSubstr("Staging label AWSCURRENT is currently attached to version " + id('a')));
  EXPECT_THAT(move("AWSCURRENT", id('a'), ""), HasSubstr("It can't be completely removed."));
  EXPECT_THAT(move("AWSCURRENT", id('b'), id('a')), HasSubstr("is not attached to version"));
  EXPECT_THAT(move("AWSCURRENT", id('a'), id('c')), StartsWith("ResourceNotFoundException"));
  EXPECT_THAT(move("AWSCURRENT", id('a'), id('b')), StartsWith("{"));
  EXPECT_EQ(world.value("s"), "b");
  EXPECT_EQ(world.value("s", R"(,"VersionStage":"AWSPREVIOUS")"), "a");
  EXPECT_THAT(move("AWSPENDING", id('b'), ""), StartsWith("{"));
  EXPECT_THAT(world.value("s", R"(,"VersionStage":"AWSPENDING")"), StartsWith("ResourceNotFoundException"));
  EXPECT_THAT(move("mine", "", id('a')), StartsWith("{"));
  EXPECT_EQ(world.value("s", R"(,"VersionStage":"mine")"), "a");
  EXPECT_THAT(move("AWSCURRENT", id('b'), id('a')), StartsWith("{"));
  EXPECT_EQ(world.value("s"), "a");
  EXPECT_EQ(world.value("s", R"(,"VersionStage":"AWSPREVIOUS")"), "b");
}

TEST(Secrets, ARequestThatComesAgainIsAnsweredAlike) {
  World world;
  const std::string token = cat(R"(,"ClientRequestToken":")", World::token('t'), "\"");
  const std::string made = world.create("s", "tea", token);
  EXPECT_EQ(world.create("s", "tea", token), made);
  EXPECT_THAT(world.create("s", "coffee", token), StartsWith("ResourceExistsException: You can't use ClientRequestToken"));
  EXPECT_EQ(world.create("s", "tea"), "ResourceExistsException: The operation failed because the secret s already exists.");
  const std::string next = cat(R"(,"ClientRequestToken":")", World::token('n'), "\"");
  const std::string put = world.of("PutSecretValue", "s", R"(,"SecretString":"two")" + next);
  EXPECT_EQ(world.of("PutSecretValue", "s", R"(,"SecretString":"two")" + next), put);
  EXPECT_THAT(world.of("PutSecretValue", "s", R"(,"SecretString":"other")" + next), StartsWith("ResourceExistsException"));
  EXPECT_THAT(world.of("UpdateSecret", "s", R"(,"SecretString":"other")" + next), StartsWith("ResourceExistsException"));
  EXPECT_EQ(world.value("s"), "two");
}

TEST(Secrets, AreDeletedAfterTheirWindow) {
  World world;
  (void)world.create("s", "tea");
  EXPECT_THAT(world.of("DeleteSecret", "s", R"(,"RecoveryWindowInDays":6)"), StartsWith("InvalidParameterException"));
  EXPECT_THAT(world.of("DeleteSecret", "s", R"(,"RecoveryWindowInDays":7)"), HasSubstr("DeletionDate"));
  EXPECT_EQ(world.value("s"),
            "InvalidRequestException: You can't perform this operation on the secret because it was marked for deletion.");
  EXPECT_EQ(world.create("s", "again"),
            "InvalidRequestException: You can't create this secret because a secret with this name is already scheduled for "
            "deletion.");
  EXPECT_THAT(world.run("ListSecrets", "{}"), HasSubstr(R"("SecretList":[])"));
  EXPECT_THAT(world.run("ListSecrets", R"({"IncludePlannedDeletion":true})"), HasSubstr("DeletedDate"));
  world.advance(24h * 7 - 1s);
  world.crash();
  EXPECT_THAT(world.of("DescribeSecret", "s"), HasSubstr("DeletedDate"));
  world.advance(2s);
  EXPECT_THAT(world.of("DescribeSecret", "s"), StartsWith("ResourceNotFoundException"));
  EXPECT_THAT(world.create("s", "again"), StartsWith("{"));
  world.advance(24h * 60);
  EXPECT_EQ(world.value("s"), "again");
}

TEST(Secrets, AreRestoredAndDeletedByForce) {
  World world;
  const std::string first = World::member(world.create("s", "tea"), "ARN");
  (void)world.of("DeleteSecret", "s");
  EXPECT_THAT(world.of("RestoreSecret", "s"), HasSubstr(first));
  world.advance(24h * 31);
  EXPECT_EQ(world.value("s"), "tea");
  EXPECT_THAT(world.of("DeleteSecret", "s", R"(,"ForceDeleteWithoutRecovery":true,"RecoveryWindowInDays":7)"),
              StartsWith("InvalidParameterException"));
  EXPECT_THAT(world.of("DeleteSecret", "s", R"(,"ForceDeleteWithoutRecovery":true)"), HasSubstr(first));
  EXPECT_THAT(world.of("DeleteSecret", "s", R"(,"ForceDeleteWithoutRecovery":true)"), HasSubstr(R"("Name":"s")"));
  EXPECT_THAT(world.value("s"), StartsWith("ResourceNotFoundException"));
  EXPECT_NE(World::member(world.create("s", "new"), "ARN"), first);
  EXPECT_THAT(world.value(first), StartsWith("ResourceNotFoundException"));
}

TEST(Secrets, HaveAHundredVersionsOfWhichTheOldestWithoutALabelGoes) {
  World world;
  const std::string first = World::member(world.create("s", "0"), "VersionId");
  for (int i = 1; i <= 102; ++i) {
    ASSERT_THAT(world.of("PutSecretValue", "s", cat(R"(,"SecretString":")", i, "\"")), StartsWith("{"));
    world.advance(1s);
  }
  EXPECT_EQ(world.value("s"), "102");
  EXPECT_EQ(world.value("s", R"(,"VersionStage":"AWSPREVIOUS")"), "101");
  EXPECT_THAT(world.value("s", cat(R"(,"VersionId":")", first, "\"")), StartsWith("ResourceNotFoundException"));
  size_t count = 0;
  std::string token;
  do {
    const json::Value page =
        World::parse(world.of("ListSecretVersionIds", "s", R"(,"IncludeDeprecated":true,"MaxResults":30)" + token));
    count += page.find("Versions")->array().size();
    token = page.find("NextToken") ? cat(R"(,"NextToken":")", page.find("NextToken")->string(), "\"") : "";
  } while (!token.empty());
  EXPECT_EQ(count, 100u);
}

TEST(Secrets, WithAKeyOfTheirOwnAreOpenedWithThatOnly) {
  World world;
  const std::string one = world.make_key();
  const std::string two = world.make_key();
  (void)world.create("s", "tea", cat(R"(,"KmsKeyId":")", one, "\""));
  (void)world.run("kms", "DisableKey", cat(R"({"KeyId":")", one, R"("})"));
  EXPECT_THAT(world.value("s"), HasSubstr("DecryptionFailure: Secrets Manager can't decrypt"));
  EXPECT_THAT(world.of("PutSecretValue", "s", R"(,"SecretString":"two")"), HasSubstr("EncryptionFailure"));
  (void)world.run("kms", "EnableKey", cat(R"({"KeyId":")", one, R"("})"));
  EXPECT_THAT(world.of("UpdateSecret", "s", cat(R"(,"KmsKeyId":")", two, "\"")), Not(HasSubstr("VersionId")));
  (void)world.run("kms", "DisableKey", cat(R"({"KeyId":")", one, R"("})"));
  EXPECT_EQ(world.value("s"), "tea") << "it was sealed anew";
  EXPECT_THAT(world.create("t", "tea", R"(,"KmsKeyId":"alias/none")"), HasSubstr("EncryptionFailure"));
  EXPECT_THAT(world.of("DescribeSecret", "t"), StartsWith("ResourceNotFoundException"));
}

// Once a value is about to be sealed, by a data key of KMS, somebody else is faster.
struct Overtakes : wire::Authorizer {
  Overtakes(World& in, std::string by, std::string body) : world(in), operation(std::move(by)), request(std::move(body)) {
    world.platform->authorizer = this;
  }
  Task<void> authorize(const wire::Access& access) override {
    if (has_overtaken || access.operation.name != "GenerateDataKey") co_return;
    has_overtaken = true;
    const auto other = std::make_shared<World::Request>(World::Request{.operation = operation, .body = request});
    co_await world.carry_out(other);
    EXPECT_FALSE(other->refused) << other->answer;
  }

  World& world;
  const std::string operation;
  const std::string request;
  bool has_overtaken = false;
};

TEST(Secrets, AreSealedWithTheKeyThatTheyHaveWhenTheyAreWritten) {
  for (const char* operation : {"PutSecretValue", "UpdateSecret"}) {
    World world;
    const std::string one = world.make_key();
    const std::string two = world.make_key();
    (void)world.create("s", "tea", cat(R"(,"KmsKeyId":")", one, "\""));
    const Overtakes other(world, "UpdateSecret", cat(R"({"SecretId":"s","KmsKeyId":")", two, "\"}"));
    EXPECT_THAT(world.of(operation, "s", R"(,"SecretString":"milk")"), HasSubstr("VersionId"));
    EXPECT_TRUE(other.has_overtaken);
    (void)world.run("kms", "DisableKey", cat(R"({"KeyId":")", one, R"("})"));
    EXPECT_EQ(world.value("s"), "milk") << operation;
    EXPECT_EQ(world.value("s", R"(,"VersionStage":"AWSPREVIOUS")"), "tea") << operation;
  }
}

TEST(Secrets, AValueThatComesWhileTheirKeyChangesIsSealedAnewToo) {
  World world;
  const std::string one = world.make_key();
  const std::string two = world.make_key();
  (void)world.create("s", "tea", cat(R"(,"KmsKeyId":")", one, "\""));
  const Overtakes other(world, "PutSecretValue", R"({"SecretId":"s","SecretString":"milk"})");
  EXPECT_THAT(world.of("UpdateSecret", "s", cat(R"(,"KmsKeyId":")", two, "\"")), StartsWith("{"));
  EXPECT_TRUE(other.has_overtaken);
  (void)world.run("kms", "DisableKey", cat(R"({"KeyId":")", one, R"("})"));
  EXPECT_EQ(world.value("s"), "milk");
}

TEST(Secrets, AreListedByFilters) {
  World world;
  (void)world.create("mill/db", "1", R"(,"Description":"the Wheel's password","Tags":[{"Key":"team","Value":"water"}])");
  (void)world.create("mill/api", "2");
  (void)world.create("barn", "3", R"(,"Tags":[{"Key":"team","Value":"hay"}])");
  const auto names = [&](std::string_view filters) {
    const json::Value list = world.ask("ListSecrets", cat(R"({"Filters":[)", filters, "]}"));
    std::string all;
    for (const json::Value& each : list.find("SecretList")->array()) all += each.find("Name")->string() + " ";
    return all;
  };
  EXPECT_EQ(names(""), "barn mill/api mill/db ");
  EXPECT_EQ(names(R"({"Key":"name","Values":["mill/"]})"), "mill/api mill/db ");
  EXPECT_EQ(names(R"({"Key":"name","Values":["!mill/"]})"), "barn ");
  EXPECT_EQ(names(R"({"Key":"tag-key","Values":["team"]},{"Key":"tag-value","Values":["water","fire"]})"), "mill/db ");
  EXPECT_EQ(names(R"({"Key":"description","Values":["wheel pass"]})"), "mill/db ");
  EXPECT_EQ(names(R"({"Key":"all","Values":["hay"]})"), "barn ");
  EXPECT_THAT(world.run("ListSecrets", R"({"Filters":[{"Key":"colour","Values":["red"]}]})"),
              StartsWith("ValidationException: 1 validation error detected: Value 'colour'"));
  const json::Value page = world.ask("ListSecrets", R"({"MaxResults":2})");
  EXPECT_EQ(page.find("SecretList")->array().size(), 2u);
  EXPECT_THAT(world.run("ListSecrets", cat(R"({"NextToken":")", page.find("NextToken")->string(), R"("})")),
              HasSubstr("mill/db"));
  EXPECT_THAT(world.run("ListSecrets", R"({"NextToken":"AAAA"})"), StartsWith("InvalidNextTokenException"));
  const std::string batch = world.run("BatchGetSecretValue", R"({"SecretIdList":["barn","none"]})");
  EXPECT_THAT(batch, HasSubstr(R"("SecretString":"3")"));
  EXPECT_THAT(batch, HasSubstr(R"("SecretId":"none","ErrorCode":"ResourceNotFoundException")"));
  EXPECT_THAT(world.run("BatchGetSecretValue", R"({"Filters":[{"Key":"name","Values":["mill"]}]})"),
              HasSubstr(R"("SecretString":"1")"));
}

TEST(Secrets, TheFirstVersionIsCurrentWhateverItsLabels) {
  World world;
  world.run("CreateSecret", R"({"Name":"mill"})");
  EXPECT_THAT(world.of("PutSecretValue", "mill", R"(,"SecretString":"1","VersionStages":["BLUE"])"),
              HasSubstr(R"("VersionStages":["AWSCURRENT","BLUE"])"));
  EXPECT_EQ(world.value("mill"), "1");
  world.of("PutSecretValue", "mill", R"(,"SecretString":"2","VersionStages":["GREEN"])");
  EXPECT_EQ(world.value("mill"), "1");
  EXPECT_EQ(world.value("mill", R"(,"VersionStage":"GREEN")"), "2");
}

TEST(Secrets, PasswordsAreOfTheLettersThatWereAskedFor) {
  World world;
  const auto password = [&](std::string_view request) { return World::member(world.run("GetRandomPassword", request), "RandomPassword"); };
  EXPECT_EQ(password("{}").size(), 32u);
  EXPECT_THAT(password(R"({"PasswordLength":200,"ExcludePunctuation":true,"ExcludeCharacters":"aB3"})"),
              MatchesRegex("[b-zAC-Z0-24-9]{200}"));
  EXPECT_EQ(password(R"({"PasswordLength":4096})").size(), 4096u);
  std::set<char> first;
  for (int i = 0; i < 200; ++i) {
    const std::string four = password(R"({"PasswordLength":4})");
    EXPECT_THAT(four, MatchesRegex(".*[a-z].*"));
    EXPECT_THAT(four, MatchesRegex(".*[A-Z].*"));
    EXPECT_THAT(four, MatchesRegex(".*[0-9].*"));
    first.insert(four.front());
  }
  EXPECT_GT(first.size(), 20u);
  EXPECT_THAT(world.run("GetRandomPassword", R"({"PasswordLength":3})"), StartsWith("InvalidParameterException"));
  EXPECT_THAT(world.run("GetRandomPassword",
                        R"({"ExcludeNumbers":true,"ExcludeLowercase":true,"ExcludeUppercase":true,"ExcludePunctuation":true})"),
              StartsWith("InvalidParameterException"));
}

TEST(Secrets, PoliciesAndTagsAreKept) {
  World world;
  (void)world.create("s", "tea");
  EXPECT_THAT(world.of("GetResourcePolicy", "s"), Not(HasSubstr("ResourcePolicy")));
  EXPECT_THAT(world.of("PutResourcePolicy", "s", R"(,"ResourcePolicy":"{\"Statement\":[]}")"), StartsWith("{"));
  EXPECT_THAT(world.of("GetResourcePolicy", "s"), HasSubstr(R"("ResourcePolicy":"{\"Statement\":[]}")"));
  EXPECT_THAT(world.of("PutResourcePolicy", "s", R"(,"ResourcePolicy":"{")"), StartsWith("MalformedPolicyDocumentException"));
  EXPECT_THAT(world.of("DeleteResourcePolicy", "s"), StartsWith("{"));
  EXPECT_THAT(world.of("GetResourcePolicy", "s"), Not(HasSubstr("ResourcePolicy")));
  EXPECT_EQ(world.of("TagResource", "s", R"(,"Tags":[{"Key":"a","Value":"1"},{"Key":"b","Value":"2"}])"), "{}");
  EXPECT_EQ(world.of("UntagResource", "s", R"(,"TagKeys":["a"])"), "{}");
  EXPECT_THAT(world.of("DescribeSecret", "s"), HasSubstr(R"("Tags":[{"Key":"b","Value":"2"}])"));
}

TEST(Secrets, ThePlatformSeesThePolicyOfOneThatAwaitsItsDeletion) {
  World world;
  (void)world.create("s", "tea");
  (void)world.of("PutResourcePolicy", "s", R"(,"ResourcePolicy":"{\"Statement\":[]}")");
  (void)world.of("DeleteSecret", "s");
  EXPECT_THAT(world.of("GetResourcePolicy", "s"), StartsWith("InvalidRequestException"));
  wire::Context context(*world.platform, std::string(World::kAccount), std::string(World::kRegion), "request",
                        wire::Principal::platform());
  const auto seen = world.await(
      world.registry->call<shapes::ops::GetResourcePolicy>(context, shapes::GetResourcePolicyInput{.secret_id = "s"}));
  EXPECT_EQ(seen.resource_policy, R"({"Statement":[]})");
}

TEST(Secrets, WhatIsNotSupportedIsRefusedByName) {
  World world;
  EXPECT_THAT(world.create("a b", "tea"), StartsWith("ValidationException: Invalid name."));
  EXPECT_THAT(world.run("CreateSecret", R"({"Name":"s","SecretString":"a","SecretBinary":"YQ=="})"),
              StartsWith("InvalidParameterException"));
  EXPECT_THAT(world.create("s", "tea", R"(,"AddReplicaRegions":[{"Region":"eu-west-1"}])"), HasSubstr("AddReplicaRegions"));
  const std::string sensitive = world.create("s", std::string(65537, 'x'));
  EXPECT_THAT(sensitive, StartsWith("ValidationException"));
  EXPECT_THAT(sensitive, Not(HasSubstr("xxx")));
}

TEST(Secrets, ThatAreWrittenAtOnceLoseNothing) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    World world(seed, store::SimFaults());
    (void)world.create("s", "0");
    std::vector<World::RequestPtr> all;
    for (int i = 1; i <= 8; ++i) {
      all.push_back(world.start("PutSecretValue", cat(R"({"SecretId":"s","SecretString":")", i, R"("})")));
    }
    world.settle();
    world.crash();
    std::set<std::string> values;
    for (size_t i = 0; i < all.size(); ++i) {
      ASSERT_FALSE(all[i]->refused) << all[i]->answer;
      values.insert(world.value("s", cat(R"(,"VersionId":")", World::member(all[i]->answer, "VersionId"), "\"")));
    }
    EXPECT_EQ(values.size(), all.size());
    EXPECT_TRUE(values.contains(world.value("s")));
  }
}

}  // namespace
}  // namespace tidemill::secretsmanager::testing
