// SQS, assembled: what its operations share, and how they come into the registry.
#pragma once

#include "base/blocking_work.h"
#include "base/clock.h"
#include "engine/data_keys.h"
#include "engine/timer_service.h"
#include "services/sqs/arrivals.h"
#include "services/sqs/long_polls.h"
#include "services/sqs/message_store.h"
#include "services/sqs/queue.h"
#include "services/sqs/queue_metrics.h"
#include "services/sqs/receiver.h"
#include "store/store.h"
#include "wire/registry.h"

namespace tidemill::sqs {

struct ServiceOptions {
  // Less only in tests:
  size_t in_flight_max = kMessagesInFlightMax;  // of each queue
  store::FloorPace floor_pace = kReceiverFloorPace;

  bool polls_end_in_real_time = false;  // for a clock that may stand
  bool clock_jumps = false;             // whenever all is quiet: also to what those wait for who ask without waiting
};

// Made once in main; outlives the registry's use. Any thread.
class Service {
 public:
  Service(store::Store& store, base::Clock& clock, ServiceOptions options = {})
      : store_(store),
        clock_(clock),
        data_keys_(clock),
        gauges_(std::make_shared<QueueGauges>(store, clock, queues_)),
        messages_(queues_, *gauges_),
        expected_(clock),
        receivers_(store, clock, messages_, arrivals_, options.clock_jumps ? &expected_ : nullptr,
                   options.in_flight_max, options.floor_pace),
        long_polls_(options.polls_end_in_real_time) {}

  // Registers every operation.
  void register_operations(wire::Registry& registry);
  // Has the queues measured.
  void measure_with(wire::PlatformMetrics& metrics) { metrics.watch_with(gauges_); }
  // Registers the handlers of its timers. Before the timers start.
  void register_timers(engine::TimerService& timers);

  [[nodiscard]] store::Store& store() { return store_; }
  [[nodiscard]] base::Clock& clock() { return clock_; }
  [[nodiscard]] QueueCache& queues() { return queues_; }
  [[nodiscard]] MessageStore& messages() { return messages_; }
  [[nodiscard]] Arrivals& arrivals() { return arrivals_; }
  [[nodiscard]] Receivers& receivers() { return receivers_; }
  [[nodiscard]] LongPolls& long_polls() { return long_polls_; }
  // Of the keys of queues that encrypt.
  [[nodiscard]] engine::DataKeys& data_keys() { return data_keys_; }
  // For messages that take longer to look through than a loop may be held.
  [[nodiscard]] base::BlockingWork& large() { return large_; }

  // The queue as it is now. Throws QueueDoesNotExist.
  Task<QueuePtr> find_queue(QueueAddress address);

  // Runs `body`, (Transaction&, const Queue&, Time now) -> Task<Value>, on the queue: for what changes its messages.
  // Throws QueueDoesNotExist.
  template <class Body>
  auto change(QueueAddress address, Body body)
      -> Task<typename std::invoke_result_t<Body&, store::Transaction&, const Queue&, base::Time>::value_type> {
    return change(store_, std::move(address), std::move(body));
  }
  // By `store`, a request's, which may be part of another's commit (store/joint.h).
  template <class Body>
  auto change(store::Store& store, QueueAddress address, Body body)
      -> Task<typename std::invoke_result_t<Body&, store::Transaction&, const Queue&, base::Time>::value_type> {
    const Arrivals::Arrival arrival(arrivals_, clock_.now());
    co_return co_await store.transact(
        [&](store::Transaction& txn)
            -> Task<typename std::invoke_result_t<Body&, store::Transaction&, const Queue&, base::Time>::value_type> {
          const QueuePtr queue = co_await queues_.get(txn, address);
          co_return co_await body(txn, *queue, arrival.time());
        });
  }

  // Changes the queue's record by `apply`, (Transaction&, Queue&) -> Task<void>.
  template <class Apply>
  Task<void> change_record(QueueAddress address, Apply apply) {
    co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
      const QueuePtr current = co_await queues_.get(txn, address);
      Queue queue = *current;
      co_await apply(txn, queue);
      txn.put(queue_key(address), encode_queue(queue));
      // Its settings may have changed, and with them what is available.
      txn.signal(queue_topic(queue.id));
    });
  }

 private:
  store::Store& store_;
  base::Clock& clock_;
  engine::DataKeys data_keys_;
  QueueCache queues_;
  Arrivals arrivals_;
  std::shared_ptr<QueueGauges> gauges_;
  MessageStore messages_;
  Expected expected_;
  Receivers receivers_;
  LongPolls long_polls_;
  base::BlockingWork large_;
};

}  // namespace tidemill::sqs
