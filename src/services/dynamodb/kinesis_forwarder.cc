#include "services/dynamodb/kinesis_forwarder.h"

#include <openssl/sha.h>

#include <algorithm>

#include "base/future.h"
#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "lang/dynamodb/json_codec.h"
#include "services/dynamodb/large_reads.h"
#include "services/dynamodb/stream_record.h"
#include "services/dynamodb/table.h"
#include "store/position.h"
#include "wire/registry.h"
#include "wire/shapes/kinesis.h"

namespace tidemill::dynamodb {

namespace {

namespace kinesis = wire::kinesis;

// 8-4-4-4-12, the same whenever the record is sent.
std::string event_uuid(const store::LogId& log, store::Position position) {
  std::string id = event_id(log, position);
  for (const size_t at : {8, 13, 18, 23}) id.insert(at, 1, '-');
  return id;
}

// The same for all changes of an item, so that they stay in order.
std::string partition_key(const ChangeRecord& change) {
  const std::string_view key = change.keys.encoded();
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), hash);
  std::string text;
  for (size_t i = 0; i < 16; ++i) text += base::hex(hash[i], 2);
  return text;
}

// The change as it stands in a data stream (facts 2, "Kinesis streaming destination").
std::string change_json(const Outbox& outbox, const ChangeRecord& change, const store::LogId& log,
                        store::Position position) {
  using lang::dynamodb::write;
  const int64_t microseconds = position.version.time().time_since_epoch().count();
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  writer.key("awsRegion"), writer.string(outbox.table.region);
  writer.key("eventID"), writer.string(event_uuid(log, position));
  writer.key("eventName"), writer.string(event_name_text(change.event));
  writer.key("userIdentity");
  if (change.expired) {
    writer.begin_object();
    writer.key("type"), writer.string("Service");
    writer.key("principalId"), writer.string("dynamodb.amazonaws.com");
    writer.end_object();
  } else {
    writer.null();
  }
  writer.key("recordFormat"), writer.string("application/json");
  writer.key("tableName"), writer.string(outbox.table.name);
  writer.key("dynamodb");
  writer.begin_object();
  writer.key("ApproximateCreationDateTime");
  writer.integer(outbox.in_microseconds ? microseconds : microseconds / 1000);
  writer.key("Keys"), write(writer, change.keys.view());
  if (change.new_image) writer.key("NewImage"), write(writer, *change.new_image);
  if (change.old_image) writer.key("OldImage"), write(writer, *change.old_image);
  writer.key("SizeBytes"), writer.integer(change.size_bytes());
  if (outbox.in_microseconds) writer.key("ApproximateCreationDateTimePrecision"), writer.string("MICROSECOND");
  writer.end_object();
  writer.key("eventSource"), writer.string("aws:dynamodb");
  writer.end_object();
  return text;
}

}  // namespace

struct KinesisForwarder::Batch {
  std::optional<Outbox> outbox;  // nothing: it is gone
  std::vector<kinesis::PutRecordsRequestEntry> records;
  std::vector<store::Position> positions;
  size_t delivered = 0;  // how many from the beginning have arrived
};

KinesisForwarder::KinesisForwarder(wire::Platform& platform, engine::Ownership& ownership)
    : platform_(platform), ownership_(ownership) {}

KinesisForwarder::~KinesisForwarder() = default;

void KinesisForwarder::start() { scope_.spawn(follow()); }

Task<void> KinesisForwarder::follow() {
  const base::Signal changed;
  const auto subscription = platform_.store.subscribe(kOutboxesTopic, [changed] { changed.signal(); });
  while (true) {
    std::optional<std::string> problem;
    try {
      for (const std::string& id : co_await outboxes()) {
        if (running_.insert(id).second) scope_.spawn(forward(id));
      }
    } catch (const std::exception& error) {
      problem = error.what();
    }
    if (!problem) {
      co_await changed;
      continue;
    }
    troubles_.warn({}, {{"reason", *problem}});
    co_await platform_.clock.pause(changed, kOutboxesWait);
  }
}

