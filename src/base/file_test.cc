#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "base/no_more_files.h"

namespace tidemill::base {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    std::string pattern = (fs::temp_directory_path() / "tidemill-file-test-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~FileTest() override { fs::remove_all(directory_); }

  fs::path directory_;
};

TEST_F(FileTest, AFileIsWrittenWholeForItsOwnerAlone) {
  const std::string text(200'000, 'x');
  write_file(directory_ / "some", text);
  EXPECT_EQ(read_file(directory_ / "some"), text);
  write_file(directory_ / "some", "shorter");
  EXPECT_EQ(read_file(directory_ / "some"), "shorter");
  struct stat status = {};
  ASSERT_EQ(::stat((directory_ / "some").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_FALSE(fs::exists(directory_ / "some.new"));
}

TEST_F(FileTest, ADirectoryIsMadeOnce) {
  make_directory(directory_ / "inner");
  make_directory(directory_ / "inner");
  EXPECT_EQ(fs::status(directory_ / "inner").permissions(), fs::perms::owner_all);
}

TEST_F(FileTest, ADirectoryWhoseNameCannotBeSyncedIsNotThere) {
  if (!testing::kMayLackFiles) GTEST_SKIP() << "the sanitizers open files themselves";
  {
    const testing::NoMoreFiles none;
    EXPECT_THROW(make_directory(directory_ / "inner"), fs::filesystem_error);
  }
  EXPECT_FALSE(fs::exists(directory_ / "inner"));
}

TEST_F(FileTest, ErrorsNameThePath) {
  try {
    write_file(directory_ / "missing" / "some", "");
    FAIL();
  } catch (const fs::filesystem_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_NE(std::string(error.what()).find("missing/some"), std::string::npos);
  }
  EXPECT_THROW((void)read_file(directory_ / "none"), fs::filesystem_error);
}

}  // namespace
}  // namespace tidemill::base
