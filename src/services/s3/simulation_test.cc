// Clients put, delete, copy and upload in parts while the process crashes again and again. What was acknowledged is there,
// what was deleted is not, no body is torn, and once the process has looked around no blob is left that nothing refers to.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "services/s3/body_intake.h"
#include "services/s3/testing.h"
#include "services/s3/uploads.h"

namespace tidemill::s3 {
namespace {

using testing::World;
namespace ops = shapes::ops;

constexpr int kClients = 4;
constexpr int kCrashes = 12;
constexpr int kSeeds = 5;
const std::string kAbsent = "NoSuchKey";

// What each key may hold: what was acknowledged last, and what has been asked for since.
class Ledger {
 public:
  void begin(const std::string& key, std::string body) { possible_[key].insert(std::move(body)); }
  void end(const std::string& key, std::string body) { possible_[key] = {std::move(body)}; }
  // What has been read is what is there.
  void settle(const std::string& key, const std::string& body) {
    const auto& possible = possible_[key];
    EXPECT_TRUE(possible.contains(body) || (possible.empty() && body == kAbsent))
        << key << " holds " << body.substr(0, 30) << " of " << body.size() << " bytes";
    possible_[key] = {body};
  }
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& keys() const { return possible_; }

 private:
  std::map<std::string, std::set<std::string>> possible_;
};

class Simulation {
 public:
  explicit Simulation(uint64_t seed)
      : world_(seed, {.conflict_probability = 0.05, .slow_commit_probability = 0.2}), random_(seed) {
    world_.create_bucket("bucket");
    for (int i = 0; i < kClients; ++i) {
      for (const char* kind : {"a", "b"}) ledger_.end(key(i, kind), kAbsent);
    }
  }

  void run() {
    for (int crash = 0; crash < kCrashes; ++crash) {
      start_clients();
      const uint64_t steps = 50 + random_() % 1500;
      for (uint64_t i = 0; i < steps && world_.executor.run_one(); ++i) {
      }
      world_.crash();
      check();
    }
    EXPECT_GT(acknowledged_, 0);
  }

 private:
  static std::string key(int client, std::string_view kind) { return base::cat("key-", client, "-", kind); }

  std::string new_body() {
    std::string body = base::cat("body ", ++bodies_, " ");
    const size_t sizes[] = {0, 100, kStoredBodyBytesMax, kStoredBodyBytesMax + 1000};
    body.append(sizes[random_() % 4], static_cast<char>('a' + bodies_ % 26));
    return body;
  }

  void start_clients() {
    const base::Executor::Enter enter(world_.executor);
    for (int i = 0; i < kClients; ++i) world_.tasks.spawn(act(i));
  }

  // Until the crash. A client has its keys for itself.
  Task<void> act(int client) {
    for (;;) {
      const std::string a = key(client, "a");
      switch (random_() % 4) {
        case 0: co_await put(a); break;
        case 1: co_await remove(a); break;
        case 2: co_await copy(a, key(client, "b")); break;
        default: co_await upload(a);
      }
    }
  }

  void acknowledge(const std::string& key, const std::string& answer, std::string body) {
    if (!answer.empty()) return;  // refused: nothing has changed, or nobody knows
    ++acknowledged_;
    ledger_.end(key, std::move(body));
  }

  Task<void> put(std::string key) {
    const std::string body = new_body();
    ledger_.begin(key, body);
    acknowledge(key, co_await world_.putting("bucket", key, body), body);
  }

  Task<void> remove(std::string key) {
    ledger_.begin(key, kAbsent);
    acknowledge(key, co_await world_.deleting("bucket", key), kAbsent);
  }

  Task<void> copy(std::string from, std::string to) {
    const std::string body = co_await world_.getting("bucket", from);
    if (body == kAbsent) co_return;
    ledger_.begin(to, body);
    acknowledge(to, co_await world_.copying("bucket", from, to), body);
  }

  // Two parts, of which the first is as small as none may be unless it is the last: so one of them is dropped.
  Task<void> upload(std::string key) {
    const auto nothing = [](const auto&) -> Task<std::string> { co_return ""; };
    std::string id;
    ops::CreateMultipartUpload::Request create;
    create.bucket = "bucket";
    create.key = key;
    co_await world_.told<ops::CreateMultipartUpload>(create, [&](const auto& answer) -> Task<std::string> {
      id = answer.upload_id.value();
      co_return "";
    });
    const std::string body = new_body();
    ops::CompleteMultipartUpload::Request complete;
    complete.bucket = "bucket";
    complete.key = key;
    complete.upload_id = id;
    complete.multipart_upload.emplace().parts.emplace();
    for (const int number : {1, 2}) {
      ops::UploadPart::Request part;
      part.bucket = "bucket";
      part.key = key;
      part.upload_id = id;
      part.part_number = number;
      part.body = wire::BodyStream(number == 2 ? body : new_body());
      co_await world_.told<ops::UploadPart>(part, [&](const auto& answer) -> Task<std::string> {
        if (number == 2) complete.multipart_upload->parts->push_back({.e_tag = answer.e_tag, .part_number = 2});
        co_return "";
      });
    }
    if (random_() % 4 == 0) {
      ops::AbortMultipartUpload::Request abort;
      abort.bucket = "bucket";
      abort.key = key;
      abort.upload_id = id;
      co_await world_.told<ops::AbortMultipartUpload>(abort, nothing);
      co_return;
    }
    ledger_.begin(key, body);
    acknowledge(key, co_await world_.told<ops::CompleteMultipartUpload>(complete, nothing), body);
  }

  void check() {
    const auto keys = ledger_.keys();
    for (const auto& [key, possible] : keys) ledger_.settle(key, world_.get("bucket", key));
    world_.settle();
    EXPECT_EQ(world_.strays(), std::pair(0, 0));
  }

  World world_;
  std::mt19937_64 random_;
  Ledger ledger_;
  int bodies_ = 0;
  int acknowledged_ = 0;
};

TEST(S3Simulation, NothingAcknowledgedIsLostOrTornAndNothingDeletedComesBack) {
  for (uint64_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(base::cat("seed ", seed));
    Simulation(seed).run();
  }
}

}  // namespace
}  // namespace tidemill::s3
