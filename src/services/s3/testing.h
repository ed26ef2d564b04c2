// For tests: the service over the simulated store and simulated blobs, asked through the registry.
//
//   World world;
//   world.create_bucket("b");
//   world.put("b", "key", "text");
//   EXPECT_EQ(world.get("b", "key"), "text");
//
// A refusal reads "NoSuchKey".
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "services/s3/operations.h"
#include "services/s3/service.h"
#include "services/test_world.h"
#include "store/keys.h"
#include "store/sim_blobs.h"

namespace tidemill::s3::testing {

namespace ops = shapes::ops;

class World : public services::testing::TestWorld {
 public:
  explicit World(uint64_t seed = 1, store::SimFaults faults = store::SimFaults::none()) : TestWorld({"s3"}, seed, faults) {
    boot();
  }
  ~World() { shut_down(); }

  void crash() {
    blob_disk.crash(executor.random());
    TestWorld::crash();
  }

  // The operation's answer; throws wire::Error.
  template <class Op>
  Task<typename Op::Response> call(typename Op::Request request) {
    wire::Context context(*platform, std::string(kAccount), std::string(kRegion), "request", "tester");
    context.endpoint = kEndpoint;
    co_return co_await registry->call<Op>(context, request);
  }

  // What `show` makes of the answer, or the refusal's code.
  template <class Op, class Show>
  Task<std::string> told(typename Op::Request request, Show show) {
    try {
      const auto response = co_await call<Op>(std::move(request));
      co_return co_await show(response);
    } catch (const wire::Error& error) {
      co_return error.code;
    } catch (const store::Overloaded&) {
      co_return "SlowDown";
    }
  }

  Task<std::string> putting(std::string bucket, std::string key, std::string body) {
    ops::PutObject::Request request;
    request.bucket = std::move(bucket);
    request.key = std::move(key);
    request.body = wire::BodyStream(std::move(body));
    return told<ops::PutObject>(std::move(request), [](const auto& answer) -> Task<std::string> {
      co_return answer.version_id.value_or("");
    });
  }
  Task<std::string> getting(std::string bucket, std::string key, std::string version = "") {
    ops::GetObject::Request request;
    request.bucket = std::move(bucket);
    request.key = std::move(key);
    if (!version.empty()) request.version_id = version;
    return told<ops::GetObject>(std::move(request), [](const auto& answer) -> Task<std::string> {
      co_return co_await answer.body.read_all(size_t{1} << 30);
    });
  }
  Task<std::string> deleting(std::string bucket, std::string key, std::string version = "") {
    ops::DeleteObject::Request request;
    request.bucket = std::move(bucket);
    request.key = std::move(key);
    if (!version.empty()) request.version_id = version;
    return told<ops::DeleteObject>(std::move(request), [](const auto& answer) -> Task<std::string> {
      co_return answer.version_id.value_or("");
    });
  }
  Task<std::string> deleting_bucket(std::string bucket) {
    ops::DeleteBucket::Request request;
    request.bucket = std::move(bucket);
    return told<ops::DeleteBucket>(std::move(request), [](const auto&) -> Task<std::string> { co_return ""; });
  }
  Task<std::string> copying(std::string bucket, std::string from, std::string to) {
    ops::CopyObject::Request request;
    request.bucket = bucket;
    request.key = std::move(to);
    request.copy_source = bucket + "/" + from;
    return told<ops::CopyObject>(std::move(request), [](const auto&) -> Task<std::string> { co_return ""; });
  }

  std::string put(std::string bucket, std::string key, std::string body) {
    return await(putting(std::move(bucket), std::move(key), std::move(body)));
  }
  std::string get(std::string bucket, std::string key, std::string version = "") {
    return await(getting(std::move(bucket), std::move(key), std::move(version)));
  }
  std::string remove(std::string bucket, std::string key, std::string version = "") {
    return await(deleting(std::move(bucket), std::move(key), std::move(version)));
  }
  void create_bucket(std::string name, bool versioned = false) {
    ops::CreateBucket::Request request;
    request.bucket = name;
    const auto nothing = [](const auto&) -> Task<std::string> { co_return ""; };
    EXPECT_EQ(await(told<ops::CreateBucket>(request, nothing)), "");
    if (!versioned) return;
    ops::PutBucketVersioning::Request enable;
    enable.bucket = name;
    enable.versioning_configuration.status = "Enabled";
    EXPECT_EQ(await(told<ops::PutBucketVersioning>(enable, nothing)), "");
  }

  // The blobs on the disk that nothing refers to, and the references to blobs that are not there.
  std::pair<int, int> strays() {
    std::set<std::string> referred;
    for (const auto& [key, value] : disk.data) {
      if (key.front() == static_cast<char>(store::KeySpace::blob)) referred.insert(key.substr(1));
    }
    int orphans = 0, missing = 0;
    for (const auto& [id, file] : blob_disk.files) orphans += !referred.contains(id);
    for (const std::string& id : referred) missing += !blob_disk.files.contains(id);
    return {orphans, missing};
  }

  store::SimBlobDisk blob_disk;
  std::unique_ptr<store::Blobs> blobs;
  std::unique_ptr<Service> service;

 private:
  void make_services() override {
    blobs = store::make_sim_blobs(blob_disk);
    service = std::make_unique<Service>(*store, *blobs, clock);
    service->register_operations(*registry);
    service->register_timers(*timers, &gathered);
  }
  void start_services() override { tasks.spawn(blobs->remove_orphans(*store)); }
  void drop_services() override {
    service.reset();
    blobs.reset();
  }
};

}  // namespace tidemill::s3::testing
