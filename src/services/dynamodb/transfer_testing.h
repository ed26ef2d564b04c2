// For tests of exports and imports: DynamoDB, S3 and Logs over the simulated store and simulated blobs.
#pragma once

#include <zlib.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/dynamodb/service.h"
#include "services/dynamodb/table_transfers.h"
#include "services/logs/service.h"
#include "services/s3/service.h"
#include "services/test_world.h"
#include "store/sim_blobs.h"
#include "wire/gzip_writer.h"
#include "wire/pipeline/authorize.h"
#include "wire/shapes/s3.h"

namespace tidemill::dynamodb::testing {

// Nobody but the platform may read or write objects of such a name.
class Closes : public wire::Authorizer {
 public:
  explicit Closes(std::string key) : key_(std::move(key)) {}
  Task<void> authorize(const wire::Access&) override { return Task<void>::ready(); }
  Task<void> authorize_request(const wire::Access& access) override {
    if (access.context.principal.kind() == wire::Principal::Kind::platform) co_return;
    const std::string* key = nullptr;
    if (access.operation.name == "GetObject")
      key = &static_cast<const wire::s3::ops::GetObject::Request*>(access.request)->key;
    if (access.operation.name == "PutObject")
      key = &static_cast<const wire::s3::ops::PutObject::Request*>(access.request)->key;
    if (key && key->ends_with(key_)) throw wire::Error("AccessDenied", 403, "Access Denied");
  }

 private:
  const std::string key_;
};

class TransferWorld : public services::testing::TestWorld {
 public:
  explicit TransferWorld(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none())
      : TestWorld({"dynamodb"}, seed, faults) {
    boot();
  }
  ~TransferWorld() { shut_down(); }

  void crash() {
    blob_disk.crash(executor.random());
    TestWorld::crash();
  }

  static std::string arn(std::string_view table) {
    return base::cat("arn:aws:dynamodb:us-east-1:000000000000:table/", table);
  }

