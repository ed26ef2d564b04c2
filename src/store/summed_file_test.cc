#include "store/summed_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <random>

#include "store/log_ledger.h"
#include "store/test_backends.h"

namespace tidemill::store {
namespace {

constexpr const char* kLabel = "this file";
const size_t kLengths[] = {
    0, 1, 100, kSummedPieceBytes - 1, kSummedPieceBytes, kSummedPieceBytes + 1, 3 * kSummedPieceBytes + 77};

class SummedFileTest : public testing::Test {
 protected:
  // In pieces of random lengths.
  void write(size_t size) {
    text_.clear();
    while (text_.size() < size) text_.push_back(static_cast<char>(random_()));
    SummedWriter writer(base::Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600)), kLabel);
    std::string_view left = text_;
    while (!left.empty()) {
      const size_t length = std::min<size_t>(left.size(), 1 + random_() % 100'000);
      writer.append(left.substr(0, length));
      left.remove_prefix(length);
    }
    writer.finish();
    EXPECT_EQ(writer.bytes(), static_cast<off_t>(std::filesystem::file_size(path_)));
  }

  std::string read(uint64_t offset, size_t size, std::string_view label = kLabel) const {
    return read_summed(base::Descriptor(::open(path_.c_str(), O_RDONLY)), label, offset, size);
  }

  void flip(size_t at) const {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 1));
  }

  TemporaryDirectory directory_;
  const std::filesystem::path path_ = directory_.path() / "file";
  std::string text_;
  std::mt19937 random_{1};
};

TEST_F(SummedFileTest, gives_any_range_of_what_was_written) {
  for (const size_t length : kLengths) {
    write(length);
    EXPECT_EQ(summed_bytes(static_cast<off_t>(std::filesystem::file_size(path_))), length);
    EXPECT_EQ(read(0, length + 10), text_);
    EXPECT_EQ(read(length, 10), "");
    for (int n = 0; n < 20 && length > 0; ++n) {
      const size_t offset = random_() % length;
      const size_t size = random_() % (length + 10);
      EXPECT_EQ(read(offset, size), text_.substr(offset, size)) << offset << " " << size;
    }
  }
}

TEST_F(SummedFileTest, refuses_a_wrong_byte_wherever_it_is_and_gives_what_has_none) {
  const size_t length = 3 * kSummedPieceBytes + 77;
  write(length);
  const size_t bytes = std::filesystem::file_size(path_);
  for (const size_t at : {size_t{0}, kSummedPieceBytes - 1, kSummedPieceBytes + 1, bytes / 2, bytes - 1}) {
    flip(at);
    EXPECT_THROW((void)read(0, length), Damage) << at;
    flip(at);
  }
  flip(0);
  EXPECT_EQ(read(kSummedPieceBytes, 100), text_.substr(kSummedPieceBytes, 100));
}

TEST_F(SummedFileTest, takes_no_piece_of_another_file_or_place_for_its_own) {
  write(2 * kSummedPieceBytes);
  EXPECT_THROW((void)read(0, 1, "another"), Damage);
  std::ifstream file(path_, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const size_t half = bytes.size() / 2;
  std::ofstream(path_, std::ios::binary) << bytes.substr(half) << bytes.substr(0, half);
  EXPECT_THROW((void)read(0, 1), Damage);
}

TEST_F(SummedFileTest, a_cut_one_is_shorter_or_damaged) {
  write(kSummedPieceBytes + 100);
  std::filesystem::resize_file(path_, kSummedPieceBytes + 4 + 50);
  EXPECT_THROW((void)read(kSummedPieceBytes, 100), Damage);
  std::filesystem::resize_file(path_, kSummedPieceBytes + 4);
  EXPECT_EQ(read(0, 2 * kSummedPieceBytes), text_.substr(0, kSummedPieceBytes));
  std::filesystem::resize_file(path_, 3);
  EXPECT_THROW((void)read(0, 1), Damage);
}

}  // namespace
}  // namespace tidemill::store
