#include "engine/checkpoint_saver.h"

namespace tidemill::engine {

namespace {

// After the store has refused for want of room.
constexpr auto kOverloadedPause = std::chrono::milliseconds(100);

}  // namespace

CheckpointSaver::CheckpointSaver(store::Store& store, base::Clock& clock, std::string uuid, std::string shard_id)
    : store_(store), clock_(clock), uuid_(std::move(uuid)), shard_id_(std::move(shard_id)) {}

void CheckpointSaver::save(const Checkpoint& checkpoint, std::optional<std::string_view> result) {
  next_ = checkpoint;
  if (result) next_result_ = *result;
  ++unsaved_;
  if (writing_ || failure_) return;
  writing_ = true;
  scope_.spawn(write_all());
}

Task<void> CheckpointSaver::room() { return until_unsaved(kUnsavedMax); }

Task<void> CheckpointSaver::settled() { return until_unsaved(1); }

Task<void> CheckpointSaver::until_unsaved(int below) {
  while (unsaved_ >= below && !failure_) co_await progress_;
  if (failure_) throw store::StoreFailed(*failure_);
}

Task<void> CheckpointSaver::write_all() {
  const auto busy = clock_.activity().hold();
  while (next_ && !failure_) {
    const std::string checkpoint = encode_checkpoint(*std::exchange(next_, std::nullopt));
    const std::optional<std::string> result = std::exchange(next_result_, std::nullopt);
    const int saving = unsaved_;
    bool overloaded = false;
    try {
      co_await write(checkpoint, result);
    } catch (const store::Overloaded&) {
      overloaded = true;
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
    if (overloaded) {
      if (!next_) next_ = decode_checkpoint(checkpoint);
      if (!next_result_) next_result_ = result;
      base::Signal never;
      co_await never.wait([](base::Function expire) {
        return base::Executor::current().call_after(kOverloadedPause, std::move(expire));
      });
      continue;
    }
    if (!failure_) unsaved_ -= saving;
    progress_.signal();
  }
  writing_ = false;
}

Task<void> CheckpointSaver::write(std::string checkpoint, std::optional<std::string> result) {
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    // Also makes this conflict with the erasing of the mapping, which must leave nothing behind.
    if (!co_await txn.get(mapping_key(uuid_))) co_return;
    txn.put(checkpoint_key(uuid_, shard_id_), checkpoint);
    if (result) txn.put(result_key(uuid_), *result);
  });
}

}  // namespace tidemill::engine
