// Receives the messages of one queue for one mapping, gathers them into batches and hands them to the deliveries.
//
//   place free? ──> receive ──> filter ──> gather ──> ripe? start ──┐
//     ^                                                              │
//     └──────────────────────────────────────────────────────────────┘
//
// It waits in the queue like any other receiver and is woken by the message: nothing polls. Messages of a FIFO queue go
// in batches of one group each; the queue gives out more of a group only when those before are gone or come back, so a
// group has one batch in flight, and a failing message holds up its own group and no other.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/mappings/queue_deliveries.h"
#include "engine/mappings/queue_filter.h"
#include "engine/mappings/queue_scaling.h"

namespace tidemill::engine {

class QueuePoller {
 public:
  // Messages received at once, over all batches that have a place.
  static constexpr size_t kReceivedAtOnceMax = 1'000;

  enum class State { polling, stopped, store_failed };

  // `run` outlives this. Everything on one executor.
  explicit QueuePoller(QueueRun& run);
  ~QueuePoller();
  QueuePoller(const QueuePoller&) = delete;

  // Works until it leaves State::polling, and then raises run.changed. The task must end or be destroyed before this.
  Task<void> poll();

  // Ends it after the invocations that are under way, with what they finished removed.
  void stop();
  // run.config is another.
  void reconsider();

  [[nodiscard]] State state() const { return state_; }

 private:
  Task<void> work();
  Task<bool> wait_for_place();
  [[nodiscard]] bool has_place();
  Task<bool> may_receive();
  Task<void> receive();
  Task<QueueWish> wish();
  Task<void> wait_for_queue();
  Task<void> correct_visibility(std::vector<ReceivedMessage>& messages);
  Task<void> sort_in(std::vector<ReceivedMessage> messages);
  void start_groups(std::vector<ReceivedMessage> messages);
  void start_ripe();
  [[nodiscard]] std::optional<base::Time> window_end() const;
  void take_config();
  Task<void> end();

  QueueRun& run_;
  State state_ = State::polling;
  bool stopping_ = false;
  bool config_changed_ = true;

  std::shared_ptr<const Mapping> config_;  // that holds for the receive under way
  std::optional<QueueFilter> filter_;
  QueueScaling scaling_;
  std::chrono::seconds function_timeout_{0};  // as the receive under way took it to be; only with a window
  bool is_missing_ = false;  // the queue is not there, and that has been said

  std::vector<ReceivedMessage> gathered_;
  base::Signal progress_;    // a delivery has ended, or something is to be reconsidered
  base::Signal queue_made_;
  store::Subscription watch_;
  std::unique_ptr<QueueReader> reader_;
  QueueDeliveries deliveries_;
};

}  // namespace tidemill::engine
