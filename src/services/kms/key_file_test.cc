#include "services/kms/key_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "base/file.h"
#include "base/text.h"

namespace tidemill::kms {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class KeyFiles : public ::testing::Test {
 protected:
  ~KeyFiles() override { fs::remove_all(directory_); }

  static std::string refusal(const fs::path& path) {
    try {
      return read_key_file(path) ? "" : "there is none";
    } catch (const KeyFileError& error) {
      return error.what();
    }
  }

  // Not synced, and so fast.
  void write(std::string_view bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  const fs::path directory_ = fs::temp_directory_path() / base::cat("tidemill-key-files-", ::getpid());
  const fs::path path_ = directory_ / "tidemill" / "keys" / "pond";
};

TEST_F(KeyFiles, AreMadeOnceForTheirOwnerAlone) {
  EXPECT_FALSE(read_key_file(path_));
  const crypto::Secret key = make_key_file(path_);
  EXPECT_EQ(key.bytes().size(), 32u);
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(path_.parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  EXPECT_EQ(read_key_file(path_)->bytes(), key.bytes());
  EXPECT_EQ(make_key_file(path_).bytes(), key.bytes());
  EXPECT_EQ(std::distance(fs::directory_iterator(path_.parent_path()), {}), 1);
}

TEST_F(KeyFiles, ThatAreDamagedAreRefusedByName) {
  (void)make_key_file(path_);
  const std::string whole = base::read_file(path_);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    write(changed);
    EXPECT_THAT(refusal(path_), HasSubstr(base::cat("the key file ", path_.string(), " is damaged"))) << i;
    write(whole.substr(0, i));
    EXPECT_THAT(refusal(path_), HasSubstr("is damaged")) << i;
  }
  write(whole + "\n");
  EXPECT_THAT(refusal(path_), HasSubstr("is damaged"));
  write(whole);
  EXPECT_EQ(refusal(path_), "");
}

TEST_F(KeyFiles, ThatOthersMayReadAreRefused) {
  (void)make_key_file(path_);
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  EXPECT_EQ(refusal(path_), base::cat("others may read the key file ", path_.string(), ": chmod 600 it"));
  EXPECT_THAT(refusal(directory_), HasSubstr("is no file"));
}

// Nobody writes to it: who opened it to read would wait for ever.
TEST_F(KeyFiles, ThatArePipesAreRefusedWithoutWaiting) {
  base::make_directory(directory_);
  std::filesystem::create_directories(path_.parent_path());
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(refusal(path_), HasSubstr("is no file"));
}

TEST_F(KeyFiles, ThatCannotBeMadeSaySo) {
  base::make_directory(directory_);
  base::write_file(directory_ / "tidemill", "in the way");
  try {
    (void)make_key_file(path_);
    FAIL() << "it was made";
  } catch (const KeyFileError& error) {
    EXPECT_THAT(error.what(), HasSubstr(base::cat("cannot write the key file ", path_.string(), ": ")));
  }
}

}  // namespace
}  // namespace tidemill::kms
