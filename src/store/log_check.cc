#include "store/log_check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/crc_sums.h"

namespace tidemill::store {

namespace {

// The format of RocksDB's log: blocks of 32 KiB, each a sequence of fragments that do not cross its end; a record is
// one `full` fragment, or `first`, any number of `middle`, and `last`. A fragment is a masked CRC-32C of type and
// payload (4 bytes), the payload's length (2 bytes), the type (1 byte), the payload; numbers are little endian.
constexpr size_t kBlockBytes = 32 << 10;
constexpr size_t kHeaderBytes = 7;
constexpr unsigned char kFull = 1;
constexpr unsigned char kFirst = 2;
constexpr unsigned char kLast = 4;

unsigned char byte_at(std::string_view log, size_t offset) { return static_cast<unsigned char>(log[offset]); }

uint32_t stored_crc(std::string_view log, size_t offset) {
  uint32_t value = 0;
  for (size_t n = 4; n-- > 0;) value = value << 8 | byte_at(log, offset + n);
  return value;
}

size_t payload_bytes(std::string_view log, size_t offset) {
  return byte_at(log, offset + 4) | static_cast<size_t>(byte_at(log, offset + 5)) << 8;
}

unsigned char type_at(std::string_view log, size_t offset) { return byte_at(log, offset + 6); }

size_t left_in_block(size_t offset) { return kBlockBytes - offset % kBlockBytes; }

// Whether a header at `offset` fits its block and the log.
bool header_fits(std::string_view log, size_t offset) {
  if (left_in_block(offset) < kHeaderBytes || offset + kHeaderBytes > log.size()) return false;
  const size_t size = kHeaderBytes + payload_bytes(log, offset);
  return size <= left_in_block(offset) && offset + size <= log.size();
}

bool checksum_holds(std::string_view log, size_t offset) {
  constexpr uint32_t kMaskDelta = 0xa282ead8;
  const uint32_t crc = base::crc32c(log.substr(offset + 6, 1 + payload_bytes(log, offset)));
  return stored_crc(log, offset) == (crc >> 15 | crc << 17) + kMaskDelta;
}

// A record's first fragment, whole and with the right checksum.
bool record_begins_at(std::string_view log, size_t offset) {
  if (!header_fits(log, offset)) return false;
  const unsigned char type = type_at(log, offset);
  return (type == kFull || type == kFirst) && checksum_holds(log, offset);
}

struct Unreadable {
  size_t offset;
  size_t record;  // where the record that it is in begins
};

enum class Checksums { skipped, verified };

// Follows the fragments to the first that is not one; nothing if all are.
std::optional<Unreadable> first_unreadable(std::string_view log, Checksums checksums) {
  size_t offset = 0;
  size_t record = 0;
  while (offset < log.size()) {
    if (left_in_block(offset) < kHeaderBytes) {
      offset += left_in_block(offset);  // the rest of a block that has no room for a header
      continue;
    }
    const bool is_fragment = header_fits(log, offset) && type_at(log, offset) >= kFull && type_at(log, offset) <= kLast &&
                             (checksums == Checksums::skipped || checksum_holds(log, offset));
    if (!is_fragment) return Unreadable{offset, record};
    const bool ends_record = type_at(log, offset) == kFull || type_at(log, offset) == kLast;
    offset += kHeaderBytes + payload_bytes(log, offset);
    if (ends_record) record = offset;
  }
  return std::nullopt;
}

// Only a record that was synced is followed by another.
bool is_damage(std::string_view log, const Unreadable& unreadable) {
  for (size_t offset = unreadable.offset + 1; offset < log.size(); ++offset) {
    if (record_begins_at(log, offset)) return true;
  }
  return false;
}

// A file's bytes while this lives; empty if it cannot be read (which opening the database will report).
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    const off_t size = ::lseek(fd, 0, SEEK_END);
    if (size > 0) {
      void* const memory = ::mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_PRIVATE, fd, 0);
      if (memory != MAP_FAILED) bytes_ = {static_cast<const char*>(memory), static_cast<size_t>(size)};
    }
    ::close(fd);
  }
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

template <class Visit>
void for_each_log(const std::filesystem::path& path, Visit visit) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.path().extension() == ".log") visit(entry.path());
  }
}

}  // namespace

std::optional<std::string> find_log_damage(const std::filesystem::path& path) {
  std::optional<std::string> damage;
  for_each_log(path, [&](const std::filesystem::path& name) {
    const MappedFile file(name);
    const auto unreadable = first_unreadable(file.bytes(), Checksums::skipped);
    if (!unreadable || !is_damage(file.bytes(), *unreadable)) return;
    damage = "records stand behind an unreadable one in " + name.filename().string();
  });
  return damage;
}

bool cut_torn_ends(const std::filesystem::path& path) {
  bool cut = false;
  for_each_log(path, [&](const std::filesystem::path& name) {
    std::optional<Unreadable> unreadable;
    {
      const MappedFile file(name);
      unreadable = first_unreadable(file.bytes(), Checksums::verified);
      if (!unreadable || is_damage(file.bytes(), *unreadable)) return;
    }
    std::error_code error;
    std::filesystem::resize_file(name, unreadable->record, error);
    cut = cut || !error;
  });
  return cut;
}

}  // namespace tidemill::store
