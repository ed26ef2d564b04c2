// Reads one shard for one mapping and gives its records to the function: keeps the lanes that do so (shard_lane.h), makes
// them anew when the mapping's lanes, filters or windows change, and ends them. Order per key holds across such a change:
// the old lanes' invocations end before the new ones begin, and begin from what is finished.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/mappings/shard_lane.h"

namespace tidemill::engine {

class ShardPoller {
 public:
  enum class State {
    polling,
    stopped,       // by stop()
    finished,      // the shard is closed and was read to its end
    lost,          // its tenure has ended: another process goes on with the shard
    store_failed,  // no checkpoint can be written any more, so nothing is delivered any more
  };

  // `tenure`: of the shard, begun before the checkpoint and the window that is open were read. `run` outlives this.
  // Everything on one executor.
  ShardPoller(MappingRun& run, std::shared_ptr<const Tenure> tenure, const StreamShard& shard, Checkpoint checkpoint,
              std::optional<OpenWindow> window);
  ~ShardPoller();
  ShardPoller(const ShardPoller&) = delete;

  // Works until it leaves State::polling, and then raises run.changed. The task must end or be destroyed before this.
  Task<void> poll();

  // Ends it after the invocations that are under way, with its checkpoint durable.
  void stop();
  // The shard as it is listed now: whether it is closed, or has been made again with its stream.
  void shard_listed(const StreamShard& shard);
  // No record will come any more: what is there is the rest.
  void shard_closed();
  // run.config is another: what it waits for may have changed.
  void reconsider();

  [[nodiscard]] State state() const { return state_; }

 private:
  // The lanes of one configuration.
  struct Session;

  void begin_anew();
  Task<void> work();
  Task<void> run_lane(Session& session, size_t index);
  Task<void> pause(std::string defect);

  MappingRun& run_;
  const std::shared_ptr<const Tenure> tenure_;
  const std::string shard_id_;
  State state_ = State::polling;
  bool stopping_ = false;
  bool closed_;
  std::string incarnation_;
  Checkpoint checkpoint_;              // of the sessions that have ended
  std::optional<OpenWindow> window_;
  CheckpointSaver saver_;
  std::unique_ptr<Session> session_;
  std::exception_ptr failure_;         // of the session's lanes, the first
  base::Signal control_;               // stop() and reconsider(), during a pause
};

}  // namespace tidemill::engine
