#include "store/blobs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <random>

#include "base/clock.h"
#include "base/sim_executor.h"
#include "store/file_blobs.h"
#include "store/sim_blobs.h"
#include "store/sim_store.h"

namespace tidemill::store {
namespace {

namespace fs = std::filesystem;

// Both backends keep the same promises: the test runs each task to its end.
class BlobsTest : public ::testing::TestWithParam<bool> {
 public:
  BlobsTest() : clock(base::Time(), base::VirtualClock::Mode::manual), executor(1, clock.activity()) {
    directory = fs::temp_directory_path() / ("tidemill-blobs-" + std::to_string(std::random_device()()));
    fs::create_directory(directory);
    store = make_sim_store(disk, executor, clock, SimFaults::none());
    open();
  }
  ~BlobsTest() override {
    blobs.reset();
    store.reset();
    executor.drop_all();
    fs::remove_all(directory);
  }

  void open() {
    blobs.reset();
    blobs = another();
  }
  // Another process's.
  std::unique_ptr<Blobs> another() {
    return GetParam() ? open_file_blobs(directory / "blobs") : make_sim_blobs(blob_disk);
  }

  void run(Task<void> task) {
    bool done = false;
    base::Scope scope;
    {
      const base::Executor::Enter enter(executor);
      scope.spawn([](Task<void> body, bool& flag) -> Task<void> {
        co_await std::move(body);
        flag = true;
      }(std::move(task), done));
    }
    while (!done) executor.run_one();  // what a thread of the disk does arrives at some time
  }

  Task<BlobId> make(std::string text, bool referred) {
    auto writer = co_await blobs->create([this](std::string_view piece) { seen += piece; });
    co_await writer->write(text.substr(0, text.size() / 2));
    co_await writer->write(text.substr(text.size() / 2));
    co_await writer->finish();
    BlobId id = writer->hand_over();
    if (referred) {
      co_await store->transact([&](Transaction& txn) -> Task<void> {
        co_await blobs->refer_to_new(txn, id);
      });
    }
    co_return id;
  }

  Task<bool> is_there(BlobId id) {
    try {
      (void)co_await blobs->read(id, 0, 1);
      co_return true;
    } catch (const BlobError&) {
      co_return false;
    }
  }
  // Removal is not waited for, but what is asked of the disk afterwards comes after it, on a single thread; on several
  // the test looks until it is gone.
  Task<void> wait_until_gone(BlobId id) {
    while (co_await is_there(id)) co_await base::yield();
  }