// Their ids.
Task<std::vector<std::string>> KinesisForwarder::outboxes() {
  std::vector<std::string> ids;
  const store::Range range = outboxes_range();
  const store::EntryVisitor visit = [&](std::string_view, std::string_view value) {
    ids.push_back(decode_outbox(value).id);
    return true;
  };
  // Not held while it waits: the store could clear away nothing that stood when the server started.
  co_await platform_.store.snapshot()->scan(range, store::Direction::forward, visit);
  co_return ids;
}

Task<void> KinesisForwarder::forward(std::string id) {
  const base::Signal changed;
  const store::LogId log = outbox_log(id);
  const auto subscription = platform_.store.subscribe(log.bytes, [changed] { changed.signal(); });
  const auto claim = ownership_.claim(base::cat("outbox/", id), changed);
  base::Duration wait = kForwardWaitFirst;
  for (bool is_at_end = false; !is_at_end;) {
    std::optional<std::string> problem;
    try {
      is_at_end = co_await forward_claimed(id, *claim, changed, wait);
    } catch (const store::StoreFailed& error) {
      base::log_error("changes of a table do not reach their data stream any more", {{"reason", error.what()}});
      co_return;  // and is not taken up again
    } catch (const std::exception& error) {
      problem = error.what();
    }
    if (!problem) continue;
    troubles_.warn({{"outbox", id}}, {{"reason", *problem}});
    co_await platform_.clock.pause(base::Signal(), wait);
    wait = std::min(wait * 2, kForwardWaitMax);
  }
  running_.erase(id);
}

Task<bool> KinesisForwarder::forward_claimed(std::string id, engine::Claim& claim, base::Signal changed,
                                             base::Duration& wait) {
  const auto tenure = claim.tenure();
  if (!tenure) {
    co_await changed;
    co_return !co_await exists(id);
  }
  const bool is_at_end = co_await forward_owned(id, tenure, changed, wait);
  if (!is_at_end) claim.let_go();
  co_return is_at_end;
}

Task<bool> KinesisForwarder::exists(std::string id) {
  const std::string key = outbox_key(id);
  co_return (co_await platform_.store.snapshot()->get(key)).has_value();
}

Task<bool> KinesisForwarder::forward_owned(std::string id, std::shared_ptr<const engine::Tenure> tenure,
                                           base::Signal changed, base::Duration& wait) {
  try {
    co_return co_await forward_until_end(id, *tenure, changed, wait);
  } catch (const engine::NotOwner&) {
    co_return false;
  }
}

Task<bool> KinesisForwarder::forward_until_end(std::string id, const engine::Tenure& tenure, base::Signal changed,
                                               base::Duration& wait) {
  store::Position after = store::Position::before_all();
  size_t records_max = kForwardedRecordsMax;
  while (true) {
    if (tenure.ended() || tenure.asked_back()) co_return false;
    Batch batch = co_await read(id, after, records_max);
    if (!batch.outbox) co_return true;
    if (batch.records.empty()) {
      if (batch.outbox->ended) {
        co_await end(*batch.outbox, tenure);
        co_return true;
      }
      co_await changed;
      continue;
    }
    tenure.require();
    const Outcome outcome = co_await send(batch);
    if (outcome == Outcome::stream_is_gone) {
      co_await end(*batch.outbox, tenure);
      co_return true;
    }
    if (batch.delivered > 0) {
      after = batch.positions[batch.delivered - 1];
      co_await forget(*batch.outbox, after, tenure);
      wait = kForwardWaitFirst;
      records_max = kForwardedRecordsMax;
    }
    if (outcome == Outcome::delivered) continue;
    // One record that Kinesis will never take must not keep others from arriving: alone it is refused by itself.
    records_max = 1;
    if (outcome == Outcome::busy) co_await platform_.clock.pause(base::Signal(), wait);
    else co_await platform_.clock.sleep_until(platform_.clock.now() + wait);
    wait = std::min(wait * 2, kForwardWaitMax);
  }
}

