#include "services/lambda/package_store.h"

#include <openssl/evp.h>

#include <exception>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/executor.h"
#include "base/file.h"
#include "base/hex.h"
#include "base/log.h"
#include "base/text.h"
#include "base/wants.h"
#include "services/lambda/function.h"
#include "services/lambda/layer_set.h"
#include "store/resources.h"

namespace tidemill::lambda {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBytesPerTurn = 1 << 20;  // until other work gets its turn
constexpr std::string_view kFresh = "fresh-";
constexpr std::string_view kBootFile = "boot";
constexpr std::string_view kZipSuffix = ".zip";
constexpr size_t kPieceBytes = 256 << 10;  // of a blob, on its way to the disk

// Not synced.
void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw base::disk_error("cannot write", path);
}

// A link leads to modules that functions find beside their packages (worker_runtimes.h).
bool is_unpacked_package(const fs::directory_entry& entry) { return entry.is_directory() && !entry.is_symlink(); }

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

PackageStore::Fresh::Fresh(PackageStore& store)
    : store_(store), path_(store.directory_ / base::cat(kFresh, ++store.fresh_count_)) {}

PackageStore::Fresh::~Fresh() {
  store_.disk_.post([path = path_] {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) base::log_warning("package_not_removed", {{"path", path.string()}, {"reason", error.message()}});
  });
}

PackageStore::PackageStore(store::Store& store, store::Blobs& blobs, fs::path directory,
                           std::chrono::minutes keep_refused)
    : store_(store), blobs_(blobs), directory_(std::move(directory)), keep_refused_(keep_refused) {
  fs::create_directories(directory_);
  const std::string boot = base::text_if_any("/proc/sys/kernel/random/boot_id");
  const bool same_boot = !boot.empty() && base::text_if_any(directory_ / kBootFile) == boot;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kFresh) || (!same_boot && is_unpacked_package(entry))) fs::remove_all(entry.path());
  }
  if (!same_boot) std::ofstream(directory_ / kBootFile, std::ios::trunc) << boot;
}

// ---- into the store -------------------------------------------------------------------------------------------------

Task<void> PackageStore::Upload::refer(store::Transaction& txn) {
  uses_blob_ = false;
  if (co_await refer_to_package(txn, digest_)) co_return;
  if (!blob_) throw Gone();
  co_await blobs_.refer_to_new(txn, *blob_);
  txn.put(package_key(digest_), encode_package({*blob_, bytes_, 1}));
  uses_blob_ = true;
}

void PackageStore::Upload::remove_unused() {
  if (blob_) blobs_.remove(*std::exchange(blob_, std::nullopt));
}

Task<PackageStore::Checked> PackageStore::check(std::string_view zip) {
  co_await remove_released();
  std::string digest = co_await digest_of(zip);
  if (is_unpacked(digest)) co_return Checked(*this, std::move(digest), kKeepReleased);
  const Fresh file(*this);
  co_await disk_.run([path = file.path(), bytes = std::string(zip)] { write_file(path, bytes); });
  co_await unpack_to_cache(file.path(), digest);
  co_return Checked(*this, std::move(digest), keep_refused_);
}

Task<void> PackageStore::write_blob(std::string_view zip, Upload& upload) {
  const auto writer = co_await blobs_.create({});
  for (; !zip.empty(); zip.remove_prefix(std::min(zip.size(), kPieceBytes))) {
    co_await writer->write(std::string(zip.substr(0, kPieceBytes)));
  }
  co_await writer->finish();
  upload.blob_ = writer->hand_over();
}

Task<std::map<std::string, int64_t>> PackageStore::count_functions() {
  std::map<std::string, int64_t> counts;
  const auto snapshot = store_.snapshot();
  co_await snapshot->scan(store::all_resources_range(), store::Direction::forward,
                          [&](std::string_view key, std::string_view value) {
                            auto parsed = parse_function_key(key);
                            if (parsed) ++counts[decode_function(*std::move(parsed), value).code_digest];
                            return true;
                          });
  co_return counts;
}

