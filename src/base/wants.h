// What is not there, and what cannot be had just now, are two things: for those who look for files, list directories or
// start programs, and go on without where there are none.
//
//   std::error_code error;
//   std::filesystem::directory_iterator entries(directory, error);
//   throw_if_wanting(error, "cannot list", directory);
//   for (const auto& entry : entries) take(entry);  // none, if it is not there
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace tidemill::base {

// Whether a call of the system failed for want of descriptors, processes or memory: soon it may go well.
[[nodiscard]] bool is_want_of_resources(const std::error_code& error);

// Which of these a program tells of that has failed, in the words of the locale C; no error: of none.
[[nodiscard]] std::error_code want_told_in(std::string_view text);

// Throws std::filesystem::filesystem_error if that is the error.
void throw_if_wanting(const std::error_code& error, const char* what, const std::filesystem::path& path);

// A file's text; "" if it is not there, or not ours to read. Throws the same.
[[nodiscard]] std::string text_if_any(const std::filesystem::path& path);

}  // namespace tidemill::base
