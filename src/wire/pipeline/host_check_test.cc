#include "wire/pipeline/host_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemill::wire {
namespace {

const HostNames kHosts({"mill.example", "10.0.0.7", "[fd00::1]"});

TEST(HostCheck, LoopbackHasManyNames) {
  for (const char* host : {"127.0.0.1", "127.0.0.1:4566", "127.9.8.7:1", "localhost", "LocalHost:4566", "localhost.",
                           "bucket.s3.localhost:4566", "a_b.localhost", "[::1]", "[::1]:4566", "[0:0:0:0:0:0:0:1]:80",
                           "[::ffff:127.0.0.1]:4566", "[::FFFF:7f00:1]"}) {
    EXPECT_EQ(kHosts.kind_of(host), HostKind::loopback) << host;
  }
}

TEST(HostCheck, WhatOnlyLooksLikeLoopbackIsForeign) {
  for (const char* host : {"evil.example", "localhost.evil.example", "notlocalhost", "127.0.0.1.evil.example",
                           "127.0.0.1:80:80", "127.0.0.1:evil", "127.0.0.1@evil.example", "localhost:4566.evil", "128.0.0.1",
                           "0.0.0.0", "[::2]:4566", "[::1]evil", "[::1", "[::1].localhost", "[evil]", "evil/.localhost",
                           "evil\x01.localhost", ":4566", "amazonaws.com.evil.example", "evilamazonaws.com", "*"}) {
    EXPECT_EQ(kHosts.kind_of(host), HostKind::foreign) << host;
  }
}

// SDKs put it before the host of their endpoint when they call StartSyncExecution, TestState or StartLiveTail.
TEST(HostCheck, NamesOfLoopbackMayHaveThePrefixesOfSdks) {
  for (const char* host : {"sync-localhost:4566", "sync-127.0.0.1:4566", "Sync-states.localhost",
                           "streaming-127.0.0.1"}) {
    EXPECT_EQ(kHosts.kind_of(host), HostKind::loopback) << host;
  }
  // Whoever else owns a name beside ours could have a browser come here under it.
  for (const char* host : {"sync-mill.example", "streaming-evil.example", "sync-sync-localhost", "sync-128.0.0.1",
                           "sync-"}) {
    EXPECT_EQ(kHosts.kind_of(host), HostKind::foreign) << host;
  }
}

TEST(HostCheck, NamesThatAreGivenCountWithAllBelowThem) {
  for (const char* host : {"mill.example", "MILL.example:80", "bucket.mill.example", "10.0.0.7:4566", "[fd00:0::1]:4566"}) {
    EXPECT_EQ(kHosts.kind_of(host), HostKind::added) << host;
  }
  EXPECT_EQ(kHosts.kind_of("windmill.example"), HostKind::foreign);
  EXPECT_EQ(HostNames().kind_of("mill.example"), HostKind::foreign);
}

TEST(HostCheck, AwssNamesMayStayInPlace) {
  for (const char* host : {"dynamodb.us-east-1.amazonaws.com", "bucket.s3.cn-north-1.amazonaws.com.cn:443",
                           "lambda.us-east-1.api.aws", "sqs.eusc-de-east-1.amazonaws.eu",
                           "abc2.lambda-url.us-east-1.on.aws"}) {
    EXPECT_EQ(kHosts.kind_of(host), HostKind::aws) << host;
  }
}

TEST(HostCheck, NoHostIsOfNoBrowser) { EXPECT_EQ(kHosts.kind_of(""), HostKind::absent); }

TEST(HostCheck, TheRefusalNamesTheFlagInOneLine) {
  EXPECT_EQ(foreign_host_line("Evil.example:80"),
            "The host \"Evil.example:80\" is no name of this server; if it should be, start it with --host evil.example");
  EXPECT_THAT(foreign_host_line("a b\n"), testing::EndsWith("--host NAME"));
}

}  // namespace
}  // namespace tidemill::wire
