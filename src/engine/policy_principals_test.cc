// Policies keep the ids of whom they name, over an IAM that has what the test puts into it.
#include "engine/policy_principals.h"

#include <gtest/gtest.h>

#include <map>

#include "base/text.h"
#include "wire/pipeline/authorize.h"
#include "wire/shapes/iam.h"
#include "wire/sim_platform_testing.h"

namespace tidemill::engine {
namespace {

namespace iam = wire::iam;
using base::cat;

constexpr const char* kAccount = "111111111111";
constexpr const char* kAnn = "AIDAAAAAAAAAAAAAAAAAA";
constexpr const char* kOther = "AIDABBBBBBBBBBBBBBBBB";
constexpr const char* kWriter = "AROACCCCCCCCCCCCCCCCC";

std::string user_arn(std::string_view name) { return cat("arn:aws:iam::", kAccount, ":user/", name); }
std::string role_arn(std::string_view name) { return cat("arn:aws:iam::", kAccount, ":role/path/", name); }

std::string policy_for(std::string_view principals) {
  return cat(R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":)", principals,
             R"(},"Action":"*","Resource":"*"}]})");
}
std::string in_quotes(std::string_view text) { return cat("\"", text, "\""); }

// A server with --auth iam: it counts what policies say.
struct Counts : wire::Authorizer {
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
  Task<bool> would_let(const wire::Context&, wire::Deed, std::string) override { return Task<bool>::ready(false); }
};

class World : wire::testing::SimPlatform {
 public:
  World() {
    registry_.add<iam::ops::GetUser>(
        [this](wire::Context&, const iam::GetUserInput& request) -> Task<iam::GetUserOutput> {
          const std::string& name = *request.user_name;
          if (!users.contains(name)) throw iam::errors::no_such_entity_exception("none");
          iam::GetUserOutput out;
          out.user = {.path = "/", .user_name = name, .user_id = users.at(name), .arn = user_arn(name)};
          co_return out;
        });
    registry_.add<iam::ops::GetRole>(
        [this](wire::Context&, const iam::GetRoleInput& request) -> Task<iam::GetRoleOutput> {
          const std::string& name = request.role_name;
          if (!roles.contains(name)) throw iam::errors::no_such_entity_exception("none");
          iam::GetRoleOutput out;
          out.role = {.path = "/path/", .role_name = name, .role_id = roles.at(name), .arn = role_arn(name)};
          co_return out;
        });
    rename(kAnn, user_arn("ann"));
    rename(kOther, user_arn("ann"));
    rename(kWriter, role_arn("writer"));
  }

  // As it is kept, or the refusal.
  std::string keep(std::string policy) {
    return await([](wire::Context context, std::string policy) -> Task<std::string> {
      try {
        co_return co_await with_ids(context, std::move(policy), [](std::string_view principal) {
          return wire::Error("MalformedPolicy", 400, cat("Invalid principal ", principal));
        });
      } catch (const wire::Error& error) {
        co_return error.message;
      }
    }(context("AKIAEXAMPLE"), std::move(policy)));
  }
  std::string show(std::string policy, wire::Principal to = "AKIAEXAMPLE") {
    return await([](wire::Context context, std::string policy) -> Task<std::string> {
      co_return co_await with_arns(context, std::move(policy));
    }(context(std::move(to)), std::move(policy)));
  }
  // As IAM tells it, under a new name.
  void rename(std::string_view id, std::string arn) {
    (void)await([](store::Store& store, std::string_view id, std::string arn) -> Task<std::string> {
      co_await store.transact([&](store::Transaction& txn) -> Task<void> {
        keep_principal(txn, id, arn);
        co_return;
      });
      co_return "";
    }(*store_, id, std::move(arn)));
  }
  void count_policies() { platform_.authorizer = &counts_; }

  std::map<std::string, std::string> users{{"ann", kAnn}};
  std::map<std::string, std::string> roles{{"writer", kWriter}};

 private:
  wire::Context context(wire::Principal principal) {
    return {platform_, kAccount, "us-east-1", "request", std::move(principal)};
  }
  std::string await(Task<std::string> task) {
    std::optional<std::string> result;
    const base::Executor::Enter enter(executor_);
    tasks_.spawn([](Task<std::string> task, std::optional<std::string>& result) -> Task<void> {
      result.emplace(co_await task);
    }(std::move(task), result));
    while (!result && executor_.run_one()) {
    }
    return std::move(result).value();
  }

