#include "store/backup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/file.h"
#include "base/text.h"
#include "store/data_directory.h"
#include "store/log_check.h"
#include "store/log_ledger.h"
#include "store/rocksdb_store.h"
#include "store/synced_mark.h"

namespace tidemill::store {

namespace {

namespace fs = std::filesystem;

constexpr size_t kPieceBytes = 4 << 20;

// Those that a copy has of its own.
constexpr const char* kOwnFiles[] = {kDatabaseDirectory, kLogLedgerFile, kSyncedMarkFile, "LOCK", "FORMAT",
                                     "LOGS.new", "SYNCED.new", "FORMAT.new", "ROOM"};

bool is_within(const fs::path& path, const fs::path& directory) {
  const fs::path relative = fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(directory));
  return !relative.empty() && *relative.begin() != "..";
}

void make_target(const fs::path& data, const fs::path& to) {
  if (!to.is_absolute() || to.native().find('\0') != std::string::npos) throw BackupError("a backup goes to a directory with an absolute path");
  if (is_within(to, data) || is_within(data, to))
    throw BackupError("a backup cannot lie in the data directory, or around it");
  if (fs::exists(to) && (!fs::is_directory(to) || !fs::is_empty(to))) {
    throw BackupError(base::cat(to.native(), " is there and not empty: name a directory that is not there"));
  }
  if (to.has_parent_path()) fs::create_directories(to.parent_path());
  base::make_directory(to);
  fs::permissions(to, fs::perms::owner_all);
}

void sync(const fs::path& path, int flags) {
  base::sync_file(base::Descriptor(::open(path.c_str(), flags | O_CLOEXEC)), path);
}

void go_on(const std::stop_token& stop) {
  if (stop.stop_requested()) throw BackupCutShort();
}

// Durably, with its mode. False: it is not there.
bool copy(const fs::path& from, const fs::path& to, const std::stop_token& stop) {
  const base::Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source.is_open() && errno == ENOENT) return false;
  struct stat status {};
  if (!source.is_open() || ::fstat(source.fd(), &status) != 0) throw base::disk_error("cannot read", from);
  const base::Descriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777));
  if (!target.is_open()) throw base::disk_error("cannot write", to);
  std::string piece(kPieceBytes, '\0');
  while (true) {
    go_on(stop);
    const ssize_t got = ::read(source.fd(), piece.data(), piece.size());
    if (got < 0) throw base::disk_error("cannot read", from);
    if (got == 0) break;
    for (ssize_t written = 0; written < got;) {
      const ssize_t count = ::write(target.fd(), piece.data() + written, static_cast<size_t>(got - written));
      if (count < 0) throw base::disk_error("cannot write", to);
      written += count;
    }
  }
  base::sync_file(target, to);
  return true;
}

void link_or_copy(const fs::path& from, const fs::path& to, bool may_link, const std::stop_token& stop) {
  std::error_code error;
  if (may_link) fs::create_hard_link(from, to, error);
  if (may_link && !error) return;
  if (error == std::errc::no_such_file_or_directory) return;  // it has just gone: what is referred to does not
  (void)copy(from, to, stop);
}

// Blobs and packages are written under their names once and never changed; what else there is may be.
bool is_never_changed(const fs::path& path) { return path.extension() == ".sum" || path.extension() == ".zip"; }

void copy_tree(const fs::path& from, const fs::path& to, const fs::path& below, const IsWanted& is_wanted,
               const std::stop_token& stop) {
  for (const auto& entry : fs::directory_iterator(from)) {
    go_on(stop);
    const fs::path path = below / entry.path().filename();
    if (below.empty() && std::ranges::find(kOwnFiles, path.native()) != std::end(kOwnFiles)) continue;
    if (!is_wanted(path)) continue;
    const fs::path target = to / entry.path().filename();
    if (entry.is_directory()) {
      base::make_directory(target);
      copy_tree(entry.path(), target, path, is_wanted, stop);
    } else if (entry.is_regular_file()) {
      link_or_copy(entry.path(), target, is_never_changed(path), stop);
    }
  }
  sync(to, O_RDONLY | O_DIRECTORY);
}

// Of the copied database: nobody writes to its logs any more.
void make_ledger(const fs::path& to, const std::stop_token& stop) {
  LogLedger ledger;
  const fs::path database = to / kDatabaseDirectory;
  for (const auto& entry : fs::directory_iterator(database)) {
    go_on(stop);
    sync(entry.path(), O_RDONLY);
    if (const auto number = log_number(entry.path().filename()))
      ledger.closed_bytes.emplace(*number, entry.file_size());
  }
  sync(database, O_RDONLY | O_DIRECTORY);
  ledger.manifest = current_manifest(database).value_or(0);
  ledger.manifest_bytes = fs::file_size(database / manifest_name(ledger.manifest));
  // The newest was copied while it was written to: the copy may end within a record, as after a crash. Who finds it
  // later can rely on its length.
  if (!ledger.closed_bytes.empty()) {
    LogLedger copied = ledger;
    const auto last = std::prev(copied.closed_bytes.end());
    copied.newest = last->first;
    copied.closed_bytes.erase(last);
    for (const TornEnd& end : check_logs(to, copied)) {
      cut(end);
      if (const auto number = log_number(end.file.filename())) ledger.closed_bytes[*number] = end.at;
    }
  }
  write_log_ledger(to, ledger);
}

void copy_all(Store& store, const fs::path& data, const fs::path& to, const IsWanted& is_wanted,
              const std::stop_token& stop) {
  copy_database(store, to / kDatabaseDirectory, stop);
  // Behind the database, whose references must find them.
  copy_tree(data, to, "", is_wanted, stop);
  make_ledger(to, stop);
  DataDirectory(to).mark_initialized();  // last: without it nobody takes this for a store
}

}  // namespace

void back_up(Store& store, Blobs& blobs, const fs::path& to, const IsWanted& is_wanted, const std::stop_token& stop) {
  go_on(stop);
  const fs::path data = data_of(store);
  try {
    make_target(data, to);
  } catch (const std::system_error& error) {
    throw BackupError(base::cat("cannot make ", to.native(), ": ", error.code().message()));
  }
  const Blobs::Hold hold(blobs);
  try {
    copy_all(store, data, to, is_wanted, stop);
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove_all(to, ignored);
    go_on(stop);
    throw BackupError(error.what());
  }
}

}  // namespace tidemill::store
