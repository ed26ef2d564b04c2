#include "services/lambda/package_source.h"

#include <gtest/gtest.h>

#include "services/lambda/package.h"
#include "wire/error.h"

namespace tidemill::lambda {
namespace {

struct Code {
  std::optional<std::string> zip_file, s3_bucket, s3_key, s3_object_version;
};

std::string refusal(const Code& code) {
  try {
    check_package_source(package_source_of(code));
  } catch (const wire::Error& error) {
    return error.message;
  }
  return "";
}

TEST(PackageSource, IsTheRequestOrAnObject) {
  EXPECT_EQ(refusal({.zip_file = "zip"}), "");
  EXPECT_EQ(refusal({.s3_bucket = "bucket", .s3_key = "key"}), "");
  EXPECT_EQ(refusal({.s3_bucket = "bucket", .s3_key = "key", .s3_object_version = "v"}), "");
  EXPECT_EQ(refusal({}), "Please provide a source for function code.");
  EXPECT_EQ(refusal({.s3_bucket = "bucket"}), "Please provide a source for function code.");
  EXPECT_EQ(refusal({.zip_file = "zip", .s3_bucket = "bucket", .s3_key = "key"}),
            "Please do not provide other FunctionCode parameters when providing a ZipFile.");
}

TEST(PackageSource, InARequestHasAtMost50Megabytes) {
  const auto size = static_cast<size_t>(kZippedBytesMax);
  EXPECT_EQ(refusal({.zip_file = std::string(size, 'z')}), "");
  EXPECT_EQ(refusal({.zip_file = std::string(size + 1, 'z')}), "Zipped size must be smaller than 52428800 bytes");
}

}  // namespace
}  // namespace tidemill::lambda
