#include "store/summed_file.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <system_error>
#include <vector>

#include "base/crc_sums.h"
#include "base/ordered.h"
#include "base/text.h"
#include "store/log_ledger.h"

namespace tidemill::store {

namespace {

constexpr size_t kSumBytes = 4;
constexpr size_t kStride = kSummedPieceBytes + kSumBytes;
using Sum = std::array<char, kSumBytes>;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

uint32_t begin_sum(std::string_view label, uint64_t number) {
  std::string text(label);
  base::append_u64(text, number);
  return base::crc32c(text);
}

Sum encode(uint32_t sum) {
  Sum bytes;
  for (size_t n = 0; n < kSumBytes; ++n) bytes[n] = static_cast<char>(sum >> 8 * n);
  return bytes;
}

iovec part(const char* bytes, size_t size) { return {const_cast<char*>(bytes), size}; }

void write_all(int fd, std::vector<iovec>& parts) {
  for (size_t at = 0; at < parts.size();) {
    const size_t count = std::min<size_t>(parts.size() - at, IOV_MAX);
    ssize_t written = ::writev(fd, &parts[at], static_cast<int>(count));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write a file");
    while (at < parts.size() && static_cast<size_t>(written) >= parts[at].iov_len) {
      written -= static_cast<ssize_t>(parts[at++].iov_len);
    }
    if (written == 0) continue;
    parts[at].iov_base = static_cast<char*>(parts[at].iov_base) + written;
    parts[at].iov_len -= static_cast<size_t>(written);
  }
}

off_t size_of(const base::Descriptor& file) {
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) fail("cannot read a file");
  return status.st_size;
}

// Reads into `parts`, all of which lie within the file.
void read_all(int fd, const std::vector<iovec>& parts, off_t offset) {
  for (size_t at = 0; at < parts.size();) {
    const size_t count = std::min<size_t>(parts.size() - at, IOV_MAX);
    const ssize_t got = ::preadv(fd, &parts[at], static_cast<int>(count), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read a file");
    ssize_t wanted = 0;
    for (size_t n = 0; n < count; ++n) wanted += static_cast<ssize_t>(parts[at + n].iov_len);
    if (got != wanted) throw Damage("it became shorter");
    at += count;
    offset += got;
  }
}

}  // namespace

SummedWriter::SummedWriter(base::Descriptor file, std::string label)
    : file_(std::move(file)), label_(std::move(label)), sum_(begin_sum(label_, 0)) {}

void SummedWriter::begin_piece() {
  filled_ = 0;
  sum_ = begin_sum(label_, ++number_);
}

void SummedWriter::append(std::string_view bytes) {
  std::vector<iovec> parts;
  std::deque<Sum> sums;  // its elements stay where they are
  while (!bytes.empty()) {
    const std::string_view taken = bytes.substr(0, kSummedPieceBytes - filled_);
    bytes.remove_prefix(taken.size());
    parts.push_back(part(taken.data(), taken.size()));
    bytes_ += static_cast<off_t>(taken.size());
    sum_ = base::crc32c(taken, sum_);
    filled_ += taken.size();
    if (filled_ < kSummedPieceBytes) break;
    sums.push_back(encode(sum_));
    parts.push_back(part(sums.back().data(), kSumBytes));
    bytes_ += kSumBytes;
    begin_piece();
  }
  write_all(file_.fd(), parts);
}

void SummedWriter::finish() {
  if (filled_ == 0) return;
  const Sum sum = encode(sum_);
  std::vector<iovec> parts{part(sum.data(), kSumBytes)};
  write_all(file_.fd(), parts);
  bytes_ += kSumBytes;
  begin_piece();
}

uint64_t summed_bytes(off_t file_bytes) {
  const uint64_t pieces = static_cast<uint64_t>(file_bytes) / kStride;
  const uint64_t rest = static_cast<uint64_t>(file_bytes) % kStride;
  if (rest != 0 && rest <= kSumBytes) throw Damage("it is cut");
  return pieces * kSummedPieceBytes + (rest == 0 ? 0 : rest - kSumBytes);
}

std::string read_summed(const base::Descriptor& file, std::string_view label, uint64_t offset, size_t size) {
  const uint64_t there = summed_bytes(size_of(file));
  if (offset >= there || size == 0) return "";
  const uint64_t end = offset + std::min<uint64_t>(size, there - offset);
  const uint64_t first = offset / kSummedPieceBytes;
  const uint64_t begin = first * kSummedPieceBytes;
  const uint64_t until = std::min(there, (end + kSummedPieceBytes - 1) / kSummedPieceBytes * kSummedPieceBytes);

  std::string bytes;
  bytes.resize_and_overwrite(until - begin, [](char*, size_t room) { return room; });
  std::vector<Sum> sums((bytes.size() + kSummedPieceBytes - 1) / kSummedPieceBytes);
  const auto piece = [&](size_t n) { return std::string_view(bytes).substr(n * kSummedPieceBytes, kSummedPieceBytes); };
  std::vector<iovec> parts;
  for (size_t n = 0; n < sums.size(); ++n) {
    parts.push_back(part(piece(n).data(), piece(n).size()));
    parts.push_back(part(sums[n].data(), kSumBytes));
  }
  read_all(file.fd(), parts, static_cast<off_t>(first * kStride));
  for (size_t n = 0; n < sums.size(); ++n) {
    if (encode(base::crc32c(piece(n), begin_sum(label, first + n))) == sums[n]) continue;
    throw Damage(base::cat("it is not what was written, from byte ", begin + n * kSummedPieceBytes, " on"));
  }
  bytes.resize(end - begin);
  if (offset > begin) bytes.erase(0, offset - begin);
  return bytes;
}

}  // namespace tidemill::store
