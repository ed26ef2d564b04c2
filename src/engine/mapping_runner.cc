#include "engine/mapping_runner.h"

#include <algorithm>

namespace tidemill::engine {

namespace {

// Whether a shard's turn has come: all parents that are still listed were read to their end.
bool parents_finished(const StreamShard& shard, const std::vector<StreamShard>& listed,
                      const std::map<std::string, Checkpoint>& checkpoints) {
  return std::ranges::all_of(shard.parents, [&](const std::string& parent) {
    const auto checkpoint = checkpoints.find(parent);
    if (checkpoint != checkpoints.end() && checkpoint->second.shard_finished) return true;
    return std::ranges::none_of(listed, [&](const StreamShard& other) { return other.shard_id == parent; });
  });
}

}  // namespace

MappingRunner::~MappingRunner() { polling_.clear(); }

Task<void> MappingRunner::run() {
  co_await load_result();
  co_await StateRunner::run();
}

void MappingRunner::reconsider() {
  for (const auto& [id, poller] : pollers_) poller->reconsider();
}

Task<void> MappingRunner::poll() {
  if (!watch_) {
    watch_ = run_.source.watch_shards(run_.config->event_source_arn, [changed = run_.changed] { changed.signal(); });
  }
  co_await start_shards();
}

Task<void> MappingRunner::stop() {
  watch_.reset();
  if (state() != MappingState::deleting) co_await stop_shards();
  if (state() != MappingState::deleting) co_return;
  polling_.clear();
  pollers_.clear();
}

// ---- shards -----------------------------------------------------------------------------------------------------

Task<void> MappingRunner::start_shards() {
  reap();
  const auto config = run_.config;  // an update may replace it meanwhile
  const std::string& arn = config->event_source_arn;
  const std::vector<StreamShard> listed = co_await run_.source.shards(arn);
  if (listed.empty() && !co_await run_.source.exists(arn)) co_await store_result(kProblemSource);

  const std::map<std::string, Checkpoint> checkpoints = co_await load_checkpoints();
  for (const StreamShard& shard : listed) {
    const auto running = pollers_.find(shard.shard_id);
    if (running != pollers_.end()) {
      running->second->shard_listed(shard);
      continue;
    }
    const auto found = checkpoints.find(shard.shard_id);
    Checkpoint checkpoint = found == checkpoints.end() ? Checkpoint{} : found->second;
    // One that is open was not the one that was finished: the stream has been made again under its name.
    if (!shard.closed) checkpoint.shard_finished = false;
    if (checkpoint.shard_finished || !parents_finished(shard, listed, checkpoints)) continue;
    auto window = co_await load_window(shard.shard_id);
    auto& poller = pollers_[shard.shard_id];
    poller = std::make_unique<ShardPoller>(run_, shard, std::move(checkpoint), std::move(window));
    polling_.spawn(poller->poll());
  }
  // A shard that is not listed any more, its records trimmed or its stream gone, gets no more records either.
  for (const auto& [id, poller] : pollers_) {
    if (std::ranges::none_of(listed, [&](const StreamShard& shard) { return shard.shard_id == id; })) {
      poller->shard_closed();
    }
  }
  co_await forget_shards(listed, checkpoints);
}

// Erases the checkpoints of shards that are no more.
Task<void> MappingRunner::forget_shards(const std::vector<StreamShard>& listed,
                                        const std::map<std::string, Checkpoint>& known) {
  std::vector<std::string> gone;
  for (const auto& [id, checkpoint] : known) {
    const bool is_listed =
        std::ranges::any_of(listed, [&](const StreamShard& shard) { return shard.shard_id == id; });
    if (is_listed || pollers_.contains(id)) continue;
    gone.push_back(checkpoint_key(run_.config->uuid, id));
    gone.push_back(window_key(run_.config->uuid, id));
  }
  if (gone.empty()) co_return;
  co_await run_.store.transact([&](store::Transaction& txn) -> Task<void> {
    for (const std::string& key : gone) txn.erase(key);
    co_return;
  });
}

// Waits for the invocations under way, so that disabling delivers nothing twice; a deletion does not wait.
Task<void> MappingRunner::stop_shards() {
  for (const auto& [id, poller] : pollers_) poller->stop();
  for (reap(); !pollers_.empty() && state() != MappingState::deleting; reap()) co_await run_.changed;
}

// Forgets the pollers that have ended, except those whose store failed: they would fail again.
void MappingRunner::reap() {
  std::erase_if(pollers_, [&](const auto& entry) {
    const ShardPoller::State state = entry.second->state();
    return state == ShardPoller::State::finished || state == ShardPoller::State::stopped;
  });
}

// ---- what is stored ---------------------------------------------------------------------------------------------

Task<std::map<std::string, Checkpoint>> MappingRunner::load_checkpoints() {
  std::map<std::string, Checkpoint> checkpoints;
  co_await run_.store.snapshot()->scan(
      all_checkpoints(run_.config->uuid), store::Direction::forward,
      [&](std::string_view key, std::string_view value) {
        const auto checkpoint = decode_checkpoint(value);
        if (!checkpoint) throw std::runtime_error("a checkpoint is damaged");
        checkpoints[checkpoint_shard(key)] = *checkpoint;
        return true;
      });
  co_return checkpoints;
}

Task<std::optional<OpenWindow>> MappingRunner::load_window(const std::string& shard_id) {
  const auto stored = co_await run_.store.snapshot()->get(window_key(run_.config->uuid, shard_id));
  if (!stored) co_return std::nullopt;
  auto window = decode_window(*stored);
  if (!window) throw std::runtime_error("a window's state is damaged");
  co_return window;
}

Task<void> MappingRunner::load_result() {
  const auto stored = co_await run_.store.snapshot()->get(result_key(run_.config->uuid));
  if (stored) run_.last_result = *stored;
}

Task<void> MappingRunner::store_result(std::string_view result) {
  if (run_.last_result == result) co_return;
  run_.last_result = result;
  co_await run_.store.transact([uuid = run_.config->uuid, text = std::string(result)](
                                   store::Transaction& txn) -> Task<void> {
    if (co_await txn.get(mapping_key(uuid))) txn.put(result_key(uuid), text);
  });
}

}  // namespace tidemill::engine
