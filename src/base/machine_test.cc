#include "base/machine.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <limits>
#include <string>

namespace tidemill::base {
namespace {

class MemoryLimit : public testing::Test {
 protected:
  MemoryLimit() {
    std::string name = testing::TempDir() + "machine-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  ~MemoryLimit() override { std::filesystem::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << '\n';
  }
  [[nodiscard]] uint64_t limit() const { return memory_limit(root_ / "own", root_); }

  std::filesystem::path root_;
};

TEST_F(MemoryLimit, TheLeastOfAGroupAndThoseAroundItHolds) {
  write("own", "0::/outer/inner");
  write("outer/memory.max", "1000000");
  write("outer/inner/memory.max", "max");
  EXPECT_EQ(limit(), 1'000'000u);
  write("outer/inner/memory.max", "500000");
  EXPECT_EQ(limit(), 500'000u);
}

TEST_F(MemoryLimit, TheFirstVersionsFilesAreKnownAsWell) {
  write("own", "5:cpu,cpuacct:/a\n4:memory:/a");
  write("memory/a/memory.limit_in_bytes", "2000000");
  EXPECT_EQ(limit(), 2'000'000u);
}

TEST_F(MemoryLimit, WithoutGroupsThereIsNone) {
  EXPECT_EQ(limit(), std::numeric_limits<uint64_t>::max());
  write("own", "0::/");
  EXPECT_EQ(limit(), std::numeric_limits<uint64_t>::max());
  write("own", "nonsense");
  EXPECT_EQ(limit(), std::numeric_limits<uint64_t>::max());
}

TEST(Machine, HasMemory) { EXPECT_GT(memory_bytes(), 16u << 20); }

}  // namespace
}  // namespace tidemill::base
