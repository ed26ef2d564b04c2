#include "engine/workers/scratch_removal.h"

#include <system_error>
#include <utility>

#include "base/log.h"

namespace tidemill::engine {

namespace fs = std::filesystem;

namespace {

// Links are not followed. What is not ours stays as it is.
void make_writable(const fs::path& directory) {
  std::error_code ignored;
  const auto open_up = [&](const fs::path& path) {
    fs::permissions(path, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, ignored);
  };
  if (!fs::is_directory(fs::symlink_status(directory, ignored))) return;
  open_up(directory);
  std::error_code error;
  // Each is met before what is in it.
  for (fs::recursive_directory_iterator entry(directory, fs::directory_options::skip_permission_denied, error), end;
       !error && entry != end; entry.increment(error)) {
    if (fs::is_directory(entry->symlink_status(ignored))) open_up(entry->path());
  }
}

std::error_code try_to_remove(const fs::path& directory) {
  std::error_code error;
  fs::remove_all(directory, error);
  if (error != std::errc::permission_denied) return error;
  make_writable(directory);
  fs::remove_all(directory, error);
  return error;
}

}  // namespace

void ScratchRemoval::try_all(Left& left, std::vector<fs::path> directories, bool is_first) {
  for (fs::path& directory : directories) {
    const std::error_code error = try_to_remove(directory);
    const std::lock_guard lock(left.mutex);
    --left.under_way;
    if (!error) continue;
    if (is_first) {
      base::log_warning("directory_not_removed", {{"path", directory.string()}, {"reason", error.message()}});
    }
    if (left.directories.size() < kLeftMax) left.directories.push_back(std::move(directory));
  }
}

std::vector<fs::path> ScratchRemoval::take_left(Left& left) {
  const std::lock_guard lock(left.mutex);
  left.under_way += left.directories.size();
  return std::exchange(left.directories, {});
}

void ScratchRemoval::remove(fs::path directory, base::Function then) {
  {
    const std::lock_guard lock(left_->mutex);
    ++left_->under_way;
  }
  disk_.post([left = left_, directory = std::move(directory), then = std::move(then)]() mutable {
    std::vector<fs::path> before = take_left(*left);
    try_all(*left, {std::move(directory)}, true);
    then();
    try_all(*left, std::move(before), false);
  });
}

std::vector<fs::path> ScratchRemoval::empty(const fs::path& scratch) {
  std::vector<fs::path> left;
  std::error_code error;
  for (fs::directory_iterator entry(scratch, error), end; !error && entry != end; entry.increment(error)) {
    if (try_to_remove(entry->path())) left.push_back(entry->path());
  }
  for (const fs::path& directory : left) remove(directory, [] {});
  return left;
}

void ScratchRemoval::retry() {
  disk_.post([left = left_] { try_all(*left, take_left(*left), false); });
}

size_t ScratchRemoval::left() const {
  const std::lock_guard lock(left_->mutex);
  return left_->directories.size() + left_->under_way;
}

std::function<double()> ScratchRemoval::counter() const {
  return [left = left_] {
    const std::lock_guard lock(left->mutex);
    return static_cast<double>(left->directories.size());
  };
}

}  // namespace tidemill::engine
