#include "engine/workers/scratch_removal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "base/text.h"

namespace tidemill::engine {
namespace {

namespace fs = std::filesystem;

// No more files can be opened while it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

class ScratchRemovalTest : public ::testing::Test {
 protected:
  ScratchRemovalTest() : scratch_(fs::temp_directory_path() / base::cat("tidemill-scratch-", ::getpid())) {
    fs::create_directories(scratch_);
  }
  ~ScratchRemovalTest() override { fs::remove_all(scratch_); }

  fs::path directory(const std::string& name) const {
    fs::create_directories(scratch_ / name / "tmp");
    std::ofstream(scratch_ / name / "tmp" / "file") << "x";
    return scratch_ / name;
  }
  void remove(const fs::path& directory) {
    removal_.remove(directory, [this] { ++tried_; });
  }

  const fs::path scratch_;
  int tried_ = 0;
  base::BlockingWork here_{0};
  ScratchRemoval removal_{here_};
};

TEST_F(ScratchRemovalTest, WhatIsLeftBehindIsRemoved) {
  const fs::path one = directory("worker-1");
  remove(one);
  EXPECT_FALSE(fs::exists(one));
  EXPECT_EQ(tried_, 1);
  EXPECT_EQ(removal_.left(), 0u);
}

TEST_F(ScratchRemovalTest, WhatThereIsNoDescriptorForIsRemovedBesideTheNext) {
  const fs::path one = directory("worker-1");
  const fs::path other = directory("worker-2");
  const fs::path third = directory("worker-3");
  {
    const NoDescriptors none;
    remove(one);
    remove(other);
  }
  ASSERT_TRUE(fs::exists(one));
  EXPECT_EQ(tried_, 2);
  EXPECT_EQ(removal_.left(), 2u);
  remove(third);
  EXPECT_TRUE(fs::is_empty(scratch_));
  EXPECT_EQ(removal_.left(), 0u);
}

TEST_F(ScratchRemovalTest, WhatIsLeftIsTriedAgainUntilItIsGone) {
  const fs::path one = directory("worker-1");
  {
    const NoDescriptors none;
    remove(one);
    removal_.retry();
  }
  ASSERT_TRUE(fs::exists(one));
  EXPECT_EQ(removal_.left(), 1u);
  removal_.retry();
  EXPECT_FALSE(fs::exists(one));
  EXPECT_EQ(removal_.left(), 0u);
  EXPECT_EQ(tried_, 1);
}

}  // namespace
}  // namespace tidemill::engine
