// Keys over the simulated store.
#include <set>

#include "engine/data_keys.h"
#include "services/kms/testing.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::kms::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kContext = R"(,"EncryptionContext":{"tenant":"mill","b":"2"})";

TEST(Keys, WhatTheyEncryptSurvivesACrash) {
  World world;
  const std::string key = world.make_key();
  EXPECT_THAT(key, MatchesRegex("arn:aws:kms:us-east-1:000000000000:key/[0-9a-f-]{36}"));
  const std::string sealed = world.encrypt(key, "tea", kContext);
  world.crash();
  EXPECT_EQ(world.decrypt(sealed, kContext), "tea");
  EXPECT_EQ(world.decrypt(sealed, R"(,"EncryptionContext":{"b":"2","tenant":"mill"})"), "tea");
  EXPECT_EQ(world.files.size(), 1u);
}

TEST(Keys, TheirCiphertextsAreForTheirContextOnly) {
  World world;
  const std::string sealed = world.encrypt(world.make_key(), "tea", kContext);
  EXPECT_EQ(world.decrypt(sealed), "InvalidCiphertextException: ");
  EXPECT_EQ(world.decrypt(sealed, R"(,"EncryptionContext":{"tenant":"mill"})"), "InvalidCiphertextException: ");
  EXPECT_EQ(world.decrypt(sealed, R"(,"EncryptionContext":{"tenant":"mil","b":"l2"})"), "InvalidCiphertextException: ");
  EXPECT_EQ(world.decrypt("AAAA"), "InvalidCiphertextException: ");
  EXPECT_THAT(world.decrypt(sealed, base::cat(R"(,"EncryptionContext":{"k":")", std::string(9000, 'x'), R"("})")),
              HasSubstr("The encryption context is larger than 8192 bytes"));
}

TEST(Keys, EveryChangedByteOfACiphertextIsTold) {
  World world;
  const std::string key = world.make_key();
  const std::string sealed = base::base64_decode(world.encrypt(key, "tea")).value();
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const std::string answer = world.decrypt(base::base64_encode(changed));
    EXPECT_TRUE(answer.starts_with("InvalidCiphertextException") || answer.starts_with("AccessDeniedException: The ciphertext"))
        << i << ": " << answer;
  }
}

TEST(Keys, AnotherKeyOrAccountDoesNotOpenIt) {
  World world;
  const std::string key = world.make_key();
  const std::string sealed = world.encrypt(key, "tea");
  EXPECT_EQ(world.decrypt(sealed, base::cat(R"(,"KeyId":")", world.make_key(), "\"")),
            "IncorrectKeyException: The key ID in the request does not identify a CMK that can perform this operation.");
  EXPECT_EQ(world.decrypt(sealed, base::cat(R"(,"KeyId":")", key, "\"")), "tea");
  EXPECT_THAT(world.run({.operation = "Decrypt",
                         .body = base::cat(R"({"CiphertextBlob":")", sealed, R"("})"),
                         .region = "eu-west-1"}),
              StartsWith("AccessDeniedException: The ciphertext refers to a customer master key that does not exist"));
}

TEST(Keys, ThatAreNotThereAreNamed) {
  World world;
  const std::string missing = "00000000-0000-0000-0000-000000000000";
  EXPECT_EQ(world.of_key("DescribeKey", missing),
            base::cat("NotFoundException: Key 'arn:aws:kms:us-east-1:000000000000:key/", missing, "' does not exist"));
  EXPECT_EQ(world.of_key("DescribeKey", "x"), "NotFoundException: Invalid keyId 'x'");
  EXPECT_EQ(world.of_key("DescribeKey", "alias/none"),
            "NotFoundException: Alias arn:aws:kms:us-east-1:000000000000:alias/none is not found.");
  EXPECT_EQ(world.of_key("DisableKey", "alias/none"), "NotFoundException: Invalid keyId 'alias/none'");
  EXPECT_EQ(world.of_key("DescribeKey", base::cat("arn:aws:kms:eu-west-1:000000000000:key/", missing)),
            "NotFoundException: Invalid arn eu-west-1");
  EXPECT_THAT(world.of_key("DescribeKey", base::cat("arn:aws:kms:us-east-1:111111111111:key/", missing)),
              StartsWith("AccessDeniedException: "));
}

