// For simulations: whether what happened to a mapping's records (delivery_history.h) is what a mapping promises,
// against the logs as they are at the end.
//
// What is checked, per mapping and shard:
// - a batch is within the batch size and in the order of the log; of its lane nothing is left out in between;
// - a key's records are delivered in order: none while an earlier one is unfinished or in flight; what was finished
//   never comes again without a crash; records that a filter leaves out never come;
// - the same batch is tried at most MaximumRetryAttempts + 1 times, and only then, or when it expires, left behind;
// - a shard is read when its parents are finished;
// - a crash, and a shard's passing to another process, rewinds to the checkpoint on disk and nowhere else, the checkpoint
//   never calls finished what was not, and no more is forgotten than the batches under way and the last attempt; what a
//   process that has lost the shard still has in flight counts for nothing;
// - at the end nothing is left over: every record was either finished by the function or is in exactly one failure
//   document, if there is a destination, with the number of its invocations.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/mappings/delivery_history.h"

namespace tidemill::engine {

class DeliveryJudge {
 public:
  using Known = DeliveryHistory::Known;
  using Event = DeliveryHistory::Event;
  using LogRecord = DeliveryHistory::LogRecord;
  using Logs = DeliveryHistory::Logs;
  // A failure document, with the records it is about.
  struct Document {
    std::string mapping;
    std::string condition;
    int64_t invocations = 0;
    std::vector<std::string> records;
  };
  // Whether a record passes the mapping's filters.
  using Wants = std::function<bool(const std::string& uuid, const std::string& record)>;

  using Parents = std::map<std::string, std::vector<std::string>>;  // of shards that have any

  // All outlive the judge.
  DeliveryJudge(const DeliveryHistory& history, const Logs& logs, base::Time now,
                const std::vector<Document>& documents, const Wants& wants, const Parents& parents)
      : history_(history), logs_(logs), now_(now), documents_(documents), wants_(wants), parents_(parents) {
    for (const auto& [shard, records] : logs) {
      for (size_t i = 0; i < records.size(); ++i) places_[records[i].id] = {shard, i};
    }
  }

  // What went wrong, in words; empty if nothing did.
  std::vector<std::string> run() {
    for (const Event& event : history_.events()) {
      event_ = &event;
      switch (event.kind) {
        case Event::Kind::boot:
          boot();
          break;
        case Event::Kind::call:
          call();
          break;
        case Event::Kind::end:
          end();
          break;
      }
    }
    event_ = nullptr;
    judge_documents();
    for (const auto& [uuid, known] : history_.mappings()) {
      for (const auto& [shard, records] : logs_) judge_end(uuid, shard);
    }
    return std::move(violations_);
  }

 private:
  struct Progress {
    std::vector<bool> done;       // the function has finished the record, or a checkpoint says so
    std::vector<bool> succeeded;  // the function has finished it
    std::vector<bool> excused;    // the mapping began behind it
    std::vector<bool> given_up;   // its batch may have been given up: all its attempts have failed
    std::set<std::string> busy;   // keys in flight
    std::vector<bool> in_flight;
    std::map<std::string, uint32_t> tries_at_least;  // failed ones, by batch; less what crashes may have forgotten
    std::map<std::string, uint32_t> tries_at_most;   // by record
  };
  struct Call {
    std::string mapping;
    std::string shard;
    std::vector<size_t> records;
  };

  void blame(const std::string& uuid, const std::string& shard, const std::string& what) {
    std::string text = "mapping " + uuid + " shard " + shard + ": " + what;
    if (event_ != nullptr) text += " (event " + std::to_string(event_ - history_.events().data()) + ")";
    violations_.push_back(std::move(text));
  }

  Progress& progress(const std::string& uuid, const std::string& shard) {
    Progress& progress = progress_[{uuid, shard}];
    const size_t size = logs_.at(shard).size();
    progress.done.resize(size);
    progress.succeeded.resize(size);
    progress.excused.resize(size);
    progress.given_up.resize(size);
    progress.in_flight.resize(size);
    return progress;
  }

  const Known& known(const std::string& uuid) const { return history_.mappings().at(uuid); }

