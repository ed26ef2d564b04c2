// Sessions over the simulated store, of roles and users that IAM keeps.
#include "services/iam/service.h"
#include "services/sts/service.h"
#include "services/test_world.h"
#include "wire/access_key.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::sts {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class World : public services::testing::TestWorld {
 public:
  World() : TestWorld({"sts"}, 1, store::SimFaults::none()) { boot(); }
  ~World() { shut_down(); }

  // The answer as a document, or "Code: message". `key` signs, and tells the account if it is of ours.
  std::string say(std::string service, std::string operation, std::string_view document, std::string key = "tester") {
    const std::string account = wire::account_of_access_key(key).value_or(std::string(kAccount));
    wire::Context context(*platform, account, std::string(kRegion), "request", std::move(key));
    return await(outcome(context, std::move(service), std::move(operation), json::parse(document).value()));
  }
  void make_role(std::string_view more = "") {
    const std::string role = base::cat(
        R"({"RoleName":"r","Path":"/p/","AssumeRolePolicyDocument":"{\"Statement\":{\"Effect\":\"Allow\",)"
        R"(\"Action\":\"sts:AssumeRole\",\"Principal\":\"*\"}}")", more, "}");
    ASSERT_THAT(say("iam", "CreateRole", role), StartsWith("{"));
  }
  std::string assume(std::string_view more = "", std::string key = "tester") {
    return say("sts", "AssumeRole",
               base::cat(R"({"RoleArn":"arn:aws:iam::000000000000:role/p/r","RoleSessionName":"me")", more, "}"),
               std::move(key));
  }
  static std::string key_of(const std::string& answer) {
    return parse(answer).find("Credentials")->find("AccessKeyId")->string();
  }
  size_t entries() {
    size_t count = 0;
    const auto snapshot = store->snapshot();
    const store::Range all{"", "\xff\xff"};
    await(count_all(*snapshot, all, count));
    return count;
  }

  std::unique_ptr<Service> service;
  std::unique_ptr<iam::Service> identities;

 private:
  static Task<bool> count_all(store::Snapshot& snapshot, const store::Range& range, size_t& count) {
    co_await snapshot.scan(range, store::Direction::forward, [&](std::string_view key, std::string_view) {
      if (key.find("session") != std::string_view::npos) ++count;
      return true;
    });
    co_return true;
  }
  Task<std::string> outcome(wire::Context& context, std::string service_name, std::string operation,
                            json::Value document) {
    try {
      co_return json::write(co_await registry->call(context, service_name, operation, std::move(document)));
    } catch (const wire::Error& error) {
      co_return error.code + ": " + error.message;
    }
  }
  void make_services() override {
    identities = std::make_unique<iam::Service>(*store);
    identities->register_operations(*registry);
    service = std::make_unique<Service>(*store);
    service->register_operations(*registry);
    service->register_timers(*timers);
  }
  void drop_services() override {
    service.reset();
    identities.reset();
  }
};

TEST(Sts, WhoSignsWithAnyKeyIsTheAccount) {
  World world;
  EXPECT_EQ(world.say("sts", "GetCallerIdentity", "{}"),
            R"({"UserId":"000000000000","Account":"000000000000","Arn":"arn:aws:iam::000000000000:root"})");
}

TEST(Sts, ASessionOfARoleIsThatRoleUntilItExpiresAlsoAfterACrash) {
  World world;
  world.make_role();
  const std::string answer = world.assume(R"(,"DurationSeconds":900)");
  EXPECT_THAT(answer, HasSubstr(R"("Arn":"arn:aws:sts::000000000000:assumed-role/r/me")"));
  const std::string key = World::key_of(answer);
  EXPECT_EQ(wire::account_of_access_key(key), "000000000000");
  world.crash();
  EXPECT_THAT(world.say("sts", "GetCallerIdentity", "{}", key),
              HasSubstr(R"("Arn":"arn:aws:sts::000000000000:assumed-role/r/me")"));
  world.advance(899s);
  EXPECT_THAT(world.say("sts", "GetCallerIdentity", "{}", key), HasSubstr("assumed-role"));
  EXPECT_GT(world.entries(), 0U);
  world.advance(1s);
  EXPECT_THAT(world.say("sts", "GetCallerIdentity", "{}", key), HasSubstr(":root"));
  world.advance(24h);
  EXPECT_EQ(world.entries(), 0U);
}

TEST(Sts, WhereSignaturesAreCheckedNoKeyButTheRootsIsTheAccount) {
  constexpr std::string_view kNobody = "InvalidClientTokenId: The security token included in the request is invalid.";
  World world;
  world.service->know_root("AKIAROOT");
  EXPECT_THAT(world.say("sts", "GetCallerIdentity", "{}", "AKIAROOT"), HasSubstr(":root"));
  EXPECT_EQ(world.say("sts", "GetCallerIdentity", "{}"), kNobody);
  world.make_role();
  const std::string session = World::key_of(world.assume(R"(,"DurationSeconds":900)", "AKIAROOT"));
  world.say("iam", "CreateUser", R"({"UserName":"ann"})");
  const std::string made = world.say("iam", "CreateAccessKey", R"({"UserName":"ann"})");
  const std::string key = World::parse(made).find("AccessKey")->find("AccessKeyId")->string();
  EXPECT_THAT(world.say("sts", "GetSessionToken", "{}", key), StartsWith("{"));
  // Both have been good when their signatures were checked, and end before they are looked up.
  world.advance(900s);
  world.say("iam", "DeleteAccessKey", base::cat(R"({"UserName":"ann","AccessKeyId":")", key, R"("})"));
  for (const std::string& ended : {session, key}) {
    EXPECT_EQ(world.say("sts", "GetSessionToken", "{}", ended), kNobody);
    EXPECT_EQ(world.say("sts", "GetCallerIdentity", "{}", ended), kNobody);
    EXPECT_EQ(world.assume("", ended), kNobody);
  }
}

