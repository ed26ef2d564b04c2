#include "store/log_check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "base/crc_sums.h"
#include "base/file.h"
#include "base/text.h"
#include "store/synced_mark.h"

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

// A commit's record begins with the number of its first write (8 bytes, little endian), the count of its writes (4
// bytes), and, as the first of them, a note of kMarkBytes: its tag, its length, the mark.
constexpr size_t kMarkBytes = 16;
constexpr size_t kMarkAt = 12;
constexpr char kNoteTag = 3;
constexpr size_t kCommitHeadBytes = kMarkAt + 2 + kMarkBytes;

// The first bytes of the record that begins at `offset`; fewer if there are no more. A first fragment ends its block.
std::string record_head(std::string_view log, size_t offset) {
  const size_t begin = offset + kHeaderBytes;
  std::string head(log.substr(begin, std::min(payload_bytes(log, offset), kCommitHeadBytes)));
  const size_t next = begin + head.size();
  if (head.size() < kCommitHeadBytes && type_at(log, offset) == kFirst && header_fits(log, next)) {
    head += log.substr(next + kHeaderBytes, std::min(payload_bytes(log, next), kCommitHeadBytes - head.size()));
  }
  return head;
}

// Of a commit: the number of its first write. They rise from commit to commit. 0: the record is no commit.
uint64_t sequence_of(std::string_view head) {
  if (head.size() < kMarkAt) return 0;
  uint64_t value = 0;
  for (size_t n = 8; n-- > 0;) value = value << 8 | byte_at(head, n);
  return value;
}

bool has_mark(std::string_view head, std::string_view mark) {
  return head.size() == kCommitHeadBytes && head[kMarkAt] == kNoteTag &&
         byte_at(head, kMarkAt + 1) == kMarkBytes && head.substr(kMarkAt + 2) == mark;
}

struct Unreadable {
  size_t offset;
  size_t record;      // where the record that it is in begins
  uint64_t sequence;  // of the last whole record before
};

// Follows the fragments to the first that is not one; nothing if all are.
std::optional<Unreadable> first_unreadable(std::string_view log) {
  size_t offset = 0;
  size_t record = 0;
  size_t begun = 0;  // the same, behind the rest of a block
  uint64_t sequence = 0;
  while (offset < log.size()) {
    if (left_in_block(offset) < kHeaderBytes) {
      offset += left_in_block(offset);  // the rest of a block that has no room for a header
      continue;
    }
    const bool is_fragment = header_fits(log, offset) && type_at(log, offset) >= kFull &&
                             type_at(log, offset) <= kLast && checksum_holds(log, offset);
    if (!is_fragment) return Unreadable{offset, record, sequence};
    if (type_at(log, offset) == kFull || type_at(log, offset) == kFirst) begun = offset;
    const bool ends_record = type_at(log, offset) == kFull || type_at(log, offset) == kLast;
    offset += kHeaderBytes + payload_bytes(log, offset);
    if (!ends_record) continue;
    sequence = sequence_of(record_head(log, begun));
    record = offset;
  }
  return std::nullopt;
}

