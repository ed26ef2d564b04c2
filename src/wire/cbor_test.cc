#include "wire/cbor.h"

#include <gtest/gtest.h>

#include <limits>

#include "wire/error.h"

namespace tidemill::wire::cbor {
namespace {

using namespace std::string_literals;
using namespace std::chrono_literals;

std::string hex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// What `read` gives of the bytes, all of which it must take; or the refusal's text.
template <class T>
T read(std::string_view digits, T (Reader::*method)(), TimeUnit unit = TimeUnit::seconds) {
  const std::string bytes = hex(digits);
  Reader in(bytes, unit);
  T value = (in.*method)();
  in.finish();
  return value;
}

template <class T>
void expect_refused(std::string_view digits, T (Reader::*method)()) {
  EXPECT_THROW((void)read(digits, method), Error) << digits;
}

TEST(Cbor, ReadsIntegersOfEveryWidth) {
  EXPECT_EQ(read("00", &Reader::long_integer), 0);
  EXPECT_EQ(read("17", &Reader::long_integer), 23);
  EXPECT_EQ(read("1818", &Reader::long_integer), 24);
  EXPECT_EQ(read("1903e8", &Reader::long_integer), 1000);
  EXPECT_EQ(read("1a000f4240", &Reader::long_integer), 1'000'000);
  EXPECT_EQ(read("1b000000e8d4a51000", &Reader::long_integer), 1'000'000'000'000);
  EXPECT_EQ(read("3903e7", &Reader::long_integer), -1000);
  EXPECT_EQ(read("3b7fffffffffffffff", &Reader::long_integer), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(read("1bffffffffffffffff", &Reader::long_integer), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(read("1b000000e8d4a51000", &Reader::integer), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(read("fb4012000000000000", &Reader::integer), 4);
}

TEST(Cbor, ReadsFloatsOfEveryWidth) {
  EXPECT_EQ(read("f93e00", &Reader::number), 1.5);
  EXPECT_EQ(read("f90001", &Reader::number), 5.960464477539063e-8);
  EXPECT_EQ(read("f9fc00", &Reader::number), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(read("fa47c35000", &Reader::number), 100000.0);
  EXPECT_EQ(read("fb3ff199999999999a", &Reader::number), 1.1);
  EXPECT_EQ(read("3863", &Reader::number), -100.0);
}

TEST(Cbor, ReadsStringsInOnePieceOrSeveral) {
  EXPECT_EQ(read("6449455446", &Reader::text), "IETF");
  EXPECT_EQ(read("7f657374726561646d696e67ff", &Reader::text), "streaming");
  EXPECT_EQ(read("4401020304", &Reader::bytes), "\x01\x02\x03\x04");
  EXPECT_EQ(read("5f42010243030405ff", &Reader::bytes), "\x01\x02\x03\x04\x05");
  EXPECT_EQ(read("60", &Reader::text), "");
  expect_refused("62c328", &Reader::text);      // not UTF-8
  expect_refused("7f4161ff", &Reader::text);    // bytes among text
  expect_refused("7f7f6161ffff", &Reader::text);
  expect_refused("6461", &Reader::text);        // ends early
  expect_refused("7bffffffffffffffff61", &Reader::text);
}

TEST(Cbor, ReadsTimesInTheProtocolsUnit) {
  EXPECT_EQ(read("c11a514b67b0", &Reader::timestamp), base::Time(1363896240s));
  EXPECT_EQ(read("c1fb41d452d9ec200000", &Reader::timestamp), base::Time(1363896240500ms));
  EXPECT_EQ(read("c11b0000013d8e8d07f4", &Reader::timestamp, TimeUnit::milliseconds), base::Time(1363896240116ms));
  expect_refused("c1fb7ff0000000000000", &Reader::timestamp);
}

TEST(Cbor, RefusesNumbersOfMoreThan64BitsByName) {
  const std::string bytes = hex("c249010000000000000000");
  Reader in(bytes, TimeUnit::seconds);
  try {
    (void)in.long_integer();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code, "SerializationException");
    EXPECT_EQ(error.message, "Numbers of more than 64 bits are not supported");
  }
}

TEST(Cbor, RefusesOtherTypes) {
  expect_refused("01", &Reader::text);
  expect_refused("6161", &Reader::bytes);
  expect_refused("6161", &Reader::long_integer);
  expect_refused("f4", &Reader::number);
  expect_refused("01", &Reader::boolean);
  expect_refused("f6", &Reader::boolean);
  expect_refused("1c", &Reader::long_integer);
  expect_refused("1f", &Reader::long_integer);
  expect_refused("ff", &Reader::long_integer);
  expect_refused("", &Reader::boolean);
}

TEST(Cbor, ReadsMapsAndListsOfKnownAndUnknownLength) {
  for (const std::string_view digits : {"a2616101616282", "bf616101616282"}) {
    const std::string bytes = hex(std::string(digits) + "0203" + (digits.starts_with('b') ? "ff" : ""));
    Reader in(bytes, TimeUnit::seconds);
    auto map = in.open_map();
    ASSERT_TRUE(in.more(map));
    EXPECT_EQ(in.key(), "a");
    EXPECT_EQ(in.integer(), 1);
    ASSERT_TRUE(in.more(map));
    EXPECT_EQ(in.key(), "b");
    auto list = in.open_list();
    int sum = 0;
    while (in.more(list)) sum += in.integer();
    EXPECT_EQ(sum, 5);
    EXPECT_FALSE(in.more(map));
    in.finish();
  }
}

TEST(Cbor, SkipsWhateverStandsThere) {
  for (const std::string_view digits :
       {"a26161016162820203", "bf61618202f6ff", "9f01ff", "f7", "c11a514b67b0", "5f4101ff", "fb3ff199999999999a"}) {
    const std::string bytes = hex(digits);
    Reader in(bytes, TimeUnit::seconds);
    in.skip();
    in.finish();
  }
}

TEST(Cbor, BoundsItsDepth) {
  const auto nested = [](int depth) { return std::string(static_cast<size_t>(depth), '\x81') + "\x01"; };
  const std::string deepest = nested(Reader::kDepthMax), deeper = nested(Reader::kDepthMax + 1);
  Reader in(deepest, TimeUnit::seconds);
  in.skip();
  in.finish();
  Reader refused(deeper, TimeUnit::seconds);
  EXPECT_THROW(refused.skip(), Error);
}

TEST(Cbor, AnEmptyBodyIsAnEmptyMap) {
  Reader in("", TimeUnit::seconds);
  auto map = in.open_map();
  EXPECT_FALSE(in.more(map));
  in.finish();
}

TEST(Cbor, WritesWhatItReads) {
  std::string out;
  Writer writer(out, TimeUnit::milliseconds);
  writer.begin_structure();
  writer.key("n");
  writer.integer(-1000);
  writer.key("t");
  writer.timestamp(base::Time(1363896240116ms));
  writer.key("d");
  writer.number(1.1);
  writer.key("b");
  writer.bytes("\x01\x02");
  writer.key("y");
  writer.boolean(true);
  writer.key("l");
  writer.list(300);
  for (int i = 0; i < 300; ++i) writer.integer(i * i * i);
  writer.key("v");
  writer.value(*json::parse(R"({"a":[1,2.5,null,true,"x"]})"));
  writer.end_structure();
  EXPECT_EQ(out.substr(0, 25), hex("bf616e3903e76174c11b0000013d8e8d07f46164fb3ff199").substr(0, 24) + out[24]);
  Reader in(out, TimeUnit::milliseconds);
  auto map = in.open_map();
  ASSERT_TRUE(in.more(map));
  EXPECT_EQ(in.key(), "n");
  EXPECT_EQ(in.long_integer(), -1000);
  ASSERT_TRUE(in.more(map));
  (void)in.key();
  EXPECT_EQ(in.timestamp(), base::Time(1363896240116ms));
  ASSERT_TRUE(in.more(map));
  (void)in.key();
  EXPECT_EQ(in.number(), 1.1);
  while (in.more(map)) {
    (void)in.key();
    in.skip();
  }
  in.finish();
}

}  // namespace
}  // namespace tidemill::wire::cbor