  bool is_expired(const std::string& uuid, const LogRecord& record, base::Time at) const {
    const int seconds = known(uuid).mapping.record_age_seconds_max;
    return at - record.arrival >= (seconds < 0 ? std::chrono::hours(24) : std::chrono::seconds(seconds));
  }

  // Whether nobody needs to deliver the record at that time (any more).
  bool is_settled(const std::string& uuid, const std::string& shard, size_t index, base::Time at) {
    const Progress& now = progress(uuid, shard);
    const LogRecord& record = logs_.at(shard)[index];
    return now.done[index] || now.given_up[index] || is_expired(uuid, record, at) || !wants_(uuid, record.id);
  }

  void boot() {
    const std::string& uuid = event_->mapping;
    const bool is_first = booted_.insert(uuid).second;
    for (const auto& [shard, records] : logs_) {
      if (!event_->shard.empty() && event_->shard != shard) continue;
      Progress& now = progress(uuid, shard);
      const auto found = event_->checkpoints.find({uuid, shard});
      const Checkpoint checkpoint = found == event_->checkpoints.end() ? Checkpoint{} : found->second;
      size_t forgotten = 0;
      for (size_t i = 0; i < records.size(); ++i) {
        const bool finished = checkpoint.is_finished(records[i].position, records[i].key);
        if (finished && !is_first && !is_settled(uuid, shard, i, event_->time)) {
          blame(uuid, shard, "checkpoint on disk calls " + records[i].id + " finished, which it is not");
        }
        if (!finished && now.done[i] && wants_(uuid, records[i].id)) ++forgotten;
        now.done[i] = finished;
        if (is_first) now.excused[i] = finished;
        if (!finished) now.given_up[i] = now.succeeded[i] = false;
      }
      const size_t forgotten_max = 2 * static_cast<size_t>(kLanesMax) * static_cast<size_t>(known(uuid).batch_size_max);
      if (forgotten > forgotten_max) blame(uuid, shard, "forgot " + std::to_string(forgotten) + " records");
      now.busy.clear();
      now.in_flight.assign(records.size(), false);
      for (auto& [batch, tries] : now.tries_at_least) tries -= std::min<uint32_t>(tries, 1);
      judge_attempts(uuid, shard, checkpoint);
    }
    std::erase_if(calls_, [&](const auto& entry) {
      return entry.second.mapping == uuid && (event_->shard.empty() || entry.second.shard == event_->shard);
    });
  }

  // The count on disk is not above what there was, and not more than one below it.
  void judge_attempts(const std::string& uuid, const std::string& shard, const Checkpoint& checkpoint) {
    const auto& records = logs_.at(shard);
    for (const LaneProgress& lane : checkpoint.lanes) {
      if (lane.pieces.empty() || lane.pieces.front().attempts == 0) continue;
      size_t first = 0;
      while (first < records.size() &&
             (records[first].position <= lane.done || lane_of(records[first].key, lane.lane_count) != lane.lane ||
              !wants_(uuid, records[first].id))) {
        ++first;
      }
      if (first == records.size()) continue;
      const uint32_t most = progress(uuid, shard).tries_at_most[records[first].id];
      if (lane.pieces.front().attempts > most && !is_any_expired(uuid, shard)) {
        blame(uuid, shard, "checkpoint counts more attempts than there were");
      }
    }
  }
  // Then a batch may have begun before the first record that is left of it.
  bool is_any_expired(const std::string& uuid, const std::string& shard) const {
    const auto& records = logs_.at(shard);
    return !records.empty() && is_expired(uuid, records.front(), event_->time);
  }

