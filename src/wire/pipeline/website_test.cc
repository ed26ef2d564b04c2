#include "wire/pipeline/website.h"

#include <gtest/gtest.h>

namespace tidemill::wire {
namespace {

TEST(Website, ItsHostNamesTheBucket) {
  EXPECT_EQ(website_bucket("photos.s3-website.localhost:4566"), "photos");
  EXPECT_EQ(website_bucket("Photos.of.mine.s3-website-us-east-1.amazonaws.com"), "photos.of.mine");
  EXPECT_EQ(website_bucket("a.s3-website.b.s3-website.eu-central-1.amazonaws.com"), "a.s3-website.b");
  for (const char* host :
       {"photos.s3.localhost", "s3-website.localhost", ".s3-website.localhost", "photos.s3-websites.localhost", ""}) {
    EXPECT_EQ(website_bucket(host), std::nullopt) << host;
  }
}

}  // namespace
}  // namespace tidemill::wire
