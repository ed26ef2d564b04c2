// For simulations: what happened to a mapping's batches, and whether that is what a mapping promises. The history is
// written while the simulation runs and judged at its end, against the logs as they then are.
//
// What is checked, per mapping and shard:
// - a batch is a contiguous piece of the log, within the batch size, and no two are in flight at once;
// - a batch begins where the last one ended, except that expired records may be skipped; so nothing is left out,
//   nothing finished comes again, and the order of the log, and with it of every item, holds;
// - what failed is tried again as it was (or shortened by a smaller BatchSize), and at most MaximumRetryAttempts + 1
//   times; only then may it be left behind;
// - a crash rewinds to the checkpoint on disk and nowhere else, the checkpoint is never ahead of what was finished,
//   and no more than the last attempt is forgotten;
// - at the end nothing is left over.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/invoker.h"
#include "engine/mapping.h"

namespace tidemill::engine {

class DeliveryHistory {
 public:
  struct LogRecord {
    std::string id;
    store::Position position;
    base::Time arrival;
  };
  using Logs = std::map<std::string, std::vector<LogRecord>>;                      // by shard
  using Checkpoints = std::map<std::pair<std::string, std::string>, Checkpoint>;  // by mapping and shard

  // The mapping exists from now on. Its options other than batch size and window must not change.
  void created(const Mapping& mapping, base::Time now, Checkpoints start) {
    mappings_[mapping.uuid] = mapping;
    events_.push_back({Event::Kind::boot, mapping.uuid, now, {}, {}, 0, std::move(start)});
  }
  // The function was entered. Returns the call, for ended().
  size_t called(const std::string& uuid, base::Time now, std::vector<std::string> records) {
    events_.push_back({Event::Kind::call, uuid, now, std::move(records), {}, 0, {}});
    return events_.size() - 1;
  }
  void ended(size_t call, base::Time now, InvokeStatus status) {
    const std::string uuid = events_[call].mapping;
    events_.push_back({Event::Kind::end, uuid, now, {}, status, call, {}});
  }
  // The process was killed; these checkpoints were on disk.
  void crashed(base::Time now, const Checkpoints& checkpoints) {
    for (const auto& [uuid, mapping] : mappings_) {
      events_.push_back({Event::Kind::boot, uuid, now, {}, {}, 0, checkpoints});
    }
  }

  [[nodiscard]] size_t calls() const { return events_.size(); }

  // What went wrong, in words; empty if nothing did.
  [[nodiscard]] std::vector<std::string> judge(const Logs& logs, base::Time now) const {
    return Judge(*this, logs, now).run();
  }

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

 private:
  struct Event {
    enum class Kind { boot, call, end };
    Kind kind;
    std::string mapping;
    base::Time time;
    std::vector<std::string> records;
    std::optional<InvokeStatus> status;
    size_t call = 0;
    Checkpoints checkpoints;
  };

  class Judge {
   public:
    Judge(const DeliveryHistory& history, const Logs& logs, base::Time now)
        : history_(history), logs_(logs), now_(now) {
      for (const auto& [shard, records] : logs) {
        for (size_t i = 0; i < records.size(); ++i) places_[records[i].id] = {shard, i};
      }
    }

    std::vector<std::string> run() {
      for (const Event& event : history_.events_) {
        event_ = &event;
        switch (event.kind) {
          case Event::Kind::boot: boot(); break;
          case Event::Kind::call: call(); break;
          case Event::Kind::end: end(); break;
        }
      }
      event_ = nullptr;
      for (const auto& [uuid, mapping] : history_.mappings_) {
        for (const auto& [shard, records] : logs_) {
          Lane& lane = lanes_[{uuid, shard}];
          if (lane.next < records.size() && !expired(uuid, shard, lane.next, records.size(), now_)) {
            blame(uuid, shard, "was not finished from " + records[lane.next].id + " on");
          }
        }
      }
      return std::move(violations_);
    }

   private:
    struct Lane {
      size_t next = 0;      // index of the first record that is not finished
      uint32_t attempts = 0;
      size_t trying = 0;    // index behind the failed batch
      bool in_flight = false;
      size_t first = 0;
      size_t last = 0;
    };

    void blame(const std::string& uuid, const std::string& shard, const std::string& what) {
      std::string text = "mapping " + uuid + " shard " + shard + ": " + what;
      if (event_ != nullptr) text += " (event " + std::to_string(event_ - history_.events_.data()) + ")";
      violations_.push_back(std::move(text));
    }

    bool expired(const std::string& uuid, const std::string& shard, size_t begin, size_t end, base::Time at) const {
      const int seconds = history_.mappings_.at(uuid).record_age_seconds_max;
      const base::Duration age_max = seconds < 0 ? std::chrono::hours(24) : std::chrono::seconds(seconds);
      const auto& records = logs_.at(shard);
      for (size_t i = begin; i < end; ++i) {
        if (at - records[i].arrival < age_max) return false;
      }
      return true;
    }

