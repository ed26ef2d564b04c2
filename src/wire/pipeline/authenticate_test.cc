#include "wire/pipeline/authenticate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/pipeline/presigned.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using namespace std::chrono_literals;

constexpr base::Time kDay = base::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14));

class Authenticate : public ::testing::Test {
 protected:
  Caller caller(std::string authorization, std::string target = "/") {
    request_ = testing::make_request("GET", std::move(target), {{"Authorization", std::move(authorization)}}, "");
    Identity identity;
    identity.head = head_of(request_);
    identity.scope = identity.head.authorization.empty() ? parse_presigned(request_.target)
                                                         : parse_authorization(identity.head.authorization);
    base::VirtualClock clock(kDay, base::VirtualClock::Mode::manual);
    return testing::run(authenticate(*authenticator_, request_, identity, clock));
  }
  std::string refusal(std::string authorization, std::string target = "/") {
    try {
      (void)caller(std::move(authorization), std::move(target));
    } catch (const Error& error) {
      return error.code;
    }
    return "";
  }

  net::Request request_;
  std::unique_ptr<Authenticator> authenticator_ = std::make_unique<BelieveEverybody>();
};

TEST_F(Authenticate, EverybodyIsBelieved) {
  const Caller known = caller("AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/sqs/aws4_request, Signature=x");
  EXPECT_EQ(known.principal.name(), "AKID");
  EXPECT_EQ(known.account, "");
  EXPECT_EQ(known.region, "eu-west-1");
  EXPECT_EQ(caller("AWS4-HMAC-SHA256 Credential=123456789012/20260101/eu-west-1/sqs/aws4_request").account, "123456789012");
  EXPECT_EQ(caller("AWS4-HMAC-SHA256 Credential=ASIAQNZGKIQY56JQ7WML/20260101/eu-west-1/sqs/aws4_request").account,
            "029608264753");
  EXPECT_EQ(caller("").principal.kind(), Principal::Kind::anonymous);
}

TEST_F(Authenticate, WhatCannotBeASignatureIsRefusedWhoeverChecks) {
  EXPECT_EQ(refusal("AWS4-HMAC-SHA256 nonsense"), "IncompleteSignatureException");
  EXPECT_EQ(refusal("AWS4-HMAC-SHA256 Credential=A/20260101/EU WEST/sqs/aws4_request"), "IncompleteSignatureException");
  EXPECT_EQ(refusal("Bearer token"), "");
}

TEST_F(Authenticate, AnAddressThatIsSignedExpires) {
  const std::string url = "/b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=A%2F20260313%2Feu-west-1%2Fs3%2Faws4_request"
                          "&X-Amz-Date=20260313T235900Z&X-Amz-Signature=x&X-Amz-Expires=";
  EXPECT_EQ(caller("", url + "60").principal.name(), "A");
  EXPECT_EQ(refusal("", url + "59"), "AccessDenied");
}

TEST_F(Authenticate, AnAddressExpiresHoweverTheNamesInItAreSpelled) {
  const std::string url = "/b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=A%2F20260313%2Feu-west-1%2Fs3%2Faws4_request"
                          "&X-Amz-Date=20260313T235900Z&X-Amz-Expires=59&";
  EXPECT_EQ(refusal("", url + "X-Amz-S%69gnature=x"), "AccessDenied");
  EXPECT_EQ(refusal("", url + "%58-Amz-Signature=x"), "AccessDenied");
  EXPECT_EQ(refusal("", "/b/k?AWSAccessKeyId=a&%53ignature=b&Expires=1"), "AccessDenied");
}

TEST_F(Authenticate, AnotherAuthenticatorMayRefuse) {
  struct Strict final : Authenticator {
    Task<Caller> authenticate(const net::Request&, const Identity&) override {
      throw Error("InvalidClientTokenId", 403, "who?");
    }
  };
  authenticator_ = std::make_unique<Strict>();
  EXPECT_EQ(refusal(""), "InvalidClientTokenId");
}

TEST(Presigned, UrlsExpire) {
  const std::string url = "/b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260314T000000Z&X-Amz-Expires=60&X-Amz-Signature=x";
  EXPECT_FALSE(find_expiry(url, kDay + 60s));
  EXPECT_EQ(find_expiry(url, kDay + 61s)->message, "Request has expired");
  EXPECT_EQ(find_expiry("/b/k?AWSAccessKeyId=a&Signature=b&Expires=1", kDay)->code, "AccessDenied");
  EXPECT_EQ(find_expiry("/b/k?AWSAccessKeyId=a&Signature=b&Expires=-9223372036854775808", kDay)->code, "AccessDenied");
  EXPECT_FALSE(find_expiry("/b/k?AWSAccessKeyId=a&Signature=b&Expires=99999999999", kDay));
  EXPECT_FALSE(find_expiry("/b/k?AWSAccessKeyId=a&Signature=b&Expires=9223372036854775807", kDay));
  EXPECT_FALSE(find_expiry("/b/k?Expires=1", kDay));
  EXPECT_EQ(find_expiry("/b/k?X-Amz-Algorithm=a&X-Amz-Signature=x&X-Amz-Date=x&X-Amz-Expires=1", kDay)->code,
            "AuthorizationQueryParametersError");
}

TEST(Presigned, IsGoodByTheClockOfWhoMadeIt) {
  const std::string url = "/b/k?X-Amz-Algorithm=a&X-Amz-Signature=x&X-Amz-Date=20260314T000000Z&X-Amz-Expires=60";
  EXPECT_TRUE(is_good_at(url, kDay + 60s));
  EXPECT_TRUE(is_good_at(url, kDay - 15min));
  EXPECT_FALSE(is_good_at(url, kDay + 61s));
  EXPECT_FALSE(is_good_at(url, kDay - 16min));  // another clock has made it
  const auto end = std::chrono::duration_cast<std::chrono::seconds>(kDay.time_since_epoch()).count();
  const std::string old = "/b/k?AWSAccessKeyId=a&Signature=b&Expires=" + std::to_string(end);
  EXPECT_TRUE(is_good_at(old, kDay));
  EXPECT_TRUE(is_good_at(old, kDay - 24h * 7));
  EXPECT_FALSE(is_good_at(old, kDay + 1s));
  EXPECT_FALSE(is_good_at(old, kDay - 24h * 8));
}

TEST(Presigned, IsSeenInTheQueryOnly) {
  EXPECT_TRUE(is_presigned("/b/k?X-Amz-Signature=x"));
  EXPECT_TRUE(is_presigned("/b/k?AWSAccessKeyId=a&Signature=b"));
  EXPECT_TRUE(is_presigned("/b/k?a=b&X-Amz-Signatur%65=x"));
  EXPECT_FALSE(is_presigned("/b/Signature=x"));
  EXPECT_FALSE(is_presigned("/b/k?prefix=Signature=x"));
  EXPECT_FALSE(is_presigned("/b/k?X-Amz-S%2569gnature=x"));  // that is another name
}

}  // namespace
}  // namespace tidemill::wire
