// Copies of objects and of ranges of them: the copy refers to the same blobs, and no byte is written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/conditions.h"
#include "services/s3/reading.h"
#include "services/s3/service.h"

namespace tidemill::s3 {

inline constexpr uint64_t kCopySourceBytesMax = uint64_t{5} << 30;

// "/bucket/key?versionId=…", percent-encoded. Throws InvalidArgument.
[[nodiscard]] ObjectRequest parse_copy_source(std::string_view header, std::optional<std::string> expected_owner);

// The sums of some pieces of an open object.
struct CopiedSums {
  std::string md5;       // bytes
  std::string checksum;  // bytes, of the algorithm
};
Task<CopiedSums> sum_pieces(store::Blobs& blobs, const OpenObject& open, std::vector<Piece> pieces, Algorithm algorithm);

// Within the transaction of the copy: sees to it that the source still is as it was opened, and refers to the pieces once
// more. Nothing: it has changed, and must be opened again.
Task<std::optional<std::vector<Piece>>> share_pieces(store::Transaction& txn, const OpenObject& open,
                                                     const ObjectRequest& source, const Bucket& target,
                                                     std::vector<Piece> pieces);

}  // namespace tidemill::s3
