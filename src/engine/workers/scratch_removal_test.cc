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

// A user of no rights, as servers should be, while it lives.
class Nobody {
 public:
  Nobody() {
    if (is_root_) EXPECT_EQ(::seteuid(kNobody), 0);
  }
  ~Nobody() {
    if (is_root_) EXPECT_EQ(::seteuid(0), 0);
  }
  static constexpr uid_t kNobody = 65'534;

 private:
  const bool is_root_ = ::geteuid() == 0;
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

// As Go leaves its cache of modules. What a link leads to is not touched.
TEST_F(ScratchRemovalTest, WhatNobodyMayWriteToIsRemovedWithoutRights) {
  const fs::path outside = scratch_ / "outside";
  fs::create_directories(outside);
  fs::permissions(outside, fs::perms::owner_read | fs::perms::owner_exec);
  if (::geteuid() == 0) {
    for (const fs::path& path : {scratch_, outside}) ASSERT_EQ(::chown(path.c_str(), Nobody::kNobody, Nobody::kNobody), 0);
  }
  const Nobody nobody;
  const auto leave = [&](const std::string& name) {
    const fs::path one = directory(name);
    fs::create_directory_symlink(outside, one / "link");
    for (const fs::path& path : {one / "tmp", one}) {
      fs::permissions(path, fs::perms::owner_write | fs::perms::owner_read, fs::perm_options::remove);
    }
    return one;
  };
  const fs::path one = leave("worker-1");
  remove(one);
  EXPECT_FALSE(fs::exists(one));
  EXPECT_EQ(removal_.left(), 0u);
  EXPECT_EQ(fs::status(outside).permissions(), fs::perms::owner_read | fs::perms::owner_exec);

  leave("worker-2");
  EXPECT_TRUE(removal_.empty(scratch_).empty());
  EXPECT_TRUE(fs::is_empty(scratch_));
}

TEST_F(ScratchRemovalTest, WhatCannotBeRemovedAtAStartIsToldAndTriedAgain) {
  const fs::path one = directory("worker-7");
  directory("worker-8");
  if (::geteuid() != 0) GTEST_SKIP() << "only root can leave what another may not remove";
  ASSERT_EQ(::chown(scratch_.c_str(), Nobody::kNobody, Nobody::kNobody), 0);
  ASSERT_EQ(::chown((scratch_ / "worker-8").c_str(), Nobody::kNobody, Nobody::kNobody), 0);
  ASSERT_EQ(::chown((scratch_ / "worker-8/tmp").c_str(), Nobody::kNobody, Nobody::kNobody), 0);
  {
    const Nobody nobody;
    EXPECT_EQ(removal_.empty(scratch_), std::vector{one});
  }
  EXPECT_FALSE(fs::exists(scratch_ / "worker-8"));
  EXPECT_EQ(removal_.left(), 1u);
  removal_.retry();
  EXPECT_TRUE(fs::is_empty(scratch_));
}

}  // namespace
}  // namespace tidemill::engine
