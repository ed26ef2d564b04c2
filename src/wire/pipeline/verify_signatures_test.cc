#include "wire/pipeline/verify_signatures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hex.h"
#include "crypto/digest.h"
#include "wire/routing.h"
#include "wire/testdata/kettle.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

using ::testing::HasSubstr;

constexpr base::Time kNow = base::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14));

struct OneKey final : SigningSecrets {
  Task<std::optional<SigningSecret>> find(std::string access_key_id, std::string) override {
    if (access_key_id != "AKID") co_return std::nullopt;
    co_return secret;
  }
  SigningSecret secret{"secret", "111122223333"};
};

class Verify : public ::testing::Test {
 protected:
  Verify() {
    platform_.registry.add<kettle::ops::Brew>(
        [](Context&, const kettle::BrewInput&) { return Task<kettle::BrewOutput>::ready(); });
    endpoint_.emplace(platform_.registry);
  }

  net::Request request(std::string time = "20260314T000000Z", std::string service = "kettle", std::string token = "") {
    Headers headers{{"Host", "localhost"}, {"X-Amz-Target", "Kettle_20260101.Brew"}, {"X-Amz-Date", time}};
    if (!token.empty()) headers.emplace_back("X-Amz-Security-Token", token);
    net::Request request = testing::make_request("POST", "/", std::move(headers), "");
    const std::string date = time.substr(0, 8);
    const std::string credential = "AKID/" + date + "/eu-west-1/" + service + "/aws4_request";
    Signature signature;
    signature.time = time;
    signature.credential = credential;
    signature.access_key_id = std::string_view(credential).substr(0, credential.find('/'));
    signature.signed_headers = {"host", "x-amz-date", "x-amz-target"};
    if (!token.empty()) signature.signed_headers = {"host", "x-amz-date", "x-amz-security-token", "x-amz-target"};
    std::string names;
    for (const auto& name : signature.signed_headers) names += (names.empty() ? "" : ";") + std::string(name);
    const std::string canonical =
        canonical_request(request, signature, PathForm::normal, base::hex_of(crypto::sha256("body")));
    const std::string key = signing_key("secret", date, "eu-west-1", service);
    request.headers.add("Authorization", "AWS4-HMAC-SHA256 Credential=" + credential + ", SignedHeaders=" + names +
                                             ", Signature=" + sign(key, string_to_sign(signature, canonical)));
    return request;
  }

  // The same by its address alone.
  net::Request presigned(const std::string& more, std::string_view name_of_signature = "X-Amz-Signature") {
    const std::string target =
        "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKID%2F20260313%2Feu-west-1%2Fkettle%2Faws4_request"
        "&X-Amz-SignedHeaders=host%3Bx-amz-target" + more;
    net::Request request =
        testing::make_request("POST", target, {{"Host", "localhost"}, {"X-Amz-Target", "Kettle_20260101.Brew"}}, "");
    const Signature signature = parse_signature(request);
    const std::string canonical =
        canonical_request(request, signature, PathForm::normal, base::hex_of(crypto::sha256("body")));
    const std::string key = signing_key("secret", "20260313", "eu-west-1", "kettle");
    request.target.append("&").append(name_of_signature).append("=").append(sign(key, string_to_sign(signature, canonical)));
    return request;
  }

  // "account region", or the error's code and message.
  std::string answer(const net::Request& request, std::string_view body = "body") {
    Identity identity;
    identity.kind = Identity::Kind::operation;
    identity.head = head_of(request);
    identity.endpoint = endpoint_->by_target("Kettle_20260101.Brew");
    identity.payload_hash = base::hex_of(crypto::sha256(body));
    base::VirtualClock clock(kNow, base::VirtualClock::Mode::manual);
    VerifySignatures verify(keys_, clock);
    try {
      const Caller caller = testing::run(verify.authenticate(request, identity));
      return caller.account + " " + caller.region;
    } catch (const Error& error) {
      return error.code + ": " + error.message;
    }
  }

  // What is said before the body is read: the error's code, or nothing.
  std::string examination(const net::Request& request, bool is_identified = true) {
    Identity identity;
    identity.kind = is_identified ? Identity::Kind::operation : Identity::Kind::form;
    identity.head = head_of(request);
    if (is_identified) identity.endpoint = endpoint_->by_target("Kettle_20260101.Brew");
    base::VirtualClock clock(kNow, base::VirtualClock::Mode::manual);
    VerifySignatures verify(keys_, clock);
    try {
      auto examined = verify.examine(request, identity);
      testing::run([](Task<void> task) -> Task<int> {
        co_await std::move(task);
        co_return 0;
      }(std::move(examined)));
    } catch (const Error& error) {
      return error.code;
    }
    return "";
  }

  using Headers = std::vector<std::pair<std::string, std::string>>;
  testing::TestPlatform platform_;
  std::optional<Routes> endpoint_;
  OneKey keys_;
};

TEST_F(Verify, WhoSignsWithTheSecretIsWhoTheySay) { EXPECT_EQ(answer(request()), "111122223333 eu-west-1"); }

TEST_F(Verify, AnotherBodyOrSecretIsRefused) {
  EXPECT_THAT(answer(request(), "other"), HasSubstr("InvalidSignatureException: The request signature we calculated"));
  keys_.secret.secret = "other";
  EXPECT_THAT(answer(request()), HasSubstr("InvalidSignatureException: The request signature we calculated"));
}

