// The bytes of an object that a request asks for: the header Range, RFC 9110 section 14.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemill::s3 {

struct ByteRange {
  uint64_t first = 0;
  uint64_t size = 0;
  bool operator==(const ByteRange&) const = default;
};

// Nothing: the header asks for several ranges or is none, and the whole object is meant. Throws InvalidRange (416) if no
// byte of the object is in it.
[[nodiscard]] std::optional<ByteRange> parse_range(std::string_view header, uint64_t object_size);

// "bytes 0-9/100"
[[nodiscard]] std::string content_range(const ByteRange& range, uint64_t object_size);

// The range of a copy's source, "bytes=0-9": both numbers must be there and within the object. Throws InvalidArgument.
[[nodiscard]] ByteRange parse_copy_range(std::string_view header, uint64_t object_size);

}  // namespace tidemill::s3
