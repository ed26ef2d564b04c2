#include "base/ordered.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

namespace tidemill::base {
namespace {

using std::string_literals::operator""s;

std::string encode_string(std::string_view value) {
  std::string out;
  append_string(out, value);
  return out;
}

TEST(Ordered, strings_keep_their_order_also_with_zero_bytes_and_prefixes) {
  const std::vector<std::string> sorted = {"",      "\0"s,     "\0\0"s, "\0\x01"s, "\0\xff"s, "\x01", "a",
                                           "a\0"s, "a\0\0"s, "a\0b"s, "a\x01",   "ab",      "b",    "\xff",
                                           "\xff\xff"};
  for (size_t i = 0; i + 1 < sorted.size(); ++i) {
    EXPECT_LT(encode_string(sorted[i]), encode_string(sorted[i + 1])) << i;
    EXPECT_FALSE(encode_string(sorted[i + 1]).starts_with(encode_string(sorted[i]))) << i;
  }
}

TEST(Ordered, a_string_part_decides_before_the_part_after_it) {
  const auto key = [](std::string_view name, uint32_t number) {
    std::string out;
    append_string(out, name);
    append_u32(out, number);
    return out;
  };
  EXPECT_LT(key("a", 0xffffffff), key("a\0"s, 0));
  EXPECT_LT(key("a", 0xffffffff), key("ab", 0));
  EXPECT_LT(key("a", 1), key("a", 256));
}

TEST(Ordered, random_tuples_sort_like_their_encodings_and_read_back) {
  std::mt19937_64 random(1);
  using Tuple = std::tuple<std::string, uint64_t, int64_t, std::string, uint16_t>;
  std::vector<std::pair<std::string, Tuple>> all;
  for (int n = 0; n < 2000; ++n) {
    const auto text = [&] {
      std::string value(random() % 4, '\0');
      for (char& byte : value) byte = "\x00\x01\x61\xff"[random() % 4];
      return value;
    };
    const Tuple tuple{text(), random() % 3, static_cast<int64_t>(random() % 5) - 2, text(),
                      static_cast<uint16_t>(random())};
    std::string key;
    append_string(key, std::get<0>(tuple));
    append_u64(key, std::get<1>(tuple));
    append_i64(key, std::get<2>(tuple));
    append_string(key, std::get<3>(tuple));
    append_u16(key, std::get<4>(tuple));
    OrderedReader reader(key);
    Tuple back;
    std::get<0>(back) = reader.string();
    std::get<1>(back) = reader.u64();
    std::get<2>(back) = reader.i64();
    std::get<3>(back) = reader.string();
    std::get<4>(back) = reader.u16();
    EXPECT_TRUE(reader.ok() && reader.at_end());
    EXPECT_EQ(back, tuple);
    all.emplace_back(std::move(key), tuple);
  }
  std::sort(all.begin(), all.end());
  for (size_t i = 0; i + 1 < all.size(); ++i) EXPECT_LE(all[i].second, all[i + 1].second);
}

TEST(Ordered, prefix_end_is_above_everything_with_the_prefix) {
  EXPECT_EQ(prefix_end("ab"), "ac");
  EXPECT_EQ(prefix_end("a\xff\xff"), "b");
  EXPECT_LT("ab\xff\xff\xff"s, prefix_end("ab"));
}

TEST(Ordered, reading_past_the_end_latches_an_error) {
  OrderedReader reader("\x01\x02");
  EXPECT_EQ(reader.u32(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.u8(), 0u);
  EXPECT_EQ(reader.string(), "");
  OrderedReader unterminated("abc");
  EXPECT_EQ(unterminated.string(), "");
  EXPECT_FALSE(unterminated.ok());
}

}  // namespace
}  // namespace tidemill::base