Task<void> PackageStore::import_files() {
  std::map<std::string, fs::path> files;  // by digest
  for (const auto& entry : fs::directory_iterator(directory_)) {
    if (entry.path().extension() == kZipSuffix) files.emplace(entry.path().stem(), entry.path());
  }
  if (files.empty()) co_return;
  const std::map<std::string, int64_t> functions = co_await count_functions();
  for (const auto& [digest, path] : files) {
    const auto named = functions.find(digest);
    if (named != functions.end()) co_await import_file(path, digest, named->second);
    else fs::remove(path);
  }
}

Task<void> PackageStore::import_file(fs::path zip, std::string digest, int64_t functions) {
  const std::string bytes = co_await disk_.run([zip] { return base::text_if_any(zip); });
  if (co_await digest_of(bytes) != digest) {
    base::log_warning("package_damaged", {{"path", zip.string()}});
    co_return;
  }
  Upload upload(blobs_, digest, static_cast<int64_t>(bytes.size()));
  co_await write_blob(bytes, upload);
  const bool taken = co_await store_.transact([&](store::Transaction& txn) -> Task<bool> {
    if (co_await load_package(txn, digest)) co_return false;  // before a crash
    co_await blobs_.refer_to_new(txn, *upload.blob_);
    txn.put(package_key(digest), encode_package({*upload.blob_, upload.bytes(), functions}));
    co_return true;
  });
  if (!taken) upload.remove_unused();
  fs::remove(zip);
}

// ---- out of the store -----------------------------------------------------------------------------------------------

// Pinned before the snapshot that shows it.
Task<std::optional<PackageStore::Held>> PackageStore::hold(std::string digest) {
  auto record = co_await load_package(*store_.snapshot(), digest);
  while (record) {
    store::Blobs::Pins pins(blobs_, {record->blob});
    auto again = co_await load_package(*store_.snapshot(), digest);
    if (again && again->blob == record->blob) co_return Held{*std::move(again), std::move(pins)};
    record = std::move(again);
  }
  co_return std::nullopt;
}

Task<std::optional<std::string>> PackageStore::read_zip(std::string digest) {
  const auto held = co_await hold(std::move(digest));
  if (!held) co_return std::nullopt;
  co_return co_await blobs_.read(held->record.blob, 0, static_cast<size_t>(held->record.bytes));
}

Task<void> PackageStore::unpack_from_blob(std::string digest) {
  std::optional<std::string> zip = co_await read_zip(digest);
  if (!zip) throw std::runtime_error(base::cat("the package ", digest, " is missing"));
  const Fresh file(*this);
  co_await disk_.run([path = file.path(), bytes = *std::move(zip)] { write_file(path, bytes); });
  co_await unpack_to_cache(file.path(), std::move(digest));
}

// Others may unpack the same package at the same time: whoever comes first names it.
Task<void> PackageStore::unpack_to_cache(fs::path zip, std::string digest) {
  const Fresh fresh(*this);
  co_await unpack(std::move(zip), fresh.path());
  name_unpacked(fresh, std::move(digest));
}

void PackageStore::name_unpacked(const Fresh& fresh, std::string name) {
  std::error_code error;
  fs::rename(fresh.path(), directory_ / name, error);
  if (error && !fs::is_directory(directory_ / name)) {
    throw fs::filesystem_error("cannot name", directory_ / name, error);
  }
  const std::lock_guard lock(mutex_);
  unpacked_.insert(std::move(name));
}

Task<void> PackageStore::merge_to_cache(std::string name, std::vector<std::string> digests) {
  for (const std::string& digest : digests) co_await ensure_unpacked(digest);
  const Fresh fresh(*this);
  std::vector<fs::path> layers;
  for (const std::string& digest : digests) layers.push_back(directory_ / digest);
  co_await disk_.run([layers = std::move(layers), into = fresh.path()] { merge_layers(layers, into); });
  name_unpacked(fresh, std::move(name));
}

bool PackageStore::is_unpacked(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  if (!released_.empty()) released_.erase(digest);  // somebody is about to use it
  if (unpacked_.contains(digest)) return true;
  if (!fs::is_directory(directory_ / digest)) return false;
  unpacked_.insert(digest);
  return true;
}

Task<void> PackageStore::ensure_unpacked(std::string digest) {
  if (is_unpacked(digest)) return Task<void>::ready();
  return once(digest, [this, digest] { return unpack_from_blob(digest); });
}