  void call() {
    const std::string& uuid = event_->mapping;
    if (event_->records.empty()) return blame(uuid, "?", "was delivered nothing");
    const auto place = places_.find(event_->records.front());
    if (place == places_.end()) {
      return blame(uuid, "?", "was delivered " + event_->records.front() + ", which is not there");
    }
    const std::string& shard = place->second.first;
    Progress& now = progress(uuid, shard);
    Call call{uuid, shard, {}};
    for (const std::string& id : event_->records) {
      const auto at = places_.find(id);
      if (at == places_.end() || at->second.first != shard)
        return blame(uuid, shard, "was delivered " + id + ", of another shard");
      const size_t index = at->second.second;
      if (!call.records.empty() && index <= call.records.back()) blame(uuid, shard, id + " is out of order");
      if (now.done[index]) blame(uuid, shard, "was delivered " + id + " again without a crash");
      if (!wants_(uuid, id)) blame(uuid, shard, "was delivered " + id + ", which is filtered out");
      call.records.push_back(index);
    }
    if (call.records.size() > static_cast<size_t>(known(uuid).batch_size_max)) blame(uuid, shard, "batch is too large");
    judge_order(uuid, call);
    judge_parents(uuid, call.shard);
    judge_lane(uuid, call);
    judge_tries(uuid, call);
    for (const size_t index : call.records) {
      now.busy.insert(logs_.at(shard)[index].key);
      now.in_flight[index] = true;
    }
    calls_[static_cast<size_t>(event_ - history_.events().data())] = std::move(call);
  }

  void judge_order(const std::string& uuid, const Call& call) {
    const auto& records = logs_.at(call.shard);
    const std::set<size_t> in_batch(call.records.begin(), call.records.end());
    std::set<std::string> keys;
    for (const size_t index : call.records) keys.insert(records[index].key);
    for (const std::string& key : keys) {
      if (progress(uuid, call.shard).busy.contains(key)) blame(uuid, call.shard, key + " is in flight twice");
    }
    for (size_t i = 0; i < call.records.back(); ++i) {
      if (!keys.contains(records[i].key) || in_batch.contains(i) || is_settled(uuid, call.shard, i, event_->time))
        continue;
      // Only records before the batch's last of that key count.
      const auto later = std::ranges::any_of(
          call.records, [&](size_t index) { return index > i && records[index].key == records[i].key; });
      if (later) blame(uuid, call.shard, "was delivered records of " + records[i].key + " before " + records[i].id);
    }
  }

  // A shard's turn comes when its parents are read to their end.
  void judge_parents(const std::string& uuid, const std::string& shard) {
    const auto found = parents_.find(shard);
    if (found == parents_.end()) return;
    for (const std::string& parent : found->second) {
      for (size_t i = 0; i < logs_.at(parent).size(); ++i) {
        if (is_settled(uuid, parent, i, event_->time)) continue;
        blame(uuid, shard, "was read before " + logs_.at(parent)[i].id + " of its parent");
        return;
      }
      judge_parents(uuid, parent);
    }
  }

  // Nothing of the lane is left out between the batch's records, and the lane has nothing else in flight.
  void judge_lane(const std::string& uuid, const Call& call) {
    if (known(uuid).lanes_change) return;
    const auto& records = logs_.at(call.shard);
    const auto lanes = static_cast<uint8_t>(known(uuid).mapping.parallelization_factor);
    const uint8_t lane = lane_of(records[call.records.front()].key, lanes);
    const std::set<size_t> in_batch(call.records.begin(), call.records.end());
    for (size_t i = 0; i < records.size(); ++i) {
      if (lane_of(records[i].key, lanes) != lane) {
        if (in_batch.contains(i)) blame(uuid, call.shard, "mixes lanes");
        continue;
      }
      if (progress(uuid, call.shard).in_flight[i]) blame(uuid, call.shard, "has two batches of a lane in flight");
      if (i < call.records.back() && !in_batch.contains(i) && !is_settled(uuid, call.shard, i, event_->time)) {
        blame(uuid, call.shard, "lost " + records[i].id);
      }
    }
  }

  static std::string name_of(const Call& call) {
    std::string name;
    for (const size_t index : call.records) name += std::to_string(index) + " ";
    return name;
  }

  void judge_tries(const std::string& uuid, const Call& call) {
    const int retries = known(uuid).mapping.retry_attempts_max;
    if (retries < 0) return;
    if (progress(uuid, call.shard).tries_at_least[name_of(call)] > static_cast<uint32_t>(retries) &&
        !known(uuid).lanes_change) {
      blame(uuid, call.shard, "was tried once too often");
    }
  }

