#include "engine/mappings/shard_poller.h"

#include "base/log.h"

namespace tidemill::engine {

namespace {

// After a defect on the way, before starting again from the checkpoint.
constexpr auto kRecoveryPause = std::chrono::seconds(1);

}  // namespace

struct ShardPoller::Session {
  Session(MappingRun& run, const Tenure& tenure, const std::string& shard_id, const Checkpoint& checkpoint,
          std::optional<OpenWindow> window, bool closed, CheckpointSaver& saver)
      : state(run, tenure, shard_id, checkpoint, std::move(window), closed), reader(state) {
    for (LaneState& lane : state.lanes) {
      lanes.push_back(std::make_unique<ShardLane>(state, lane, reader, saver));
    }
  }

  ShardState state;
  ShardReader reader;
  std::vector<std::unique_ptr<ShardLane>> lanes;
  size_t running = 0;
  base::Signal ended;
  base::Scope tasks;  // of the lanes, which it ends before
};

ShardPoller::ShardPoller(MappingRun& run, std::shared_ptr<const Tenure> tenure, const StreamShard& shard,
                         Checkpoint checkpoint, std::optional<OpenWindow> window)
    : run_(run),
      tenure_(std::move(tenure)),
      shard_id_(shard.shard_id),
      closed_(shard.closed),
      incarnation_(shard.incarnation),
      checkpoint_(std::move(checkpoint)),
      window_(std::move(window)),
      saver_(run.store, run.clock, tenure_, run.config->uuid, shard_id_, run.rights) {}

ShardPoller::~ShardPoller() = default;

void ShardPoller::stop() {
  stopping_ = true;
  reconsider();
}

void ShardPoller::shard_listed(const StreamShard& shard) {
  const bool is_another = std::exchange(incarnation_, shard.incarnation) != shard.incarnation;
  if (is_another || (closed_ && !shard.closed)) begin_anew();
  if (shard.closed) shard_closed();
}

// The lanes that there are may have found the end of the shard that is gone, and wait for its records. Those that follow
// read on from where they were: positions are the store's and only grow.
void ShardPoller::begin_anew() {
  closed_ = false;
  if (!session_) return;
  session_->state.ending = true;
  session_->state.wake();
}

void ShardPoller::shard_closed() {
  if (closed_) return;
  closed_ = true;
  if (!session_) return;
  session_->state.closed = true;
  session_->reader.raise();
}

void ShardPoller::reconsider() {
  control_.signal();
  if (!session_) return;
  if (stopping_ || session_->state.is_outdated(*run_.config)) session_->state.ending = true;
  session_->state.wake();
  session_->reader.raise();
}

Task<void> ShardPoller::poll() {
  while (state_ == State::polling) {
    std::string defect;
    try {
      co_await work();
    } catch (const store::StoreFailed& error) {
      base::log_error("mapping stops: the store takes no checkpoints",
                      {{"mapping", run_.config->uuid}, {"shard", shard_id_}, {"what", error.what()}});
      state_ = State::store_failed;
    } catch (const NotOwner&) {
      state_ = State::lost;
    } catch (const std::exception& error) {
      defect = error.what();
    }
    if (!defect.empty()) co_await pause(std::move(defect));
  }
  run_.changed.signal();
}

// One session: until the shard is at its end, another configuration is wanted, or a lane fails.
Task<void> ShardPoller::work() {
  failure_ = nullptr;
  session_ = std::make_unique<Session>(run_, *tenure_, shard_id_, checkpoint_, window_, closed_, saver_);
  Session& session = *session_;
  session.state.ending = stopping_;
  session.running = 1;
  session.tasks.spawn(run_lane(session, 0));
  while (session.running > 0) co_await session.ended;

  const auto busy = run_.clock.activity().hold();
  Checkpoint checkpoint = session.state.checkpoint();
  window_ = session.state.window;
  checkpoint.shard_finished = !session.state.ending && !failure_;
  if (checkpoint.shard_finished) checkpoint.incarnation = incarnation_;
  session_.reset();
  if (failure_) {
    checkpoint_ = std::move(checkpoint);
    std::rethrow_exception(failure_);
  }
  if (checkpoint != checkpoint_) {
    checkpoint_ = std::move(checkpoint);
    co_await saver_.durable(
        saver_.save({.checkpoint = checkpoint_, .result = std::nullopt, .window = std::nullopt, .deliveries = {}}));
  }
  if (checkpoint_.shard_finished) {
    state_ = State::finished;
  } else if (stopping_) {
    state_ = State::stopped;
  }
}

// The first lane begins by closing a window of another size, before anything else is delivered.
Task<void> ShardPoller::run_lane(Session& session, size_t index) {
  ShardLane& lane = *session.lanes[index];
  try {
    if (index == 0) {
      co_await lane.close_old_window();
      for (size_t other = 1; other < session.lanes.size(); ++other) {
        ++session.running;
        session.tasks.spawn(run_lane(session, other));
      }
    }
    co_await lane.run();
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
    session.state.ending = true;
    session.state.wake();
  }
  --session.running;
  session.ended.signal();
  lane.leave();
}

Task<void> ShardPoller::pause(std::string defect) {
  base::log_error("defect", {{"where", "a mapping's shard"},
                             {"mapping", run_.config->uuid},
                             {"shard", shard_id_},
                             {"what", std::move(defect)}});
  co_await run_.clock.pause(control_, kRecoveryPause);
}

}  // namespace tidemill::engine