TEST(Keys, AreDisabledAndEnabled) {
  World world;
  const std::string key = world.make_key();
  const std::string sealed = world.encrypt(key, "tea");
  EXPECT_EQ(world.of_key("DisableKey", key), "{}");
  EXPECT_EQ(world.described(key, "KeyState"), "Disabled");
  EXPECT_EQ(world.decrypt(sealed), base::cat("DisabledException: ", key, " is disabled."));
  EXPECT_EQ(world.of_key("EnableKey", key), "{}");
  EXPECT_EQ(world.decrypt(sealed), "tea");
}

TEST(Keys, AreDeletedAfterTheirWindowWithAllThatTheyHave) {
  World world;
  const std::string key = world.make_key();
  const std::string sealed = world.encrypt(key, "tea");
  EXPECT_EQ(world.run("CreateAlias", base::cat(R"({"AliasName":"alias/a","TargetKeyId":")", key, R"("})")), "{}");
  EXPECT_THAT(world.of_key("ScheduleKeyDeletion", key, R"(,"PendingWindowInDays":6)"),
              StartsWith("ValidationException: PendingWindowInDays must be between 7 and 30"));
  EXPECT_THAT(world.of_key("ScheduleKeyDeletion", key, R"(,"PendingWindowInDays":7)"),
              HasSubstr(R"("KeyState":"PendingDeletion","PendingWindowInDays":7)"));
  EXPECT_EQ(world.decrypt(sealed), base::cat("KMSInvalidStateException: ", key, " is pending deletion."));
  world.advance(24h * 7 - 1s);
  world.crash();
  EXPECT_EQ(world.described(key, "KeyState"), "PendingDeletion");
  world.advance(2s);
  EXPECT_THAT(world.described(key, "KeyState"), StartsWith("NotFoundException"));
  EXPECT_THAT(world.decrypt(sealed), StartsWith("AccessDeniedException"));
  EXPECT_THAT(world.run("ListAliases", "{}"), HasSubstr(R"("Aliases":[])"));
  EXPECT_THAT(world.run("ListKeys", "{}"), HasSubstr(R"("Keys":[])"));
}

TEST(Keys, WhoseDeletionIsCancelledStay) {
  World world;
  const std::string key = world.make_key();
  const std::string sealed = world.encrypt(key, "tea");
  EXPECT_EQ(world.of_key("CancelKeyDeletion", key), base::cat("KMSInvalidStateException: ", key, " is not pending deletion."));
  (void)world.of_key("ScheduleKeyDeletion", key);
  EXPECT_THAT(world.of_key("CancelKeyDeletion", key), HasSubstr(key));
  world.advance(24h * 31);
  EXPECT_EQ(world.described(key, "KeyState"), "Disabled");
  (void)world.of_key("EnableKey", key);
  EXPECT_EQ(world.decrypt(sealed), "tea");
}

TEST(Keys, WhoseDeletionIsCancelledAreRotatedAsBefore) {
  World world;
  const std::string key = world.make_key();
  (void)world.of_key("EnableKeyRotation", key, R"(,"RotationPeriodInDays":90)");
  (void)world.of_key("ScheduleKeyDeletion", key);
  EXPECT_THAT(world.of_key("GetKeyRotationStatus", key), HasSubstr(R"("KeyRotationEnabled":false)"));
  world.advance(24h);
  (void)world.of_key("CancelKeyDeletion", key);
  EXPECT_THAT(world.of_key("GetKeyRotationStatus", key),
              AllOf(HasSubstr(R"("KeyRotationEnabled":true)"), HasSubstr(R"("RotationPeriodInDays":90)")));
  (void)world.of_key("EnableKey", key);
  const std::string before = world.described(key, "CurrentKeyMaterialId");
  world.advance(24h * 90);
  EXPECT_NE(world.described(key, "CurrentKeyMaterialId"), before);
}

