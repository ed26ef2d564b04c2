#include "engine/workers/proc.h"

#include <dirent.h>

#include <charconv>
#include <memory>

namespace tidemill::engine {

void each_name(const std::string& directory, const std::function<bool(const char* name)>& take) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
  if (!open) return;
  while (const dirent* const entry = ::readdir(open.get())) {
    if (entry->d_name[0] != '.' && !take(entry->d_name)) return;
  }
}

uint64_t first_number(std::string_view text) {
  const size_t begin = text.find_first_of("0123456789");
  uint64_t number = 0;
  if (begin != std::string_view::npos) std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return number;
}

}  // namespace tidemill::engine
