#include "services/lambda/package_store.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

#include "base/executor.h"
#include "base/log.h"
#include "base/text.h"

namespace tidemill::lambda {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBytesPerTurn = 1 << 20;  // until other work gets its turn
constexpr std::string_view kFresh = "fresh-";
constexpr std::string_view kBootFile = "boot";

fs::filesystem_error disk_error(const char* what, const fs::path& path) {
  return {what, path, std::error_code(errno, std::generic_category())};
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct File {
  int fd = -1;
  ~File() {
    if (fd >= 0) ::close(fd);
  }
};

void sync_directory(const fs::path& directory) {
  const File file{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (file.fd < 0 || ::fsync(file.fd) != 0) throw disk_error("cannot sync", directory);
}

}  // namespace

std::string bytes_of_digest(std::string_view hexadecimal) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    bytes.push_back(static_cast<char>(value(hexadecimal[i]) << 4 | value(hexadecimal[i + 1])));
  }
  return bytes;
}

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
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += base::hex(digest[i], 2);
  co_return text;
}

PackageStore::Pin::Pin(PackageStore& store, std::string digest) : store_(store), digest_(std::move(digest)) {
  const std::lock_guard lock(store_.mutex_);
  store_.pinned_.insert(digest_);
  store_.released_.erase(digest_);
}

PackageStore::Pin::~Pin() {
  const std::lock_guard lock(store_.mutex_);
  store_.pinned_.erase(store_.pinned_.find(digest_));
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

fs::path PackageStore::fresh_path() { return directory_ / base::cat(kFresh, ++fresh_count_); }

Task<std::shared_ptr<PackageStore::Pin>> PackageStore::add(std::string_view zip) {
  if (static_cast<int64_t>(zip.size()) > kZippedBytesMax) {
    throw PackageError(base::cat("Zipped size must be smaller than ", kZippedBytesMax, " bytes"));
  }
  std::string digest = co_await digest_of(zip);
  auto pin = std::make_shared<Pin>(*this, digest);
  const fs::path path = zip_path(digest);
  if (!fs::exists(path)) {
    const fs::path fresh = fresh_path();
    try {
      co_await write_zip(zip, fresh);
      co_await unpack_to_cache(fresh, digest);
      fs::rename(fresh, path);
    } catch (...) {
      std::error_code ignored;
      fs::remove(fresh, ignored);
      throw;
    }
    sync_directory(directory_);
  } else {
    co_await ensure_unpacked(digest);
  }
  co_return pin;
}

Task<void> PackageStore::write_zip(std::string_view zip, fs::path path) {
  const File file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (file.fd < 0) throw disk_error("cannot create", path);
  size_t turn = 0;
  while (!zip.empty()) {
    const ssize_t written = ::write(file.fd, zip.data(), std::min(zip.size(), kBytesPerTurn));
    if (written < 0) throw disk_error("cannot write", path);
    zip.remove_prefix(static_cast<size_t>(written));
    turn += static_cast<size_t>(written);
    if (turn < kBytesPerTurn || zip.empty()) continue;
    turn = 0;
    co_await base::yield();
  }
  if (::fsync(file.fd) != 0) throw disk_error("cannot sync", path);
}

// Others may unpack the same package at the same time: whoever comes first names it.
Task<void> PackageStore::unpack_to_cache(fs::path zip, std::string digest) {
  const fs::path fresh = fresh_path();
  std::error_code ignored;
  try {
    co_await unpack(std::move(zip), fresh);
  } catch (...) {
    fs::remove_all(fresh, ignored);
    throw;
  }
  std::error_code error;
  fs::rename(fresh, directory_ / digest, error);
  if (error) fs::remove_all(fresh, ignored);
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

std::set<std::string> PackageStore::released() const {
  const std::lock_guard lock(mutex_);
  const base::Time since = base::RealClock().now() - kKeepReleased;
  std::set<std::string> result;
  for (const auto& [digest, time] : released_) {
    if (time <= since) result.insert(digest);
  }
  return result;
}

void PackageStore::remove(const std::set<std::string>& digests) {
  const std::lock_guard lock(mutex_);
  for (const std::string& digest : digests) {
    if (pinned_.contains(digest)) continue;
    released_.erase(digest);
    unpacked_.erase(digest);
    std::error_code error;
    fs::remove_all(directory_ / digest, error);
    fs::remove(zip_path(digest), error);
    if (error) base::log_warning("package_not_removed", {{"digest", digest}, {"reason", error.message()}});
  }
}

std::set<std::string> PackageStore::list() const {
  std::set<std::string> result;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    const std::string name = entry.path().filename();
    if (name == kBootFile || name.starts_with(kFresh)) continue;
    result.insert(entry.path().stem());
  }
  return result;
}

}  // namespace tidemill::lambda