  // A table with keys k (S) and s (N), with recovery.
  void create_table(std::string_view name) {
    run("CreateTable", base::cat(R"({"TableName":")", name, R"(",)", creation(), "}"));
    run("UpdateContinuousBackups",
        base::cat(R"({"TableName":")", name,
                  R"(","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}})"));
    settle();
  }
  static std::string creation() {
    return R"("BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},)"
           R"({"AttributeName":"s","AttributeType":"N"}],)"
           R"("KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}])";
  }
  // {"k":{"S":k},"s":{"N":s}, and `more`.
  static std::string item(std::string_view k, int s, std::string_view more = "") {
    return base::cat(R"({"k":{"S":")", k, R"("},"s":{"N":")", s, "\"}", more.empty() ? "" : ",", more, "}");
  }
  void put(std::string_view table, std::string_view item) {
    EXPECT_EQ(run("PutItem", base::cat(R"({"TableName":")", table, R"(","Item":)", item, "}")), "{}");
  }
  void remove(std::string_view table, std::string_view k, int s) {
    EXPECT_EQ(run("DeleteItem", base::cat(R"({"TableName":")", table, R"(","Key":)", item(k, s), "}")), "{}");
  }
  // All items, as JSON texts in order.
  std::vector<std::string> items(std::string_view table) {
    std::vector<std::string> result;
    std::string start;
    do {
      const json::Value page = ask("Scan", base::cat(R"({"TableName":")", table, "\"", start, "}"));
      const json::Value* found = page.find("Items");
      if (!found) return {"no items"};
      for (const json::Value& each : found->array()) result.push_back(json::write(each));
      const json::Value* last = page.find("LastEvaluatedKey");
      start = last ? base::cat(R"(,"ExclusiveStartKey":)", json::write(*last)) : "";
    } while (!start.empty());
    std::ranges::sort(result);
    return result;
  }

  void create_bucket(std::string name) {
    wire::s3::ops::CreateBucket::Request request;
    request.bucket = std::move(name);
    await(call<wire::s3::ops::CreateBucket>(request));
  }
  void put_object(std::string bucket, std::string key, std::string body) {
    wire::s3::ops::PutObject::Request request;
    request.bucket = std::move(bucket);
    request.key = std::move(key);
    request.body = wire::BodyStream(std::move(body));
    await(call<wire::s3::ops::PutObject>(std::move(request)));
  }
  void delete_object(std::string bucket, std::string key) {
    wire::s3::ops::DeleteObject::Request request;
    request.bucket = std::move(bucket);
    request.key = std::move(key);
    await(call<wire::s3::ops::DeleteObject>(std::move(request)));
  }
  // All objects of a bucket.
  std::map<std::string, std::string> objects(const std::string& bucket) {
    wire::s3::ops::ListObjectsV2::Request request;
    request.bucket = bucket;
    const auto list = await(call<wire::s3::ops::ListObjectsV2>(request));
    std::map<std::string, std::string> result;
    if (!list.contents) return result;
    for (const auto& object : *list.contents) result[*object.key] = get_object(bucket, *object.key);
    return result;
  }
  std::string get_object(std::string bucket, std::string key) {
    return await(getting(std::move(bucket), std::move(key)));
  }

  static std::string gunzip(std::string_view packed) {
    const auto unpacker = make_unpacker(Packing::gzip);
    unpacker->add(std::string(packed));
    std::string text;
    while (const auto part = unpacker->next()) text += *part;
    unpacker->check_end();
    return text;
  }
  static std::string gzip(std::string_view text) {
    wire::GzipWriter writer;
    writer.add(text);
    return writer.finish();
  }

  // The lines of the data files of all exports in the bucket, in order.
  std::vector<std::string> exported_lines(const std::string& bucket) {
    std::vector<std::string> lines;
    for (const auto& [key, body] : objects(bucket)) {
      if (key.find("/data/") == std::string::npos) continue;
      std::string_view text;
      const std::string unpacked = gunzip(body);
      for (text = unpacked; !text.empty(); text.remove_prefix(text.find('\n') + 1)) {
        lines.emplace_back(text.substr(0, text.find('\n')));
      }
    }
    std::ranges::sort(lines);
    return lines;
  }

  // Begins one and gives its ARN.
  std::string begin_export(std::string_view table, std::string_view bucket, std::string_view more = "") {
    const std::string answer = run("ExportTableToPointInTime", export_request(table, bucket, more));
    const auto document = json::parse(answer);
    if (!document) return answer;
    return document->find("ExportDescription")->find("ExportArn")->string();
  }
  static std::string export_request(std::string_view table, std::string_view bucket, std::string_view more = "") {
    return base::cat(R"({"TableArn":")", arn(table), R"(","S3Bucket":")", bucket, "\"", more.empty() ? "" : ",", more,
                     "}");
  }
  json::Value described_export(std::string_view export_arn) {
    return *ask("DescribeExport", base::cat(R"({"ExportArn":")", export_arn, "\"}")).find("ExportDescription");
  }
  std::string begin_import(std::string_view table, std::string_view bucket, std::string_view prefix,
                           std::string_view more = R"("InputFormat":"DYNAMODB_JSON")") {
    const std::string answer = run("ImportTable", import_request(table, bucket, prefix, more));
    const auto document = json::parse(answer);
    if (!document) return answer;
    return document->find("ImportTableDescription")->find("ImportArn")->string();
  }
  static std::string import_request(std::string_view table, std::string_view bucket, std::string_view prefix,
                                    std::string_view more = R"("InputFormat":"DYNAMODB_JSON")",
                                    std::string_view token = "") {
    return base::cat(R"({"ClientToken":")", token.empty() ? table : token, R"(","S3BucketSource":{"S3Bucket":")",
                     bucket, R"(","S3KeyPrefix":")", prefix, R"("},)", more,
                     R"(,"TableCreationParameters":{"TableName":")", table, R"(",)", creation(), "}}");
  }
  json::Value described_import(std::string_view import_arn) {
    return *ask("DescribeImport", base::cat(R"({"ImportArn":")", import_arn, "\"}")).find("ImportTableDescription");
  }
  // "COMPLETED 3/3 0": status, imported / processed, errors; and the failure's code.
  std::string outcome(std::string_view import_arn) {
    const json::Value import = described_import(import_arn);
    const auto number = [&](std::string_view name) { return json::write(*import.find(name)); };
    std::string text = base::cat(import.find("ImportStatus")->string(), " ", number("ImportedItemCount"), "/",
                                 number("ProcessedItemCount"), " ", number("ErrorCount"));
    if (const json::Value* code = import.find("FailureCode")) text += " " + code->string();
    return text;
  }

  store::SimBlobDisk blob_disk;

 private:
  template <class Op>
  Task<typename Op::Response> call(typename Op::Request request) {
    wire::Context context(*platform, std::string(kAccount), std::string(kRegion), "request", "tester");
    context.endpoint = kEndpoint;
    co_return co_await registry->call<Op>(context, request);
  }
  Task<std::string> getting(std::string bucket, std::string key) {
    wire::s3::ops::GetObject::Request request;
    request.bucket = std::move(bucket);
    request.key = std::move(key);
    const auto answer = co_await call<wire::s3::ops::GetObject>(std::move(request));
    co_return co_await answer.body.read_all(size_t{1} << 30);
  }

  void make_services() override {
    dynamodb_ = std::make_unique<Service>(*store, clock);
    dynamodb_->register_operations(*registry);
    dynamodb_->register_timers(*timers);
    blobs_ = store::make_sim_blobs(blob_disk);
    s3_ = std::make_unique<s3::Service>(*store, *blobs_, clock);
    s3_->register_operations(*registry);
    s3_->register_timers(*timers, nullptr);
    logs_ = std::make_unique<logs::Service>(*store, clock);
    logs_->register_operations(*registry);
    logs_->register_timers(*timers, *platform);
    transfers_ = std::make_unique<TableTransfers>(*platform);
    transfers_->register_timers(*timers);
  }
  void start_services() override { tasks.spawn(blobs_->remove_orphans(*store)); }
  void drop_services() override {
    transfers_.reset();
    logs_.reset();
    s3_.reset();
    blobs_.reset();
    dynamodb_.reset();
  }

  std::unique_ptr<Service> dynamodb_;
  std::unique_ptr<store::Blobs> blobs_;
  std::unique_ptr<s3::Service> s3_;
  std::unique_ptr<logs::Service> logs_;
  std::unique_ptr<TableTransfers> transfers_;
};

}  // namespace tidemill::dynamodb::testing
