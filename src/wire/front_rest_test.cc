// Requests of the rest protocols, through the front and back.
#include "wire/front_world.h"

namespace tidemill::wire {
namespace {

using ::testing::HasSubstr;

TEST_F(FrontTest, RefusesRestPathsByName) {
  const net::Response response = rest("GET", "/2026-01-01/kitchens");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.headers.get("x-amzn-errortype"), "UnknownOperationException");
  EXPECT_THAT(response.body, HasSubstr("does not support GET /2026-01-01/kitchens of the service teahouse"));
}

TEST_F(FrontTest, ServesRestOperations) {
  const net::Response seated = rest("POST", "/2026-01-01/guests", R"({"GuestName":"ann","Wishes":["cake"]})");
  EXPECT_EQ(seated.status, 201);
  EXPECT_EQ(seated.body, R"({"GuestName":"ann","SeatedAt":1.5})");
  EXPECT_EQ(seated.headers.get("content-type"), "application/json");
  EXPECT_FALSE(seated.headers.find("x-amz-crc32"));
}

TEST_F(FrontTest, AcceptsATrailingSlash) {
  EXPECT_EQ(rest("POST", "/2026-01-01/guests/", R"({"GuestName":"ann"})").status, 201);
}

TEST_F(FrontTest, DecodesLabelsAndQuery) {
  EXPECT_EQ(rest("GET", "/2026-01-01/guests/arn%3Aaws%3Aann?Course=FIRST").body, R"({"GuestName":"arn:aws:annFIRST"})");
  EXPECT_EQ(rest("GET", "/2026-01-01/guests/arn:aws:ann").body, R"({"GuestName":"arn:aws:ann"})");
  EXPECT_EQ(rest("GET", "/2026-01-01/guests?Marker=a+b&tag=x&tag=y&MaxItems=3&Late=true").body,
            R"({"Guests":["x","y","a blate","3"]})");
}

TEST_F(FrontTest, ChecksLabelsAndQuery) {
  EXPECT_THAT(rest("GET", "/2026-01-01/guests/a%20b").body, HasSubstr("Value 'a b' at 'guestName' failed to satisfy"));
  EXPECT_THAT(rest("GET", "/2026-01-01/guests?MaxItems=11").body, HasSubstr("Value '11' at 'maxItems'"));
  EXPECT_THAT(rest("GET", "/2026-01-01/guests?MaxItems=x").body, HasSubstr("STRING_VALUE cannot be converted to Integer"));
  EXPECT_EQ(rest("GET", "/2026-01-01/guests/%ff").status, 400);
}

TEST_F(FrontTest, ReadsAndWritesHeadersPayloadAndStatus) {
  const std::string tea("hot\0water\xff", 10);
  const net::Response response = rest("POST", "/2026-01-01/guests/ann/tea", tea, {{"x-amz-course", "SECOND"}});
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, tea);
  EXPECT_EQ(response.headers.get("X-Amz-Cup"), "SECOND");
  EXPECT_EQ(response.headers.get("X-Amz-Degrees"), "80");
  EXPECT_EQ(response.headers.get("content-type"), "application/octet-stream");
  EXPECT_EQ(rest("POST", "/2026-01-01/guests/ann/tea").body, "none");
}

TEST_F(FrontTest, TakesTheRestOfThePathForAGreedyLabel) {
  const net::Response response = rest("GET", "/books/history/of%20tea/");
  EXPECT_EQ(seen_, "history/of tea/");
  EXPECT_EQ(response.headers.get("last-modified"), "Mon, 10 Jun 2019 23:37:31 GMT");
}

TEST_F(FrontTest, ReadsAndWritesAStructureAsPayload) {
  EXPECT_EQ(rest("PUT", "/menu", R"({"Dish":"scones"})").body, R"({"Dish":"scones"})");
  EXPECT_THAT(rest("PUT", "/menu", "{}").body, HasSubstr("Value null at 'menu.dish'"));
  EXPECT_THAT(rest("PUT", "/menu").body, HasSubstr("Value null at 'menu'"));
}

TEST_F(FrontTest, AnswersNoContentWithoutBodyOrType) {
  const net::Response response = rest("DELETE", "/2026-01-01/guests/ann");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  EXPECT_FALSE(response.headers.find("content-type"));
}

TEST_F(FrontTest, WritesRestErrorsAsLambdaDoes) {
  const net::Response missing = rest("GET", "/2026-01-01/guests/nobody");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.headers.get("x-amzn-errortype"), "GuestNotFoundException");
  EXPECT_EQ(missing.body, R"({"Message":"no such guest","Type":"User"})");
  EXPECT_EQ(rest("GET", "/2026-01-01/guests/twice").body, R"({"message":"taken","Type":"User"})");
  const net::Response invalid = rest("POST", "/2026-01-01/guests", "{}");
  EXPECT_EQ(invalid.headers.get("x-amzn-errortype"), "ValidationException");
  EXPECT_THAT(invalid.body, ::testing::StartsWith(R"({"message":"1 validation error detected: )"));
}

TEST_F(FrontTest, RefusesUnsupportedParametersWithTheServicesError) {
  const net::Response body = rest("POST", "/2026-01-01/guests", R"({"GuestName":"ann","Dog":{"name":"Rex"}})");
  EXPECT_EQ(body.headers.get("x-amzn-errortype"), "InvalidParameterValueException");
  EXPECT_EQ(body.body, R"({"message":"Tidemill does not support the parameter Dog of SeatGuest","Type":"User"})");
  EXPECT_THAT(rest("GET", "/2026-01-01/guests?Region=x").body, HasSubstr("the parameter Region of ListGuests"));
}

TEST_F(FrontTest, FindsRestOperationsByPathOrHostWithoutAScope) {
  EXPECT_EQ(send("GET", "/2026-01-01/guests/ann", {}).status, 200);
  EXPECT_EQ(send("GET", "/2026-01-01/guests/ann", {{"Host", "teahouse.us-east-1.localhost:4566"}}).status, 200);
  EXPECT_EQ(send("GET", "/2026-01-01/guests/ann", {{"Authorization", signed_for("")}}).status, 200);
}

}  // namespace
}  // namespace tidemill::wire
