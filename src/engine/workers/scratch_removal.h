// Directories that processes of functions leave behind. To remove one takes descriptors, and a moment in which nobody writes
// there any more: what cannot be removed now is kept in mind and tried again, beside each that follows and whenever the pool
// looks after its processes. Directories that nobody may write to, as Go's cache of modules has them, are made writable.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/blocking_work.h"
#include "base/executor.h"

namespace tidemill::engine {

// Any thread. What it has begun goes on if it goes.
class ScratchRemoval {
 public:
  // Of more that could not be removed the server thinks no more until it starts, which empties all of its scratch.
  static constexpr size_t kLeftMax = 10'000;

  // `disk` does the work, and outlives this.
  explicit ScratchRemoval(base::BlockingWork& disk) : disk_(disk), left_(std::make_shared<Left>()) {}

  // `then` is called after the first attempt, however it ends, on the thread that made it.
  void remove(std::filesystem::path directory, base::Function then);
  // Removes what is in `scratch`, before it returns. What could not be removed is returned, and tried again as all else is.
  // Never throws for that.
  [[nodiscard]] std::vector<std::filesystem::path> empty(const std::filesystem::path& scratch);
  // Tries again what is left.
  void retry();
  // How many could not be removed yet, or have not been tried.
  [[nodiscard]] size_t left() const;
  // How many could not be removed yet, for a metric; may outlive this.
  [[nodiscard]] std::function<double()> counter() const;

 private:
  struct Left {
    std::mutex mutex;
    std::vector<std::filesystem::path> directories;
    size_t under_way = 0;
  };
  // Those of `directories` that could not be removed stay. `is_first`: nobody has been told of them.
  static void try_all(Left& left, std::vector<std::filesystem::path> directories, bool is_first);
  static std::vector<std::filesystem::path> take_left(Left& left);

  base::BlockingWork& disk_;
  const std::shared_ptr<Left> left_;
};

}  // namespace tidemill::engine
