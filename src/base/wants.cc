#include "base/wants.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/file.h"

namespace tidemill::base {
namespace {

constexpr int kReasons[] = {ENFILE, EMFILE, EAGAIN, ENOMEM, ENOBUFS};  // the words of the first begin with the second's

}  // namespace

bool is_want_of_resources(const std::error_code& error) {
  return std::ranges::any_of(kReasons, [&](int reason) { return error == static_cast<std::errc>(reason); });
}

std::error_code want_told_in(std::string_view text) {
  const auto is_told = [&](int reason) { return text.contains(::strerrordesc_np(reason)); };
  const auto* told = std::ranges::find_if(kReasons, is_told);
  return told == std::end(kReasons) ? std::error_code() : std::error_code(*told, std::generic_category());
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
