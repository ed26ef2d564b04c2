#include "wire/pipeline/identify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/testdata/attic.h"
#include "wire/testdata/kettle.h"
#include "wire/testdata/teahouse.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

std::string signed_for(std::string_view service) {
  return "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/" + std::string(service) + "/aws4_request, Signature=0";
}

class IdentifyTest : public ::testing::Test {
 protected:
  IdentifyTest() {
    registry_.add<kettle::ops::Brew>([](Context&, const auto&) { return Task<kettle::BrewOutput>::ready(); });
    registry_.add<teahouse::ops::GetGuest>([](Context&, const auto&) { return Task<teahouse::Guest>::ready(); });
    registry_.add<attic::ops::PutThing>([](Context&, const auto&) { return Task<attic::PutThingOutput>::ready(); });
    registry_.add<attic::ops::GetThing>([](Context&, const auto&) { return Task<attic::GetThingOutput>::ready(); });
    routes_.emplace(registry_);
    identifier_.emplace(*routes_, hosts_, own_paths_);
  }

  // "operation GetGuest", "form", "unknown scheduler", …
  std::string meaning(std::string method, std::string target, Headers headers = {}) {
    request_ = testing::make_request(std::move(method), std::move(target), std::move(headers), "");
    Identity found;
    identifier_->identify(request_, found);
    const std::string operation = found.endpoint ? " " + std::string(found.endpoint->operation->info.name) : "";
    const std::string bucket = found.is_for_bucket() ? " of " + std::string(found.bucket()) : "";
    const std::string service = found.endpoint || found.service.empty() ? "" : " " + std::string(found.service);
    switch (found.kind) {
      case Identity::Kind::operation: return "operation" + operation + bucket;
      case Identity::Kind::form: return "form" + service;
      case Identity::Kind::preflight: return "preflight" + operation + bucket + service;
      case Identity::Kind::own: return "own " + found.own->path;
      case Identity::Kind::unknown: return "unknown" + service;
    }
    return "";
  }
  std::string for_scope(std::string service, std::string method, std::string target) {
    return meaning(std::move(method), std::move(target), {{"Host", "127.0.0.1"}, {"Authorization", signed_for(service)}});
  }
  std::string at_host(std::string host, std::string method, std::string target) {
    return meaning(std::move(method), std::move(target), {{"Host", std::move(host)}});
  }

  Registry registry_;
  HostNames hosts_{{"mill.example"}};
  std::vector<OwnPath> own_paths_{{"/metrics", false, {}}, {"/_tidemill/", true, {}}};
  std::optional<Routes> routes_;
  std::optional<Identifier> identifier_;
  net::Request request_;
};

const std::string kGuest = "/2026-01-01/guests/ann";

TEST_F(IdentifyTest, ATargetNamesTheOperationWhateverElseIsSaid) {
  EXPECT_EQ(meaning("POST", "/box/key", {{"X-Amz-Target", "Kettle_20260101.Brew"}, {"Authorization", signed_for("s3")}}),
            "operation Brew");
  EXPECT_EQ(meaning("POST", "/", {{"X-Amz-Target", "Kettle_20260101.Explode"}}), "unknown");
}

TEST_F(IdentifyTest, TheScopeChoosesTheService) {
  EXPECT_EQ(for_scope("teahouse", "GET", kGuest), "operation GetGuest");
  EXPECT_EQ(for_scope("s3", "GET", kGuest), "operation GetThing of 2026-01-01");
  EXPECT_EQ(for_scope("s3", "PUT", "/box/key"), "operation PutThing of box");
  EXPECT_EQ(for_scope("teahouse", "PUT", "/box/key"), "unknown teahouse");
}

TEST_F(IdentifyTest, NothingOfAnotherServiceIsTakenForOneThatIsNotThere) {
  for (const char* service : {"scheduler", "never-heard-of"}) {
    EXPECT_EQ(for_scope(service, "GET", kGuest), "unknown " + std::string(service));
    EXPECT_EQ(for_scope(service, "PUT", "/box/key"), "unknown " + std::string(service));
  }
  EXPECT_EQ(for_scope("iam", "GET", "/?Action=ListUsers"), "form iam");
}

