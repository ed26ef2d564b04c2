// Carries out queries, some at a time, as work that gives way. One that was running when the process died begins anew.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/ownership.h"
#include "services/logs/query_record.h"

namespace tidemill::logs {

class Service;

// What is known of queries that run here. Any thread.
class RunningQueries {
 public:
  struct Progress {
    std::atomic<bool> is_stopped = false;
    std::atomic<int64_t> matched = 0;
    std::atomic<int64_t> scanned = 0;
    std::atomic<int64_t> bytes = 0;
    std::atomic<int64_t> groups = 0;

    [[nodiscard]] QueryStatisticsRecord statistics() const { return {matched, scanned, bytes, groups}; }
  };

  [[nodiscard]] std::shared_ptr<Progress> begin(const std::string& key);
  void end(const std::string& key);
  // Null: it does not run here.
  [[nodiscard]] std::shared_ptr<Progress> find(const std::string& key);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Progress>> running_;  // by the query's key
};

// The handler of kQueryTimer.
Task<void> go_on_with_query(Service& service, const store::Timer& timer, std::shared_ptr<const engine::Tenure> tenure);

}  // namespace tidemill::logs
