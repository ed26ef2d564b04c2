// A table of texts answers as a map does.
#include "lang/patterns/text_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tidemill::lang::patterns {
namespace {

TEST(TextTable, AnEmptyOneHoldsNothing) {
  const TextTable table;
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(""), TextTable::kNone);
}

TEST(TextTable, WhatCameFirstStays) {
  TextTable table;
  table.emplace("", 1);
  table.emplace("", 2);
  EXPECT_EQ(table.find(""), 1);
  EXPECT_EQ(table.find("a"), TextTable::kNone);
  EXPECT_FALSE(table.empty());
}

TEST(TextTable, AnswersAsAMapDoesWhileItGrows) {
  std::mt19937 random(7);
  std::map<std::string, uint32_t> map;
  TextTable table;
  const auto any_text = [&] { return std::string(random() % 40, 'a') + std::to_string(random() % 2000); };
  for (uint32_t i = 0; i < 5000; ++i) {
    const std::string text = any_text();
    table.emplace(text, i);
    map.emplace(text, i);
    const std::string asked = any_text();
    const auto found = map.find(asked);
    ASSERT_EQ(table.find(asked), found == map.end() ? TextTable::kNone : found->second) << asked;
  }
  for (const auto& [text, value] : map) ASSERT_EQ(table.find(text), value) << text;
}

}  // namespace
}  // namespace tidemill::lang::patterns
