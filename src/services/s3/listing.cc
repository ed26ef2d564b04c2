#include "services/s3/listing.h"

#include <algorithm>

#include "services/s3/errors.h"

namespace tidemill::s3 {
namespace {

// What stands up to the first delimiter behind the prefix; empty: there is none.
std::string_view common_part(const ListingRequest& request, std::string_view key) {
  if (request.delimiter.empty()) return {};
  const size_t at = key.find(request.delimiter, request.prefix.size());
  return at == std::string_view::npos ? std::string_view() : key.substr(0, at + request.delimiter.size());
}

}  // namespace

Task<void> list_keys(store::Snapshot& reader, ListingRequest request, std::string begin, std::string after,
                     RangeOf range_of, KeyOf key_of, ListingVisitor& visitor) {
  store::Range range = range_of(request.prefix);
  range.begin = std::max(range.begin, begin);
  bool more = true;
  while (more && range.begin < range.end) {
    more = false;  // unless a common prefix is met: then from its end on
    co_await reader.scan(range, store::Direction::forward, [&](std::string_view store_key, std::string_view value) {
      const std::string key = key_of(store_key);
      const std::string_view common = common_part(request, key);
      if (common.empty()) return visitor.entry(key, store_key, value);
      if ((!after.empty() && after.starts_with(common)) || visitor.common_prefix(common)) {
        range.begin = range_of(common).end;
        more = true;
      }
      return false;
    });
  }
}

int page_limit(const std::optional<int32_t>& asked, std::string_view name) {
  if (!asked) return kPageMax;
  if (*asked < 0) {
    throw errors::invalid_argument("Argument " + std::string(name) + " must be an integer between 0 and 2147483647", name,
                                   std::to_string(*asked));
  }
  return std::min(*asked, kPageMax);
}

bool encodes_keys(const std::optional<std::string>& encoding_type) {
  if (!encoding_type || encoding_type->empty()) return false;
  if (*encoding_type == "url") return true;
  throw errors::invalid_argument("Invalid Encoding Method specified in Request", "encoding-type", *encoding_type);
}

std::string encode_key(std::string_view key) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const char c : key) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
        std::string_view("-_.*/").contains(c)) {
      text.push_back(c);
    } else if (c == ' ') {
      text.push_back('+');
    } else {
      const auto byte = static_cast<unsigned char>(c);
      text.push_back('%');
      text.push_back(kDigits[byte >> 4]);
      text.push_back(kDigits[byte & 15]);
    }
  }
  return text;
}

}  // namespace tidemill::s3