TEST(Keys, ThatAreRotatedOpenWhatTheyEncryptedBefore) {
  World world;
  const std::string key = world.make_key();
  const std::string old = world.encrypt(key, "old");
  const std::string before = world.described(key, "CurrentKeyMaterialId");
  EXPECT_THAT(world.of_key("RotateKeyOnDemand", key), HasSubstr(key));
  EXPECT_NE(world.described(key, "CurrentKeyMaterialId"), before);
  const std::string fresh = world.encrypt(key, "new");
  world.crash();
  EXPECT_EQ(world.decrypt(old), "old");
  EXPECT_EQ(world.decrypt(fresh), "new");
  EXPECT_THAT(world.of_key("ListKeyRotations", key), HasSubstr(R"("RotationType":"ON_DEMAND")"));
  EXPECT_THAT(world.of_key("ListKeyRotations", key, R"(,"IncludeKeyMaterial":"ALL_KEY_MATERIAL")"), HasSubstr(before));
  for (int i = 1; i < 25; ++i) ASSERT_THAT(world.of_key("RotateKeyOnDemand", key), HasSubstr(key));
  EXPECT_THAT(world.of_key("RotateKeyOnDemand", key), StartsWith("LimitExceededException"));
  std::set<std::string> found;
  std::string marker;
  do {
    const json::Value page = World::parse(world.of_key("ListKeyRotations", key, R"(,"Limit":10)" + marker));
    for (const json::Value& each : page.find("Rotations")->array()) found.insert(each.find("KeyMaterialId")->string());
    marker = page.find("NextMarker") ? base::cat(R"(,"Marker":")", page.find("NextMarker")->string(), "\"") : "";
  } while (!marker.empty());
  EXPECT_EQ(found.size(), 25u);
}

TEST(Keys, AreRotatedByTime) {
  World world;
  const std::string key = world.make_key();
  const std::string old = world.encrypt(key, "old");
  const std::string first = world.described(key, "CurrentKeyMaterialId");
  EXPECT_EQ(world.of_key("EnableKeyRotation", key, R"(,"RotationPeriodInDays":90)"), "{}");
  EXPECT_THAT(world.of_key("GetKeyRotationStatus", key), HasSubstr(R"("KeyRotationEnabled":true,)"));
  world.crash();
  world.advance(24h * 91);
  const std::string second = world.described(key, "CurrentKeyMaterialId");
  EXPECT_NE(second, first);
  world.advance(24h * 90);
  EXPECT_NE(world.described(key, "CurrentKeyMaterialId"), second);
  EXPECT_THAT(world.of_key("ListKeyRotations", key), HasSubstr(R"("RotationType":"AUTOMATIC")"));
  EXPECT_EQ(world.of_key("DisableKeyRotation", key), "{}");
  const std::string third = world.described(key, "CurrentKeyMaterialId");
  world.advance(24h * 400);
  EXPECT_EQ(world.described(key, "CurrentKeyMaterialId"), third);
  EXPECT_EQ(world.decrypt(old), "old");
}

