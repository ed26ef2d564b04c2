// For tests of global tables: a world of several regions, and what is asked in each.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lang/dynamodb/json_codec.h"
#include "services/dynamodb/item_collection.h"
#include "services/dynamodb/replicas.h"
#include "services/dynamodb/stream_record.h"
#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb::testing {

inline constexpr const char* kHere = "us-east-1";
inline constexpr const char* kThere = "eu-west-1";

// Table Tab is in kHere to begin with: keys k and s, a local index "local" on l, a global one "global" on g, all strings.
struct Regions : World {
  explicit Regions(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none()) : World(seed, faults) {
    EXPECT_THAT(run("CreateTable", R"({"TableName":"Tab","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[
      {"AttributeName":"k","AttributeType":"S"},{"AttributeName":"s","AttributeType":"S"},
      {"AttributeName":"l","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}],
      "LocalSecondaryIndexes":[{"IndexName":"local","Projection":{"ProjectionType":"KEYS_ONLY"},
        "KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"l","KeyType":"RANGE"}]}],
      "GlobalSecondaryIndexes":[{"IndexName":"global","Projection":{"ProjectionType":"ALL"},
        "KeySchema":[{"AttributeName":"g","KeyType":"HASH"}]}]})"),
                ::testing::HasSubstr("CREATING"));
  }

  std::string at(std::string_view region, std::string_view operation, std::string_view body) {
    return run(Request{.operation = std::string(operation), .body = std::string(body), .region = std::string(region)});
  }
  RequestPtr start_at(std::string_view region, std::string_view operation, std::string_view body) {
    return start(
        Request{.operation = std::string(operation), .body = std::string(body), .region = std::string(region)});
  }

  // UpdateTable with this action alone: "Create", R"("RegionName":"eu-west-1")".
  std::string replicas(std::string_view region, std::string_view action, std::string_view members) {
    return at(region, "UpdateTable",
              base::cat(R"({"TableName":"Tab","ReplicaUpdates":[{")", action, R"(":{)", members, "}}]}"));
  }
  std::string add(std::string_view to, std::string_view from = kHere) {
    return replicas(from, "Create", base::cat(R"("RegionName":")", to, "\""));
  }
  // The same, and waits until it is filled.
  void have(std::string_view to) {
    EXPECT_THAT(add(to), ::testing::HasSubstr("UPDATING"));
    settle();
  }

  std::string put_at(std::string_view region, std::string_view key, std::string_view more = "") {
    return at(region, "PutItem", base::cat(R"({"TableName":"Tab","Item":{)", key_of(key), more, "}}"));
  }
  std::string delete_at(std::string_view region, std::string_view key) {
    return at(region, "DeleteItem", base::cat(R"({"TableName":"Tab","Key":{)", key_of(key), "}}"));
  }
  // Keys of one letter are of one collection.
  static std::string key_of(std::string_view key) {
    return base::cat(R"("k":{"S":")", key.substr(0, 1), R"("},"s":{"S":")", key, R"("})");
  }

  // "ACTIVE eu-west-1=CREATING", or the refusal.
  std::string status(std::string_view region) {
    const std::string answer = at(region, "DescribeTable", R"({"TableName":"Tab"})");
    if (!answer.starts_with("{")) return answer;
    const json::Value document = parse(answer);
    const json::Value& table = *document.find("Table");
    std::string text = table.find("TableStatus")->string();
    const json::Value* others = table.find("Replicas");
    EXPECT_EQ(others != nullptr, table.find("GlobalTableVersion") != nullptr);
    if (!others) return text;
    for (const json::Value& other : others->array()) {
      text += base::cat(" ", other.find("RegionName")->string(), "=", other.find("ReplicaStatus")->string());
    }
    return text;
  }

  // All items, or entries of an index, in the order of their bytes.
  std::vector<std::string> items(std::string_view region, std::string_view index = "") {
    std::vector<std::string> found;
    std::string from;
    for (;;) {
      const std::string of = index.empty() ? "" : base::cat(R"(,"IndexName":")", index, "\"");
      const json::Value page = parse(at(region, "Scan", base::cat(R"({"TableName":"Tab")", of, from, "}")));
      for (const json::Value& item : page.find("Items")->array()) {
        found.push_back(lang::dynamodb::item_from_json(json::write(item)).encoded());
      }
      const json::Value* last = page.find("LastEvaluatedKey");
      if (!last) break;
      from = base::cat(R"(,"ExclusiveStartKey":)", json::write(*last));
    }
    std::ranges::sort(found);
    return found;
  }

  void expect_same(std::string_view one, std::string_view other) {
    for (const char* index : {"", "local", "global"}) {
      EXPECT_EQ(items(one, index), items(other, index)) << one << " and " << other << " differ: " << index;
    }
    for (const char* partition : {"a", "b", "c", "d"}) {
      EXPECT_EQ(collection(one, partition), collection(other, partition)) << "the sizes of " << partition;
    }
  }

  Table table(std::string_view region) {
    const TableAddress address{std::string(kAccount), std::string(region), "Tab"};
    return await([](TestWorld& world, TableAddress wanted) -> Task<Table> {
      const auto snapshot = world.store->snapshot();
      co_return (co_await load_table(*snapshot, wanted)).value();
    }(*this, address));
  }

  int64_t collection(std::string_view region, std::string_view partition) {
    const Table of = table(region);
    const std::string key = item_key(of.id, Value::string(partition), Value::string("x")).bytes;
    return await([](TestWorld& world, const Table& wanted, const std::string& place) -> Task<int64_t> {
      const auto snapshot = world.store->snapshot();
      co_return co_await collection_bytes(*snapshot, wanted, place);
    }(*this, of, key));
  }

  struct Record {
    std::string event;
    bool expired = false;
    std::string key;  // encoded
    std::string before;
    std::string after;
  };
  // What the stream tells, shard by shard.
  std::vector<Record> records(std::string_view region) {
    const Table of = table(region);
    return await([](TestWorld& world, const Table& wanted) -> Task<std::vector<Record>> {
      std::vector<Record> found;
      const auto snapshot = world.store->snapshot();
      const store::RecordVisitor visit = [&](store::Position, std::string_view bytes) {
        const auto change = decode_change(bytes, "k", "s");
        found.push_back({.event = std::string(event_name_text(change->event)),
                         .expired = change->expired,
                         .key = std::string(change->keys.encoded()),
                         .before = change->old_image ? std::string(change->old_image->encoded()) : "",
                         .after = change->new_image ? std::string(change->new_image->encoded()) : ""});
        return true;
      };
      for (const auto& shard : wanted.stream->shards) {
        co_await snapshot->read_log(shard.log, store::Position::before_all(), visit);
      }
      co_return found;
    }(*this, of));
  }
};

}  // namespace tidemill::dynamodb::testing
