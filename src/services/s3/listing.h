// Pages through the keys of a bucket as listings show them: those that share what stands before a delimiter count as one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"
#include "wire/shapes/s3.h"

namespace tidemill::s3 {

inline constexpr int32_t kPageMax = 1000;

struct ListingRequest {
  std::string prefix;
  std::string delimiter;  // empty: none
  int limit = kPageMax;
};

// What a listing does with what it meets. Each returns whether it was taken; false ends the page.
class ListingVisitor {
 public:
  virtual ~ListingVisitor() = default;
  virtual bool entry(std::string_view key, std::string_view store_key, std::string_view value) = 0;
  virtual bool common_prefix(std::string_view prefix) = 0;
};

// What kind of keys the range's store keys hold.
using KeyOf = std::function<std::string(std::string_view store_key)>;
// The range of all store keys whose keys start with a text.
using RangeOf = std::function<store::Range(std::string_view prefix)>;

// Visits from the store's key `begin` on. Common prefixes in which `after` lies, the page's
// marker, are passed over.
Task<void> list_keys(store::Snapshot& reader, ListingRequest request, std::string begin, std::string after,
                     RangeOf range_of, KeyOf key_of, ListingVisitor& visitor);

// Throws InvalidArgument for a negative one. At most kPageMax.
[[nodiscard]] int page_limit(const std::optional<int32_t>& asked, std::string_view name);

// Whether keys are to be shown percent-encoded. Throws InvalidArgument for an unknown encoding.
[[nodiscard]] bool encodes_keys(const std::optional<std::string>& encoding_type);
[[nodiscard]] std::string encode_key(std::string_view key);  // "a b/ä" -> "a+b/%C3%A4"
[[nodiscard]] inline std::string shown_key(std::string_view key, bool encoded) {
  return encoded ? encode_key(key) : std::string(key);
}

}  // namespace tidemill::s3