    size_t index_after(const std::string& shard, store::Position position) const {
      const auto& records = logs_.at(shard);
      size_t index = 0;
      while (index < records.size() && records[index].position <= position) ++index;
      return index;
    }

    void boot() {
      const std::string& uuid = event_->mapping;
      for (const auto& [shard, records] : logs_) {
        Lane& lane = lanes_[{uuid, shard}];
        const auto found = event_->checkpoints.find({uuid, shard});
        const Checkpoint checkpoint = found == event_->checkpoints.end() ? Checkpoint{} : found->second;
        const size_t next = index_after(shard, checkpoint.done);
        const bool first_boot = known_.insert({uuid, shard}).second;
        if (!first_boot && next > lane.next && !expired(uuid, shard, lane.next, next, event_->time)) {
          blame(uuid, shard, "checkpoint on disk is ahead of what was finished");
        }
        if (!first_boot && next == lane.next && lane.attempts > 0 &&
            (checkpoint.attempts > lane.attempts || checkpoint.attempts + 1 < lane.attempts)) {
          blame(uuid, shard, "checkpoint has " + std::to_string(checkpoint.attempts) + " attempts of " +
                                 std::to_string(lane.attempts));
        }
        lane = Lane{.next = next, .attempts = checkpoint.attempts};
        if (checkpoint.attempts > 0) lane.trying = index_after(shard, checkpoint.trying);
      }
    }

    void call() {
      const std::string& uuid = event_->mapping;
      if (event_->records.empty()) return blame(uuid, "?", "was delivered nothing");
      const auto place = places_.find(event_->records.front());
      if (place == places_.end()) {
        return blame(uuid, "?", "was delivered " + event_->records.front() + ", which is not there");
      }
      const auto& [shard, first] = place->second;
      for (size_t i = 0; i < event_->records.size(); ++i) {
        const auto at = places_.find(event_->records[i]);
        if (at == places_.end() || at->second != std::pair(shard, first + i)) {
          return blame(uuid, shard, "was delivered " + event_->records[i] + " out of its place");
        }
      }
      judge_call(lanes_[{uuid, shard}], uuid, shard, first, first + event_->records.size() - 1);
    }

    void judge_call(Lane& lane, const std::string& uuid, const std::string& shard, size_t first, size_t last) {
      const Mapping& mapping = history_.mappings_.at(uuid);
      if (lane.in_flight) blame(uuid, shard, "has two batches in flight");
      if (first < lane.next) blame(uuid, shard, "was delivered " + event_->records.front() + " again without a crash");
      if (first > lane.next && !expired(uuid, shard, lane.next, first, event_->time)) {
        blame(uuid, shard, "lost records before " + event_->records.front());
      }
      if (event_->records.size() > static_cast<size_t>(mapping.batch_size)) blame(uuid, shard, "batch is too large");
      if (lane.attempts > 0 && first >= lane.trying) lane.attempts = 0;  // all of it expired
      if (lane.attempts > 0) {
        if (last >= lane.trying) blame(uuid, shard, "a failed batch grew");
        if (mapping.retry_attempts_max >= 0 && lane.attempts > static_cast<uint32_t>(mapping.retry_attempts_max)) {
          blame(uuid, shard, "was tried once too often");
        }
      }
      lane.in_flight = true;
      lane.next = lane.first = first;
      lane.last = last;
      calls_[static_cast<size_t>(event_ - history_.events_.data())] = shard;
    }

    void end() {
      const std::string& uuid = event_->mapping;
      const auto known = calls_.find(event_->call);
      if (known == calls_.end()) return;
      Lane& lane = lanes_[{uuid, known->second}];
      lane.in_flight = false;
      if (event_->status == InvokeStatus::ok) {
        lane.next = lane.last + 1;
        lane.attempts = 0;
      } else if (event_->status == InvokeStatus::function_error) {
        const int retries = history_.mappings_.at(uuid).retry_attempts_max;
        lane.trying = lane.last + 1;
        if (++lane.attempts > static_cast<uint32_t>(retries) && retries >= 0) {
          lane.next = lane.last + 1;
          lane.attempts = 0;
        }
      }
    }

    const DeliveryHistory& history_;
    const Logs& logs_;
    const base::Time now_;
    const Event* event_ = nullptr;
    std::map<std::string, std::pair<std::string, size_t>> places_;      // of a record: its shard, its index
    std::map<std::pair<std::string, std::string>, Lane> lanes_;         // by mapping and shard
    std::set<std::pair<std::string, std::string>> known_;
    std::map<size_t, std::string> calls_;                               // shard of each call
    std::vector<std::string> violations_;
  };

  std::map<std::string, Mapping> mappings_;
  std::vector<Event> events_;
};

}  // namespace tidemill::engine
