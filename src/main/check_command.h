// `tidemill check --data DIR`: reads all of a data directory that no server uses, and says what of it is damaged.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "main/options.h"

namespace tidemill {

// The directory in what follows the word "check". Throws UsageError.
std::filesystem::path parse_check_options(std::span<const std::string_view> arguments, const Environment& environment);

// Prints a line for each thing that it finds. The exit code: 0 if nothing is damaged, 1 if something is, 2 if there is
// nothing to look at.
int check_pond(const std::filesystem::path& data);

}  // namespace tidemill
