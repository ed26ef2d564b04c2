#include "wire/pipeline/cross_origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/testdata/attic.h"
#include "wire/testdata/kettle.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using Headers = std::vector<std::pair<std::string, std::string>>;

// The bucket "open" lets friend.example put; "other" has rules for somebody else, "plain" has none.
struct Buckets final : BucketOrigins {
  Task<Judgement> judge(std::string bucket, CrossOriginRequest request) override {
    asked = bucket + " " + request.origin + " " + request.method;
    for (const std::string& name : request.headers) asked += " " + name;
    Judgement judgement{.has_bucket = bucket != "none", .has_rules = bucket == "open" || bucket == "other"};
    if (bucket == "open" && request.origin == "https://friend.example" && request.method == "PUT") {
      judgement.headers = HeaderList{{"Access-Control-Allow-Origin", request.origin}};
    }
    return Task<Judgement>::ready(std::move(judgement));
  }
  std::string asked;
};

class CrossOriginTest : public ::testing::Test {
 protected:
  CrossOriginTest() {
    registry_.add<kettle::ops::Brew>([](Context&, const auto&) { return Task<kettle::BrewOutput>::ready(); });
    registry_.add<attic::ops::PutThing>([](Context&, const auto&) { return Task<attic::PutThingOutput>::ready(); });
    registry_.add<attic::ops::GetThing>([](Context&, const auto&) { return Task<attic::GetThingOutput>::ready(); });
    routes_.emplace(registry_);
    identifier_.emplace(*routes_, hosts_, own_paths_);
  }

  Passage pass(std::string method, std::string target, Headers headers) {
    headers.emplace_back("Host", "127.0.0.1:4566");
    const net::Request request = testing::make_request(std::move(method), std::move(target), std::move(headers), "");
    Identity identity;
    identifier_->identify(request, identity);
    const CrossOrigin stage(*routes_, &buckets_);
    return testing::run(stage.pass(request, identity, origins_.page_of(request, identity)));
  }
  Passage preflight(std::string target, std::string origin, std::string method, std::string headers = "") {
    return pass("OPTIONS", std::move(target),
                {{"Origin", std::move(origin)},
                 {"Access-Control-Request-Method", std::move(method)},
                 {"Access-Control-Request-Headers", std::move(headers)}});
  }

  Registry registry_;
  HostNames hosts_;
  Origins origins_{hosts_, {}};
  std::vector<OwnPath> own_paths_{{"/metrics", false, {}}};
  std::optional<Routes> routes_;
  std::optional<Identifier> identifier_;
  Buckets buckets_;
};

const std::string kLocal = "http://localhost:3000";
const std::string kFriend = "https://friend.example";
const std::string kEvil = "https://evil.example";

TEST_F(CrossOriginTest, APageOfThisMachineMayAskEveryService) {
  const Passage passage = preflight("/", kLocal, "POST", "content-type,x-amz-target,authorization");
  ASSERT_TRUE(passage.answer);
  EXPECT_EQ(passage.answer->status, 200);
  EXPECT_EQ(passage.answer->headers.get("access-control-allow-origin"), "*");
  EXPECT_EQ(passage.answer->headers.get("access-control-allow-methods"), "POST");
  EXPECT_EQ(passage.answer->headers.get("access-control-allow-headers"), "content-type,x-amz-target,authorization");
  EXPECT_EQ(passage.answer->headers.get("access-control-max-age"), "172800");
  EXPECT_FALSE(passage.answer->headers.find("access-control-allow-private-network"));
}

TEST_F(CrossOriginTest, ItsRequestsAreAnsweredWithHeadersThatLetItRead) {
  const Passage passage = pass("POST", "/", {{"Origin", kLocal}, {"X-Amz-Target", "Kettle_20260101.Brew"}});
  EXPECT_FALSE(passage.answer);
  EXPECT_THAT(passage.headers, ElementsAre(Pair("Access-Control-Allow-Origin", "*"),
                                           Pair("Access-Control-Expose-Headers", "*"), Pair("Vary", "Origin")));
}

TEST_F(CrossOriginTest, ChromeIsToldThatItMayReachThisMachine) {
  const Passage passage = pass("OPTIONS", "/", {{"Origin", kLocal},
                                                {"Access-Control-Request-Method", "POST"},
                                                {"Access-Control-Request-Private-Network", "true"}});
  EXPECT_EQ(passage.answer->headers.get("access-control-allow-private-network"), "true");
}

