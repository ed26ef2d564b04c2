#include "services/lambda/package_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/no_more_files.h"
#include "services/lambda/functions_world.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

namespace fs = std::filesystem;

// Functions stand for themselves here: a key that says which package it names.
class PackageStoreTest : public testing::Test {
 protected:
  std::string save(const std::string& function, const std::string& zip) {
    return run_on(loop_, packages_->save(zip, [&](store::Transaction& txn, auto& upload) -> Task<std::string> {
      co_await upload.refer(txn);
      txn.put("Xfunction/" + function, upload.digest());
      co_return upload.digest();
    }));
  }
  void drop(const std::string& digest) {
    packages_->forget(run_on(loop_, store_->transact([&](store::Transaction& txn) -> Task<DroppedPackages> {
      DroppedPackages dropped;
      co_await drop_package(txn, digest, dropped);
      co_return dropped;
    })));
  }
  std::optional<PackageRecord> record(const std::string& digest) {
    return run_on(loop_, load_package(*store_->snapshot(), digest));
  }
  // As after a start: on what is durable.
  void reopen() {
    packages_.reset();
    blobs_.reset();
    store_.reset();
    open();
  }
  void open() {
    store_ = store::open_rocksdb({directory_ / "store"}, clock_);
    blobs_ = store::open_file_blobs(directory_ / "store" / "blobs");
    packages_ = std::make_unique<PackageStore>(*store_, *blobs_, directory_ / "functions");
  }
  void start() {
    run_on(loop_, packages_->import_files());
    packages_->release_all();
    run_on(loop_, packages_->remove_released());
  }
  // Removing files is not waited for.
  void wait_for_blobs(size_t count) {
    for (int i = 0; i < 6000 && blobs_in(directory_ / "store" / "blobs") != count; ++i) ::usleep(10'000);
    EXPECT_EQ(blobs_in(directory_ / "store" / "blobs"), count);
  }

  TestDirectory directory_;
  base::RealClock clock_;
  net::Loop loop_{clock_.activity()};
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<store::Blobs> blobs_;
  std::unique_ptr<PackageStore> packages_;

  PackageStoreTest() { open(); }
};

TEST_F(PackageStoreTest, EqualPackagesAreKeptOnceUntilTheLastThatNamesThemGoes) {
  const std::string zip = zip_of({{"a", "1"}});
  const std::string digest = save("one", zip);
  EXPECT_EQ(save("two", zip), digest);
  EXPECT_EQ(record(digest)->functions, 2);
  wait_for_blobs(1);
  EXPECT_EQ(run_on(loop_, packages_->read_zip(digest)), zip);
  drop(digest);
  EXPECT_EQ(record(digest)->functions, 1);
  drop(digest);
  EXPECT_FALSE(record(digest));
  wait_for_blobs(0);
  EXPECT_EQ(run_on(loop_, packages_->read_zip(digest)), std::nullopt);
}

TEST_F(PackageStoreTest, APackageThatGoesWhileAnEqualOneIsUploadedIsWrittenAnew) {
  const std::string zip = zip_of({{"a", "1"}});
  const std::string digest = save("one", zip);
  bool first = true;
  run_on(loop_, packages_->save(zip, [&](store::Transaction& txn, auto& upload) -> Task<int> {
    if (std::exchange(first, false)) {
      DroppedPackages dropped;
      co_await drop_package(txn, digest, dropped);  // as another would, and before this is decided
      co_await store_->transact([&](store::Transaction& other) -> Task<void> {
        DroppedPackages gone;
        co_await drop_package(other, digest, gone);
        for (auto& blob : gone.blobs) blobs_->remove(blob);
      });
    }
    co_await upload.refer(txn);
    co_return 0;
  }));
  EXPECT_EQ(record(digest)->functions, 1);
  EXPECT_EQ(run_on(loop_, packages_->read_zip(digest)), zip);
  wait_for_blobs(1);
}

TEST_F(PackageStoreTest, ARefusedUploadLeavesNothing) {
  const auto refuse = [](store::Transaction& txn, auto& upload) -> Task<int> {
    co_await upload.refer(txn);
    throw wire::Error("ResourceConflictException", 409, "there is one");
  };
  EXPECT_THROW(run_on(loop_, packages_->save(zip_of({{"a", "1"}}), refuse)), wire::Error);
  wait_for_blobs(0);
}

TEST_F(PackageStoreTest, WhatAnUploadThatFailsWasUnpackedToGoesUnlessSomethingNamesIt) {
  packages_.reset();
  PackageStore packages(*store_, *blobs_, directory_ / "functions", std::chrono::minutes(0));
  const auto fail = [](store::Transaction& txn, auto& upload) -> Task<int> {
    co_await upload.refer(txn);
    throw std::runtime_error("no");
  };
  const auto save = [](store::Transaction& txn, auto& upload) -> Task<std::string> {
    co_await upload.refer(txn);
    co_return upload.digest();
  };
  EXPECT_THROW(run_on(loop_, packages.save(zip_of({{"a", "1"}}), fail)), std::runtime_error);
  const std::string refused = (*unpacked_in(packages.directory()).begin());
  const std::string kept = run_on(loop_, packages.save(zip_of({{"a", "2"}}), save));
  EXPECT_EQ(unpacked_in(packages.directory()), std::set<std::string>{kept}) << "the next upload removes it";

  EXPECT_THROW(run_on(loop_, packages.save(zip_of({{"a", "1"}}), fail)), std::runtime_error);
  EXPECT_EQ(run_on(loop_, packages.save(zip_of({{"a", "1"}}), save)), refused);
  EXPECT_THROW(run_on(loop_, packages.save(zip_of({{"a", "1"}}), fail)), std::runtime_error);
  run_on(loop_, packages.remove_released());
  EXPECT_EQ(unpacked_in(packages.directory()), (std::set<std::string>{kept, refused}));
}

TEST_F(PackageStoreTest, WhatIsUnpackedIsACacheThatIsFilledFromTheStore) {
  const std::string digest = save("one", zip_of({{"a", "1"}}));
  EXPECT_EQ(read_file(packages_->directory() / digest / "a"), "1");
  fs::remove_all(packages_->directory());
  reopen();
  run_on(loop_, packages_->ensure_unpacked(digest));
  EXPECT_EQ(read_file(packages_->directory() / digest / "a"), "1");
}

// Counts what is read.
class CountedBlobs final : public store::Blobs {
 public:
  explicit CountedBlobs(store::Blobs& blobs) : blobs_(blobs) {}
  Task<std::unique_ptr<store::BlobWriter>> create(store::PieceObserver observe) override {
    return blobs_.create(std::move(observe));
  }
  Task<std::string> read(store::BlobId id, uint64_t offset, size_t size) override {
    ++reads;
    return blobs_.read(std::move(id), offset, size);
  }
  Task<void> require(std::vector<store::BlobExtent> extents) override { return blobs_.require(std::move(extents)); }
  Task<void> run_aside(std::function<void()> work) override { return blobs_.run_aside(std::move(work)); }
  void remove_now(store::BlobId) override { ADD_FAILURE() << "none goes"; }
  Task<std::vector<store::BlobId>> list(uint8_t) override { co_return std::vector<store::BlobId>(); }

