// Rules that need no store: ranges, conditions, names, checksums, origins, expiry.
#include <gtest/gtest.h>

#include "base/base64.h"
#include "services/s3/bucket.h"
#include "services/s3/byte_range.h"
#include "services/s3/checksum.h"
#include "services/s3/conditions.h"
#include "services/s3/copying.h"
#include "services/s3/cors.h"
#include "services/s3/lifecycle.h"
#include "services/s3/listing.h"
#include "services/s3/notifications.h"
#include "services/s3/tags.h"

namespace tidemill::s3 {
namespace {

using namespace std::chrono_literals;

template <class Body>
std::string code_of(Body body) {
  try {
    body();
    return "";
  } catch (const wire::Error& error) {
    return error.code;
  }
}

constexpr base::Time kDay = base::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 14));

TEST(S3Rules, RangesAreCutToTheObject) {
  EXPECT_EQ(parse_range("bytes=0-9", 100), (ByteRange{0, 10}));
  EXPECT_EQ(parse_range("bytes=90-", 100), (ByteRange{90, 10}));
  EXPECT_EQ(parse_range("bytes=90-1000", 100), (ByteRange{90, 10}));
  EXPECT_EQ(parse_range("bytes=-10", 100), (ByteRange{90, 10}));
  EXPECT_EQ(parse_range("bytes=-1000", 100), (ByteRange{0, 100}));
  EXPECT_EQ(content_range({90, 10}, 100), "bytes 90-99/100");
}

TEST(S3Rules, RangesThatAreNoneMeanTheWholeObject) {
  for (const char* header : {"bytes=9-0", "bytes=-", "bytes=a-b", "bytes=1-2,3-4", "items=1-2", "", "bytes=1"}) {
    EXPECT_EQ(parse_range(header, 100), std::nullopt) << header;
  }
}

TEST(S3Rules, RangesBeyondTheObjectAreRefused) {
  EXPECT_EQ(code_of([] { (void)parse_range("bytes=100-", 100); }), "InvalidRange");
  EXPECT_EQ(code_of([] { (void)parse_range("bytes=-0", 100); }), "InvalidRange");
  EXPECT_EQ(code_of([] { (void)parse_range("bytes=0-", 0); }), "InvalidRange");
  EXPECT_EQ(code_of([] { (void)parse_copy_range("bytes=0-100", 100); }), "InvalidArgument");
  EXPECT_EQ(code_of([] { (void)parse_copy_range("bytes=5-", 100); }), "InvalidArgument");
}

TEST(S3Rules, EntityTagsAreFoundInLists) {
  EXPECT_TRUE(has_tag("\"a\"", "a"));
  EXPECT_TRUE(has_tag("\"b\", W/\"a\"", "a"));
  EXPECT_TRUE(has_tag("*", "a"));
  EXPECT_TRUE(has_tag("a", "a"));
  EXPECT_FALSE(has_tag("\"ab\"", "a"));
}

TEST(S3Rules, WritesAreConditional) {
  Object object;
  object.etag = "a";
  Object marker;
  marker.is_marker = true;
  EXPECT_EQ(code_of([&] { check_write(&object, "k", {}, "*"); }), "PreconditionFailed");
  EXPECT_EQ(code_of([&] { check_write(nullptr, "k", {}, "*"); }), "");
  EXPECT_EQ(code_of([&] { check_write(&marker, "k", {}, "*"); }), "");
  EXPECT_EQ(code_of([&] { check_write(&object, "k", "\"a\"", {}); }), "");
  EXPECT_EQ(code_of([&] { check_write(&object, "k", "\"b\"", {}); }), "PreconditionFailed");
  EXPECT_EQ(code_of([&] { check_write(nullptr, "k", "\"b\"", {}); }), "NoSuchKey");
  EXPECT_EQ(code_of([&] { check_write(nullptr, "k", {}, "\"b\""); }), "NotImplemented");
}

TEST(S3Rules, NamesOfBuckets) {
  for (const char* name : {"abc", "a.b-c", "0bucket", "bucket.with.dots"}) {
    EXPECT_EQ(code_of([&] { check_bucket_name(name); }), "") << name;
  }
  for (const char* name : {"ab", "Abc", "a_b", "a..b", "-ab", "a1-", "1.2.3.4", "xn--a", "a--x-s3"}) {
    EXPECT_EQ(code_of([&] { check_bucket_name(name); }), "InvalidBucketName") << name;
  }
}

