#include "wire/role_arn.h"

#include <gtest/gtest.h>

namespace tidemill::wire {
namespace {

TEST(RoleArn, IsOfAnAccountAndNoRegion) {
  EXPECT_TRUE(is_role_arn("arn:aws:iam::123456789012:role/r"));
  EXPECT_TRUE(is_role_arn("arn:aws-cn:iam::123456789012:role/path/r"));
  for (const char* text : {"", "r", "arn:aws:iam::123456789012:role", "arn:aws:iam::123456789012:role/",
                           "arn:aws:iam::123456789012:user/r", "arn:aws:iam::1:role/r", "arn:aws:iam::aws:role/r",
                           "arn:aws:iam:eu-west-1:123456789012:role/r", "arn:aws:sts::123456789012:role/r"}) {
    EXPECT_FALSE(is_role_arn(text)) << text;
  }
}

}  // namespace
}  // namespace tidemill::wire
