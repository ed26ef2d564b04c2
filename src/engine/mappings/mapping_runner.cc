#include "engine/mappings/mapping_runner.h"

#include <algorithm>

namespace tidemill::engine {

namespace {

// One that is open, or of another incarnation, was not the one that was finished: the stream has been made again under its
// name.
bool is_finished(const Checkpoint& checkpoint, const StreamShard& shard) {
  if (!checkpoint.shard_finished || !shard.closed) return false;
  return checkpoint.incarnation.empty() || checkpoint.incarnation == shard.incarnation;
}

// Whether a shard's turn has come: all parents that are still listed were read to their end.
bool parents_finished(const StreamShard& shard, const std::vector<StreamShard>& listed,
                      const std::map<std::string, Checkpoint>& checkpoints) {
  return std::ranges::all_of(shard.parents, [&](const std::string& parent) {
    const auto found = std::ranges::find(listed, parent, &StreamShard::shard_id);
    if (found == listed.end()) return true;
    const auto checkpoint = checkpoints.find(parent);
    return checkpoint != checkpoints.end() && is_finished(checkpoint->second, *found);
  });
}

}  // namespace

// A poller that is still polling when its shard goes is abandoned: its task before the poller, and that before the claim.
MappingRunner::~MappingRunner() = default;

void MappingRunner::reconsider() {
  for (const auto& [id, shard] : shards_) {
    if (shard.poller) shard.poller->reconsider();
  }
}

Task<void> MappingRunner::poll() {
  if (!is_result_loaded_) co_await load_result();
  const auto wake = [changed = run_.changed] { changed.signal(); };
  if (!watch_) watch_ = run_.source.watch_shards(run_.config->event_source_arn, wake);
  // What this process finishes it knows of.
  if (!watch_finished_ && run_.ownership.is_shared()) {
    watch_finished_ = run_.store.subscribe(shards_topic(run_.config->uuid), wake);
  }
  co_await start_shards();
}

Task<void> MappingRunner::stop() {
  watch_.reset();
  watch_finished_.reset();
  if (state() != MappingState::deleting) co_await stop_shards();
  if (state() != MappingState::deleting) co_return;
  shards_.clear();
}

// ---- shards -----------------------------------------------------------------------------------------------------

Task<void> MappingRunner::start_shards() {
  hand_on();
  reap(false);
  const auto config = run_.config;  // an update may replace it meanwhile
  const std::string& arn = config->event_source_arn;
  // Before the list: what has a checkpoint and is not listed then is gone, and not new.
  const std::map<std::string, Checkpoint> checkpoints = co_await load_checkpoints();
  const std::vector<StreamShard> listed = co_await run_.source.shards(arn);
  if (listed.empty() && !co_await run_.source.exists(arn)) co_await store_result(kProblemSource);

  for (const StreamShard& shard : listed) {
    const auto running = shards_.find(shard.shard_id);
    if (running != shards_.end() && running->second.poller) {
      running->second.poller->shard_listed(shard);
      continue;
    }
    const auto found = checkpoints.find(shard.shard_id);
    Checkpoint checkpoint = found == checkpoints.end() ? Checkpoint{} : found->second;
    if (is_finished(checkpoint, shard) || !parents_finished(shard, listed, checkpoints)) {
      shards_.erase(shard.shard_id);
      continue;
    }
    co_await start_shard(shard, std::move(checkpoint));
  }
  // A shard that is not listed any more, its records trimmed or its stream gone, gets no more records either.
  for (auto entry = shards_.begin(); entry != shards_.end();) {
    const auto& [id, shard] = *entry;
    const bool is_listed =
        std::ranges::any_of(listed, [&](const StreamShard& other) { return other.shard_id == entry->first; });
    if (!is_listed && shard.poller) shard.poller->shard_closed();
    entry = !is_listed && !shard.poller ? shards_.erase(entry) : std::next(entry);
  }
  co_await forget_shards(listed, checkpoints);
}

// Claims it, and polls it if it is owned. What its checkpoint says counts if no other process may have written it since.
Task<void> MappingRunner::start_shard(const StreamShard& listed, Checkpoint checkpoint) {
  Shard& shard = shards_[listed.shard_id];
  if (!shard.claim) {
    shard.claim = run_.ownership.claim(owned_shard(run_.config->uuid, listed.shard_id), run_.changed);
  }
  auto tenure = shard.claim->tenure();
  if (!tenure) co_return;
  if (run_.ownership.is_shared()) {
    checkpoint = co_await load_checkpoint(listed.shard_id);
    if (is_finished(checkpoint, listed)) {
      shards_.erase(listed.shard_id);
      co_return;
    }
  }
  // If one of its name was, it is read on behind that: positions are the store's and only grow.
  checkpoint.shard_finished = false;
  checkpoint.incarnation.clear();
  auto window = co_await load_window(listed.shard_id);
  shard.tenure = tenure;
  shard.poller =
      std::make_unique<ShardPoller>(run_, std::move(tenure), listed, std::move(checkpoint), std::move(window));
  shard.task.spawn(shard.poller->poll());
}

// Erases the checkpoints of shards that are no more.
Task<void> MappingRunner::forget_shards(const std::vector<StreamShard>& listed,
                                        const std::map<std::string, Checkpoint>& known) {
  std::vector<std::string> gone;
  for (const auto& [id, checkpoint] : known) {
    const bool is_listed =
        std::ranges::any_of(listed, [&](const StreamShard& shard) { return shard.shard_id == id; });
    if (!is_listed && !shards_.contains(id)) gone.push_back(id);
  }
  if (gone.empty()) co_return;
  co_await run_.store.transact([&](store::Transaction& txn) -> Task<void> {
    for (const std::string& id : gone) {
      // It would be written again by whoever still reads what is left.
      if (co_await run_.ownership.is_owned(txn, owned_shard(run_.config->uuid, id))) continue;
      txn.erase(checkpoint_key(run_.config->uuid, id));
      txn.erase(window_key(run_.config->uuid, id));
    }
  });
}

// Waits for the invocations under way, so that disabling delivers nothing twice; a deletion does not wait.
Task<void> MappingRunner::stop_shards() {
  for (const auto& [id, shard] : shards_) {
    if (shard.poller) shard.poller->stop();
  }
  for (;;) {
    hand_on();
    reap(true);
    std::erase_if(shards_, [](const auto& entry) { return !entry.second.poller; });
    if (shards_.empty() || state() == MappingState::deleting) co_return;
    co_await run_.changed;
  }
}

// Drops the shards that this process does not own any more, and has those end that another is to have.
void MappingRunner::hand_on() {
  for (auto& [id, shard] : shards_) {
    if (!shard.poller) continue;
    if (shard.tenure->ended()) {
      shard.task.clear();
      shard.poller.reset();
      shard.claim->let_go();
    } else if (shard.tenure->asked_back()) {
      shard.poller->stop();
    }
  }
}

// Forgets the pollers that have ended. Those whose store failed would fail again, and stay until they are to stop anyway.
// What was stopped or lost stays claimed, for when it comes back.
void MappingRunner::reap(bool is_stopping) {
  for (auto entry = shards_.begin(); entry != shards_.end();) {
    Shard& shard = entry->second;
    const auto state = shard.poller ? shard.poller->state() : ShardPoller::State::polling;
    if (state == ShardPoller::State::finished) {
      entry = shards_.erase(entry);
      continue;
    }
    const bool has_failed = state == ShardPoller::State::store_failed;
    if (state == ShardPoller::State::stopped || state == ShardPoller::State::lost || (has_failed && is_stopping)) {
      shard.poller.reset();
      shard.claim->let_go();
    }
    ++entry;
  }
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

Task<Checkpoint> MappingRunner::load_checkpoint(const std::string& shard_id) {
  const auto stored = co_await run_.store.snapshot()->get(checkpoint_key(run_.config->uuid, shard_id));
  if (!stored) co_return Checkpoint{};
  auto checkpoint = decode_checkpoint(*stored);
  if (!checkpoint) throw std::runtime_error("a checkpoint is damaged");
  co_return *std::move(checkpoint);
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
  is_result_loaded_ = true;
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