TEST(Sts, ARoleThatIsNotThereMayNotBeAssumed) {
  World world;
  EXPECT_EQ(world.assume(),
            "AccessDeniedException: User: arn:aws:iam::000000000000:root is not authorized to perform: sts:AssumeRole on "
            "resource: arn:aws:iam::000000000000:role/p/r");
  world.make_role();
  const auto of = [&](const char* arn) {
    return world.say("sts", "AssumeRole", base::cat(R"({"RoleArn":")", arn, R"(","RoleSessionName":"me"})"));
  };
  EXPECT_THAT(of("arn:aws:iam::000000000000:role/r"), StartsWith("AccessDeniedException"));  // another path
  EXPECT_EQ(of("arn:aws:iam::tea:role/some-role"), "ValidationException: arn:aws:iam::tea:role/some-role is invalid");
}

struct DeedGate : wire::Authorizer {
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
  Task<void> authorize_deed(const wire::Context&, wire::Deed deed) override {
    asked = base::cat(deed.action, " ", deed.resource, " ", deed.facts.at(0).first, "=", deed.facts.at(0).second);
    throw wire::Error("AccessDeniedException", 403, "no");
    co_return;
  }

  std::string asked;
};

TEST(Sts, ARoleThatMayNotBeGivenASourceIdentityIsNotTakenOnWithOne) {
  World world;
  world.make_role();
  const std::string key = World::key_of(world.assume(R"(,"SourceIdentity":"bob")"));
  const std::string plain = World::key_of(world.assume());
  DeedGate gate;
  world.platform->authorizer = &gate;
  EXPECT_THAT(world.assume("", plain), StartsWith("{"));
  EXPECT_EQ(gate.asked, "");
  EXPECT_EQ(world.assume("", key), "AccessDeniedException: no");
  EXPECT_EQ(gate.asked, "sts:SetSourceIdentity arn:aws:iam::000000000000:role/p/r sts:SourceIdentity=bob");
  world.platform->authorizer = nullptr;
}

TEST(Sts, ASourceIdentityGoesOnWithAllSessionsThatAreBegunByOneAnother) {
  World world;
  world.make_role();
  const std::string first = world.assume(R"(,"SourceIdentity":"bob")");
  EXPECT_THAT(first, HasSubstr(R"("SourceIdentity":"bob")"));
  std::string key = World::key_of(first);
  EXPECT_EQ(world.assume(R"(,"SourceIdentity":"alice")", key),
            "AccessDeniedException: User: arn:aws:sts::000000000000:assumed-role/r/me is not authorized to perform: "
            "sts:SetSourceIdentity on resource: arn:aws:iam::000000000000:role/p/r");
  for (const std::string_view said : {"", R"(,"SourceIdentity":"bob")", ""}) {
    const std::string next = world.assume(said, key);
    EXPECT_THAT(next, HasSubstr(R"("SourceIdentity":"bob")"));
    key = World::key_of(next);
  }
  EXPECT_THAT(world.assume(), ::testing::Not(HasSubstr("SourceIdentity")));
}

TEST(Sts, SessionsLastAsLongAsTheRoleSays) {
  World world;
  world.make_role(R"(,"MaxSessionDuration":7200)");
  EXPECT_EQ(world.assume(R"(,"DurationSeconds":7201)"),
            "ValidationException: The requested DurationSeconds exceeds the MaxSessionDuration set for this role.");
  const std::string key = World::key_of(world.assume(R"(,"DurationSeconds":7200)"));
  EXPECT_EQ(world.assume(R"(,"DurationSeconds":3601)", key),
            "ValidationException: The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role "
            "chaining");
  EXPECT_THAT(world.assume(R"(,"DurationSeconds":3600)", key), StartsWith("{"));
}

TEST(Sts, AUsersKeyAndItsSessionAreTheUser) {
  World world;
  EXPECT_THAT(world.say("iam", "CreateUser", R"({"UserName":"ann"})"), StartsWith("{"));
  const std::string made = world.say("iam", "CreateAccessKey", R"({"UserName":"ann"})");
  const std::string key = World::parse(made).find("AccessKey")->find("AccessKeyId")->string();
  EXPECT_THAT(world.say("sts", "GetCallerIdentity", "{}", key),
              HasSubstr(R"("Arn":"arn:aws:iam::000000000000:user/ann")"));
  const std::string session = World::key_of(world.say("sts", "GetSessionToken", "{}", key));
  EXPECT_THAT(world.say("sts", "GetCallerIdentity", "{}", session), HasSubstr("user/ann"));
  EXPECT_EQ(world.say("sts", "GetSessionToken", "{}", session),
            "AccessDeniedException: Cannot call GetSessionToken with session credentials");
  EXPECT_EQ(world.say("sts", "GetAccessKeyInfo", base::cat(R"({"AccessKeyId":")", key, R"("})")),
            R"({"Account":"000000000000"})");
  EXPECT_EQ(world.say("sts", "GetAccessKeyInfo", R"({"AccessKeyId":"AKIAIOSFODNN7EXAMPLE"})"),
            "ValidationException: Invalid access key ID");
}

}  // namespace
}  // namespace tidemill::sts
