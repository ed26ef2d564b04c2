// Table streams as a source of event source mappings.
#pragma once

#include "base/blocking_work.h"
#include "engine/mappings/stream_source.h"
#include "services/dynamodb/stream.h"

namespace tidemill::dynamodb {

class DynamodbStreamSource final : public engine::StreamSource {
 public:
  // Both must outlive this.
  DynamodbStreamSource(store::Store& store, base::Clock& clock) : store_(store), clock_(clock) {}

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
  [[nodiscard]] base::Duration retention(std::string_view) const override { return kStreamRetention; }

 private:
  Task<std::optional<Stream>> find(store::Snapshot& snapshot, std::string_view arn) const;

  store::Store& store_;
  base::Clock& clock_;
  base::BlockingWork large_records_;
};

}  // namespace tidemill::dynamodb
