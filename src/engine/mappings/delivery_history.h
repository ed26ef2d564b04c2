// For simulations: what happened to a mapping's records. Written while the simulation runs and judged at its end
// (delivery_judge.h).
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/invoker.h"
#include "engine/mappings/mapping.h"

namespace tidemill::engine {

class DeliveryHistory {
 public:
  struct LogRecord {
    std::string id;
    store::Position position;
    base::Time arrival;
    std::string key;  // the ordering key
  };
  using Logs = std::map<std::string, std::vector<LogRecord>>;                      // by shard
  using Checkpoints = std::map<std::pair<std::string, std::string>, Checkpoint>;  // by mapping and shard

  // The mapping exists from now on.
  void created(const Mapping& mapping, base::Time now, Checkpoints start) {
    mappings_[mapping.uuid] = {mapping, mapping.batch_size, false};
    events_.push_back({Event::Kind::boot, mapping.uuid, now, {}, {}, 0, 0, std::move(start)});
  }
  // The mapping's batch size, window or parallelization has become another.
  void updated(const Mapping& mapping) {
    Known& known = mappings_.at(mapping.uuid);
    known.batch_size_max = std::max(known.batch_size_max, mapping.batch_size);
    known.lanes_change |= known.mapping.parallelization_factor != mapping.parallelization_factor;
  }
  // The function was entered. Returns the call, for ended().
  size_t called(const std::string& uuid, base::Time now, std::vector<std::string> records) {
    events_.push_back({Event::Kind::call, uuid, now, std::move(records), {}, 0, 0, {}});
    return events_.size() - 1;
  }
  // `finished`: how many records from the front the function has reported done; all of them unless told. With ok and
  // none the whole batch has failed by report.
  void ended(size_t call, base::Time now, InvokeStatus status, size_t finished = SIZE_MAX) {
    const std::string uuid = events_[call].mapping;
    events_.push_back({Event::Kind::end, uuid, now, {}, status, call, finished, {}});
  }
  // The process was killed; these checkpoints were on disk.
  void crashed(base::Time now, const Checkpoints& checkpoints) {
    for (const auto& [uuid, mapping] : mappings_) {
      events_.push_back({Event::Kind::boot, uuid, now, {}, {}, 0, 0, checkpoints});
    }
  }

  // Another process works on the shard from now on; this was on disk.
  void taken_over(const std::string& uuid, const std::string& shard, base::Time now, const Checkpoint& checkpoint) {
    events_.push_back({Event::Kind::boot, uuid, now, {}, {}, 0, 0, {{{uuid, shard}, checkpoint}}, shard});
  }

  [[nodiscard]] size_t calls() const { return events_.size(); }

  // Everything that happened, for comparing two runs of one seed.
  [[nodiscard]] std::string transcript() const {
    std::string text;
    for (const Event& event : events_) {
      text += std::to_string(static_cast<int>(event.kind)) + " " + event.mapping + " " +
              std::to_string(event.time.time_since_epoch().count());
      for (const std::string& record : event.records) text += " " + record;
      text += "\n";
    }
    return text;
  }

  struct Known {
    Mapping mapping;
    int batch_size_max = 0;
    bool lanes_change = false;
  };
  struct Event {
    enum class Kind { boot, call, end };
    Kind kind;
    std::string mapping;
    base::Time time;
    std::vector<std::string> records;
    std::optional<InvokeStatus> status;
    size_t call = 0;
    size_t finished = 0;
    Checkpoints checkpoints;
    std::string shard;  // with boot: that one only; empty: all
  };
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] const std::map<std::string, Known>& mappings() const { return mappings_; }

 private:
  std::map<std::string, Known> mappings_;
  std::vector<Event> events_;
};

}  // namespace tidemill::engine
