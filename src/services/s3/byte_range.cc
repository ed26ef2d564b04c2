#include "services/s3/byte_range.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "services/s3/errors.h"

namespace tidemill::s3 {
namespace {

constexpr std::string_view kUnit = "bytes=";

struct Bounds {
  std::optional<uint64_t> first;
  std::optional<uint64_t> last;
};

// Nothing: not a number of digits. An empty one is read as none.
bool read_number(std::string_view text, std::optional<uint64_t>& number) {
  if (text.empty()) return true;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  number = value;
  return true;
}

std::optional<Bounds> read_bounds(std::string_view header) {
  if (!header.starts_with(kUnit)) return std::nullopt;
  header.remove_prefix(kUnit.size());
  const size_t dash = header.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  Bounds bounds;
  if (!read_number(header.substr(0, dash), bounds.first) || !read_number(header.substr(dash + 1), bounds.last)) {
    return std::nullopt;
  }
  if (!bounds.first && !bounds.last) return std::nullopt;
  if (bounds.first && bounds.last && *bounds.last < *bounds.first) return std::nullopt;
  return bounds;
}

wire::Error invalid_range(std::string_view header, uint64_t object_size) {
  wire::Error error =
      errors::error("InvalidRange", 416, "The requested range is not satisfiable",
                    {{"RangeRequested", std::string(header)}, {"ActualObjectSize", std::to_string(object_size)}});
  error.headers = {{"Content-Range", base::cat("bytes */", object_size)}};
  return error;
}

}  // namespace

std::optional<ByteRange> parse_range(std::string_view header, uint64_t object_size) {
  const auto bounds = read_bounds(header);
  if (!bounds) return std::nullopt;
  if (!bounds->first) {
    const uint64_t size = std::min(*bounds->last, object_size);
    if (size == 0) throw invalid_range(header, object_size);
    return ByteRange{object_size - size, size};
  }
  if (*bounds->first >= object_size) throw invalid_range(header, object_size);
  const uint64_t last = std::min(bounds->last.value_or(object_size - 1), object_size - 1);
  return ByteRange{*bounds->first, last - *bounds->first + 1};
}

std::string content_range(const ByteRange& range, uint64_t object_size) {
  return base::cat("bytes ", range.first, "-", range.first + range.size - 1, "/", object_size);
}

ByteRange parse_copy_range(std::string_view header, uint64_t object_size) {
  const auto bounds = read_bounds(header);
  if (!bounds || !bounds->first || !bounds->last) {
    throw errors::invalid_argument(
        "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based "
        "offsets of the first and last bytes to copy",
        "x-amz-copy-source-range", header);
  }
  if (*bounds->first >= object_size) {
    throw errors::invalid_request("The specified copy range is invalid for the source object size");
  }
  if (*bounds->last >= object_size) {
    throw errors::invalid_argument(base::cat("Range specified is not valid for source object of size: ", object_size),
                                   "x-amz-copy-source-range", header);
  }
  return {*bounds->first, *bounds->last - *bounds->first + 1};
}

}  // namespace tidemill::s3
