// Text of letters that nobody can guess.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::secretsmanager {

// 0 to `count` - 1, each as likely. `count`: 1 to 65,536.
[[nodiscard]] size_t random_index(size_t count);
// `letters`: 1 to 65,536 of them.
[[nodiscard]] std::string random_text(std::string_view letters, size_t size);

}  // namespace tidemill::secretsmanager