// Only a record that was synced is followed by another. What looks like one may be part of what a client has written,
// in the very record that a crash tore; where commits carry a mark, that one has neither it nor a number to come.
bool is_damage(std::string_view log, const Unreadable& unreadable, std::string_view mark) {
  for (size_t offset = unreadable.offset + 1; offset < log.size(); ++offset) {
    if (!header_fits(log, offset) || type_at(log, offset) > kFirst) continue;
    if (!mark.empty()) {
      const std::string head = record_head(log, offset);
      if (!has_mark(head, mark) || sequence_of(head) <= unreadable.sequence) continue;
    }
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
std::optional<TornEnd> check_open(const fs::path& path, uint64_t synced, std::string_view mark) {
  const MappedFile file(path);
  const std::string name = path.filename();
  if (file.bytes().size() < synced) {
    throw Damage(cat("its file ", name, " has ", file.bytes().size(), " bytes instead of at least ", synced));
  }
  const auto unreadable = first_unreadable(file.bytes());
  if (!unreadable) return std::nullopt;
  if (unreadable->offset < synced || is_damage(file.bytes(), *unreadable, mark)) {
    throw Damage(
        cat("its file ", name, " is not readable at byte ", unreadable->offset, ", and more stands behind it"));
  }
  return TornEnd{path, unreadable->record, file.bytes().size() - unreadable->record};
}

// A log of another pond, or of another hour under the same number, is whole, too; its commits have another mark.
std::optional<TornEnd> check_newest(const fs::path& path, uint64_t synced, std::string_view mark) {
  auto torn = check_open(path, synced, mark);
  const MappedFile file(path);
  const bool has_commit = !file.bytes().empty() && (!torn || torn->at > 0);
  if (has_commit && !mark.empty() && !has_mark(record_head(file.bytes(), 0), mark)) {
    throw Damage(cat("its write-ahead log ", path.filename().native(), " is not the one that was written"));
  }
  return torn;
}

// Of `synced` the first bytes of the manifest are known by their sum: one that another pond or an earlier hour has left
// under the name is whole, too.
void check_manifest_sum(const fs::path& path, const SyncedMark& synced) {
  const MappedFile file(path);
  if (base::crc32c(file.bytes().substr(0, synced.manifest_bytes)) == synced.manifest_sum) return;
  throw Damage(cat("its file ", path.filename().native(), " is not the one that was written"));
}

std::optional<TornEnd> check_manifest(const fs::path& database, const LogLedger& ledger,
                                      const std::optional<SyncedMark>& synced) {
  const auto number = current_manifest(database);
  if (!number) return std::nullopt;  // opening the database will report it
  const fs::path path = database / manifest_name(*number);
  if (!fs::exists(path)) {
    throw Damage(cat("its file ", path.filename().native(), ", which its file CURRENT names, is missing"));
  }
  if (*number < ledger.manifest) {
    throw Damage(cat("its file CURRENT names ", path.filename().native(), ", which is not the newest"));
  }
  if (fs::file_size(path) == 0) throw Damage(cat("its file ", path.filename().native(), " is empty"));
  uint64_t bytes = *number == ledger.manifest ? ledger.manifest_bytes : 0;
  const bool is_marked = synced && synced->manifest == *number;
  if (is_marked) bytes = std::max(bytes, synced->manifest_bytes);
  auto torn = check_open(path, bytes, "");
  if (is_marked) check_manifest_sum(path, *synced);
  return torn;
}

}  // namespace

std::vector<TornEnd> check_logs(const fs::path& data, const std::optional<LogLedger>& ledger) {
  const fs::path database = data / kDatabaseDirectory;
  const LogLedger known = ledger.value_or(LogLedger());
  for (const auto& [number, bytes] : known.closed_bytes) check_closed(database / log_name(number), bytes);
  if (known.newest != 0 && !fs::exists(database / log_name(known.newest))) {
    throw Damage(cat("its write-ahead log ", log_name(known.newest), " is missing"));
  }
  // One that an earlier life has left, before an older binary was here, speaks of files of the same name that were others.
  auto synced = read_synced_mark(data);
  if (synced && synced->commit_mark != known.mark) synced.reset();
  const bool is_marked = synced && synced->log == known.newest;
  std::vector<TornEnd> torn;
  const auto keep = [&](std::optional<TornEnd> end) {
    if (end) torn.push_back(*std::move(end));
  };
  if (!fs::exists(database)) return {};
  for (const auto& entry : fs::directory_iterator(database)) {
    const auto number = log_number(entry.path().filename());
    if (!number || known.closed_bytes.contains(*number)) continue;
    if (*number == known.newest) {
      keep(check_newest(entry.path(), is_marked ? synced->log_bytes : 0, known.mark));
    } else {
      keep(check_open(entry.path(), 0, ""));
    }
  }
  keep(check_manifest(database, known, synced));
  return torn;
}

std::string new_commit_mark() {
  std::random_device random;
  std::string mark;
  while (mark.size() < kMarkBytes) mark += static_cast<char>(random());
  return mark;
}

void cut(const TornEnd& end) {
  fs::resize_file(end.file, end.at);
  base::sync_file(base::Descriptor(::open(end.file.c_str(), O_RDONLY | O_CLOEXEC)), end.file);
}

}  // namespace tidemill::store
