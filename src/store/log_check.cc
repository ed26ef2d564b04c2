#include "store/log_check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/crc_sums.h"
#include "base/file.h"
#include "base/text.h"

namespace tidemill::store {

namespace {

namespace fs = std::filesystem;
using base::cat;

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

// Follows the fragments to the first that is not one; nothing if all are.
std::optional<Unreadable> first_unreadable(std::string_view log) {
  size_t offset = 0;
  size_t record = 0;
  while (offset < log.size()) {
    if (left_in_block(offset) < kHeaderBytes) {
      offset += left_in_block(offset);  // the rest of a block that has no room for a header
      continue;
    }
    const bool is_fragment = header_fits(log, offset) && type_at(log, offset) >= kFull &&
                             type_at(log, offset) <= kLast && checksum_holds(log, offset);
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

// A file's bytes while this lives. Throws std::filesystem::filesystem_error.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path) {
    const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const off_t size = file.is_open() ? ::lseek(file.fd(), 0, SEEK_END) : -1;
    if (size < 0) throw base::disk_error("cannot read", path);
    if (size == 0) return;
    void* const memory = ::mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_PRIVATE, file.fd(), 0);
    if (memory == MAP_FAILED) throw base::disk_error("cannot read", path);
    bytes_ = {static_cast<const char*>(memory), static_cast<size_t>(size)};
  }
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

void check_closed(const fs::path& path, uint64_t bytes) {
  const std::string name = path.filename();
  if (!fs::exists(path)) throw Damage(cat("its write-ahead log ", name, " is missing"));
  const MappedFile file(path);
  if (file.bytes().size() != bytes) {
    throw Damage(cat("its write-ahead log ", name, " has ", file.bytes().size(), " bytes instead of ", bytes));
  }
  if (const auto unreadable = first_unreadable(file.bytes())) {
    throw Damage(cat("its write-ahead log ", name, " is not readable at byte ", unreadable->offset));
  }
}

// A file that a crash may have torn, but not within its first `synced` bytes.
std::optional<TornEnd> check_open(const fs::path& path, uint64_t synced) {
  const MappedFile file(path);
  const std::string name = path.filename();
  if (file.bytes().size() < synced) {
    throw Damage(cat("its file ", name, " has ", file.bytes().size(), " bytes instead of at least ", synced));
  }
  const auto unreadable = first_unreadable(file.bytes());
  if (!unreadable) return std::nullopt;
  if (unreadable->offset < synced || is_damage(file.bytes(), *unreadable)) {
    throw Damage(
        cat("its file ", name, " is not readable at byte ", unreadable->offset, ", and more stands behind it"));
  }
  return TornEnd{path, unreadable->record, file.bytes().size() - unreadable->record};
}

std::optional<TornEnd> check_manifest(const fs::path& database, const LogLedger& ledger) {
  const auto number = current_manifest(database);
  if (!number) return std::nullopt;  // opening the database will report it
  const fs::path path = database / manifest_name(*number);
  if (!fs::exists(path)) throw Damage(cat("its file ", path.filename().native(), " is missing"));
  if (*number < ledger.manifest) {
    throw Damage(cat("its file CURRENT names ", path.filename().native(), ", which is not the newest"));
  }
  if (fs::file_size(path) == 0) throw Damage(cat("its file ", path.filename().native(), " is empty"));
  return check_open(path, *number == ledger.manifest ? ledger.manifest_bytes : 0);
}

}  // namespace

std::vector<TornEnd> check_logs(const fs::path& data, const std::optional<LogLedger>& ledger) {
  const fs::path database = data / kDatabaseDirectory;
  const LogLedger known = ledger.value_or(LogLedger());
  for (const auto& [number, bytes] : known.closed_bytes) check_closed(database / log_name(number), bytes);
  if (known.newest != 0 && !fs::exists(database / log_name(known.newest))) {
    throw Damage(cat("its write-ahead log ", log_name(known.newest), " is missing"));
  }
  std::vector<TornEnd> torn;
  const auto keep = [&](std::optional<TornEnd> end) {
    if (end) torn.push_back(*std::move(end));
  };
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(database, none)) {
    const auto number = log_number(entry.path().filename());
    if (number && !known.closed_bytes.contains(*number)) keep(check_open(entry.path(), 0));
  }
  keep(check_manifest(database, known));
  return torn;
}

void cut(const TornEnd& end) {
  fs::resize_file(end.file, end.at);
  base::sync_file(base::Descriptor(::open(end.file.c_str(), O_RDONLY | O_CLOEXEC)), end.file);
}

}  // namespace tidemill::store
