#include "wire/post_policy.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/text.h"

namespace tidemill::wire {
namespace {

constexpr std::string_view kExpiration = "\"expiration\": \"2026-01-01T00:00:00.000Z\"";

std::string policy_of(std::string_view conditions) {
  return base::cat("{", kExpiration, ", \"conditions\": [", conditions, "]}");
}

// What is said against the form, or "".
std::string judge(std::string_view document, const FormFields& fields = {}) {
  try {
    PostPolicy::parse(base::base64_encode(document)).check("pond", fields);
    return "";
  } catch (const Error& error) {
    return error.message;
  }
}
std::string failed(std::string_view condition) {
  return base::cat("Invalid according to Policy: Policy Condition failed: ", condition);
}

TEST(PostPolicy, HoldsFieldsToItsConditions) {
  const FormFields fields{{"key", "user/a"}, {"Content-Type", "image/png"}, {"policy", "x"}, {"x-ignore-me", "y"}};
  EXPECT_EQ(judge(policy_of(R"({"bucket": "pond"}, ["starts-with", "$Key", "user/"], {"content-type": "image/png"})"),
                  fields),
            "");
  EXPECT_EQ(judge(policy_of(R"({"bucket": "lake"})"), fields), failed(R"(["eq", "$bucket", "lake"])"));
  EXPECT_EQ(judge(policy_of(R"(["eq", "$key", "USER/A"])"), fields), failed(R"(["eq", "$key", "USER/A"])"));
  EXPECT_EQ(judge(policy_of(R"(["eq", "key", "user/a"])"), fields), failed(R"(["eq", "key", "user/a"])"));
  EXPECT_EQ(judge(policy_of(R"(["starts-with", "$acl", ""])"), fields), failed(R"(["starts-with", "$acl", ""])"));
}

TEST(PostPolicy, RefusesFieldsThatNoConditionNames) {
  const std::string policy = policy_of(R"(["starts-with", "$key", ""])");
  EXPECT_EQ(judge(policy, {{"key", "a"}, {"StorageClass", "STANDARD"}}),
            "Invalid according to Policy: Extra input fields: StorageClass");
}

TEST(PostPolicy, WantsEveryTypeOfAListToBeginSo) {
  const std::string policy = policy_of(R"(["starts-with", "$content-type", "image/"])");
  EXPECT_EQ(judge(policy, {{"Content-Type", "image/png, image/gif"}}), "");
  EXPECT_NE(judge(policy, {{"Content-Type", "image/png,text/html"}}), "");
}

TEST(PostPolicy, BoundsTheLength) {
  const auto length_of = [](std::string_view conditions) {
    return PostPolicy::parse(base::base64_encode(policy_of(conditions))).length();
  };
  EXPECT_EQ(length_of(R"(["content-length-range", 5, "10"])").min, 5u);
  EXPECT_EQ(length_of(R"(["content-length-range", 5, "10"])").max, 10u);
  EXPECT_EQ(length_of(R"(["content-length-range", -1, 0])").max, 0u);
  EXPECT_EQ(judge(policy_of(R"(["content-length-range", "test", "10"])")),
            failed(R"(["content-length-range", "test", "10"])"));
}

TEST(PostPolicy, RefusesDocumentsThatAreNone) {
  const auto refused = [](std::string_view why) { return base::cat("Invalid Policy: ", why); };
  EXPECT_EQ(judge("{"), refused("Invalid JSON."));
  EXPECT_EQ(judge("[]"), refused("Invalid JSON."));
  EXPECT_EQ(judge(R"({"conditions": []})"), refused("Policy missing expiration."));
  EXPECT_EQ(judge(base::cat("{", kExpiration, "}")), refused("Policy missing conditions."));
  EXPECT_EQ(judge(R"({"Statement": [], "expiration": "x"})"), refused("Unexpected: 'statement'"));
  EXPECT_EQ(judge(R"({"expiration": "2011-09-13T07:52:58+02:00", "conditions": []})"),
            refused("Invalid 'expiration' value: '2011-09-13T07:52:58+02:00'"));
  EXPECT_EQ(judge(policy_of(R"({"a": "1", "b": "2"})")),
            refused("Invalid Simple-Condition: Simple-Conditions must have exactly one property specified."));
  EXPECT_EQ(judge(policy_of(R"({"a": 1})")), refused("Invalid Simple-Condition: value must be a string."));
  EXPECT_EQ(judge(policy_of("[]")), refused("Invalid Condition: missing operation identifier."));
  EXPECT_EQ(judge(policy_of(R"(["content-length-range", 0, 512.0])")), refused("Invalid JSON."));
  EXPECT_EQ(judge(policy_of(R"(["content-length-range", 0])")),
            refused("Invalid content-length-range: wrong number of arguments."));
}

}  // namespace
}  // namespace tidemill::wire