  std::atomic<int> reads = 0;

 private:
  store::Blobs& blobs_;
};

TEST_F(PackageStoreTest, WhatManyWaitForIsUnpackedOnceAndTriedAgainAfterAFailure) {
  const std::string digest = save("one", zip_of({{"a", "1"}}));
  fs::remove_all(packages_->directory());
  packages_.reset();
  CountedBlobs counted(*blobs_);
  PackageStore packages(*store_, counted, directory_ / "functions");
  int failed = 0;
  const auto want = [&]() -> Task<void> {
    try {
      co_await packages.ensure_unpacked(digest);
    } catch (const fs::filesystem_error&) {
      ++failed;
    }
  };
  const auto want_together = [&](int count) {
    run_on(loop_, [&]() -> Task<void> {
      int ended = 0;
      const auto one = [&]() -> Task<void> {
        co_await want();
        ++ended;
      };
      base::Scope all;
      for (int n = 0; n < count; ++n) all.spawn(one());
      while (ended < count) co_await base::yield();
    }());
  };
  std::ofstream(packages.directory() / digest) << "stands in the way";
  want_together(10);
  EXPECT_EQ(failed, 10);
  EXPECT_EQ(counted.reads, 2) << "of the first, and of another for all that waited";
  fs::remove(packages.directory() / digest);
  want_together(10);
  EXPECT_EQ(failed, 10);
  EXPECT_EQ(counted.reads, 3);
  EXPECT_EQ(read_file(packages.directory() / digest / "a"), "1");
}

TEST_F(PackageStoreTest, WhatCannotBeListedForWantOfDescriptorsIsNotEmpty) {
  if (!base::testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  const std::string digest = save("one", zip_of({{"extensions/one", "1"}}));
  EXPECT_EQ(run_on(loop_, packages_->names_in(digest, "extensions")), std::vector<std::string>{"one"});
  EXPECT_EQ(run_on(loop_, packages_->names_in(digest, "nowhere")), std::vector<std::string>());
  const base::testing::NoMoreFiles nothing_opens;
  EXPECT_THROW((void)run_on(loop_, packages_->names_in(digest, "extensions")), fs::filesystem_error);
}

TEST_F(PackageStoreTest, APackageThatIsNowhereCannotBeUnpacked) {
  EXPECT_THROW(run_on(loop_, packages_->ensure_unpacked(std::string(64, 'a'))), std::runtime_error);
}

TEST_F(PackageStoreTest, WhatIsUnpackedAndNamedByNobodyIsRemovedAtStart) {
  const std::string kept = save("one", zip_of({{"a", "1"}}));
  const std::string gone = save("two", zip_of({{"a", "2"}}));
  drop(gone);
  run_on(loop_, packages_->remove_released());
  EXPECT_EQ(unpacked_in(packages_->directory()).size(), 2U) << "processes may still run from it";
  start();
  EXPECT_EQ(unpacked_in(packages_->directory()), std::set<std::string>{kept});
}

TEST_F(PackageStoreTest, WhatWasLeftHalfWrittenIsRemovedAtStart) {
  fs::create_directories(directory_ / "functions" / "fresh-1");
  std::ofstream(directory_ / "functions" / "fresh-2") << "x";
  reopen();
  EXPECT_FALSE(fs::exists(packages_->directory() / "fresh-1"));
  EXPECT_FALSE(fs::exists(packages_->directory() / "fresh-2"));
}

// What a binary of format 4 left: the zip beside the store, and no record of it.
class EarlierPackages : public FunctionsTest {
 protected:
  // The digest. `named`: by a function of so many versions, $LATEST included.
  std::string leave(const std::string& name, int versions) {
    const std::string zip = zip_of({{"app.py", "def handler(event, context):\n    return '" + name + "'\n"}});
    const std::string digest = run_on(loop_, digest_of(zip));
    std::ofstream(service_.packages().directory() / (digest + ".zip"), std::ios::binary) << zip;
    for (int version = 0; version < versions; ++version) {
      run_on(loop_, store_->transact([&](store::Transaction& txn) -> Task<void> {
        Function function;
        function.address = {"123456789012", "eu-west-1", name};
        function.version = static_cast<uint64_t>(version);
        function.last_version = static_cast<uint64_t>(versions - 1);
        function.runtime = "python3.11";
        function.handler = "app.handler";
        function.role = "arn:aws:iam::123456789012:role/any";
        function.code_digest = digest;
        function.code_bytes = static_cast<int64_t>(zip.size());
        save_function(txn, function, clock_.now());
        co_return;
      }));
    }
    return digest;
  }
  [[nodiscard]] bool has_zip(const std::string& digest) const {
    return fs::exists(directory_ / "functions" / (digest + ".zip"));
  }
  std::optional<PackageRecord> record(const std::string& digest) {
    return run_on(loop_, load_package(*store_->snapshot(), digest));
  }
};

TEST_F(EarlierPackages, AreTakenIntoTheStoreAtStartWithAllThatNameThem) {
  const std::string digest = leave("old", 3);
  const std::string orphan = leave("lost", 0);
  run_on(loop_, service_.start());
  EXPECT_FALSE(has_zip(digest));
  EXPECT_FALSE(has_zip(orphan));
  EXPECT_EQ(record(digest)->functions, 3);
  EXPECT_FALSE(record(orphan));
  EXPECT_EQ(call<ops::Invoke>(invocation("old")).payload, "\"old\"");
  shapes::DeleteFunctionInput request;
  request.function_name = "old";
  call<ops::DeleteFunction>(request);
  EXPECT_FALSE(record(digest));
}

TEST_F(EarlierPackages, AreTakenOnceIfAStartIsKilledBeforeTheirFilesGo) {
  const std::string digest = leave("old", 1);
  const std::string zip = read_file(directory_ / "functions" / (digest + ".zip"));
  run_on(loop_, service_.start());
  std::ofstream(directory_ / "functions" / (digest + ".zip"), std::ios::binary) << zip;
  run_on(loop_, service_.start());
  EXPECT_EQ(record(digest)->functions, 1);
  EXPECT_FALSE(has_zip(digest));
}

TEST_F(EarlierPackages, ThatAreDamagedStayWhereTheyAre) {
  const std::string digest = leave("old", 1);
  std::ofstream(directory_ / "functions" / (digest + ".zip"), std::ios::app) << "?";
  run_on(loop_, service_.start());
  EXPECT_TRUE(has_zip(digest));
  EXPECT_FALSE(record(digest));
}

class PackagesOfFunctions : public FunctionsTest {
 protected:
  std::vector<int64_t> counts() {
    std::vector<int64_t> result;
    run_on(loop_, [&]() -> Task<void> {
      co_await store_->snapshot()->scan(store::all_resources_range(), store::Direction::forward,
                                        [&](std::string_view key, std::string_view value) {
                                          if (parse_package_key(key)) result.push_back(decode_package(value).functions);
                                          return true;
                                        });
    }());
    return result;
  }
};

TEST_F(PackagesOfFunctions, AreCountedByWhatNamesThem) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  using testing::UnorderedElementsAre;
  auto request = definition();
  request.publish = true;
  call<ops::CreateFunction>(request);
  EXPECT_THAT(counts(), ElementsAre(2)) << "$LATEST and version 1";
  call<ops::CreateFunction>(definition("other"));
  EXPECT_THAT(counts(), ElementsAre(3));

  shapes::UpdateFunctionCodeInput update;
  update.function_name = "echo";
  update.zip_file = definition().code.zip_file;
  call<ops::UpdateFunctionCode>(update);
  EXPECT_THAT(counts(), ElementsAre(3)) << "the same code";
  update.zip_file = zip_of({{"app.py", "def handler(event, context):\n    return 2\n"}});
  update.dry_run = true;
  call<ops::UpdateFunctionCode>(update);
  EXPECT_THAT(counts(), ElementsAre(3));
  update.dry_run = false;
  call<ops::UpdateFunctionCode>(update);
  EXPECT_THAT(counts(), UnorderedElementsAre(2, 1));

  shapes::DeleteFunctionInput erase;
  erase.function_name = "echo";
  erase.qualifier = "1";
  call<ops::DeleteFunction>(erase);
  EXPECT_THAT(counts(), UnorderedElementsAre(1, 1));
  erase.qualifier.reset();
  call<ops::DeleteFunction>(erase);
  EXPECT_THAT(counts(), ElementsAre(1));
  erase.function_name = "other";
  call<ops::DeleteFunction>(erase);
  EXPECT_THAT(counts(), IsEmpty());
}

}  // namespace
}  // namespace tidemill::lambda