  Counts counts_;
  base::Scope tasks_;
};

TEST(PolicyPrincipals, AreKeptByTheirIdsAndShownByTheirArns) {
  World world;
  const std::string given = policy_for(cat("[", in_quotes(user_arn("ann")), ",", in_quotes(role_arn("writer")), ",",
                                           in_quotes(cat("arn:aws:sts::", kAccount, ":assumed-role/writer/me")), "]"));
  const std::string kept = world.keep(given);
  const std::string session = cat(kWriter, ":me");
  EXPECT_EQ(kept, policy_for(cat("[", in_quotes(kAnn), ",", in_quotes(kWriter), ",", in_quotes(session), "]")));
  EXPECT_EQ(world.keep(kept), kept) << "ids of who is there are taken, too";
  EXPECT_EQ(world.show(kept), given);
  EXPECT_EQ(world.show(kept, wire::Principal::platform()), kept) << "who judges is shown what counts";
}

TEST(PolicyPrincipals, OfASingleStatementAndOfOneThatSparesAreKeptSoToo) {
  World world;
  EXPECT_EQ(world.keep(cat(R"({"NotPrincipal":{"AWS":)", in_quotes(user_arn("ann")), "}}")),
            cat(R"({"NotPrincipal":{"AWS":)", in_quotes(kAnn), "}}"));
  EXPECT_EQ(world.keep(cat(R"({"Statement":{"Principal":{"AWS":)", in_quotes(user_arn("ann")), "}}}")),
            cat(R"({"Statement":{"Principal":{"AWS":)", in_quotes(kAnn), "}}}"));
}

TEST(PolicyPrincipals, WhoAreGoneStayAsTheirIdsWhoeverHasTheirNames) {
  World world;
  const std::string kept = world.keep(policy_for(in_quotes(user_arn("ann"))));
  world.users.erase("ann");
  EXPECT_EQ(world.show(kept), policy_for(in_quotes(kAnn)));
  world.users["ann"] = kOther;
  EXPECT_EQ(world.show(kept), policy_for(in_quotes(kAnn)));
  EXPECT_EQ(world.keep(policy_for(in_quotes(user_arn("ann")))), policy_for(in_quotes(kOther)));
}

TEST(PolicyPrincipals, WhoAreRenamedAreShownByTheirNewNames) {
  World world;
  const std::string kept = world.keep(policy_for(in_quotes(user_arn("ann"))));
  world.users = {{"anna", kAnn}};
  world.rename(kAnn, user_arn("anna"));
  EXPECT_EQ(world.show(kept), policy_for(in_quotes(user_arn("anna"))));
}

TEST(PolicyPrincipals, WhoAreNotThereAreRefusedWherePoliciesCount) {
  World world;
  const std::string without_path = cat("arn:aws:iam::", kAccount, ":role/writer");
  const std::string other_account = "arn:aws:iam::222222222222:root:user/ann";
  const std::string group = cat("arn:aws:iam::", kAccount, ":group/ann");
  const std::string pattern = user_arn("*");
  const std::string sessions = cat("arn:aws:sts::", kAccount, ":assumed-role/writer/*");
  const std::vector<std::string> nobodies{user_arn("bob"), without_path, other_account, group,     pattern,
                                          sessions,        user_arn(""), kOther,        "somebody"};
  for (const std::string& nobody : nobodies) {
    EXPECT_EQ(world.keep(policy_for(in_quotes(nobody))), policy_for(in_quotes(nobody)));
  }
  world.count_policies();
  for (const std::string& nobody : nobodies) {
    EXPECT_EQ(world.keep(policy_for(in_quotes(nobody))), cat("Invalid principal ", nobody));
  }
  EXPECT_EQ(world.keep(policy_for(in_quotes(user_arn("ann")))), policy_for(in_quotes(kAnn)));
}

TEST(PolicyPrincipals, WhatNamesNoUserOrRoleStaysToTheLetter) {
  World world;
  world.count_policies();
  for (const std::string& policy :
       {policy_for(R"( [ "*", "222222222222", "arn:aws:iam::222222222222:root" ] )"),
        policy_for(R"("arn:aws:sts::222222222222:federated-user/f")"),
        std::string(R"({"Statement":[{"Principal":{"Service":"sns.amazonaws.com"}},{"Principal":"*"}]})"),
        std::string(R"({"Statement":[{"Principal":{"CanonicalUser":"ann"},"Condition":{"A":{"AWS":"x"}}}]})"),
        std::string("no document"), std::string(R"(["AIDA"])")}) {
    EXPECT_EQ(world.keep(policy), policy);
    EXPECT_EQ(world.show(policy), policy);
  }
  // Only principals are: a condition on an id stays one.
  const std::string condition =
      cat(R"({"Statement":[{"Condition":{"StringLike":{"aws:userid":)", in_quotes(kAnn), "}}}]}");
  (void)world.keep(policy_for(in_quotes(user_arn("ann"))));
  EXPECT_EQ(world.show(condition), condition);
}

}  // namespace
}  // namespace tidemill::engine