  void end() {
    const std::string& uuid = event_->mapping;
    const auto found = calls_.find(event_->call);
    if (found == calls_.end()) return;
    const Call call = std::move(found->second);
    calls_.erase(found);
    Progress& now = progress(uuid, call.shard);
    const auto& records = logs_.at(call.shard);
    for (const size_t index : call.records) {
      now.busy.erase(records[index].key);
      now.in_flight[index] = false;
    }
    const size_t finished = event_->status == InvokeStatus::ok ? std::min(event_->finished, call.records.size()) : 0;
    for (size_t i = 0; i < finished; ++i) now.done[call.records[i]] = now.succeeded[call.records[i]] = true;
    if (finished > 0) return;
    if (event_->status != InvokeStatus::ok && event_->status != InvokeStatus::function_error) return;
    const Mapping& mapping = known(uuid).mapping;
    if (mapping.bisect_on_error && call.records.size() > 1) return;
    ++now.tries_at_least[name_of(call)];
    // A batch whose first records have expired goes on with the tries that it had with them.
    for (const size_t index : call.records) ++now.tries_at_most[records[index].id];
    const uint32_t tries = now.tries_at_most[records[call.records.front()].id];
    if (mapping.retry_attempts_max < 0 || tries <= static_cast<uint32_t>(mapping.retry_attempts_max)) return;
    for (const size_t index : call.records) now.given_up[index] = true;
  }

  void judge_documents() {
    for (const Document& document : documents_) {
      const auto known = history_.mappings().find(document.mapping);
      if (known == history_.mappings().end()) continue;
      const int retries = known->second.mapping.retry_attempts_max;
      if (document.condition == "RetryAttemptsExhausted" && document.invocations != retries + 1) {
        blame(document.mapping, "?", "a document tells of " + std::to_string(document.invocations) + " invocations");
      }
      for (const std::string& id : document.records) ++documented_[{document.mapping, id}];
    }
  }

  void judge_end(const std::string& uuid, const std::string& shard) {
    const Mapping& mapping = known(uuid).mapping;
    const auto& records = logs_.at(shard);
    const Progress& now = progress(uuid, shard);
    for (size_t i = 0; i < records.size(); ++i) {
      const auto documented = documented_.find({uuid, records[i].id});
      const int times = documented == documented_.end() ? 0 : documented->second;
      if (times > 1) blame(uuid, shard, records[i].id + " is in several failure documents");
      if (now.succeeded[i] && times > 0) blame(uuid, shard, records[i].id + " succeeded and is in a failure document");
      if (now.succeeded[i] || now.excused[i] || !wants_(uuid, records[i].id)) continue;
      if (!mapping.failure_destination.empty() && times == 0) {
        blame(uuid, shard, records[i].id + " was neither finished nor is it in a failure document");
      } else if (!is_settled(uuid, shard, i, now_)) {
        blame(uuid, shard, records[i].id + " was not finished");
      }
    }
  }

  const DeliveryHistory& history_;
  const Logs& logs_;
  const base::Time now_;
  const std::vector<Document>& documents_;
  const Wants& wants_;
  const Parents& parents_;
  const Event* event_ = nullptr;
  std::map<std::string, std::pair<std::string, size_t>> places_;      // of a record: its shard, its index
  std::map<std::pair<std::string, std::string>, Progress> progress_;  // by mapping and shard
  std::set<std::string> booted_;
  std::map<size_t, Call> calls_;  // in flight
  std::map<std::pair<std::string, std::string>, int> documented_;
  std::vector<std::string> violations_;
};

// What went wrong, in words; empty if nothing did.
[[nodiscard]] inline std::vector<std::string> judge(
    const DeliveryHistory& history, const DeliveryHistory::Logs& logs, base::Time now,
    const std::vector<DeliveryJudge::Document>& documents = {},
    const DeliveryJudge::Wants& wants = [](const std::string&, const std::string&) { return true; },
    const DeliveryJudge::Parents& parents = {}) {
  return DeliveryJudge(history, logs, now, documents, wants, parents).run();
}

}  // namespace tidemill::engine
