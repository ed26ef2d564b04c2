#include "base/wants.h"

#include <algorithm>
#include <cerrno>

#include "base/file.h"

namespace tidemill::base {

bool is_want_of_resources(const std::error_code& error) {
  constexpr int kReasons[] = {EMFILE, ENFILE, EAGAIN, ENOMEM, ENOBUFS};
  return std::ranges::any_of(kReasons, [&](int reason) { return error == static_cast<std::errc>(reason); });
}

void throw_if_wanting(const std::error_code& error, const char* what, const std::filesystem::path& path) {
  if (is_want_of_resources(error)) throw std::filesystem::filesystem_error(what, path, error);
}

std::string text_if_any(const std::filesystem::path& path) {
  try {
    return read_file(path);
  } catch (const std::filesystem::filesystem_error& error) {
    if (is_want_of_resources(error.code())) throw;
    return "";
  }
}

}  // namespace tidemill::base
