#include "services/lambda/lineage.h"

#include <algorithm>
#include <charconv>

#include "base/crc32.h"
#include "base/text.h"

namespace tidemill::lambda {
namespace {

constexpr size_t kHeaderBytesMax = 2048;
constexpr size_t kRootBytesMax = 64;
constexpr size_t kParentDigits = 16;
constexpr int kHashDigits = 8;

std::string hash_of(std::string_view arn) { return base::hex(base::crc32(arn), kHashDigits); }

std::string_view take_until(std::string_view& text, std::string_view separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
  return part;
}

bool is_hex(std::string_view text, size_t digits) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == digits && std::ranges::all_of(text, is_digit);
}

bool is_root(std::string_view text) {
  const auto is_part = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-'; };
  return text.size() <= kRootBytesMax && std::ranges::all_of(text, is_part);
}

}  // namespace

Lineage::Lineage(std::string_view header) {
  header = header.substr(0, kHeaderBytesMax);
  while (!header.empty()) {
    std::string_view value = take_until(header, ";");
    const std::string_view name = take_until(value, "=");
    if (name == "Root" && is_root(value)) root_ = value;
    if (name == "Parent" && is_hex(value, kParentDigits)) parent_ = value;
    if (name == "Sampled" && (value == "0" || value == "1" || value == "?")) sampled_ = value;
    if (name != "Lineage") continue;
    // Some SDKs write '|' as in URLs.
    const std::string_view separator = value.contains("%7C") ? "%7C" : "|";
    while (!value.empty() && calls_.size() < kLineageFunctionsMax) {
      std::string_view count = take_until(value, separator);
      const std::string_view hash = take_until(count, ":");
      int calls = 0;
      const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), calls);
      if (is_hex(hash, kHashDigits) && error == std::errc() && calls > 0) calls_[std::string(hash)] = std::min(calls, kCallsInChainMax);
    }
  }
}

int Lineage::add(std::string_view arn) {
  std::string hash = hash_of(arn);
  const auto known = calls_.find(hash);
  if (known != calls_.end()) return ++known->second;
  if (calls_.size() < kLineageFunctionsMax) calls_.emplace(std::move(hash), 1);
  return 1;
}

int Lineage::count(std::string_view arn) const {
  const auto known = calls_.find(hash_of(arn));
  return known == calls_.end() ? 0 : known->second;
}

std::string Lineage::header() const {
  std::string result;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) result += base::cat(result.empty() ? "" : ";", name, "=", value);
  };
  add("Root", root_);
  add("Parent", parent_);
  add("Sampled", sampled_);
  std::string_view before = result.empty() ? "Lineage=" : ";Lineage=";
  for (const auto& [hash, calls] : calls_) {
    result += base::cat(before, hash, ":", calls);
    before = "|";
  }
  return result;
}

}  // namespace tidemill::lambda