TEST(Keys, HaveAliasesThatMove) {
  World world;
  const std::string one = world.make_key();
  const std::string two = world.make_key();
  const auto alias = [&](std::string_view operation, std::string_view name, std::string_view key) {
    return world.run(operation, base::cat(R"({"AliasName":")", name, R"(","TargetKeyId":")", key, R"("})"));
  };
  EXPECT_EQ(alias("CreateAlias", "alias/a", one), "{}");
  EXPECT_EQ(alias("CreateAlias", "alias/a", two),
            "AlreadyExistsException: An alias with the name arn:aws:kms:us-east-1:000000000000:alias/a already exists");
  EXPECT_THAT(alias("CreateAlias", "a", one), StartsWith(R"(ValidationException: Alias must start with the prefix "alias/")"));
  EXPECT_THAT(alias("CreateAlias", "alias/aws/ssm", one), StartsWith("NotAuthorizedException"));
  EXPECT_EQ(world.described("alias/a", "Arn"), one);
  const std::string sealed = world.encrypt("arn:aws:kms:us-east-1:000000000000:alias/a", "tea");
  EXPECT_EQ(alias("UpdateAlias", "alias/a", two), "{}");
  EXPECT_EQ(world.described("alias/a", "Arn"), two);
  EXPECT_EQ(world.decrypt(sealed), "tea");
  EXPECT_THAT(world.of_key("ListAliases", one), HasSubstr(R"("Aliases":[])"));
  EXPECT_THAT(world.of_key("ListAliases", two), HasSubstr(R"("AliasName":"alias/a")"));
  EXPECT_EQ(world.run("DeleteAlias", R"({"AliasName":"alias/a"})"), "{}");
  EXPECT_THAT(world.run("DeleteAlias", R"({"AliasName":"alias/a"})"), StartsWith("NotFoundException: Alias "));
  for (int i = 0; i < 50; ++i) ASSERT_EQ(alias("CreateAlias", base::cat("alias/", i), one), "{}");
  EXPECT_THAT(alias("CreateAlias", "alias/more", one), StartsWith("LimitExceededException"));
}

TEST(Keys, OfAwsComeWithTheirFirstUseAndDoNotChange) {
  World world;
  EXPECT_THAT(world.run("ListKeys", "{}"), HasSubstr(R"("Keys":[])"));
  EXPECT_EQ(world.described("alias/aws/ssm", "KeyManager"), "AWS");
  const std::string key = world.described("alias/aws/ssm", "Arn");
  EXPECT_EQ(world.described("alias/aws/ssm", "Arn"), key);
  EXPECT_THAT(world.of_key("DescribeKey", "alias/aws/unheard"), StartsWith("NotFoundException"));
  for (const char* operation : {"DisableKey", "ScheduleKeyDeletion", "EnableKeyRotation", "RotateKeyOnDemand"}) {
    EXPECT_THAT(world.of_key(operation, key), StartsWith("AccessDeniedException")) << operation;
  }
  EXPECT_EQ(world.decrypt(world.encrypt("alias/aws/ssm", "tea")), "tea");
}

TEST(Keys, MakeDataKeys) {
  World world;
  const std::string key = world.make_key();
  const auto make = [&](std::string_view more) { return world.of_key("GenerateDataKey", key, more); };
  const json::Value made = World::parse(make(R"(,"KeySpec":"AES_256")"));
  const std::string plain = base::base64_decode(made.find("Plaintext")->string()).value();
  EXPECT_EQ(plain.size(), 32u);
  EXPECT_EQ(world.decrypt(made.find("CiphertextBlob")->string()), plain);
  EXPECT_THAT(make(""), StartsWith("ValidationException: Please specify either number of bytes or key spec."));
  EXPECT_THAT(make(R"(,"KeySpec":"AES_128","NumberOfBytes":16)"), StartsWith("ValidationException"));
  EXPECT_THAT(make(R"(,"KeySpec":"AES_128","DryRun":true)"),
              StartsWith("DryRunOperationException: The request would have succeeded, but the DryRun option is set."));
  const std::string sealed = world.of_key("GenerateDataKeyWithoutPlaintext", key, R"(,"NumberOfBytes":1024)");
  EXPECT_THAT(sealed, Not(HasSubstr("Plaintext")));
  EXPECT_EQ(world.decrypt(World::parse(sealed).find("CiphertextBlob")->string()).size(), 1024u);
}

// A bucket's ARN does not tell whose it is: the same bucket of another account asks as another.
TEST(Keys, ForDataAreUsedAgainForTheSameAskerOnly) {
  World world;
  const std::string key = world.make_key();
  engine::DataKeys kept(world.clock);
  const auto made_for = [&](std::string account) {
    const wire::Context context(*world.platform, std::string(World::kAccount), std::string(World::kRegion), "request",
                                wire::Principal::service("s3.amazonaws.com", "arn:aws:s3:::mill", std::move(account)));
    return world.await(kept.to_seal(context, {.key_id = key, .context = {"aws:sqs:arn", "a"}}, 5min)).envelope.data_key;
  };
  const std::string first = made_for("111111111111");
  EXPECT_EQ(made_for("111111111111"), first);
  EXPECT_NE(made_for("222222222222"), first);
}

