#include "wire/credential_scope.h"

#include <gtest/gtest.h>

namespace tidemill::wire {
namespace {

TEST(CredentialScope, ReadsTheAuthorizationHeader) {
  const auto scope = parse_authorization(
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/eu-west-1/dynamodb/aws4_request, "
      "SignedHeaders=host;x-amz-date, Signature=abc");
  ASSERT_TRUE(scope);
  EXPECT_EQ(scope->access_key_id, "AKIDEXAMPLE");
  EXPECT_EQ(scope->region, "eu-west-1");
  EXPECT_EQ(scope->service, "dynamodb");
}

TEST(CredentialScope, ReadsAPresignedUrl) {
  const auto scope =
      parse_presigned("/key?a=b&X-Amz-Credential=AKID%2F20260101%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=x");
  ASSERT_TRUE(scope);
  EXPECT_EQ(scope->access_key_id, "AKID");
  EXPECT_EQ(scope->service, "s3");
}

TEST(CredentialScope, AcceptsAnEmptyService) {
  const auto scope = parse_credential("AKID/20260101/us-east-1//aws4_request");
  ASSERT_TRUE(scope);
  EXPECT_EQ(scope->service, "");
  EXPECT_EQ(scope->region, "us-east-1");
}

TEST(CredentialScope, ReadsVersion4aWhichHasNoRegion) {
  const auto scope = parse_authorization("AWS4-ECDSA-P256-SHA256 Credential=AKID/20260101/events/aws4_request,Signature=x");
  ASSERT_TRUE(scope);
  EXPECT_EQ(scope->region, "");
  EXPECT_EQ(scope->service, "events");
}

TEST(CredentialScope, KeepsSlashesInTheKeyId) {
  EXPECT_EQ(parse_credential("a/b/20260101/us-east-1/sqs/aws4_request")->access_key_id, "a/b");
}

TEST(CredentialScope, RefusesWhatIsNone) {
  for (const char* text : {"", "AKID", "AKID/20260101/us-east-1/s3", "/20260101/us-east-1/s3/aws4_request",
                           "AKID/2026/us-east-1/s3/aws4_request", "aws4_request", "//aws4_request"}) {
    EXPECT_FALSE(parse_credential(text)) << text;
  }
  EXPECT_FALSE(parse_authorization("Bearer abc"));
  EXPECT_FALSE(parse_authorization("AWS4-HMAC-SHA256 SignedHeaders=host"));
  EXPECT_FALSE(parse_presigned("/?X-Amz-Credential=%zz"));
  EXPECT_FALSE(parse_presigned("/"));
}

TEST(CredentialScope, TellsRegionsAndAccounts) {
  EXPECT_TRUE(is_region_by_form("us-gov-west-1"));
  EXPECT_FALSE(is_region_by_form(""));
  EXPECT_FALSE(is_region_by_form("US"));
  EXPECT_FALSE(is_region_by_form("a/b"));
  EXPECT_TRUE(is_account("123456789012"));
  EXPECT_FALSE(is_account("12345678901"));
  EXPECT_FALSE(is_account("12345678901a"));
}

}  // namespace
}  // namespace tidemill::wire
