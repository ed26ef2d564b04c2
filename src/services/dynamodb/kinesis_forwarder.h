// Carries the changes of tables from their outboxes (kinesis_destination.h) to data streams: one after the other for
// each outbox, in batches, at least once. A commit wakes it; nothing polls.
//
// A batch that Kinesis refuses is tried again after a wait that grows, and so is whatever else goes wrong on the way. A
// stream that is gone ends its destination. Only a store that takes no writes any more ends the forwarding: what is in the
// outboxes stays there for the next start.
//
// Of several processes that share the store one owns an outbox (engine/ownership.h). What a former owner still sends comes
// beside what the next one does: again, never instead.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/blocking_work.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/seldom_log.h"
#include "engine/ownership.h"
#include "services/dynamodb/kinesis_destination.h"
#include "wire/context.h"

namespace tidemill::dynamodb {

inline constexpr size_t kForwardedRecordsMax = 500;    // of a batch: what PutRecords takes
inline constexpr size_t kForwardedBytesMax = 4 << 20;  // of its data; a single record may be larger
inline constexpr base::Duration kForwardWaitFirst = std::chrono::milliseconds(100);
inline constexpr base::Duration kForwardWaitMax = std::chrono::minutes(1);
// After the outboxes could not be listed.
inline constexpr base::Duration kOutboxesWait = std::chrono::seconds(1);

class KinesisForwarder {
 public:
  // Both outlive this. Construct, start and destroy on one executor.
  KinesisForwarder(wire::Platform& platform, engine::Ownership& ownership);
  ~KinesisForwarder();
  KinesisForwarder(const KinesisForwarder&) = delete;

  // Takes up all outboxes in the store, and from now on every one that comes. Once Kinesis is registered.
  void start();

 private:
  struct Batch;
  // `try_later` goes by the platform's clock, as what a stream takes does; what is busy for a moment does not.
  enum class Outcome { delivered, try_later, busy, stream_is_gone };

  Task<void> follow();
  Task<std::vector<std::string>> outboxes();
  Task<void> forward(std::string id);
  // As long as nothing goes wrong. True: the outbox is at its end; false: it is another process's turn, for now. `wait` is
  // how long to wait if something does: it begins anew with what arrives.
  Task<bool> forward_claimed(std::string id, engine::Claim& claim, base::Signal changed, base::Duration& wait);
  // While `tenure` lasts and nobody else is to have the outbox. True: it is at its end.
  Task<bool> forward_owned(std::string id, std::shared_ptr<const engine::Tenure> tenure, base::Signal changed,
                           base::Duration& wait);
  Task<bool> forward_until_end(std::string id, const engine::Tenure& tenure, base::Signal changed, base::Duration& wait);
  Task<bool> exists(std::string id);
  Task<Batch> read(std::string id, store::Position after, size_t records_max);
  Task<Outcome> send(Batch& batch);
  Task<void> forget(const Outbox& outbox, store::Position upto, const engine::Tenure& tenure);
  Task<void> end(const Outbox& outbox, const engine::Tenure& tenure);
  // The transaction, tried again for as long as the store has too much to do.
  Task<void> transact_in_time(std::function<Task<void>(store::Transaction&)> body);

  wire::Platform& platform_;
  engine::Ownership& ownership_;
  std::set<std::string> running_;  // ids
  base::SeldomLog troubles_{"changes of a table do not reach their data stream for now"};
  base::BlockingWork large_records_;
  base::Scope scope_;
};

}  // namespace tidemill::dynamodb
