#include "base/wants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "base/no_more_files.h"
#include "base/text.h"

namespace tidemill::base {
namespace {

namespace fs = std::filesystem;

class WantsTest : public ::testing::Test {
 protected:
  WantsTest() { fs::create_directories(directory_); }
  ~WantsTest() override { fs::remove_all(directory_); }

  const fs::path directory_ = fs::path(::testing::TempDir()) / cat("wants-", ::getpid());
};

TEST_F(WantsTest, AFileThatCannotBeOpenedForWantOfDescriptorsIsNoneThatIsNotThere) {
  if (!testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  write_file(directory_ / "there", "text");
  EXPECT_EQ(text_if_any(directory_ / "there"), "text");
  EXPECT_EQ(text_if_any(directory_ / "nowhere"), "");
  EXPECT_EQ(text_if_any(directory_), "");
  const testing::NoMoreFiles none;
  EXPECT_THROW((void)text_if_any(directory_ / "there"), fs::filesystem_error);
}

TEST_F(WantsTest, ADirectoryThatCannotBeOpenedForWantOfDescriptorsIsNotEmpty) {
  if (!testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  std::error_code error;
  fs::directory_iterator nowhere(directory_ / "nowhere", error);
  EXPECT_TRUE(error);
  EXPECT_NO_THROW(throw_if_wanting(error, "cannot list", directory_));
  const testing::NoMoreFiles none;
  fs::directory_iterator there(directory_, error);
  EXPECT_THROW(throw_if_wanting(error, "cannot list", directory_), fs::filesystem_error);
}

TEST_F(WantsTest, AreToldFromOtherReasonsInWhatProgramsSay) {
  EXPECT_EQ(want_told_in("sh: 1: Cannot fork: Resource temporarily unavailable\n"),
            std::errc::resource_unavailable_try_again);
  EXPECT_EQ(want_told_in("open: Too many open files\n"), std::errc::too_many_files_open);
  EXPECT_EQ(want_told_in("open: Too many open files in system\n"), std::errc::too_many_files_open_in_system);
  EXPECT_EQ(want_told_in("clone: Operation not permitted\n"), std::error_code());
}

}  // namespace
}  // namespace tidemill::base
