#include "store/backup.h"

#include <fcntl.h>

#include <algorithm>
#include <iterator>

#include "base/file.h"
#include "base/text.h"
#include "store/data_directory.h"
#include "store/log_ledger.h"
#include "store/rocksdb_store.h"

namespace tidemill::store {

namespace {

namespace fs = std::filesystem;

// Those that a copy has of its own.
constexpr const char* kOwnFiles[] = {kDatabaseDirectory, kLogLedgerFile, "LOCK", "FORMAT", "LOGS.new", "FORMAT.new", "ROOM"};

bool is_within(const fs::path& path, const fs::path& directory) {
  const fs::path relative = fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(directory));
  return !relative.empty() && *relative.begin() != "..";
}

void make_target(const fs::path& data, const fs::path& to) {
  if (!to.is_absolute()) throw BackupError("a backup goes to a directory with an absolute path");
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

void link_or_copy(const fs::path& from, const fs::path& to, bool may_link) {
  std::error_code error;
  if (may_link) fs::create_hard_link(from, to, error);
  if (may_link && !error) return;
  if (error == std::errc::no_such_file_or_directory) return;  // it has just gone: what is referred to does not
  fs::copy_file(from, to, error);
  if (error == std::errc::no_such_file_or_directory) return;
  if (error) throw fs::filesystem_error("cannot copy", from, to, error);
  sync(to, O_RDONLY);
}

// Blobs and packages are written under their names once and never changed; what else there is may be.
bool is_never_changed(const fs::path& path) { return path.extension() == ".sum" || path.extension() == ".zip"; }

void copy_tree(const fs::path& from, const fs::path& to, const fs::path& below, const IsWanted& is_wanted) {
  for (const auto& entry : fs::directory_iterator(from)) {
    const fs::path path = below / entry.path().filename();
    if (below.empty() && std::ranges::find(kOwnFiles, path.native()) != std::end(kOwnFiles)) continue;
    if (!is_wanted(path)) continue;
    const fs::path target = to / entry.path().filename();
    if (entry.is_directory()) {
      base::make_directory(target);
      copy_tree(entry.path(), target, path, is_wanted);
    } else if (entry.is_regular_file()) {
      link_or_copy(entry.path(), target, is_never_changed(path));
    }
  }
  sync(to, O_RDONLY | O_DIRECTORY);
}

// Of the copied database: its newest log is the last, and may be added to by whoever opens it.
void make_ledger(const fs::path& to) {
  LogLedger ledger;
  const fs::path database = to / kDatabaseDirectory;
  for (const auto& entry : fs::directory_iterator(database)) {
    sync(entry.path(), O_RDONLY);
    if (const auto number = log_number(entry.path().filename()))
      ledger.closed_bytes.emplace(*number, entry.file_size());
  }
  sync(database, O_RDONLY | O_DIRECTORY);
  // The newest was copied while it was written to: the copy may end within a record, as after a crash.
  if (!ledger.closed_bytes.empty()) {
    const auto last = std::prev(ledger.closed_bytes.end());
    ledger.newest = last->first;
    ledger.closed_bytes.erase(last);
  }
  ledger.manifest = current_manifest(database).value_or(0);
  ledger.manifest_bytes = fs::file_size(database / manifest_name(ledger.manifest));
  write_log_ledger(to, ledger);
}

void copy_all(Store& store, const fs::path& data, const fs::path& to, const IsWanted& is_wanted) {
  copy_database(store, to / kDatabaseDirectory);
  // Behind the database, whose references must find them.
  copy_tree(data, to, "", is_wanted);
  make_ledger(to);
  DataDirectory(to).mark_initialized();  // last: without it nobody takes this for a store
}

}  // namespace

void back_up(Store& store, Blobs& blobs, const fs::path& to, const IsWanted& is_wanted) {
  const fs::path data = data_of(store);
  try {
    make_target(data, to);
  } catch (const std::system_error& error) {
    throw BackupError(base::cat("cannot make ", to.native(), ": ", error.code().message()));
  }
  const Blobs::Hold hold(blobs);
  try {
    copy_all(store, data, to, is_wanted);
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove_all(to, ignored);
    throw BackupError(error.what());
  }
}

}  // namespace tidemill::store
