// Deployment packages: zip files from users, checked and unpacked without trust. Nothing they name can leave the directory
// they are unpacked to, and they cannot grow beyond AWS's limits however they lie about their sizes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "base/task.h"

namespace tidemill::lambda {

// AWS's limits: of the file in a request, and of all that is in it.
inline constexpr int64_t kZippedBytesMax = 52'428'800;
inline constexpr int64_t kUnzippedBytesMax = 262'144'000;
// Ours, against packages of nothing but names.
inline constexpr int64_t kPackageEntriesMax = 100'000;

// The package cannot be used; what() is AWS's message.
class PackageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Unpacks `zip` into `directory`, which must not exist; on failure parts of it may. Lets other work run in between.
// Throws PackageError, and std::filesystem::filesystem_error if the disk does not take it.
Task<void> unpack(std::filesystem::path zip, std::filesystem::path directory);

}  // namespace tidemill::lambda
