#include "engine/workers/scratch_removal.h"

#include <system_error>
#include <utility>

#include "base/log.h"

namespace tidemill::engine {

namespace fs = std::filesystem;

void ScratchRemoval::try_all(Left& left, std::vector<fs::path> directories, bool is_first) {
  for (fs::path& directory : directories) {
    std::error_code error;
    fs::remove_all(directory, error);
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
