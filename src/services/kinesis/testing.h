// For tests: the whole service over the simulated store, asked as clients ask it, one line per request:
//
//   World world;
//   world.create_stream("s", 2);
//   world.put("s", "key", "data");
//   EXPECT_EQ(world.read("s", "shardId-000000000000"), std::vector<std::string>{"data"});
//
// A refusal reads "ResourceNotFoundException: Stream s under account 000000000000 not found."
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "services/kinesis/service.h"
#include "services/test_world.h"

namespace tidemill::kinesis::testing {

// The text of a member; empty: not there.
inline std::string text_at(const json::Value& document, std::string_view name) {
  const json::Value* found = document.find(name);
  if (!found) return "";
  return found->is_string() ? found->string() : json::write(*found);
}

struct Put {
  std::string shard;
  std::string sequence_number;
};

struct Page {
  std::vector<std::string> data;
  std::vector<std::string> sequence_numbers;
  std::string next;  // empty: the shard's end
  json::Value document;
};

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none(), bool throttle = false)
      : TestWorld({"kinesis"}, seed, faults), throttle_(throttle) {
    boot();
  }
  ~World() { shut_down(); }

  // `more`: further members of a request, "\"Limit\":1".
  static std::string of_stream(std::string_view stream, std::string_view more = "") {
    return base::cat(R"({"StreamName":")", stream, "\"", more.empty() ? "" : ",", more, "}");
  }
  static std::string arn(std::string_view stream) {
    return base::cat("arn:aws:kinesis:", kRegion, ":", kAccount, ":stream/", stream);
  }
  static std::string shard_id(int number) {
    const std::string digits = std::to_string(number);
    return "shardId-" + std::string(12 - digits.size(), '0') + digits;
  }

  // ACTIVE when this returns.
  void create_stream(std::string_view name, int shards) {
    EXPECT_EQ(run("CreateStream", of_stream(name, base::cat("\"ShardCount\":", shards))), "{}");
    settle();
  }
  std::string put_members(std::string_view key, std::string_view data) {
    return base::cat(R"("PartitionKey":")", key, R"(","Data":")", base::base64_encode(data), "\"");
  }
  Put put(std::string_view stream, std::string_view key, std::string_view data, std::string_view more = "") {
    const json::Value answer =
        ask("PutRecord", of_stream(stream, base::cat(put_members(key, data), more.empty() ? "" : ",", more)));
    return {text_at(answer, "ShardId"), text_at(answer, "SequenceNumber")};
  }
  std::string iterator(std::string_view stream, std::string_view shard, std::string_view type,
                       std::string_view more = "") {
    const std::string members =
        base::cat(R"("ShardId":")", shard, R"(","ShardIteratorType":")", type, "\"", more.empty() ? "" : ",", more);
    return text_at(ask("GetShardIterator", of_stream(stream, members)), "ShardIterator");
  }
  Page page(std::string_view iterator, std::string_view more = "") {
    return page_of(
        run("GetRecords", base::cat(R"({"ShardIterator":")", iterator, "\"", more.empty() ? "" : ",", more, "}")));
  }
  static Page page_of(const std::string& answer) {
    Page page{.document = parse(answer)};
    for (const json::Value& record : page.document.find("Records")->array()) {
      page.data.push_back(*base::base64_decode(text_at(record, "Data")));
      page.sequence_numbers.push_back(text_at(record, "SequenceNumber"));
    }
    page.next = text_at(page.document, "NextShardIterator");
    return page;
  }
  // All of a shard.
  std::vector<std::string> read(std::string_view stream, std::string_view shard) {
    return page(iterator(stream, shard, "TRIM_HORIZON")).data;
  }
  // Of ListShards: "0 1>2,3" style is left to the tests; these are the shards as documents.
  json::Array shards(std::string_view stream, std::string_view more = "") {
    return ask("ListShards", of_stream(stream, more)).find("Shards")->array();
  }
  // Their numbers: "0 2 3".
  std::string shard_numbers(std::string_view stream, std::string_view more = "") {
    std::string result;
    for (const json::Value& shard : shards(stream, more)) {
      if (!result.empty()) result += " ";
      result += std::to_string(std::stoi(text_at(shard, "ShardId").substr(8)));
    }
    return result;
  }
  std::string status(std::string_view stream) {
    return text_at(*ask("DescribeStreamSummary", of_stream(stream)).find("StreamDescriptionSummary"), "StreamStatus");
  }

  // How many records of a shard are in the store, also those past retention.
  int disk_records(std::string_view shard, std::string_view stream) {
    return await(count_records(std::string(stream), *parse_shard_id(shard)));
  }

  std::unique_ptr<Service> service;

 private:
  Task<int> count_records(std::string stream, uint32_t shard) {
    const StreamPtr found =
        co_await service->find_stream({std::string(kAccount), std::string(kRegion), std::move(stream)});
    int count = 0;
    const auto snapshot = store->snapshot();
    const store::LogId log = shard_log(found->id, shard);
    const store::RecordVisitor visit = [&](store::Position, std::string_view) { return ++count > 0; };
    co_await snapshot->read_log(log, store::Position::before_all(), visit);
    co_return count;
  }

  void make_services() override {
    service = std::make_unique<Service>(*store, clock, ServiceOptions{.throttle = throttle_});
    service->register_operations(*registry);
    service->register_timers(*timers);
  }
  void drop_services() override { service.reset(); }

  const bool throttle_;
};

}  // namespace tidemill::kinesis::testing