TEST_F(IdentifyTest, TheScopeOfAPresignedUrlCountsAsWell) {
  const std::string credential = "X-Amz-Credential=A%2F20260101%2Fus-east-1%2F";
  EXPECT_EQ(at_host("127.0.0.1", "GET", "/box/key?" + credential + "s3%2Faws4_request"), "operation GetThing of box");
  EXPECT_EQ(at_host("127.0.0.1", "GET", "/box/key?" + credential + "scheduler%2Faws4_request"), "unknown scheduler");
}

TEST_F(IdentifyTest, WithoutAScopeTheHostNamesTheServiceOrTheBucket) {
  EXPECT_EQ(at_host("teahouse.us-east-1.localhost", "GET", kGuest), "operation GetGuest");
  EXPECT_EQ(at_host("box.s3.localhost", "GET", "/key"), "operation GetThing of box");
  EXPECT_EQ(at_host("box.mill.example:4566", "GET", "/key"), "operation GetThing of box");
  EXPECT_EQ(at_host("box.localhost", "GET", "/key"), "operation GetThing of box");
  EXPECT_EQ(at_host("scheduler.us-east-1.amazonaws.com", "GET", "/schedules/a"), "unknown scheduler");
  EXPECT_EQ(at_host("s3-us-west-2.amazonaws.com", "GET", "/box/key"), "operation GetThing of box");
}

TEST_F(IdentifyTest, ABucketInTheHostIsNotThatOfAnotherServicesRequest) {
  const Headers headers = {{"Host", "box.s3.localhost"}, {"Authorization", signed_for("scheduler")}};
  EXPECT_EQ(meaning("PUT", "/key", headers), "unknown scheduler");
}

TEST_F(IdentifyTest, WhereNobodyIsNamedMethodAndPathTell) {
  EXPECT_EQ(at_host("127.0.0.1", "GET", kGuest), "operation GetGuest");
  EXPECT_EQ(at_host("127.0.0.1", "GET", "/box/key"), "operation GetThing of box");
  EXPECT_EQ(at_host("127.0.0.1", "PATCH", "/box/key"), "unknown");
}

TEST_F(IdentifyTest, AnActionMakesAForm) {
  EXPECT_EQ(at_host("127.0.0.1", "GET", "/?Action=X"), "form");
  EXPECT_EQ(at_host("127.0.0.1", "GET", "/box/key?a=b&Action=X"), "form");
  EXPECT_EQ(at_host("127.0.0.1", "GET", "/box/key?MyAction=X"), "operation GetThing of box");
  EXPECT_EQ(meaning("POST", "/", {{"Content-Type", "application/x-www-form-urlencoded"}}), "form");
  EXPECT_EQ(meaning("PUT", "/box/key", {{"Content-Type", "application/x-www-form-urlencoded"}}), "operation PutThing of box");
}

TEST_F(IdentifyTest, TheServersOwnPathsAreNoBuckets) {
  EXPECT_EQ(at_host("127.0.0.1", "GET", "/metrics?x"), "own /metrics");
  EXPECT_EQ(at_host("127.0.0.1", "PUT", "/_tidemill/health"), "own /_tidemill/");
  EXPECT_EQ(at_host("127.0.0.1", "GET", "/metrics/key"), "operation GetThing of metrics");
  EXPECT_EQ(at_host("127.0.0.1", "OPTIONS", "/metrics"), "preflight");
}

TEST_F(IdentifyTest, APreflightIsJudgedByTheRequestItAsksFor) {
  const auto preflight = [&](std::string target, std::string method, std::string headers) {
    return meaning("OPTIONS", std::move(target),
                   {{"Host", "localhost"},
                    {"Access-Control-Request-Method", std::move(method)},
                    {"Access-Control-Request-Headers", std::move(headers)}});
  };
  EXPECT_EQ(preflight("/box/key", "PUT", "content-type,authorization"), "preflight PutThing of box");
  EXPECT_EQ(preflight("/box/key", "PUT", "content-type, X-Amz-Target"), "preflight");
  EXPECT_EQ(preflight("/box/key", "PUT", "smithy-protocol"), "preflight");
  EXPECT_EQ(preflight(kGuest, "GET", ""), "preflight GetGuest");
  EXPECT_EQ(preflight("/", "POST", "x-amz-target"), "preflight");
}

}  // namespace
}  // namespace tidemill::wire