TEST(S3Rules, ChecksumsOfPartsMakeThatOfTheWhole) {
  const std::string first(1000, 'a'), second(77, 'b');
  for (const Algorithm algorithm : {Algorithm::crc32, Algorithm::crc32c, Algorithm::crc64nvme}) {
    const auto sum_of = [&](std::string_view text) {
      const auto sum = make_sum(algorithm);
      sum->add(text);
      return sum->finish();
    };
    PartSums parts(algorithm, ChecksumType::full_object);
    parts.add({sum_of(first), first.size()});
    parts.add({sum_of(second), second.size()});
    EXPECT_EQ(parts.finish().bytes, sum_of(first + second)) << name_of(algorithm);
  }
  PartSums composite(Algorithm::sha1, ChecksumType::composite);
  composite.add({std::string(20, 'x'), 5});
  composite.add({std::string(20, 'y'), 5});
  EXPECT_TRUE(composite.finish().text().ends_with("=-2"));
}

TEST(S3Rules, SourcesOfCopies) {
  const ObjectRequest source = parse_copy_source("/bucket/a%20b/c?versionId=v1", {});
  EXPECT_EQ(source.bucket, "bucket");
  EXPECT_EQ(source.key, "a b/c");
  EXPECT_EQ(source.version, "v1");
  EXPECT_EQ(parse_copy_source("bucket/k?x", {}).key, "k?x");
  for (const char* wrong : {"", "bucket", "bucket/", "//k", "bucket/%zz", "bucket/k?versionId=%zz"}) {
    EXPECT_EQ(code_of([&] { (void)parse_copy_source(wrong, {}); }), "InvalidArgument") << wrong;
  }
}

TEST(S3Rules, OriginsMatchPatterns) {
  EXPECT_TRUE(matches("https://*.example.com", "https://a.example.com"));
  EXPECT_TRUE(matches("*", "null"));
  EXPECT_FALSE(matches("https://*.example.com", "https://example.com"));
  EXPECT_FALSE(matches("ab*ba", "aba"));
}

TEST(S3Rules, EventsMatchTypes) {
  EXPECT_TRUE(is_event_of("s3:ObjectCreated:*", "ObjectCreated:Put"));
  EXPECT_TRUE(is_event_of("s3:ObjectCreated:Put", "ObjectCreated:Put"));
  EXPECT_FALSE(is_event_of("s3:ObjectCreated:Copy", "ObjectCreated:Put"));
  EXPECT_FALSE(is_event_of("s3:ObjectRemoved:*", "ObjectCreated:Put"));
}

TEST(S3Rules, WhatIsGivenDaysIsDueAtAMidnight) {
  EXPECT_EQ(midnight_after(kDay + 1h, 2), kDay + 72h);
  EXPECT_EQ(midnight_after(kDay, 1), kDay + 48h);
  EXPECT_EQ(midnight_after(kDay + 23h + 59min, 0), kDay + 24h);
}

TEST(S3Rules, TagKeysOfAwsItselfAreRefusedInAnyLetterCase) {
  const auto message_of = [](const char* key, void (*check)(const TextMap&)) -> std::string {
    try {
      check(TextMap{{key, "1"}});
      return "";
    } catch (const wire::Error& error) {
      return error.message;
    }
  };
  EXPECT_EQ(message_of("aws:a", check_object_tags), "Your TagKey cannot be prefixed with aws:");
  EXPECT_EQ(message_of("aws:a", check_bucket_tags), "System tags cannot be added/updated by requester");
  for (const auto check : {check_object_tags, check_bucket_tags, check_new_bucket_tags}) {
    EXPECT_EQ(message_of("AWS:a", check), "The TagKey you have provided is invalid");
    EXPECT_EQ(message_of("a\tb", check), "The TagKey you have provided is invalid");
    EXPECT_EQ(message_of("awsome", check), "");
  }
}

TEST(S3Rules, KeysAreEncodedAsFormsAre) { EXPECT_EQ(encode_key("a b/ä+&*~"), "a+b/%C3%A4%2B%26*%7E"); }

}  // namespace
}  // namespace tidemill::s3
