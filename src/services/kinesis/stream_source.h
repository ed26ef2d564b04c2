// Data streams and their consumers as sources of event source mappings. Aggregated records come as the user records in
// them. A consumer is read as its stream is: what it has for itself on AWS, throughput, everybody has here.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/metrics.h"
#include "engine/mappings/stream_source.h"
#include "services/kinesis/service.h"

namespace tidemill::kinesis {

class UserRecordReader;

// The role of a function, by the function's ARN; empty if there is no such function.
using RoleOf = std::function<Task<std::string>(std::string function_arn)>;

// Any thread.
class KinesisStreamSource final : public engine::StreamSource {
 public:
  // All must outlive this. `platform` opens records that are encrypted; null: there are none.
  KinesisStreamSource(Service& service, base::Metrics& metrics, RoleOf role_of, wire::Platform* platform = nullptr);

  [[nodiscard]] bool owns(std::string_view arn) const override;
  Task<bool> exists(std::string_view arn) override;
  Task<std::vector<engine::StreamShard>> shards(std::string_view arn) override;
  Task<std::vector<engine::StreamRecord>> read(const engine::Mapping& mapping, std::string_view shard_id,
                                               store::Position after, size_t count_max, size_t bytes_max) override;
  [[nodiscard]] std::optional<engine::SequenceSpan> span_of(std::string_view sequence_number) const override;
  Task<store::Position> latest(std::string_view arn, std::string_view shard_id) override;
  store::Subscription watch_shard(std::string_view arn, std::string_view shard_id,
                                  std::function<void()> changed) override;
  store::Subscription watch_shards(std::string_view arn, std::function<void()> changed) override;
  [[nodiscard]] base::Duration retention(std::string_view arn) const override;

 private:
  static constexpr size_t kPlacesMax = 100'000;  // whose foreign records are noted; beyond, counting starts anew

  // What is asked for without waiting, as of the last time that the stream was looked at.
  struct Known {
    std::string stream_id;
    base::Duration retention;
  };

  Task<StreamPtr> find(store::Snapshot& snapshot, std::string arn);
  void note(const Stream& stream);
  // Up to where a mapping's records of a shard have been counted that belong to other shards.
  [[nodiscard]] store::Position noted_foreign(const std::string& place) const;
  void note_foreign(const std::string& place, const UserRecordReader& reader);
  [[nodiscard]] Known known(std::string_view arn) const;

  Service& service_;
  base::Counter& foreign_records_;
  RoleOf role_of_;
  wire::Platform* const platform_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;  // by the stream's ARN; those that mappings have
  std::unordered_map<std::string, store::Position> foreign_;  // by mapping and shard
};

}  // namespace tidemill::kinesis