Task<KinesisForwarder::Batch> KinesisForwarder::read(std::string id, store::Position after, size_t records_max) {
  Batch batch;
  const auto snapshot = platform_.store.snapshot();
  const std::string key = outbox_key(id);
  const auto bytes = co_await snapshot->get(key);
  if (!bytes) co_return batch;
  batch.outbox = decode_outbox(*bytes);
  const Outbox& outbox = *batch.outbox;
  const store::LogId log = outbox_log(id);
  size_t size = 0;
  const store::RecordVisitor visit = [&](store::Position position, std::string_view record) {
    if (size >= kForwardedBytesMax) return false;
    const auto change = decode_change(record, outbox.partition.name, outbox.sort ? outbox.sort->name : "");
    if (!change) throw std::runtime_error("a change in an outbox is damaged");
    batch.records.push_back(
        {.data = change_json(outbox, *change, log, position), .partition_key = partition_key(*change)});
    batch.positions.push_back(position);
    size += batch.records.back().data.size();
    return true;
  };
  co_await read_large_log(*snapshot, log, {after, records_max}, visit, &large_records_);
  co_return batch;
}

Task<KinesisForwarder::Outcome> KinesisForwarder::send(Batch& batch) {
  const Outbox& outbox = *batch.outbox;
  wire::Context context(platform_, outbox.table.account, outbox.table.region, base::new_uuid(),
                        wire::Principal::platform());
  kinesis::PutRecordsInput request{.records = std::move(batch.records), .stream_arn = outbox.stream_arn};
  try {
    const auto answer = co_await platform_.registry.call<kinesis::ops::PutRecords>(context, request);
    const auto failed =
        std::ranges::find_if(answer.records, [](const auto& entry) { return entry.error_code.has_value(); });
    // Those behind the first that failed are sent again, so that each item's changes end in their order.
    batch.delivered = static_cast<size_t>(failed - answer.records.begin());
    co_return failed == answer.records.end() ? Outcome::delivered : Outcome::try_later;
  } catch (const wire::Error& error) {
    if (error.code == "ResourceNotFoundException") co_return Outcome::stream_is_gone;
    if (error.code == "InvalidArgumentException" && request.records.size() == 1) {
      base::log_error("a change of an item is too large for its data stream, and dropped",
                      {{"table", outbox.table.arn()}, {"stream", outbox.stream_arn}, {"reason", error.message}});
      batch.delivered = 1;
      co_return Outcome::delivered;
    }
    co_return Outcome::try_later;
  } catch (const store::Overloaded&) {
    co_return Outcome::busy;
  }
}

Task<void> KinesisForwarder::transact_in_time(std::function<Task<void>(store::Transaction&)> body) {
  base::Duration wait = kForwardWaitFirst;
  while (true) {
    try {
      co_await platform_.store.transact(body);
      co_return;
    } catch (const store::Overloaded&) {
      // Of others' doing, and soon over: no reason to give up the destination.
    }
    co_await platform_.clock.pause(base::Signal(), wait);
    wait = std::min(wait * 2, kForwardWaitMax);
  }
}

Task<void> KinesisForwarder::forget(const Outbox& outbox, store::Position upto, const engine::Tenure& tenure) {
  const store::LogId log = outbox_log(outbox.id);
  co_await transact_in_time([&](store::Transaction& txn) -> Task<void> {
    co_await tenure.fence(txn);
    txn.trim_log(log, upto);
  });
}

Task<void> KinesisForwarder::end(const Outbox& outbox, const engine::Tenure& tenure) {
  co_await transact_in_time([&](store::Transaction& txn) -> Task<void> {
    co_await tenure.fence(txn);
    std::optional<Table> table = co_await load_table(txn, outbox.table);
    if (table) {
      auto& destinations = table->features.kinesis;
      const auto found = std::ranges::find(destinations, outbox.id, &KinesisDestination::outbox);
      if (found != destinations.end() && found->active) {
        found->active = false;
        save_table(txn, *table);
      }
    }
    erase_outbox(txn, outbox);
  });
}

}  // namespace tidemill::dynamodb
