#include "wire/pipeline/function_url.h"

#include <gtest/gtest.h>

namespace tidemill::wire {
namespace {

std::string found(std::string_view host, std::string_view target = "/a?b") {
  const auto address = url_address(host, target);
  if (!address) return "none";
  return std::string(address->id) + " " + std::string(address->target) + (address->is_by_path ? " by path" : "");
}

TEST(UrlAddresses, AreNamesBelowTheServersOwnOrAwss) {
  EXPECT_EQ(found("abc2.lambda-url.us-east-1.localhost:4566"), "abc2 /a?b");
  EXPECT_EQ(found("abc2.lambda-url.us-east-1.on.aws"), "abc2 /a?b");
}

TEST(UrlAddresses, ArePathsWhereNamesDoNotResolve) {
  EXPECT_EQ(found("localhost:4566", "/_tidemill/lambda-url/abc2/x/y?z=1"), "abc2 /x/y?z=1 by path");
  EXPECT_EQ(found("localhost:4566", "/_tidemill/lambda-url/abc2?z=1"), "abc2 ?z=1 by path");
  EXPECT_EQ(found("localhost:4566", "/_tidemill/lambda-url/abc2"), "abc2  by path");
}

TEST(UrlAddresses, AreNothingElse) {
  EXPECT_EQ(found("lambda-url.us-east-1.localhost"), "none");
  EXPECT_EQ(found("a.b.lambda-url.us-east-1.localhost"), "none");
  EXPECT_EQ(found("A-B.lambda-url.us-east-1.localhost"), "none");
  EXPECT_EQ(found("localhost", "/_tidemill/lambda-url/"), "none");
  EXPECT_EQ(found("localhost", "/_tidemill/lambda-url/A%2F/x"), "none");
}

}  // namespace
}  // namespace tidemill::wire
