// For tests in services/lambda/: packages made in memory, and the whole service on a real store and a real loop.
#pragma once

#include <gtest/gtest.h>
#include <minizip/zip.h>
#include <sys/stat.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "net/loop.h"
#include "services/lambda/service.h"
#include "store/file_blobs.h"
#include "store/rocksdb_store.h"
#include "wire/registry.h"
#include "base/uuid.h"
#include "wire/shapes/lambda.h"

namespace tidemill::lambda {

// A directory of its own, gone at the end.
class TestDirectory {
 public:
  TestDirectory() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() / base::cat("tidemill-lambda-", ::getpid(), "-", ++count);
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TestDirectory() { std::filesystem::remove_all(path_); }
  TestDirectory(const TestDirectory&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

struct ZipEntry {
  std::string name;
  std::string text;
  mode_t mode = S_IFREG | 0644;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string zip_of(const std::vector<ZipEntry>& entries) {
  const TestDirectory directory;
  const auto path = directory / "zip";
  const zipFile zip = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  for (const ZipEntry& entry : entries) {
    zip_fileinfo info{};
    info.external_fa = static_cast<uLong>(entry.mode) << 16;
    constexpr uLong kMadeByUnix = 3 << 8;
    EXPECT_EQ(zipOpenNewFileInZip4_64(zip, entry.name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED, 1, 0,
                                      -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0, kMadeByUnix, 0, 0),
              ZIP_OK);
    EXPECT_EQ(zipWriteInFileInZip(zip, entry.text.data(), static_cast<unsigned>(entry.text.size())), ZIP_OK);
    zipCloseFileInZip(zip);
  }
  zipClose(zip, nullptr);
  return read_file(path);
}

// The digests of the packages that are unpacked in a PackageStore's directory.
inline std::set<std::string> unpacked_in(const std::filesystem::path& directory) {
  std::set<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::string name = entry.path().filename();
    if (entry.is_directory() && !name.starts_with("fresh")) result.insert(std::move(name));
  }
  return result;
}

// How many blobs there are.
inline size_t blobs_in(const std::filesystem::path& directory) {
  size_t count = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, none)) count += entry.is_regular_file();
  return count;
}

// Runs a task to its end on a loop of its own; rethrows what it throws.
template <class T>
T run_on(net::Loop& loop, Task<T> task) {
  std::conditional_t<std::is_void_v<T>, std::optional<int>, std::optional<T>> result;
  std::exception_ptr error;
  base::Scope scope;
  const auto run = [&](Task<T> inner) -> Task<void> {
    try {
      if constexpr (std::is_void_v<T>) {
        co_await std::move(inner);
        result = 0;
      } else {
        result.emplace(co_await std::move(inner));
      }
    } catch (...) {
      error = std::current_exception();
    }
    loop.stop();
  };
  loop.post([&] { scope.spawn(run(std::move(task))); });
  loop.run();
  if (error) std::rethrow_exception(error);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace tidemill::lambda