TEST_F(CrossOriginTest, APageOfAnotherSiteIsRefusedInTheFormOfTheService) {
  const Passage passage = pass("POST", "/", {{"Origin", kEvil}, {"X-Amz-Target", "Kettle_20260101.Brew"}});
  EXPECT_EQ(passage.answer->status, 403);
  EXPECT_THAT(passage.answer->body, HasSubstr("#AccessDeniedException"));
  EXPECT_THAT(passage.answer->body, HasSubstr("--allow-origin https://evil.example"));
  EXPECT_FALSE(passage.answer->headers.find("access-control-allow-origin"));
  EXPECT_EQ(preflight("/", kEvil, "POST", "x-amz-target").answer->status, 403);
  EXPECT_EQ(preflight("/metrics", kEvil, "GET").answer->status, 403);
}

TEST_F(CrossOriginTest, ABucketsRulesLetAPageOfAnotherSiteIn) {
  const Passage asked = preflight("/open/key", kFriend, "PUT", "content-type, X-One");
  EXPECT_EQ(asked.answer->status, 200);
  EXPECT_EQ(asked.answer->headers.get("access-control-allow-origin"), kFriend);
  EXPECT_EQ(buckets_.asked, "open https://friend.example PUT content-type X-One");
  const Passage passage = pass("PUT", "/open/key", {{"Origin", kFriend}});
  EXPECT_FALSE(passage.answer);
  EXPECT_THAT(passage.headers, ElementsAre(Pair("Access-Control-Allow-Origin", kFriend)));
  EXPECT_EQ(pass("PUT", "/open/key", {{"Origin", kEvil}}).answer->status, 403);
  EXPECT_EQ(pass("GET", "/open/key", {{"Origin", kFriend}}).answer->status, 403);
  EXPECT_THAT(preflight("/other/key", kFriend, "PUT").answer->body, HasSubstr("This CORS request is not allowed"));
  EXPECT_THAT(preflight("/plain/key", kFriend, "PUT").answer->body, HasSubstr("CORS is not enabled for this bucket"));
}

TEST_F(CrossOriginTest, ABucketsRulesOpenNothingButThatBucket) {
  EXPECT_EQ(pass("PUT", "/open/key", {{"Origin", kFriend}, {"X-Amz-Target", "Kettle_20260101.Brew"}}).answer->status, 403);
  EXPECT_EQ(preflight("/open/key", kFriend, "PUT", "x-amz-target").answer->status, 403);
  EXPECT_EQ(pass("POST", "/open/key", {{"Origin", kFriend}, {"Content-Type", "application/x-www-form-urlencoded"}})
                .answer->status,
            403);
}

TEST_F(CrossOriginTest, RulesOfABucketCountForPagesOfThisMachineToo) {
  EXPECT_EQ(preflight("/other/key", kLocal, "PUT").answer->status, 403);
  EXPECT_EQ(preflight("/plain/key", kLocal, "PUT").answer->status, 200);
  // As on AWS, the request itself is answered; the browser keeps the answer from the page.
  const Passage passage = pass("PUT", "/other/key", {{"Origin", kLocal}});
  EXPECT_FALSE(passage.answer);
  EXPECT_TRUE(passage.headers.empty());
}

TEST_F(CrossOriginTest, AnySiteMayShowAnObjectByAnAddressThatIsSigned) {
  const auto shown = [&](std::string use, std::string target, std::string method = "GET") {
    return pass(std::move(method), std::move(target),
                {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Dest", std::move(use)}, {"Referer", kEvil + "/"}});
  };
  const std::string address = "/plain/key?X-Amz-Signature=x";
  const Passage image = shown("image", address);
  EXPECT_FALSE(image.answer);
  EXPECT_THAT(image.headers, ElementsAre(Pair("Content-Security-Policy", "sandbox")));
  EXPECT_FALSE(shown("document", address).answer);
  for (const char* use : {"script", "style", "iframe", "empty", "object", ""}) EXPECT_TRUE(shown(use, address).answer) << use;
  EXPECT_TRUE(shown("image", "/plain/key").answer);
  EXPECT_TRUE(shown("image", address, "PUT").answer);
  EXPECT_TRUE(shown("image", "/?Action=X&X-Amz-Signature=x").answer);
  EXPECT_TRUE(shown("image", "/metrics?X-Amz-Signature=x").answer);
}

TEST_F(CrossOriginTest, OptionsWithoutAnOriginIsNoPreflight) {
  EXPECT_EQ(pass("OPTIONS", "/open/key", {}).answer->status, 400);
}

}  // namespace
}  // namespace tidemill::wire