TEST(Keys, OfAuthenticationCodesTellWhatIsNotTheirs) {
  World world;
  const std::string key = world.make_key(R"({"KeySpec":"HMAC_384","KeyUsage":"GENERATE_VERIFY_MAC"})");
  const std::string code = World::parse(world.of_key("GenerateMac", key, R"(,"Message":"dGVh","MacAlgorithm":"HMAC_SHA_384")"))
                               .find("Mac")
                               ->string();
  const auto verify = [&](std::string_view message) {
    return world.of_key("VerifyMac", key, base::cat(R"(,"Message":")", message, R"(","MacAlgorithm":"HMAC_SHA_384","Mac":")",
                                                    code, "\""));
  };
  EXPECT_EQ(base::base64_decode(code).value().size(), 48u);
  EXPECT_THAT(verify("dGVh"), HasSubstr(R"("MacValid":true)"));
  EXPECT_EQ(verify("dGVi"), "KMSInvalidMacException: ");
  EXPECT_THAT(world.of_key("Encrypt", key, R"(,"Plaintext":"dGVh")"),
              HasSubstr("key usage is GENERATE_VERIFY_MAC which is not valid for Encrypt."));
  EXPECT_THAT(world.of_key("EnableKeyRotation", key), StartsWith("UnsupportedOperationException"));
}

TEST(Keys, AreNotMadeOfWhatIsNotSupported) {
  World world;
  EXPECT_THAT(world.run("CreateKey", R"({"KeySpec":"RSA_2048","KeyUsage":"SIGN_VERIFY"})"),
              StartsWith("UnsupportedOperationException: Tidemill does not support keys of the spec RSA_2048"));
  EXPECT_THAT(world.run("CreateKey", R"({"MultiRegion":true})"), HasSubstr("MultiRegion"));
  EXPECT_THAT(world.run("CreateKey", R"({"Origin":"EXTERNAL"})"), HasSubstr("Origin"));
  EXPECT_THAT(world.run("CreateKey", R"({"Policy":"{}"})"), StartsWith("MalformedPolicyDocumentException"));
  for (const char* key : {"aws:a", "AWS:a"}) {
    EXPECT_THAT(world.run("CreateKey", base::cat(R"({"Tags":[{"TagKey":")", key, R"(","TagValue":""}]})")),
                StartsWith("TagException: Tags beginning with aws: are reserved"));
  }
  EXPECT_THAT(world.run("Encrypt", base::cat(R"({"KeyId":"x","Plaintext":")", base::base64_encode(std::string(4097, 's')),
                                             R"("})")),
              HasSubstr("Value at 'plaintext' failed to satisfy constraint: Member must have length less than or equal to "
                        "4096"));
  EXPECT_TRUE(world.files.empty()) << "nothing was encrypted, and no master key is needed";
}

// Of policies: that each which mentions her lets the caller replace it.
struct LetsAnn : wire::Authorizer {
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
  Task<bool> would_let(const wire::Context&, wire::Deed deed, std::string policy) override {
    asked.push_back(std::move(deed));
    co_return policy.contains("user/ann");
  }
  std::vector<wire::Deed> asked;
};

std::string policy_for(std::string_view user) {
  std::string member = R"(,"Policy":)";
  json::append_string(member, base::cat(R"({"Statement":{"Effect":"Allow","Action":"kms:*","Resource":"*",)"
                                        R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/)", user, R"("}}})"));
  return member;
}