  fs::path directory;
  base::VirtualClock clock;
  base::SimExecutor executor;
  SimDisk disk;
  SimBlobDisk blob_disk;
  std::unique_ptr<SimStore> store;
  std::unique_ptr<Blobs> blobs;
  std::string seen;
};

TEST_P(BlobsTest, WhatWasWrittenIsReadAndSeenInOrder) {
  run([](BlobsTest& test) -> Task<void> {
    const BlobId id = co_await test.make("hello world", true);
    EXPECT_EQ(co_await test.blobs->read(id, 0, 100), "hello world");
    EXPECT_EQ(co_await test.blobs->read(id, 6, 3), "wor");
    EXPECT_EQ(co_await test.blobs->read(id, 50, 3), "");
    EXPECT_EQ(test.seen, "hello world");
  }(*this));
}

TEST_P(BlobsTest, APinnedBlobIsRemovedOnlyWhenNobodyReadsIt) {
  run([](BlobsTest& test) -> Task<void> {
    const BlobId id = co_await test.make("text", true);
    {
      const Blobs::Pins first(*test.blobs, {id});
      const Blobs::Pins second(*test.blobs, {id});
      test.blobs->remove(id);
      EXPECT_TRUE(co_await test.is_there(id));
    }
    co_await test.wait_until_gone(id);
  }(*this));
}

TEST_P(BlobsTest, TheLastReferenceIsTold) {
  run([](BlobsTest& test) -> Task<void> {
    const BlobId id = co_await test.make("text", true);
    const auto change = [&](auto body) {
      return test.store->transact([body](Transaction& txn) -> Task<bool> { return body(txn); });
    };
    EXPECT_TRUE(co_await change([id](Transaction& txn) -> Task<bool> {
      co_await refer_to_blob(txn, id);
      co_return true;
    }));
    EXPECT_FALSE(co_await change([id](Transaction& txn) { return drop_blob(txn, id); }));
    EXPECT_TRUE(co_await change([id](Transaction& txn) { return drop_blob(txn, id); }));
  }(*this));
}

TEST_P(BlobsTest, WhatAnEarlierProcessLeftWithoutAReferenceIsRemovedAndNothingElse) {
  BlobId kept, orphan, fresh;
  run([](BlobsTest& test, BlobId& kept, BlobId& orphan) -> Task<void> {
    kept = co_await test.make("kept", true);
    orphan = co_await test.make("orphan", false);
  }(*this, kept, orphan));
  open();
  run([](BlobsTest& test, BlobId kept, BlobId orphan, BlobId& fresh) -> Task<void> {
    fresh = co_await test.make("under way", false);
    co_await test.blobs->remove_orphans(*test.store);
    co_await test.wait_until_gone(orphan);
    EXPECT_TRUE(co_await test.is_there(kept));
    EXPECT_TRUE(co_await test.is_there(fresh));
  }(*this, kept, orphan, fresh));
}

TEST_P(BlobsTest, AnUploadOfAnotherProcessIsNoOrphanWhileThatLives) {
  const Member first{.process = "first", .life = 1};
  const Member second{.process = "second", .life = 1};
  const auto other = another();
  run([](BlobsTest& test, Blobs& other, Member first, Member second) -> Task<void> {
    co_await test.store->transact([&](Transaction& txn) -> Task<void> {
      join(txn, first);
      join(txn, second);
      co_return;
    });
    test.blobs->live_as(first);
    other.live_as(second);
    const BlobId id = co_await test.make("under way", false);
    co_await other.remove_orphans(*test.store);
    EXPECT_TRUE(co_await test.is_there(id));
    const auto refer = [&]() -> Task<void> {
      co_await test.store->transact(
          [&](Transaction& txn) -> Task<void> { co_await test.blobs->refer_to_new(txn, id); });
    };
    co_await refer();

    const BlobId late = co_await test.make("too late", false);
    co_await test.store->transact([&](Transaction& txn) -> Task<void> { (void)co_await bury(txn, first); });
    co_await other.remove_orphans(*test.store);
    co_await test.wait_until_gone(late);
    EXPECT_TRUE(co_await test.is_there(id)) << "it was referred to while its writer lived";
    bool refused = false;
    try {
      co_await test.store->transact(
          [&](Transaction& txn) -> Task<void> { co_await test.blobs->refer_to_new(txn, late); });
    } catch (const BlobError&) {
      refused = true;
    }
    EXPECT_TRUE(refused) << "the file is gone";

    const Member again{.process = "first", .life = 2};
    co_await test.store->transact([&](Transaction& txn) -> Task<void> {
      join(txn, again);
      co_return;
    });
    test.blobs->live_as(again);
    EXPECT_TRUE(co_await test.is_there(co_await test.make("anew", true)));
  }(*this, *other, first, second));
}

TEST_P(BlobsTest, AWriterThatGivesUpLeavesNothing) {
  run([](BlobsTest& test) -> Task<void> {
    auto writer = co_await test.blobs->create({});
    co_await writer->write("half");
    writer.reset();
    co_return;
  }(*this));
  blobs.reset();  // waits for the disk
  EXPECT_TRUE(blob_disk.files.empty());
  for (const auto& entry : fs::recursive_directory_iterator(directory)) EXPECT_TRUE(entry.is_directory()) << entry.path();
}

TEST_P(BlobsTest, NoneGoesWhileTheyAreHeld) {
  BlobId id;
  run([](BlobsTest& test, BlobId& made) -> Task<void> { made = co_await test.make("text", true); }(*this, id));
  const auto is_there = [&] {
    bool there = true;
    run([](BlobsTest& test, BlobId wanted, bool& result) -> Task<void> {
      try {
        co_await test.blobs->require({{wanted, 4}});
      } catch (const BlobError&) {
        result = false;
      }
    }(*this, id, there));
    return there;
  };
  {
    const Blobs::Hold hold(*blobs);
    blobs->remove(id);
    EXPECT_TRUE(is_there());
  }
  while (is_there()) {
  }
}

TEST_P(BlobsTest, FilesAreTheOwnersAlone) {
  if (!GetParam()) GTEST_SKIP() << "there are no files";
  run([](BlobsTest& test) -> Task<void> { (void)co_await test.make("text", true); }(*this));
  for (const auto& entry : fs::recursive_directory_iterator(directory / "blobs")) {
    EXPECT_EQ(entry.status().permissions(), entry.is_directory() ? fs::perms::owner_all
                                                                 : fs::perms::owner_read | fs::perms::owner_write);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, BlobsTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "files" : "simulated"; });

}  // namespace
}  // namespace tidemill::store
