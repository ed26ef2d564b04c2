// Counts values into the periods in which they came. Values that come at the same time, from however many requests, go
// into one transaction, so that writers of a metric do not conflict with each other inside this process; each request
// is answered when its own values are durable. Where what is stored of a metric is damaged, those that write to it
// fail, and nobody who came at the same time.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/distribution.h"
#include "base/future.h"
#include "services/cloudwatch/metric_keys.h"
#include "store/store.h"

namespace tidemill::cloudwatch {

struct Datum {
  MetricId metric;
  UnitNumber unit = 0;
  base::Time time;
  bool is_high_resolution = false;
  base::Distribution values;
};

// Whether write() has failed for what it was to write, and not for the state that the store is in.
[[nodiscard]] bool is_of_values(const std::exception_ptr& error);

class MetricWriter {
 public:
  // Values that wait; beyond, callers are told to come later (store::Overloaded).
  static constexpr size_t kPendingMax = 100'000;
  // Of one transaction, unless a single request has more.
  static constexpr size_t kBatchMax = 2'000;

  MetricWriter(store::Store& store, base::Clock& clock) : store_(store), clock_(clock) {}

  // Any executor.
  Task<void> write(std::vector<Datum> data);

 private:
  struct Pending {
    std::vector<Datum> data;
    // Done, with an error or without; or it is the waiter's turn to write.
    struct Outcome {
      bool is_turn = false;
      std::exception_ptr error;
    };
    base::Future<Outcome> outcome;
    std::exception_ptr error;  // what comes of writing it
    std::vector<std::shared_ptr<Pending>> batch;  // of the one that writes: for whom
  };
  using PendingPtr = std::shared_ptr<Pending>;
  class Place;

  // True: it is its turn to write at once.
  [[nodiscard]] bool join(const PendingPtr& own);
  [[nodiscard]] std::vector<PendingPtr> take_batch();
  // Tells each what comes of it.
  Task<void> settle(std::span<const PendingPtr> batch);
  Task<void> commit(std::span<const PendingPtr> batch);
  // Answers those it has written for, and gives the turn to the first that waits. Also if it ends where it waits.
  void leave(const PendingPtr& own);

  store::Store& store_;
  base::Clock& clock_;
  std::mutex mutex_;
  std::deque<PendingPtr> pending_;
  size_t pending_data_ = 0;
  PendingPtr turn_;  // whose it is to write; null: nobody writes
};

}  // namespace tidemill::cloudwatch