TEST(Keys, PoliciesDoNotLockTheirAuthorOutUnlessThatIsAskedFor) {
  constexpr std::string_view kBypass = R"(,"BypassPolicyLockoutSafetyCheck":true)";
  constexpr std::string_view kRefusal =
      "MalformedPolicyDocumentException: The new key policy will not allow you to update the key policy in the future.";
  World world;
  const std::string key = world.make_key();
  EXPECT_EQ(world.of_key("PutKeyPolicy", key, policy_for("bob")), "{}") << "policies are not enforced";
  LetsAnn judge;
  world.platform->authorizer = &judge;
  EXPECT_EQ(world.of_key("PutKeyPolicy", key, policy_for("ann")), "{}");
  EXPECT_EQ(world.of_key("PutKeyPolicy", key, policy_for("bob")), kRefusal);
  ASSERT_EQ(judge.asked.size(), 2u);
  EXPECT_EQ(judge.asked[1].action, "kms:PutKeyPolicy");
  EXPECT_EQ(judge.asked[1].resource, key);
  EXPECT_THAT(world.of_key("GetKeyPolicy", key), HasSubstr("user/ann"));
  EXPECT_EQ(world.of_key("PutKeyPolicy", key, base::cat(policy_for("bob"), kBypass)), "{}");
  const auto create = [&](std::string_view user, std::string_view more = "") {
    return world.run("CreateKey", base::cat(R"({"Description":"d")", policy_for(user), more, "}"));
  };
  EXPECT_EQ(create("bob"), kRefusal);
  EXPECT_THAT(create("ann"), StartsWith("{"));
  EXPECT_THAT(create("bob", kBypass), StartsWith("{"));
}

// The sharpest promise: a key file that went or was exchanged is never answered by a new one.
TEST(Keys, WithoutTheirKeyFileAreRefusedByItsName) {
  World world;
  const std::string sealed = world.encrypt(world.make_key(), "tea");
  const KeyFiles kept = world.files;
  world.files.clear();
  world.crash();
  EXPECT_EQ(world.decrypt(sealed),
            "KeyUnavailableException: the key file /keys/pond is missing: restore it from its backup, or say by "
            "--key-file where it is");
  EXPECT_THAT(world.run("CreateKey", "{}"), StartsWith("KeyUnavailableException"));
  EXPECT_TRUE(world.files.empty());
  world.files = kept;
  world.files.begin()->second[0] ^= 1;
  world.crash();
  EXPECT_THAT(world.decrypt(sealed), StartsWith("KeyUnavailableException: the key file /keys/pond is of another data"));
  world.files = kept;
  world.crash();
  EXPECT_EQ(world.decrypt(sealed), "tea");
}

// The file was durable and the store did not know yet: the next start takes it, and makes no second one.
TEST(Keys, TakeTheKeyFileThatAKilledProcessHasMade) {
  World world;
  world.dies_after_making_key_file = true;
  world.crash();
  EXPECT_EQ(world.run("CreateKey", "{}"), "KeyUnavailableException: killed");
  ASSERT_EQ(world.files.size(), 1u);
  const KeyFiles made = world.files;
  world.crash();
  const std::string sealed = world.encrypt(world.make_key(), "tea");
  EXPECT_EQ(world.files, made);
  world.crash();
  EXPECT_EQ(world.decrypt(sealed), "tea");
}

TEST(Keys, ThatComeAtOnceShareOneMasterKey) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    World world(seed, store::SimFaults());
    std::vector<World::RequestPtr> all;
    for (int i = 0; i < 5; ++i) all.push_back(world.start("CreateKey", "{}"));
    all.push_back(world.start("DescribeKey", R"({"KeyId":"alias/aws/s3"})"));
    all.push_back(world.start("DescribeKey", R"({"KeyId":"alias/aws/s3"})"));
    world.settle();
    std::vector<std::string> sealed;
    for (const auto& each : all) {
      ASSERT_FALSE(each->refused) << each->answer;
      sealed.push_back(world.encrypt(World::parse(each->answer).find("KeyMetadata")->find("KeyId")->string(), "tea"));
    }
    EXPECT_EQ(all[5]->answer, all[6]->answer);
    EXPECT_EQ(world.files.size(), 1u);
    world.crash();
    for (const std::string& each : sealed) EXPECT_EQ(world.decrypt(each), "tea");
  }
}

}  // namespace
}  // namespace tidemill::kms::testing
