#include "store/synced_mark.h"

#include <fcntl.h>
#include <unistd.h>

#include <sstream>
#include <string_view>

#include "base/hex.h"
#include "base/text.h"
#include "base/wants.h"
#include "store/log_ledger.h"

namespace tidemill::store {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTitle = "tidemill synced 1";
// Within a sector of any disk, which is written whole or not at all.
constexpr size_t kFileBytes = 256;
// So often the disk begins to write what the mark says.
constexpr std::chrono::seconds kPushEvery{1};

std::string encode(const SyncedMark& mark) {
  std::string text = with_sum(base::cat(kTitle, "\nlog ", mark.log, " ", mark.log_bytes, "\nmark ",
                                        base::hex_of(mark.commit_mark), "\nmanifest ", mark.manifest, " ",
                                        mark.manifest_bytes, " ", mark.manifest_sum, "\n"));
  text.resize(kFileBytes, '\n');
  return text;
}

}  // namespace

std::optional<SyncedMark> read_synced_mark(const fs::path& data) {
  std::string text = base::text_if_any(data / kSyncedMarkFile);
  text.erase(text.find_last_not_of('\n') + 1);
  const auto lines = without_sum(text + "\n");
  if (!lines || !lines->starts_with(kTitle)) return std::nullopt;
  std::istringstream words(lines->substr(kTitle.size()));
  SyncedMark mark;
  std::string log, commits, digits, manifest;
  words >> log >> mark.log >> mark.log_bytes >> commits >> digits;
  words >> manifest >> mark.manifest >> mark.manifest_bytes >> mark.manifest_sum;
  const auto commit_mark = base::bytes_of_hex(digits);
  if (!words || log != "log" || commits != "mark" || manifest != "manifest" || !commit_mark) return std::nullopt;
  mark.commit_mark = *commit_mark;
  return mark;
}

SyncedMarkFile::SyncedMarkFile(const fs::path& data, SyncedMark mark)
    : mark_(std::move(mark)), pushed_(std::chrono::steady_clock::now()) {
  const fs::path path = data / kSyncedMarkFile;
  base::write_file(path, encode(mark_));
  file_ = base::Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file_.is_open()) throw base::disk_error("cannot write", path);
}

void SyncedMarkFile::log_synced(uint64_t number, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (number < mark_.log) return;  // one that is closed is in the ledger
  mark_.log = number;
  mark_.log_bytes = bytes;
  write();
  const auto now = std::chrono::steady_clock::now();
  if (now - pushed_ < kPushEvery) return;
  pushed_ = now;
  (void)::sync_file_range(file_.fd(), 0, kFileBytes, SYNC_FILE_RANGE_WRITE);  // begins, and waits for nothing
}

void SyncedMarkFile::manifest_synced(uint64_t number, uint64_t bytes, uint32_t sum) {
  {
    const std::lock_guard lock(mutex_);
    mark_.manifest = number;
    mark_.manifest_bytes = bytes;
    mark_.manifest_sum = sum;
    write();
  }
  (void)::fdatasync(file_.fd());
}

void SyncedMarkFile::write() {
  const std::string text = encode(mark_);
  (void)!::pwrite(file_.fd(), text.data(), text.size(), 0);
}

}  // namespace tidemill::store
