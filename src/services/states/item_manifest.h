// Items of an S3 inventory: its manifest.json names files of CSV, packed by gzip, whose rows are the items. Nothing is held
// in memory but the manifest and a piece of a file.
#pragma once

#include <memory>

#include "services/states/item_source.h"

namespace tidemill::states {

inline constexpr size_t kManifestBytesMax = size_t{16} << 20;

// From a cursor on, whose token says in which file ("3:1000": the fourth, behind a thousand rows): rows before it are read
// again, and passed.
[[nodiscard]] std::unique_ptr<ItemSource> items_of_manifest(wire::Platform& platform, LongEvaluations& evaluations,
                                                            std::string arn, wire::Principal by,
                                                            const asl::ItemReader& reader, ItemCursor cursor);

}  // namespace tidemill::states
