#include "store/stopped_pond.h"

#include <fcntl.h>

#include <set>

#include "base/file.h"
#include "base/hex.h"
#include "base/text.h"
#include "store/blobs.h"
#include "store/keys.h"
#include "store/log_check.h"
#include "store/rocksdb_database.h"
#include "store/summed_file.h"

namespace tidemill::store {

namespace {

namespace fs = std::filesystem;
using base::cat;

constexpr size_t kReadBytes = 1 << 20;
constexpr const char* kSummedSuffix = ".sum";

// Shows a body piece by piece. Throws Damage and std::system_error.
template <class See>
void read_body(const fs::path& path, std::string_view id, See see) {
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw base::disk_error("cannot read", path);
  for (uint64_t at = 0;; at += kReadBytes) {
    const std::string piece = read_summed(file, id, at, kReadBytes);
    see(piece);
    if (piece.size() < kReadBytes) return;
  }
}

// Without kSummedSuffix.
fs::path body_path(const fs::path& data, std::string_view id) {
  return data / "blobs" / base::hex_of(id.substr(0, 1)) / base::hex_of(id);
}

}  // namespace

StoppedPond::StoppedPond(fs::path data, Findings& findings) : data_(std::move(data)), findings_(findings) {
  if (!fs::exists(data_ / "FORMAT") && !fs::exists(data_ / kDatabaseDirectory)) {
    throw OpenError(cat("there is no pond in ", data_.native()));
  }
  const auto directory = std::make_shared<DataDirectory>(data_);
  try {
    const auto ledger = directory->format() >= kLedgerSinceFormat ? read_log_ledger(data_) : std::nullopt;
    if (!ledger && directory->format() >= kLedgerSinceFormat) {
      findings_.damage.push_back(cat("its file ", kLogLedgerFile, " is missing"));
    }
    for (const TornEnd& end : check_logs(data_, ledger)) {
      findings_.notes.push_back(cat("torn end: the last ", end.bytes, " bytes of ", end.file.filename().native(),
                                    " were never complete; a start cuts them off"));
    }
    database_ = RocksdbDatabase::open_to_read({.directory = data_}, directory);
    view_ = make_rocksdb_view(database_, database_->last_version(), nullptr);
  } catch (const std::exception& error) {
    findings_.damage.emplace_back(error.what());
  }
}

StoppedPond::~StoppedPond() {
  view_.reset();
  database_.reset();
}

void StoppedPond::check_tables() {
  if (!is_open()) return;
  for (std::string& line : database_->find_damaged_tables()) findings_.damage.push_back(std::move(line));
}

void StoppedPond::check_blobs() {
  std::set<std::string> referred;
  const std::string prefix(1, static_cast<char>(KeySpace::blob));
  bool knows_all = is_open();
  try {
    if (knows_all) {
      for_each(Range::prefix(prefix), [&](std::string_view key, std::string_view) { referred.emplace(key.substr(1)); });
    }
  } catch (const std::exception& error) {
    findings_.damage.push_back(cat("not all references to bodies could be read: ", error.what()));
    knows_all = false;
  }
  std::error_code error;
  fs::recursive_directory_iterator entries(data_ / "blobs", error);
  if (error && error != std::errc::no_such_file_or_directory) {
    findings_.damage.push_back(cat("the bodies cannot be listed: ", error.message()));
    return;
  }
  for (const auto& entry : entries) {
    const auto id = base::bytes_of_hex(entry.path().stem().native());
    if (!entry.is_regular_file() || !id || id->size() != BlobId::kSize) continue;
    const std::string name = entry.path().filename();
    if (referred.erase(*id) == 0) {
      if (knows_all)
        findings_.notes.push_back(cat("orphan: nothing refers to the body ", name, "; a start removes it"));
      continue;
    }
    if (entry.path().extension() != kSummedSuffix) continue;  // of an earlier format
    try {
      read_body(entry.path(), *id, [](std::string_view) {});
    } catch (const std::exception& error) {
      findings_.damage.push_back(cat("the body ", name, ": ", error.what()));
    }
  }
  for (const std::string& id : referred) {
    findings_.damage.push_back(cat("the file of the body ", base::hex_of(id), " is missing"));
  }
}

void StoppedPond::for_each(const Range& range,
                           const std::function<void(std::string_view, std::string_view)>& visit) const {
  for (auto cursor = view_->open(range, Direction::forward); cursor->at() != Cursor::At::end; cursor->next()) {
    if (cursor->at() == Cursor::At::entry) visit(cursor->key(), cursor->value());
  }
}

std::optional<uint64_t> StoppedPond::blob_bytes(std::string_view id) const {
  const fs::path path = body_path(data_, id);
  std::error_code none;
  try {
    const uint64_t summed = fs::file_size(path.native() + kSummedSuffix, none);
    if (!none) return summed_bytes(static_cast<off_t>(summed));
  } catch (const Damage&) {
    return std::nullopt;
  }
  const uint64_t plain = fs::file_size(path, none);  // of an earlier format
  return none ? std::nullopt : std::optional(plain);
}

std::string StoppedPond::read_blob(std::string_view id) const {
  std::string bytes;
  read_body(body_path(data_, id).native() + kSummedSuffix, id, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

std::optional<std::string> StoppedPond::get(std::string_view key) const { return view_->get(key); }

}  // namespace tidemill::store
