#include "engine/mappings/checkpoint_saver.h"

#include <algorithm>
#include <iterator>

#include "engine/mappings/pinned_batch.h"
#include "store/paused.h"
#include "wire/error.h"

namespace tidemill::engine {

namespace {

// After the store has refused for want of room, or nobody could be asked for a role.
constexpr auto kOverloadedPause = std::chrono::milliseconds(100);
// After anything else that may pass, as the want of descriptors or of memory.
constexpr auto kTroublePause = std::chrono::milliseconds(1000);

}  // namespace

CheckpointSaver::CheckpointSaver(store::Store& store, base::Clock& clock, std::shared_ptr<const Tenure> tenure,
                                 std::string uuid, std::string shard_id, MappingRights* rights)
    : store_(store),
      clock_(clock),
      tenure_(std::move(tenure)),
      uuid_(std::move(uuid)),
      shard_id_(std::move(shard_id)),
      rights_(rights) {}

CheckpointSaver::Ticket CheckpointSaver::save(ShardChange change) {
  merge(std::move(change));
  ++given_;
  if (!writing_ && !failure_) {
    writing_ = true;
    scope_.spawn(write_all());
  }
  return given_;
}

Task<void> CheckpointSaver::durable(Ticket ticket) {
  while (durable_ < ticket && !failure_) {
    const base::Signal& progress = waiting_.emplace_back();
    co_await base::Signal(progress);
  }
  if (failure_) std::rethrow_exception(failure_);
}

// What comes later counts, but every delivery goes.
void CheckpointSaver::merge(ShardChange change) {
  if (!next_) {
    next_ = std::move(change);
    return;
  }
  next_->checkpoint = std::move(change.checkpoint);
  if (change.result) next_->result = std::move(change.result);
  if (change.window) next_->window = std::move(change.window);
  std::ranges::move(change.deliveries, std::back_inserter(next_->deliveries));
  std::ranges::move(change.pins, std::back_inserter(next_->pins));
}

Task<void> CheckpointSaver::write_all() {
  const auto busy = clock_.activity().hold();
  while (next_ && !failure_) {
    ShardChange change = *std::exchange(next_, std::nullopt);
    const Ticket upto = given_;
    if (const auto pause = co_await try_to_write(change)) {
      // As if it had been given just now, with what has been given since behind it.
      std::optional<ShardChange> since = std::exchange(next_, std::move(change));
      if (since) merge(*std::move(since));
      // Not in the platform's time, which may wait for this.
      base::Signal never;
      co_await never.wait([&](base::Function expire) {
        return base::Executor::current().call_after(*pause, std::move(expire));
      });
      continue;
    }
    if (!failure_) durable_ = upto;
    for (const base::Signal& waiter : std::exchange(waiting_, {})) waiter.signal();
  }
  writing_ = false;
}

Task<std::optional<std::chrono::milliseconds>> CheckpointSaver::try_to_write(ShardChange& change) {
  try {
    co_await write(change);
    unsure_.clear();
    co_return std::nullopt;
  } catch (const store::CommitUnsure&) {
    unsure_.push_back({encode_checkpoint(change.checkpoint), change.pins.size()});
    co_return kOverloadedPause;
  } catch (const store::Overloaded&) {
    co_return kOverloadedPause;
  } catch (const wire::Error&) {
    co_return kOverloadedPause;
  } catch (const NotOwner&) {
    failure_ = std::current_exception();
    co_return std::nullopt;
  } catch (const store::StoreFailed&) {
    failure_ = std::current_exception();
    co_return std::nullopt;
  } catch (const std::exception& error) {
    troubles_.warn({{"mapping", uuid_}, {"shard", shard_id_}}, {{"what", error.what()}});
    co_return kTroublePause;
  }
}

// How many of the change's pinned batches are there already, going by the checkpoint that is: one with pins says of a
// position that none before it did.
size_t CheckpointSaver::pinned_by(const std::optional<std::string>& checkpoint) const {
  size_t pins = 0;
  for (const Unsure& unsure : unsure_) {
    if (checkpoint == unsure.checkpoint) pins = std::max(pins, unsure.pins);
  }
  return pins;
}

Task<void> CheckpointSaver::write(ShardChange& change) {
  if (rights_ != nullptr) co_await rights_->keep_tellers(change.deliveries);
  const std::string checkpoint = encode_checkpoint(change.checkpoint);
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    co_await tenure_->fence(txn);
    // Also makes this conflict with the erasing of the mapping, which must leave nothing behind.
    if (!co_await txn.get(mapping_key(uuid_))) co_return;
    size_t pinned = 0;
    if (!unsure_.empty()) pinned = pinned_by(co_await txn.get(checkpoint_key(uuid_, shard_id_)));
    txn.put(checkpoint_key(uuid_, shard_id_), checkpoint);
    if (change.result) txn.put(result_key(uuid_), *change.result);
    if (change.window && change.window->empty()) txn.erase(window_key(uuid_, shard_id_));
    if (change.window && !change.window->empty()) txn.put(window_key(uuid_, shard_id_), *change.window);
    for (const store::Delivery& delivery : change.deliveries) {
      co_await store::enqueue_delivery(txn, delivery, clock_.now());
    }
    for (; pinned < change.pins.size(); ++pinned) {
      const auto& [key, batch] = change.pins[pinned];
      co_await pin_batch(txn, key, batch);
    }
    // The turn of the shard's children has come, in whatever process.
    if (change.checkpoint.shard_finished) txn.signal(shards_topic(uuid_));
  });
}

}  // namespace tidemill::engine
