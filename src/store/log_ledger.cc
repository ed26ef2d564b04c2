#include "store/log_ledger.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/crc_sums.h"
#include "base/file.h"
#include "base/hex.h"
#include "base/text.h"

namespace tidemill::store {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTitle = "tidemill logs 1";
constexpr std::string_view kLogSuffix = ".log";
constexpr std::string_view kManifestPrefix = "MANIFEST-";

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string sum_line(std::string_view lines) { return base::cat("sum ", base::hex(base::crc32c(lines), 8), "\n"); }

// As RocksDB writes them in names.
std::string six_digits(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(6 - std::min<size_t>(digits.size(), 6), '0') + digits;
}

std::string encode(const LogLedger& ledger) {
  std::string lines = base::cat(kTitle, "\n");
  lines += base::cat("manifest ", ledger.manifest, " ", ledger.manifest_bytes, "\n");
  for (const auto& [number, bytes] : ledger.closed_bytes) lines += base::cat("closed ", number, " ", bytes, "\n");
  lines += base::cat("newest ", ledger.newest, "\n");
  if (!ledger.mark.empty()) lines += base::cat("mark ", base::hex_of(ledger.mark), "\n");
  return with_sum(std::move(lines));
}

[[noreturn]] void unreadable() { throw Damage(base::cat("its file ", kLogLedgerFile, " is not readable")); }

LogLedger decode(const std::string& text) {
  const auto known = without_sum(text);
  if (!known || !known->starts_with(kTitle)) unreadable();
  LogLedger ledger;
  std::istringstream lines(known->substr(kTitle.size()));
  for (std::string word; lines >> word;) {
    uint64_t number = 0;
    std::string digits;
    if (word == "manifest")
      lines >> ledger.manifest >> ledger.manifest_bytes;
    else if (word == "closed")
      lines >> number >> ledger.closed_bytes[number];
    else if (word == "newest")
      lines >> ledger.newest;
    else if (word == "mark" && lines >> digits && base::bytes_of_hex(digits))
      ledger.mark = *base::bytes_of_hex(digits);
    else
      unreadable();
  }
  return ledger;
}

}  // namespace

std::string with_sum(std::string lines) { return lines + sum_line(lines); }

std::optional<std::string> without_sum(const std::string& text) {
  const size_t sum = text.rfind("sum ");
  if (sum == std::string::npos || text.substr(sum) != sum_line(text.substr(0, sum))) return std::nullopt;
  return text.substr(0, sum);
}

std::optional<LogLedger> read_log_ledger(const fs::path& data) {
  const fs::path path = data / kLogLedgerFile;
  if (!fs::exists(path)) return std::nullopt;
  return decode(base::read_file(path));
}

void write_log_ledger(const fs::path& data, const LogLedger& ledger) {
  base::write_file(data / kLogLedgerFile, encode(ledger));
}

std::string log_name(uint64_t number) { return base::cat(six_digits(number), kLogSuffix); }

std::string manifest_name(uint64_t number) { return base::cat(kManifestPrefix, six_digits(number)); }

std::optional<uint64_t> log_number(const fs::path& name) {
  if (name.extension() != kLogSuffix) return std::nullopt;
  return number_of(name.stem().native());
}

std::optional<uint64_t> manifest_number(const fs::path& name) {
  const std::string& text = name.native();
  if (!text.starts_with(kManifestPrefix)) return std::nullopt;
  return number_of(std::string_view(text).substr(kManifestPrefix.size()));
}

std::optional<uint64_t> current_manifest(const fs::path& database) {
  const fs::path path = database / "CURRENT";
  if (!fs::exists(path)) return std::nullopt;
  std::string name = base::read_file(path);
  if (!name.starts_with(kManifestPrefix) || !name.ends_with('\n')) throw Damage("its file CURRENT is not readable");
  name.pop_back();
  const auto number = number_of(std::string_view(name).substr(kManifestPrefix.size()));
  if (!number) throw Damage("its file CURRENT is not readable");
  return number;
}

}  // namespace tidemill::store
