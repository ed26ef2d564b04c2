#include "base/json_record.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tidemill::base::json {
namespace {

constexpr Time kTime{Duration(1'773'446'400'000'001)};

std::string written() {
  std::string out;
  Writer writer(out);
  writer.begin_object();
  write_member(writer, "text", "a\"b");
  write_member(writer, "number", int64_t{-7});
  write_member(writer, "flag", true);
  write_member(writer, "time_us", kTime);
  write_member(writer, "map", TextMap{{"k", "v"}, {"l", ""}});
  write_bytes(writer, "bytes", std::string_view("\0\xff", 2));
  writer.end_object();
  return out;
}

std::string reason(const auto& read) {
  try {
    read();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "(none)";
}

TEST(JsonRecord, WhatIsWrittenIsReadBack) {
  const Record record("thing", written());
  EXPECT_EQ(record.text("text"), "a\"b");
  EXPECT_EQ(record.integer("number"), -7);
  EXPECT_TRUE(record.boolean("flag"));
  EXPECT_EQ(record.time("time_us"), kTime);
  EXPECT_EQ(record.map("map"), (TextMap{{"k", "v"}, {"l", ""}}));
  EXPECT_EQ(record.bytes("bytes"), std::string("\0\xff", 2));
}

TEST(JsonRecord, AMemberThatMayBeMissingIsNothing) {
  const Record record("thing", "{}");
  EXPECT_FALSE(record.find_text("x"));
  EXPECT_FALSE(record.find_integer("x"));
  EXPECT_FALSE(record.find_boolean("x"));
  EXPECT_FALSE(record.find_time("x"));
  EXPECT_FALSE(record.find_map("x"));
  EXPECT_FALSE(record.find_bytes("x"));
}

TEST(JsonRecord, APartIsReadLikeAWhole) {
  const Record whole("thing", R"({"part":{"x":"y"},"no":1})");
  EXPECT_EQ(Record::part("part of a thing", *whole.find("part")).text("x"), "y");
  EXPECT_EQ(reason([&] { (void)Record::part("part of a thing", *whole.find("no")); }),
            "a stored part of a thing is damaged: not an object");
}

TEST(JsonRecord, DamageIsNamed) {
  EXPECT_EQ(reason([] { (void)Record("thing", "{}").text("x"); }), "a stored thing is damaged: x");
  EXPECT_EQ(reason([] { (void)Record("thing", R"({"x":1})").find_text("x"); }), "a stored thing is damaged: x");
  EXPECT_EQ(reason([] { (void)Record("thing", R"({"x":{"y":1}})").find_map("x"); }), "a stored thing is damaged: x");
  EXPECT_EQ(reason([] { (void)Record("thing", R"({"x":"*"})").find_bytes("x"); }), "a stored thing is damaged: x");
  EXPECT_EQ(reason([] { (void)Record("thing", "[]"); }), "a stored thing is damaged: not an object");
  EXPECT_NE(reason([] { (void)Record("thing", "{"); }), "(none)");
}

}  // namespace
}  // namespace tidemill::base::json
