#include "services/lambda/package_store.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <fstream>
#include <system_error>
#include <utility>

#include "base/executor.h"
#include "base/file.h"
#include "base/hex.h"
#include "base/log.h"
#include "base/text.h"

namespace tidemill::lambda {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBytesPerTurn = 1 << 20;  // until other work gets its turn
constexpr std::string_view kFresh = "fresh-";
constexpr std::string_view kBootFile = "boot";

// Empty: not there.
std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

Task<std::string> digest_of(std::string_view bytes) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kBytesPerTurn);
    EVP_DigestUpdate(context.get(), piece.data(), piece.size());
    bytes.remove_prefix(piece.size());
    if (!bytes.empty()) co_await base::yield();
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(context.get(), digest, &size);
  co_return base::hex_of({reinterpret_cast<const char*>(digest), size});
}

PackageStore::Pin::Pin(PackageStore& store, std::string digest) : store_(store), digest_(std::move(digest)) {
  const std::lock_guard lock(store_.mutex_);
  store_.pinned_.insert(digest_);
  store_.released_.erase(digest_);
}

PackageStore::Pin::~Pin() {
  const std::lock_guard lock(store_.mutex_);
  store_.pinned_.erase(store_.pinned_.find(digest_));
  store_.released_.insert_or_assign(digest_, base::RealClock().now());
}

PackageStore::Fresh::Fresh(PackageStore& store)
    : store_(store), path_(store.directory_ / base::cat(kFresh, ++store.fresh_count_)) {}

PackageStore::Fresh::~Fresh() {
  store_.disk_.post([path = path_] {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) base::log_warning("package_not_removed", {{"path", path.string()}, {"reason", error.message()}});
  });
}

PackageStore::PackageStore(fs::path directory) : directory_(std::move(directory)) {
  fs::create_directories(directory_);
  const std::string boot = read_text("/proc/sys/kernel/random/boot_id");
  const bool same_boot = !boot.empty() && read_text(directory_ / kBootFile) == boot;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kFresh) || (!same_boot && entry.is_directory())) fs::remove_all(entry.path());
  }
  if (!same_boot) std::ofstream(directory_ / kBootFile, std::ios::trunc) << boot;
}

fs::path PackageStore::zip_path(std::string_view digest) const { return directory_ / base::cat(digest, ".zip"); }

Task<std::shared_ptr<PackageStore::Pin>> PackageStore::add(std::string_view zip) {
  std::string digest = co_await digest_of(zip);
  auto pin = std::make_shared<Pin>(*this, digest);
  fs::path path = zip_path(digest);
  if (fs::exists(path)) {
    co_await ensure_unpacked(digest);
    co_return pin;
  }
  const Fresh fresh(*this);
  co_await write_zip(zip, fresh.path());
  co_await unpack_to_cache(fresh.path(), digest);
  co_await disk_.run([from = fresh.path(), to = std::move(path), directory = directory_] {
    fs::rename(from, to);
    base::sync_directory(directory);
  });
  co_return pin;
}

Task<std::optional<std::string>> PackageStore::read_zip(std::string digest) {
  return disk_.run([path = zip_path(digest)]() -> std::optional<std::string> {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  });
}

Task<void> PackageStore::write_zip(std::string_view zip, fs::path path) {
  base::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) throw base::disk_error("cannot create", path);
  size_t turn = 0;
  while (!zip.empty()) {
    const ssize_t written = ::write(file.fd(), zip.data(), std::min(zip.size(), kBytesPerTurn));
    if (written < 0) throw base::disk_error("cannot write", path);
    zip.remove_prefix(static_cast<size_t>(written));
    turn += static_cast<size_t>(written);
    if (turn < kBytesPerTurn || zip.empty()) continue;
    turn = 0;
    co_await base::yield();
  }
  co_await disk_.run([file = std::move(file), path = std::move(path)] { base::sync_file(file, path); });
}

// Others may unpack the same package at the same time: whoever comes first names it.
Task<void> PackageStore::unpack_to_cache(fs::path zip, std::string digest) {
  const Fresh fresh(*this);
  co_await unpack(std::move(zip), fresh.path());
  std::error_code error;
  fs::rename(fresh.path(), directory_ / digest, error);
  if (error && !fs::is_directory(directory_ / digest)) {
    throw fs::filesystem_error("cannot name", directory_ / digest, error);
  }
  const std::lock_guard lock(mutex_);
  unpacked_.insert(std::move(digest));
}

Task<void> PackageStore::ensure_unpacked(std::string digest) {
  {
    const std::lock_guard lock(mutex_);
    if (unpacked_.contains(digest)) return Task<void>::ready();
    if (fs::is_directory(directory_ / digest)) {
      unpacked_.insert(digest);
      return Task<void>::ready();
    }
  }
  fs::path zip = zip_path(digest);
  return unpack_to_cache(std::move(zip), std::move(digest));
}

void PackageStore::release(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  released_.insert_or_assign(digest, base::RealClock().now());
}

void PackageStore::release_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : fs::directory_iterator(directory_)) {
    const std::string name = entry.path().filename();
    if (name == kBootFile || name.starts_with(kFresh)) continue;
    released_.insert_or_assign(entry.path().stem(), base::Time());
  }
}

PackageStore::Candidates PackageStore::released() const {
  const std::lock_guard lock(mutex_);
  const base::Time since = base::RealClock().now() - kKeepReleased;
  Candidates result;
  for (const auto& [digest, time] : released_) {
    if (time <= since) result.emplace(digest, time);
  }
  return result;
}

void PackageStore::keep(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  released_.erase(digest);
}

void PackageStore::remove(const Candidates& candidates) {
  const std::lock_guard lock(mutex_);
  for (const auto& [digest, since] : candidates) {
    // A function may have taken it up since somebody looked which functions there are.
    const auto released = released_.find(digest);
    if (pinned_.contains(digest) || released == released_.end() || released->second != since) continue;
    released_.erase(released);
    unpacked_.erase(digest);
    const Fresh unpacked(*this), zip(*this);
    std::error_code ignored;  // there need not be both
    fs::rename(directory_ / digest, unpacked.path(), ignored);
    fs::rename(zip_path(digest), zip.path(), ignored);
  }
}

}  // namespace tidemill::lambda
