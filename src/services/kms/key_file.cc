#include "services/kms/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/file.h"
#include "base/hex.h"
#include "base/text.h"
#include "base/uuid.h"
#include "crypto/digest.h"
#include "crypto/sealing.h"

namespace tidemill::kms {
namespace {

namespace fs = std::filesystem;
using base::cat;
using crypto::Secret;

constexpr std::string_view kFirstLine = "tidemill master key 1\n";
constexpr std::string_view kKeyStart = "key ";
constexpr std::string_view kSumStart = "sum ";
constexpr size_t kSumDigits = 16;
constexpr size_t kFileSize = 128;  // at most; an honest one has fewer bytes

std::string sum_of(std::string_view key_line) { return base::hex_of(crypto::sha256(key_line)).substr(0, kSumDigits); }

Secret text_of(const Secret& key) {
  std::string digits = base::hex_of(key.bytes());
  std::string line = cat(kKeyStart, digits);
  crypto::wipe(digits);
  Secret text(cat(kFirstLine, line, "\n", kSumStart, sum_of(line), "\n"));
  crypto::wipe(line);
  return text;
}

// Nothing: it is not what text_of() gives.
std::optional<Secret> key_of(std::string_view text) {
  if (!text.starts_with(kFirstLine)) return std::nullopt;
  text.remove_prefix(kFirstLine.size());
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!line.starts_with(kKeyStart) || text.substr(line.size()) != cat("\n", kSumStart, sum_of(line), "\n")) {
    return std::nullopt;
  }
  auto bytes = base::bytes_of_hex(line.substr(kKeyStart.size()));
  if (!bytes || bytes->size() != crypto::kSealingKeySize) return std::nullopt;
  return Secret(*std::move(bytes));
}

[[noreturn]] void fail(std::string_view what, const fs::path& path, int error) {
  throw KeyFileError(cat("cannot ", what, " the key file ", path.string(), ": ", std::generic_category().message(error)));
}

void write_all(const base::Descriptor& file, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.fd(), text.data(), text.size());
    if (written < 0 && errno != EINTR) fail("write", path, errno);
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
}

void make_directories(const fs::path& path) {
  if (path.empty() || fs::exists(path)) return;
  make_directories(path.parent_path());
  base::make_directory(path);
  if (path.has_parent_path()) base::sync_directory(path.parent_path());
}

// A name beside the file that is gone on every way out.
class Draft {
 public:
  explicit Draft(const fs::path& path) : path_(cat(path.string(), ".", base::new_uuid())) {}
  ~Draft() { ::unlink(path_.c_str()); }
  Draft(const Draft&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class Files : public KeyFile {
 public:
  Files(fs::path file, fs::path directory) : file_(std::move(file)), directory_(std::move(directory)) {}

  [[nodiscard]] std::string path(std::string_view pond) const override { return path_of(pond).string(); }

  Task<std::optional<Secret>> read(std::string pond) override {
    co_return co_await disk_.run([path = require_path(pond)] { return read_key_file(path); });
  }

  Task<Secret> make(std::string pond) override {
    co_return co_await disk_.run([path = require_path(pond)] { return make_key_file(path); });
  }

 private:
  [[nodiscard]] fs::path path_of(std::string_view pond) const {
    return !file_.empty() || directory_.empty() ? file_ : directory_ / pond;
  }

  [[nodiscard]] fs::path require_path(std::string_view pond) const {
    fs::path path = path_of(pond);
    if (path.empty()) {
      throw KeyFileError("there is no $HOME outside the data directory to keep the key file under: say where by --key-file");
    }
    return path;
  }

  const fs::path file_;
  const fs::path directory_;
  base::BlockingWork disk_;
};

}  // namespace

std::optional<Secret> read_key_file(const fs::path& path) {
  // Without waiting: it may be a pipe that nobody writes to.
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail("read", path, errno);
  }
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) fail("read", path, errno);
  if (!S_ISREG(status.st_mode)) throw KeyFileError(cat("the key file ", path.string(), " is no file"));
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw KeyFileError(cat("others may read the key file ", path.string(), ": chmod 600 it"));
  }
  std::string text(kFileSize, '\0');
  const ssize_t size = ::read(file.fd(), text.data(), text.size());
  if (size < 0) fail("read", path, errno);
  const Secret content(std::move(text));
  auto key = key_of(content.bytes().substr(0, static_cast<size_t>(size)));
  if (!key) {
    throw KeyFileError(cat("the key file ", path.string(), " is damaged, or something else: restore it from its backup"));
  }
  return key;
}

Secret make_key_file(const fs::path& path) try {
  make_directories(path.parent_path());
  const Draft draft(path);
  {
    const base::Descriptor file(::open(draft.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.is_open()) fail("write", path, errno);
    const Secret text = text_of(crypto::new_secret(crypto::kSealingKeySize));
    write_all(file, text.bytes(), path);
    base::sync_file(file, draft.path());
  }
  // By a link, which never replaces what somebody else has put there meanwhile.
  if (::link(draft.path().c_str(), path.c_str()) != 0 && errno != EEXIST) fail("write", path, errno);
  base::sync_directory(path.parent_path());
  auto key = read_key_file(path);
  if (!key) fail("read", path, ENOENT);
  return *std::move(key);
} catch (const std::system_error& error) {
  fail("write", path, error.code().value());
}

std::unique_ptr<KeyFile> files_of_keys(fs::path file, fs::path directory) {
  return std::make_unique<Files>(std::move(file), std::move(directory));
}

}  // namespace tidemill::kms
