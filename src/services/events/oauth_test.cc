// Connections of OAuth: when a token is asked for, and with what.
#include "services/events/oauth.h"

#include "services/events/testing.h"

namespace tidemill::events {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::World;
using namespace std::chrono_literals;
namespace ops = shapes::ops;

constexpr std::string_view kShop = R"({"source":["shop"]})";

// With a rule whose events go to http://127.0.0.1:1/x; tokens come from http://127.0.0.1:1/token.
struct Shop : World {
  int tokens = 0;
  int token_status;  // of answers of its endpoint
  std::string lifetime = "3600";

  explicit Shop(std::string method = "POST", int status = 200) : token_status(status) {
    body_with = [this](const net::HttpCall& call) {
      if (!call.url.contains("/token")) return std::string();
      return base::cat(R"({"access_token":"t)", ++tokens, R"(","expires_in":)", lifetime, "}");
    };
    answer_with = [this](const net::HttpCall& call) { return call.url.contains("/token") ? token_status : 200; };
    shapes::OAuthParameters oauth{.client_parameters = {.client_id = "id", .client_secret = "hidden"},
                                  .authorization_endpoint = "http://127.0.0.1:1/token",
                                  .http_method = std::move(method)};
    const auto connection = ask<ops::CreateConnection>({.name = "c",
                                                        .authorization_type = "OAUTH_CLIENT_CREDENTIALS",
                                                        .auth_parameters = {.o_auth_parameters = std::move(oauth)}});
    EXPECT_EQ(*connection.connection_state, "AUTHORIZING");
    const auto destination = ask<ops::CreateApiDestination>({.name = "d",
                                                             .connection_arn = *connection.connection_arn,
                                                             .invocation_endpoint = "http://127.0.0.1:1/x",
                                                             .http_method = "POST"});
    (void)ask<ops::PutRule>({.name = "r", .event_pattern = std::string(kShop)});
    shapes::PutTargetsInput targets{.rule = "r"};
    targets.targets.push_back({.id = "t", .arn = *destination.api_destination_arn});
    (void)ask<ops::PutTargets>(std::move(targets));
  }
  std::string state() { return *ask<ops::DescribeConnection>({.name = "c"}).connection_state; }
  // What calls of the destination were authorized by.
  std::vector<std::string> authorized_by() const {
    std::vector<std::string> result;
    for (const net::HttpCall& call : calls) {
      if (!call.url.contains("/token")) result.emplace_back(call.headers.get("Authorization"));
    }
    return result;
  }
};

TEST(OAuthTest, OneTokenIsForManyCallsUntilItExpires) {
  Shop shop;
  shop.settle();
  EXPECT_EQ(shop.state(), "AUTHORIZED");
  EXPECT_EQ(shop.tokens, 1);
  shop.put("{}");
  shop.put("{}");
  shop.settle();
  EXPECT_EQ(shop.tokens, 1);
  shop.advance(59min);
  shop.put("{}");
  shop.settle();
  EXPECT_EQ(shop.tokens, 2) << "a minute before it expires another is asked for";
  EXPECT_EQ(shop.authorized_by(), (std::vector<std::string>{"Bearer t1", "Bearer t1", "Bearer t2"}));
}

TEST(OAuthTest, ATokenThatIsRefusedIsAskedForAgain) {
  Shop shop;
  shop.settle();
  int refusals = 1;
  shop.answer_with = [&](const net::HttpCall& call) {
    return !call.url.contains("/token") && refusals-- > 0 ? 401 : 200;
  };
  shop.put("{}");
  shop.advance(5min);
  EXPECT_EQ(shop.authorized_by(), (std::vector<std::string>{"Bearer t1", "Bearer t2"}));
  EXPECT_EQ(shop.deliveries_left(), 0u);
}

TEST(OAuthTest, SecretsStandInBodiesOrInTheQueryOfAGetAndNowhereElse) {
  for (const std::string method : {"POST", "GET"}) {
    Shop shop(method);
    shop.settle();
    ASSERT_EQ(shop.calls.size(), 1u);
    const net::HttpCall& call = shop.calls.front();
    EXPECT_EQ(call.method, method);
    EXPECT_THAT(method == "GET" ? call.url : call.body,
                HasSubstr("grant_type=client_credentials&client_id=id&client_secret=hidden"));
    const auto described = shop.ask<ops::DescribeConnection>({.name = "c"});
    EXPECT_EQ(*described.auth_parameters->o_auth_parameters->client_parameters->client_id, "id");
  }
}

TEST(OAuthTest, AConnectionWhoseClientIsRefusedIsNotAuthorizedAndSaysWhy) {
  Shop shop("POST", 403);
  shop.settle();
  EXPECT_EQ(shop.state(), "DEAUTHORIZED");
  EXPECT_THAT(*shop.ask<ops::DescribeConnection>({.name = "c"}).state_reason, HasSubstr("answered 403"));
  shop.put("{}");
  shop.settle();
  EXPECT_THAT(shop.authorized_by(), IsEmpty());
}

}  // namespace
}  // namespace tidemill::events
