// The batches of one queue's mapping that are with the function, and what becomes of their messages.
//
//   start ──> invoke ──> remove what succeeded; the rest comes back after its visibility timeout
//               ^  │
//               └──┘ it did not run (throttled, say): again after a while, for as long as the queue hides the messages;
//                    they stay hidden until the last of these tries may have ended
//
// Nothing is kept here that the queue does not keep: a crash leaves the messages hidden until their timeout, and a
// message whose removal has committed never comes back.
#pragma once

#include <list>
#include <optional>
#include <vector>

#include "engine/mappings/queue_run.h"
#include "engine/place_wait.h"

namespace tidemill::engine {

class QueueDeliveries {
 public:
  // Both outlive this. `progress` is raised whenever something here has ended, be it that the function was throttled.
  QueueDeliveries(QueueRun& run, base::Signal progress);
  ~QueueDeliveries();
  QueueDeliveries(const QueueDeliveries&) = delete;

  // Gives the messages to the function. Those that do not fit into one event follow when those before are done, and not
  // at all if any of them failed: they are of one group then, whose order holds.
  void start(std::vector<ReceivedMessage> messages);
  // Removes messages that the function is not to get.
  void drop(std::vector<ReceivedMessage> messages);
  // Lets messages be received again at once.
  void give_back(std::vector<ReceivedMessage> messages);

  // What has not run yet is given back; what runs goes on.
  void stop();

  [[nodiscard]] size_t in_flight() const { return in_flight_; }  // batches that take a place
  [[nodiscard]] bool is_throttled() const { return !waiting_.empty(); }
  [[nodiscard]] bool is_idle() const { return in_flight_ == 0 && settling_ == 0; }
  [[nodiscard]] bool store_failed() const { return store_failed_; }

 private:
  class Place;
  class Waiting;
  enum class Verdict { succeeded, failed, not_run };

  Task<void> deliver(std::vector<ReceivedMessage> messages);
  Task<Verdict> deliver_part(std::vector<ReceivedMessage> messages, bool is_last, Place& place);
  Task<std::optional<InvokeOutcome>> invoke(std::vector<ReceivedMessage>& messages);
  Task<bool> wait_for_another_try(std::vector<ReceivedMessage>& messages, base::Time end, uint32_t failures,
                                  PlaceWait* place, Waiting& waiting);
  Task<bool> hide_until(std::vector<ReceivedMessage>& messages, base::Time visible);
  Task<void> remove(std::vector<ReceivedMessage> messages);
  Task<void> remove_unwanted(std::vector<ReceivedMessage> messages);
  Task<void> show(std::vector<ReceivedMessage> messages);
  [[nodiscard]] std::optional<std::vector<ReceivedMessage>> succeeded(std::vector<ReceivedMessage> messages,
                                                                  const InvokeOutcome& outcome) const;
  void ended();

  QueueRun& run_;
  base::Signal progress_;
  bool stopping_ = false;
  bool store_failed_ = false;
  size_t in_flight_ = 0;
  size_t settling_ = 0;              // batches that were with the function, and removals
  // Batches that were not run, in the order of their next try, and those of them whose next try may not have a place yet.
  struct Waiter {
    // Who is in line is called when there is a place.
    enum class State { resting, in_line, tried };
    base::Signal signal;
    State state = State::resting;
  };
  std::list<Waiter> waiting_;
  base::Scope tasks_;
};

}  // namespace tidemill::engine
