// For tests: data stores over the simulated store, with buckets to export to:
//
//   World world;
//   const std::string lake = world.create_datastore();
//   const std::string id = world.create(lake, R"({"resourceType":"Patient","active":true})");
//   EXPECT_EQ(world.status<rest::ops::FhirRead>(world.of(lake, "Patient", id)), 200);
//
// The clock begins on 2026-03-14 at midnight.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lang/fhir/search_query.h"
#include "net/http.h"
#include "services/healthlake/operations.h"
#include "services/healthlake/service.h"
#include "services/s3/service.h"
#include "services/test_world.h"
#include "store/sim_blobs.h"
#include "wire/shapes/s3.h"

namespace tidemill::healthlake::testing {

namespace ops = shapes::ops;
namespace interactions = rest::ops;

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none(), ServiceOptions options = {})
      : TestWorld({"healthlake"}, seed, faults), options_(options) {
    boot();
  }
  ~World() { shut_down(); }

  void crash() {
    blob_disk.crash(executor.random());
    TestWorld::crash();
  }

  // The answer; an error is thrown.
  template <class Op>
  typename Op::Response ask(typename Op::Request request) {
    return await(call<Op>(std::move(request)));
  }
  // "ValidationException: …", or "" if it is not refused.
  template <class Op>
  std::string refusal(typename Op::Request request) {
    return await(refusal_of<Op>(std::move(request)));
  }
  // Begins a request that nobody waits for; it may be done, or not, when the process dies.
  template <class Op>
  void begin(typename Op::Request request) {
    const base::Executor::Enter enter(executor);
    tasks.spawn(forget<Op>(std::move(request)));
  }

  // Active. `tags`: "tidemill:export" "queue".
  std::string create_datastore(std::map<std::string, std::string> tags = {}) {
    shapes::CreateFHIRDatastoreInput request{.datastore_type_version = "R4"};
    for (const auto& [key, value] : tags) {
      if (!request.tags) request.tags.emplace();
      request.tags->push_back({.key = key, .value = value});
    }
    const std::string id = ask<ops::CreateFHIRDatastore>(request).datastore_id;
    settle();
    return id;
  }

  // A resource: its id.
  std::string create(const std::string& lake, const std::string& json) {
    const std::string type = parse(json).find("resourceType")->string();
    const auto answer = ask<interactions::FhirCreate>({.datastore_id = lake, .resource_type = type, .body = json});
    return parse(answer.body.value()).find("id")->string();
  }
  static rest::FhirUpdateInput put_of(const std::string& lake, const std::string& json) {
    const json::Value resource = parse(json);
    return {.datastore_id = lake,
            .resource_type = resource.find("resourceType")->string(),
            .resource_id = resource.find("id")->string(),
            .body = json};
  }
  rest::FhirAnswer put(const std::string& lake, const std::string& json) {
    return ask<interactions::FhirUpdate>(put_of(lake, json));
  }
  void remove(const std::string& lake, const std::string& type, const std::string& id) {
    (void)ask<interactions::FhirDelete>({.datastore_id = lake, .resource_type = type, .resource_id = id});
  }
  json::Value read(const std::string& lake, const std::string& type, const std::string& id) {
    return parse(
        ask<interactions::FhirRead>({.datastore_id = lake, .resource_type = type, .resource_id = id}).body.value());
  }
  json::Value search(const std::string& lake, const std::string& type, lang::fhir::Parameters parameters) {
    return parse(ask<interactions::FhirSearch>(
                     {.datastore_id = lake, .resource_type = type, .parameters = std::move(parameters)})
                     .body.value());
  }
  // The ids that a bundle of resources has, in order.
  static std::vector<std::string> ids(const json::Value& bundle) {
    std::vector<std::string> found;
    const json::Value* entries = bundle.find("entry");
    if (!entries) return found;
    for (const json::Value& entry : entries->array()) found.push_back(entry.find("resource")->find("id")->string());
    return found;
  }
  // The parameters of the link to the next page; nothing: this is the last.
  static std::optional<lang::fhir::Parameters> next_page(const json::Value& bundle) {
    for (const json::Value& link : bundle.find("link")->array()) {
      if (link.find("relation")->string() != "next") continue;
      lang::fhir::Parameters parameters;
      for (auto& [name, value] : net::parse_query(link.find("url")->string())) parameters[name].push_back(value);
      return parameters;
    }
    return std::nullopt;
  }
  json::Value bundle(const std::string& lake, const std::string& json) {
    return parse(ask<interactions::FhirBundle>({.datastore_id = lake, .body = json}).body.value());
  }

  // ---- Exports ----

  static rest::FhirExportInput export_of(const std::string& lake, lang::fhir::Parameters parameters = {},
                                         std::string_view uri = "s3://bucket/out") {
    rest::FhirExportInput request{.datastore_id = lake};
    request.parameters = std::move(parameters);
    request.body = base::cat(R"({"JobName":"nightly","OutputDataConfig":{"S3Configuration":{"S3Uri":")", uri,
                             R"(","KmsKeyId":"arn:aws:kms:us-east-1:000000000000:key/k"}},)",
                             R"("DataAccessRoleArn":"arn:aws:iam::000000000000:role/lake"})");
    return request;
  }
  std::string start_export(const std::string& lake, lang::fhir::Parameters parameters = {}) {
    const auto answer = ask<interactions::FhirExport>(export_of(lake, std::move(parameters)));
    return parse(answer.body.value()).find("jobId")->string();
  }
  shapes::ExportJobProperties job(const std::string& lake, const std::string& id) {
    return ask<ops::DescribeFHIRExportJob>({.datastore_id = lake, .job_id = id}).export_job_properties;
  }
  void create_bucket(std::string name) { (void)ask<wire::s3::ops::CreateBucket>({.bucket = std::move(name)}); }
  // All objects of a bucket.
  std::map<std::string, std::string> objects(const std::string& bucket) {
    std::map<std::string, std::string> result;
    const auto list = ask<wire::s3::ops::ListObjectsV2>({.bucket = bucket});
    if (!list.contents) return result;
    for (const auto& object : *list.contents) result[*object.key] = await(get_object(bucket, *object.key));
    return result;
  }
  // What a job has exported: id and version of each resource, "Patient/1 v2"; repeated as often as it is there.
  std::multiset<std::string> exported(const std::string& bucket, const std::string& job) {
    std::multiset<std::string> found;
    for (const auto& [key, body] : objects(bucket)) {
      if (key.find(job) == std::string::npos || !key.ends_with(".ndjson")) continue;
      for (std::string_view text = body; !text.empty(); text.remove_prefix(text.find('\n') + 1)) {
        const json::Value resource = parse(std::string(text.substr(0, text.find('\n'))));
        found.insert(base::cat(resource.find("resourceType")->string(), "/", resource.find("id")->string(), " v",
                               resource.find("meta")->find("versionId")->string()));
      }
    }
    return found;
  }

  store::SimBlobDisk blob_disk;
  std::unique_ptr<Service> service;

 private:
  wire::Context context() {
    wire::Context made(*platform, std::string(kAccount), std::string(kRegion), "request", "tester");
    made.endpoint = kEndpoint;
    return made;
  }
  template <class Op>
  Task<typename Op::Response> call(typename Op::Request request) {
    wire::Context caller = context();
    co_return co_await registry->call<Op>(caller, request);
  }
  template <class Op>
  Task<std::string> refusal_of(typename Op::Request request) {
    try {
      (void)co_await call<Op>(std::move(request));
    } catch (const wire::Error& error) {
      co_return error.code + ": " + error.message;
    }
    co_return "";
  }
  template <class Op>
  Task<void> forget(typename Op::Request request) {
    try {
      (void)co_await call<Op>(std::move(request));
    } catch (const wire::Error&) {
    } catch (const store::Overloaded&) {
    }
  }
  Task<std::string> get_object(std::string bucket, std::string key) {
    wire::s3::ops::GetObject::Request request{.bucket = std::move(bucket), .key = std::move(key)};
    const auto answer = co_await call<wire::s3::ops::GetObject>(std::move(request));
    co_return co_await answer.body.read_all(size_t{1} << 30);
  }

  void make_services() override {
    blobs_ = store::make_sim_blobs(blob_disk);
    s3_ = std::make_unique<s3::Service>(*store, *blobs_, clock);
    s3_->register_operations(*registry);
    s3_->register_timers(*timers, nullptr);
    service = std::make_unique<Service>(*platform, options_);
    service->register_operations(*registry);
    service->register_timers(*timers);
  }
  void start_services() override { tasks.spawn(blobs_->remove_orphans(*store)); }
  void drop_services() override {
    service.reset();
    s3_.reset();
    blobs_.reset();
  }

  const ServiceOptions options_;
  std::unique_ptr<store::Blobs> blobs_;
  std::unique_ptr<s3::Service> s3_;
};

}  // namespace tidemill::healthlake::testing