TEST_F(Verify, WhatIsWrongWhateverTheBodyIsIsFoundBeforeIt) {
  EXPECT_EQ(examination(request()), "");
  keys_.secret.secret = "other";  // of which nothing can be said before the body is there
  EXPECT_EQ(examination(request()), "");
  EXPECT_EQ(examination(request("20260313T235459Z")), "InvalidSignatureException");
  EXPECT_EQ(examination(request("20260314T000000Z", "teapot")), "InvalidSignatureException");
  EXPECT_EQ(examination(testing::make_request("POST", "/", {{"Host", "localhost"}}, "")),
            "MissingAuthenticationTokenException");
  net::Request stranger = request();
  std::string authorization(stranger.headers.get("authorization"));
  authorization.replace(authorization.find("AKID"), 4, "NONE");
  stranger.headers.set("authorization", authorization);
  EXPECT_EQ(examination(stranger), "UnrecognizedClientException");
}

TEST_F(Verify, AFormIsExaminedBeforeAnybodyKnowsItsOperation) {
  const net::Request signed_form = request();
  EXPECT_EQ(examination(signed_form, false), "");
  EXPECT_EQ(examination(request("20260314T000000Z", "teapot"), false), "");
  EXPECT_EQ(examination(testing::make_request("POST", "/", {{"Host", "localhost"}}, ""), false),
            "MissingAuthenticationToken");
}

TEST_F(Verify, ClocksDifferByFiveMinutesAtMost) {
  EXPECT_EQ(answer(request("20260313T235500Z")), "111122223333 eu-west-1");
  EXPECT_EQ(answer(request("20260314T000500Z")), "111122223333 eu-west-1");
  EXPECT_THAT(answer(request("20260313T235459Z")),
              HasSubstr("Signature expired: 20260313T235459Z is now earlier than 20260313T235500Z (20260314T000000Z - 5 min.)"));
  EXPECT_THAT(answer(request("20260314T000501Z")),
              HasSubstr("Signature not yet current: 20260314T000501Z is still later than 20260314T000500Z (20260314T000000Z + "
                        "5 min.)"));
  EXPECT_THAT(answer(request("201")), HasSubstr("Date must be in ISO-8601 'basic format'. Got '201'."));
}

TEST_F(Verify, AnAddressIsGoodUntilItExpires) {
  EXPECT_EQ(answer(presigned("&X-Amz-Date=20260313T230000Z&X-Amz-Expires=3600")), "111122223333 eu-west-1");
  EXPECT_EQ(answer(presigned("&X-Amz-Date=20260313T230000Z&X-Amz-Expires=3599")), "AccessDenied: Request has expired");
  EXPECT_EQ(answer(presigned("&X-Amz-Date=20260313T230000Z&X-Amz-Expires=3599", "X-Amz-S%69gnature")),
            "AccessDenied: Request has expired");
  EXPECT_THAT(answer(presigned("&X-Amz-Date=20260313T230000Z")),
              HasSubstr("AWS query-string parameters must include 'X-Amz-Expires'. "));
  EXPECT_THAT(answer(presigned("&X-Amz-Date=20260313T230000Z&X-Amz-Expires=604801")), HasSubstr("less than a week"));
}

TEST_F(Verify, AServicesSignatureIsForNoOther) {
  EXPECT_THAT(answer(request("20260314T000000Z", "teahouse")),
              HasSubstr("Credential should be scoped to correct service: 'kettle'."));
}

TEST_F(Verify, TemporaryCredentialsNeedTheirToken) {
  keys_.secret.token = "token";
  keys_.secret.expires = kNow + std::chrono::seconds(1);
  EXPECT_THAT(answer(request()), HasSubstr("UnrecognizedClientException"));
  EXPECT_EQ(answer(request("20260314T000000Z", "kettle", "token")), "111122223333 eu-west-1");
  keys_.secret.expires = kNow;
  EXPECT_THAT(answer(request("20260314T000000Z", "kettle", "token")), HasSubstr("ExpiredTokenException"));
  keys_.secret = {"secret", "111122223333"};  // one that has no token must not come with any
  EXPECT_THAT(answer(request("20260314T000000Z", "kettle", "token")), HasSubstr("UnrecognizedClientException"));
}

TEST_F(Verify, EveryMissingPartIsNamed) {
  const auto of_header = [&](std::string authorization) {
    return answer(testing::make_request("POST", "/", {{"Authorization", std::move(authorization)}}, ""));
  };
  EXPECT_THAT(of_header("AWS4-HMAC-SHA256 Credential=a"),
              HasSubstr("IncompleteSignatureException: Authorization header requires 'Signature' parameter. Authorization "
                        "header requires 'SignedHeaders' parameter. Authorization header requires existence of either"));
  EXPECT_THAT(of_header("AWS4-ECDSA-P256-SHA256 Credential=a"),
              HasSubstr("Unsupported AWS 'algorithm': 'AWS4-ECDSA-P256-SHA256' (only AWS4-HMAC-SHA256 for now). "));
  EXPECT_THAT(of_header("Bearer x"), HasSubstr("MissingAuthenticationTokenException"));
  EXPECT_THAT(answer(testing::make_request("POST", "/?X-Amz-Algorithm=AWS4-HMAC-SHA256", {{"Authorization", "x"}}, "")),
              HasSubstr("Found both 'X-Amz-Algorithm'"));
}

}  // namespace
}  // namespace tidemill::wire
