// The file that holds a pond's master key, apart from the data directory: whoever has one of the two has nothing.
//
//   tidemill master key 1
//   key <64 hexadecimal digits>
//   sum <the first 16 digits of the SHA-256 of the line before>
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/blocking_work.h"
#include "base/task.h"
#include "crypto/secret.h"

namespace tidemill::kms {

// The file cannot be used; what() is one line that names it and says what to do.
class KeyFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where master keys are kept. Any thread.
class KeyFile {
 public:
  virtual ~KeyFile() = default;
  // Where that of the pond lies.
  [[nodiscard]] virtual std::string path(std::string_view pond) const = 0;
  // Nothing: there is no such file. Throws KeyFileError.
  virtual Task<std::optional<crypto::Secret>> read(std::string pond) = 0;
  // Makes a new key, durably, and gives it; one that is there already is given and stays as it is. Throws KeyFileError.
  virtual Task<crypto::Secret> make(std::string pond) = 0;
};

// Files of this machine. `file`: this one, whatever the pond; empty: the one that is named after the pond in `directory`.
// With neither all fails, saying that there is no place.
[[nodiscard]] std::unique_ptr<KeyFile> files_of_keys(std::filesystem::path file, std::filesystem::path directory);

// The pieces, which block. Others than its owner may not read the file (mode 0600): else they throw KeyFileError.
[[nodiscard]] std::optional<crypto::Secret> read_key_file(const std::filesystem::path& path);
// Directories that are missing on the way are made (mode 0700).
[[nodiscard]] crypto::Secret make_key_file(const std::filesystem::path& path);

}  // namespace tidemill::kms