Task<void> PackageStore::ensure_merged(std::vector<std::string> digests) {
  std::string name = layer_set_name(digests);
  if (name.empty() || is_unpacked(name)) return Task<void>::ready();
  if (!is_merged_set(name)) return ensure_unpacked(std::move(name));
  return once(name, [this, name, digests = std::move(digests)] { return merge_to_cache(name, digests); });
}

struct PackageStore::Wanted final : store::WriteQueue::Job {
  bool is_tried = false;
  std::exception_ptr failure;
};

// Those that wait for the same wait for one who makes it. Whoever comes behind one that failed tries once more, for all
// that wait by then.
Task<void> PackageStore::once(std::string name, std::function<Task<void>()> make) {
  const auto wanted = std::make_shared<Wanted>();
  while (!wanted->is_tried) {  // who was to try for all may have gone
    const store::WriteQueue::Turn turn = co_await making_.enter(name, wanted);
    if (!turn.mine()) continue;
    std::exception_ptr failure;
    try {
      if (!is_unpacked(name)) co_await make();
    } catch (...) {
      failure = std::current_exception();
    }
    for (const store::WriteQueue::JobPtr& job : turn.jobs()) {
      auto& served = static_cast<Wanted&>(*job);
      served.is_tried = true;
      served.failure = failure;
    }
  }
  if (wanted->failure) std::rethrow_exception(wanted->failure);
}

Task<int64_t> PackageStore::unpacked_bytes(std::string digest) {
  co_await ensure_unpacked(digest);
  co_return co_await disk_.run([directory = directory_ / digest] {
    int64_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
      if (entry.is_regular_file() && !entry.is_symlink()) bytes += static_cast<int64_t>(entry.file_size());
    }
    return bytes;
  });
}

Task<std::vector<std::string>> PackageStore::names_in(std::string digest, std::string directory) {
  co_await ensure_unpacked(digest);
  co_return co_await disk_.run([path = directory_ / digest / directory] {
    std::vector<std::string> names;
    std::error_code error;
    fs::directory_iterator entries(path, error);
    base::throw_if_wanting(error, "cannot list", path);
    for (const auto& entry : entries) names.push_back(entry.path().filename());
    return names;
  });
}

// ---- what is not needed any more --------------------------------------------------------------------------------------

void PackageStore::forget(DroppedPackages dropped) {
  for (store::BlobId& blob : dropped.blobs) blobs_.remove(std::move(blob));
  for (const std::string& digest : dropped.digests) release(digest, kKeepReleased);
}

void PackageStore::release(const std::string& digest, std::chrono::minutes keep) {
  const std::lock_guard lock(mutex_);
  released_.insert_or_assign(digest, base::RealClock().now() + keep);
}

void PackageStore::release_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : fs::directory_iterator(directory_)) {
    if (is_unpacked_package(entry)) released_.insert_or_assign(entry.path().filename(), base::Time());
  }
}

PackageStore::Candidates PackageStore::released() const {
  const std::lock_guard lock(mutex_);
  const base::Time now = base::RealClock().now();
  Candidates result;
  for (const auto& [digest, time] : released_) {
    if (time <= now) result.emplace(digest, time);
  }
  return result;
}

Task<void> PackageStore::remove_released() {
  Candidates candidates = released();
  if (candidates.empty()) co_return;
  const auto snapshot = store_.snapshot();
  for (auto candidate = candidates.begin(); candidate != candidates.end();) {
    const bool is_named = is_merged_set(candidate->first)
                              ? co_await is_layer_set_used(*snapshot, candidate->first)
                              : (co_await load_package(*snapshot, candidate->first)).has_value();
    if (is_named) (void)is_unpacked(candidate->first);
    candidate = is_named ? candidates.erase(candidate) : std::next(candidate);
  }
  remove(candidates);
}

void PackageStore::remove(const Candidates& candidates) {
  const std::lock_guard lock(mutex_);
  for (const auto& [digest, time] : candidates) {
    // Somebody may have begun to use it since it was looked up.
    const auto released = released_.find(digest);
    if (released == released_.end() || released->second != time) continue;
    released_.erase(released);
    unpacked_.erase(digest);
    const Fresh unpacked(*this);
    std::error_code ignored;  // it need not be there
    fs::rename(directory_ / digest, unpacked.path(), ignored);
  }
}

}  // namespace tidemill::lambda
