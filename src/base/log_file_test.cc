#include "base/log_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/file.h"
#include "base/log.h"

namespace tidemill::base {
namespace {

namespace fs = std::filesystem;

class LogFileTest : public testing::Test {
 protected:
  LogFileTest() {
    char name[] = "/tmp/tidemill_log_XXXXXX";
    directory_ = ::mkdtemp(name);
  }
  ~LogFileTest() override {
    log_to_standard_error();
    fs::remove_all(directory_);
  }
  fs::path directory_;
  const std::string line_ = std::string(99, 'x') + "\n";
};

TEST_F(LogFileTest, takes_what_is_logged_and_adds_to_what_is_there) {
  const fs::path path = directory_ / "log";
  log_to_file(path);
  log_info("first");
  log_to_file(path);
  log_info("second");
  const std::string text = read_file(path);
  EXPECT_NE(text.find("event=first"), std::string::npos);
  EXPECT_NE(text.find("event=second"), std::string::npos);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0600));
}

TEST_F(LogFileTest, is_turned_over_at_its_size_and_the_oldest_goes) {
  const fs::path path = directory_ / "log";
  log_to_file(path, 1000);
  for (int n = 0; n < 95; ++n) write_log_line(line_);
  EXPECT_EQ(fs::file_size(path), 500u);
  for (int number = 1; number <= kLogFilesKept; ++number) {
    EXPECT_EQ(fs::file_size(path.native() + "." + std::to_string(number)), 1000u) << number;
  }
  EXPECT_FALSE(fs::exists(path.native() + "." + std::to_string(kLogFilesKept + 1)));
}

TEST_F(LogFileTest, that_cannot_be_written_is_refused) {
  EXPECT_THROW(log_to_file(directory_ / "no" / "log"), fs::filesystem_error);
}

}  // namespace
}  // namespace tidemill::base
