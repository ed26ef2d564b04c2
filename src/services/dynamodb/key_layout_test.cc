#include "services/dynamodb/key_layout.h"

#include <gtest/gtest.h>

#include <random>

namespace tidemill::dynamodb {
namespace {

TableId table_id() { return *TableId::from_uuid("d1a7c5fe-0123-4567-89ab-cdef01234567"); }

bool contains(const store::Range& range, const ItemKey& key) { return key.bytes >= range.begin && key.bytes < range.end; }

TEST(KeyLayout, TableIdsReadBackFromTheirText) {
  EXPECT_EQ(table_id().uuid(), "d1a7c5fe-0123-4567-89ab-cdef01234567");
  EXPECT_FALSE(TableId::from_uuid("d1a7c5fe"));
  EXPECT_FALSE(TableId::from_uuid("z1a7c5fe-0123-4567-89ab-cdef01234567"));
}

// Stored data depends on it: it must never change.
TEST(KeyLayout, HashesStayTheSameForEver) {
  EXPECT_EQ(partition_hash(Value::string("")), partition_hash(Value::binary("")));
  EXPECT_EQ(partition_hash(Value::string("a")), 46185919u);
  EXPECT_EQ(partition_hash(Value::number(1000)), partition_hash(Value::number(*base::Decimal::parse("1e3"))));
}

TEST(KeyLayout, SortKeysKeepTheirOrder) {
  const Value partition = Value::string("p");
  std::string last;
  for (const char* number : {"-1e100", "-2", "-1.5", "0", "1e-100", "3", "20", "1e100"}) {
    const Value sort = Value::number(*base::Decimal::parse(number));
    const ItemKey key = item_key(table_id(), partition, sort);
    EXPECT_LT(last, key.bytes) << number;
    last = key.bytes;
  }
}

TEST(KeyLayout, OnePartitionKeyIsNoPrefixOfAnother) {
  const Value a = Value::string("a");
  const lang::dynamodb::KeyCondition condition{.partition = a};
  const store::Range range = query_range(table_id(), condition);
  EXPECT_TRUE(contains(range, item_key(table_id(), a, Value::string("x"))));
  for (const std::string& other : {std::string("ab"), std::string("a\0", 2), std::string("a\xff"), std::string()}) {
    const Value partition = Value::binary(other);
    EXPECT_FALSE(contains(range, item_key(table_id(), partition, Value::string("x"))));
  }
}

TEST(KeyLayout, KeyAttributesReadBackFromAKey) {
  const lang::dynamodb::KeySchema schema{"p", Type::S, "s", Type::N};
  const Item key{{"p", Value::string(std::string("a\0b", 3))}, {"s", Value::number(-5)}};
  EXPECT_EQ(key_attributes(item_key(table_id(), *key.find("p"), key.find("s")).bytes, schema), key);
  const lang::dynamodb::KeySchema binary{"p", Type::N, "s", Type::B};
  const Item other{{"p", Value::number(7)}, {"s", Value::binary(std::string("\0\xff", 2))}};
  EXPECT_EQ(key_attributes(item_key(table_id(), *other.find("p"), other.find("s")).bytes, binary), other);
}

TEST(KeyLayout, SegmentsCoverEachHashOnce) {
  for (const uint32_t total : {1u, 2u, 3u, 7u, 1000000u}) {
    for (const uint32_t hash : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu}) {
      const auto guess = static_cast<uint32_t>((uint64_t{hash} * total) >> 32);
      int found = 0;
      for (uint32_t segment = guess > 0 ? guess - 1 : 0; segment < std::min(guess + 2, total); ++segment) {
        found += in_segment(hash, segment, total);
      }
      EXPECT_EQ(found, 1) << hash << " of " << total;
    }
  }
}

TEST(KeyLayout, TheRangeOfATableHoldsAllItsItems) {
  const ItemKey key = item_key(table_id(), Value::string("p"), std::nullopt);
  EXPECT_TRUE(contains(table_range(table_id()), key));
  EXPECT_TRUE(contains(segment_range(table_id(), 0, 1), key));
  EXPECT_GT(scanned_share(key.bytes), 0);
  EXPECT_LE(scanned_share(key.bytes), 1);
}

// The sort keys of an index, whatever their bytes, with the table's key behind them.
TEST(KeyLayout, ARangeOfEntriesHoldsExactlyThoseThatSatisfyItsCondition) {
  using Op = lang::dynamodb::KeyCondition::Op;
  std::mt19937 random(11);
  const Value partition = Value::string("g");
  const auto bytes = [&] {
    std::string text;
    for (auto size = random() % 4; size > 0; --size) text.push_back(std::string("\0\x01\xff" "ab", 5)[random() % 5]);
    return Value::binary(text);
  };
  const auto number = [&] { return Value::number(*base::Decimal::parse(std::to_string(static_cast<int>(random() % 300) - 150) + "e-1")); };
  for (int i = 0; i < 20'000; ++i) {
    const bool numbers = random() % 2;
    const Value sort = numbers ? number() : bytes();
    Value low = numbers ? number() : bytes();
    Value high = numbers ? number() : bytes();
    if (compare(high, low) < 0) std::swap(low, high);
    const auto op = static_cast<Op>(random() % (numbers ? 6 : 7));
    const lang::dynamodb::KeyCondition condition{.partition = partition, .sort = {{op, low, high}}};
    const Value table_key = bytes();
    const std::array<ValueView, 3> values{partition, sort, table_key};
    const ItemKey key = entry_key(table_id(), 3, values, 1);
    EXPECT_EQ(contains(entry_query_range(table_id(), 3, condition), key), matches(*condition.sort, sort))
        << static_cast<int>(op) << " " << testing::PrintToString(key.bytes);
    EXPECT_TRUE(contains(segment_range(table_id(), 0, 1, 3), key));
    EXPECT_FALSE(contains(segment_range(table_id(), 0, 1), key));
  }
}

TEST(KeyLayout, AllKeyAttributesOfAnEntryReadBackFromItsKey) {
  const Item key{{"g", Value::number(-7)}, {"k", Value::binary(std::string("\0\xff", 2))}, {"s", Value::string("a")}};
  const std::array<ValueView, 3> values{*key.find("s"), *key.find("g"), *key.find("k")};
  const std::array<KeyPart, 3> parts{KeyPart{"s", Type::S}, KeyPart{"g", Type::N}, KeyPart{"k", Type::B}};
  for (const size_t partitions : {1u, 2u, 3u}) {
    EXPECT_EQ(entry_key_attributes(entry_key(table_id(), 1, values, partitions).bytes, parts), key);
  }
}

TEST(KeyLayout, AnEntryOfSeveralPartitionAndSortAttributesIsFoundByTheFirstOfThem) {
  std::mt19937 random(5);
  const auto some = [&] { return Value::string(std::string(random() % 3, static_cast<char>('a' + random() % 2))); };
  for (int i = 0; i < 20'000; ++i) {
    const std::array<Value, 5> entry{some(), some(), some(), some(), some()};
    const std::array<ValueView, 5> values{entry[0], entry[1], entry[2], entry[3], entry[4]};
    const ItemKey key = entry_key(table_id(), 3, values, 2);
    const Value first = some(), second = some(), before = some(), low = some();
    const auto op = static_cast<lang::dynamodb::KeyCondition::Op>(random() % 5);
    lang::dynamodb::KeyCondition condition{.partition = first, .more_partitions = {second}};
    const bool same_partition = ValueView(first) == values[0] && ValueView(second) == values[1];
    EXPECT_EQ(contains(entry_query_range(table_id(), 3, condition), key), same_partition);
    condition.sort = {op, low, low};
    EXPECT_EQ(contains(entry_query_range(table_id(), 3, condition), key),
              same_partition && matches(*condition.sort, values[2]));
    condition.sorts_before = {before};
    EXPECT_EQ(contains(entry_query_range(table_id(), 3, condition), key),
              same_partition && ValueView(before) == values[2] && matches(*condition.sort, values[3]));
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
