#include "store/rocksdb_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "base/log.h"
#include "store/rocksdb_testing.h"

namespace tidemill::store {
namespace {

using testing::HasSubstr;
using testing::Not;

class RocksdbLogTest : public testing::Test {
 protected:
  RocksdbLogTest() { base::set_log_level(base::Level::debug); }
  ~RocksdbLogTest() override { base::set_log_level(base::Level::info); }

  static size_t lines_of(const std::string& text) { return static_cast<size_t>(std::ranges::count(text, '\n')); }
  const std::shared_ptr<rocksdb::Logger> log_ = std::make_shared<RocksdbLog>();
};

TEST_F(RocksdbLogTest, warnings_stand_in_the_servers_log_and_nothing_else_does) {
  testing::internal::CaptureStderr();
  rocksdb::Header(log_, "Options.%s", "many");
  rocksdb::Info(log_, "a flush");
  rocksdb::Warn(log_, "Background IO error %d", 28);
  rocksdb::Error(log_, "worse");
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr("Background IO error 28"));
  EXPECT_THAT(told, HasSubstr("worse"));
  EXPECT_EQ(lines_of(told), 2u);
}

TEST_F(RocksdbLogTest, long_lines_are_cut_and_many_are_not_told) {
  testing::internal::CaptureStderr();
  rocksdb::Warn(log_, "%s", std::string(10'000, 'x').c_str());
  rocksdb::Warn(log_, "what\nwith which keys");
  for (int n = 2; n < 10 * RocksdbLog::kLinesPerMinute; ++n) rocksdb::Warn(log_, "again");
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr(std::string(RocksdbLog::kLineBytesMax, 'x')));
  EXPECT_THAT(told, Not(HasSubstr(std::string(RocksdbLog::kLineBytesMax + 1, 'x'))));
  EXPECT_THAT(told, Not(HasSubstr("which keys")));
  EXPECT_EQ(lines_of(told), static_cast<size_t>(RocksdbLog::kLinesPerMinute));
}

TEST_F(RocksdbTest, rocksdb_keeps_no_log_file_of_its_own) {
  open();
  run([&]() -> Task<void> { co_await put("Ia", "1"); });
  store_.reset();
  open();
  for (const auto& entry : std::filesystem::directory_iterator(data() / "db")) {
    EXPECT_FALSE(entry.path().filename().native().starts_with("LOG")) << entry.path();
  }
  store_.reset();
}

}  // namespace
}  // namespace tidemill::store
