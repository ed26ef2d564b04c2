// Packing texts with gzip so that others have their turn.
#pragma once

#include <string>
#include <string_view>

#include "base/task.h"
#include "wire/gzip_writer.h"

namespace tidemill::wire {

// The writer and the text outlive the task.
Task<void> pack(GzipWriter& writer, std::string_view text);

// All of it.
[[nodiscard]] Task<std::string> packed(std::string_view text);

}  // namespace tidemill::wire
