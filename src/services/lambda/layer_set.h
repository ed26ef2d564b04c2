// Layers merged into one directory: its name, and how many functions and versions use it (function_layers.h).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace tidemill::lambda {

// What layers of these digests are together, in their order: nothing, the digest of the only one, or a name of its own.
[[nodiscard]] std::string layer_set_name(const std::vector<std::string>& digests);
// Whether it is such a name of its own.
[[nodiscard]] bool is_merged_set(std::string_view name);

// Only merged ones are counted.
Task<void> refer_to_layer_set(store::Transaction& txn, std::string name);
Task<void> drop_layer_set(store::Transaction& txn, std::string name);
Task<bool> is_layer_set_used(store::Snapshot& reader, std::string name);

// Makes `into`, which must not exist, of hard links to the files of `layers`, the later over the former. A layer's
// symbolic link stays one, so it may lead into another layer. Blocks. Throws std::filesystem::filesystem_error.
void merge_layers(const std::vector<std::filesystem::path>& layers, const std::filesystem::path& into);

}  // namespace tidemill::lambda
