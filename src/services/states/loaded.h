// Executions in memory as they stand between two changes.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "services/states/execution.h"
#include "services/states/live.h"

namespace tidemill::states {

inline constexpr size_t kLoadedMax = 512;                    // executions
inline constexpr size_t kLoadedBytesMax = size_t{16} << 20;  // of them, roughly, as text; one may be larger

struct Loaded {
  Live live;
  ExecutionRecord record;
  bool has_log = false;  // its machine tells CloudWatch Logs what it does
  size_t bytes = 0;      // of the documents on hand, about, as text, or of what its last change has told
};

// Executions as they stood when they were changed last: one of which many tasks run, or that has a large input, is not
// read and parsed for each of its changes. Any thread.
class LoadedCache {
 public:
  // Null: it is not there, or has another head by now.
  [[nodiscard]] std::unique_ptr<Loaded> take(const ExecutionId& id, std::string_view head_bytes);
  // Those that have ended are not kept. Gives back what is kept no longer.
  [[nodiscard]] std::vector<std::unique_ptr<Loaded>> keep(std::unique_ptr<Loaded> loaded);

 private:
  struct Entry {
    std::unique_ptr<Loaded> loaded;
    size_t bytes = 0;
  };
  using Entries = std::list<Entry>;
  void drop(Entries::iterator entry, Entries& dropped);

  std::mutex mutex_;
  Entries entries_;  // the one used last comes last
  std::unordered_map<std::string, Entries::iterator> by_id_;
  size_t bytes_ = 0;
};

}  // namespace tidemill::states
