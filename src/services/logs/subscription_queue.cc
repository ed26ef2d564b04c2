#include "services/logs/subscription_queue.h"

#include <algorithm>

#include "base/hex.h"
#include "base/json_members.h"
#include "base/log.h"
#include "base/ordered.h"
#include "base/uuid.h"
#include "services/logs/subscription_target.h"
#include "store/keys.h"
#include "wire/packing.h"
#include "wire/registry.h"

namespace tidemill::logs {
namespace {

namespace kinesis = wire::kinesis;

constexpr char kDocument = 'q';
constexpr size_t kPositionSize = 8 + 4;
// Put together.
constexpr size_t kDocumentsAtOnceMax = 100;
constexpr size_t kBytesAtOnceMax = 2 << 20;

struct Document {
  std::string stream;  // the data stream's ARN
  std::string role;
  std::string group;  // ARN
  std::string partition_key;
  base::Time created;
  std::string text;
};

constexpr auto kDocumentMembers = [](auto& member, auto& document) {
  member("stream", document.stream);
  member("role", document.role);
  member("group", document.group);
  member("partition_key", document.partition_key);
  member("created_us", document.created);
  member("document", document.text);
};

std::string filter_prefix(std::string_view group_id, std::string_view filter_name) {
  std::string key = contents_range(group_id).begin;
  key.push_back(kDocument);
  base::append_string(key, filter_name);
  return key;
}

std::string lane_prefix(std::string_view group_id, std::string_view filter_name, std::string_view stream_id) {
  std::string key = filter_prefix(group_id, filter_name);
  base::append_fixed(key, stream_id);
  return key;
}

// Lets looks begin behind the key, or at what has come before it meanwhile.
Task<void> raise_floor(store::Transaction& txn, const store::Queue& queue, const std::string& key) {
  const store::Range range{co_await queue.front(txn), key + '\0'};
  if (range.begin >= range.end) co_return;
  std::string floor = range.end;
  co_await txn.scan(range, store::first(1), [&](std::string_view first, std::string_view) {
    floor = first;
    return false;
  });
  queue.set_floor(txn, floor);
}

struct Waiting {
  std::vector<std::string> keys;
  std::vector<Document> documents;  // all to one data stream, as one role
};

Task<Waiting> read(store::Snapshot& snapshot, const store::Queue& queue) {
  Waiting waiting;
  size_t bytes = 0;
  const store::Range range{co_await queue.front(snapshot), store::Range::prefix(queue.prefix()).end};
  co_await snapshot.scan(range, store::first(kDocumentsAtOnceMax), [&](std::string_view key, std::string_view value) {
    Document document = json::decode<Document>("subscribed document", value, kDocumentMembers);
    bytes += value.size();
    if (!waiting.documents.empty()) {
      const Document& first = waiting.documents.front();
      // Of one key only one: of several the shard may throttle a long one and take the next.
      if (document.partition_key == first.partition_key) return false;
      if (bytes > kBytesAtOnceMax || document.stream != first.stream || document.role != first.role) return false;
    }
    waiting.keys.emplace_back(key);
    waiting.documents.push_back(std::move(document));
    return true;
  });
  co_return waiting;
}

struct Put {
  size_t done = 0;          // the first so many are there, or are given up
  bool is_stopped = false;  // the data stream cannot be asked now
  std::string refusal;      // it will not take them
};

void tell_dropped(const Document& document, const std::string& reason) {
  base::log_warning("events of a log group do not come to their data stream, and are dropped",
                    {{"group", document.group}, {"stream", document.stream}, {"reason", reason}});
}

Task<Put> put(wire::Platform& platform, const std::vector<Document>& documents) {
  const Document& first = documents.front();
  kinesis::PutRecordsInput request{.stream_arn = first.stream};
  for (const Document& document : documents) {
    request.records.push_back({.data = co_await wire::packed(document.text), .partition_key = document.partition_key});
  }
  wire::Context context = stream_context(platform, first.stream, first.role, first.group);
  try {
    const auto answer = co_await platform.registry.call<kinesis::ops::PutRecords>(context, request);
    const auto failed =
        std::ranges::find_if(answer.records, [](const auto& entry) { return entry.error_code.has_value(); });
    co_return Put{static_cast<size_t>(failed - answer.records.begin()), failed != answer.records.end()};
  } catch (const wire::Error& error) {
    constexpr int kTooManyRequests = 429;
    const bool may_pass = error.http_status >= 500 || error.http_status == kTooManyRequests ||
                          error.code == "ProvisionedThroughputExceededException" ||
                          error.code.ends_with("ThrottlingException") ||
                          error.code == "LimitExceededException" || error.code == "KMSDisabledException";
    if (may_pass) co_return Put{.is_stopped = true};
    co_return Put{.refusal = error.code + ": " + error.message};
  } catch (const store::Overloaded&) {
    co_return Put{.is_stopped = true};
  }
}

// What is refused for what it is must not take others along: then each is put alone.
Task<Put> put_or_drop(wire::Platform& platform, const std::vector<Document>& documents) {
  Put result = co_await put(platform, documents);
  if (!result.refusal.empty() && documents.size() > 1) result = co_await put(platform, {documents.front()});
  if (result.refusal.empty()) co_return result;
  tell_dropped(documents.front(), result.refusal);
  co_return Put{.done = 1};
}

}  // namespace

void enqueue_document(store::Transaction& txn, const LogGroup& group, const SubscriptionFilter& filter,
                      std::string_view stream_id, EventPosition first, std::string_view document, base::Time now) {
  const store::Queue queue(lane_prefix(group.id, filter.name, stream_id));
  std::string key = queue.prefix();
  base::append_u64(key, first.version);
  base::append_u32(key, first.index);
  const Document record{.stream = filter.destination,
                        .role = filter.role,
                        .group = group.arn(),
                        .partition_key = filter.is_random ? base::new_uuid() : base::hex_of(stream_id),
                        .created = now,
                        .text = std::string(document)};
  queue.put(txn, key, json::encode(record, kDocumentMembers));
  store::put_timer(txn, {.kind = std::string(kSubscriptionTimer.name), .id = key, .due = now});
}

void erase_documents(store::Transaction& txn, std::string_view group_id, std::string_view filter_name) {
  const std::string prefix = filter_prefix(group_id, filter_name);
  txn.erase_range(store::Range::prefix(prefix));
  txn.erase_range(store::Queue::floors(prefix));
}

void forget_floors(store::Transaction& txn, const LogGroup& group, std::string_view stream_id) {
  for (const SubscriptionFilter& filter : group.subscription_filters) {
    txn.erase(store::Queue(lane_prefix(group.id, filter.name, stream_id)).floor_key());
  }
}

Task<void> SubscriptionQueues::deliver(const store::Timer& timer, std::shared_ptr<const engine::Tenure> tenure) {
  const std::string prefix = timer.id.substr(0, timer.id.size() - std::min(timer.id.size(), kPositionSize));
  Lane& lane = lanes_[prefix];
  if (lane.is_busy) {
    // Whose timer stands until it has looked once more.
    lane.has_more = true;
    co_return;
  }
  if (lane.retry_at && platform_.clock.now() < *lane.retry_at) co_return;
  struct Busy {
    Lane& lane;
    explicit Busy(Lane& of) : lane(of) { lane.is_busy = true; }
    ~Busy() { lane.is_busy = false; }
  };
  bool is_drained = true;
  {
    const Busy busy(lane);
    lane.retry_at.reset();
    const store::Queue queue(prefix);
    do {
      lane.has_more = false;
      is_drained = co_await drain(queue, *tenure);
    } while (is_drained && lane.has_more);
    if (!is_drained) co_await try_later(timer, lane);
  }
  if (is_drained) lanes_.erase(prefix);
}

store::FloorPace& SubscriptionQueues::pace_of(const store::Queue& queue) {
  if (paces_.size() >= kPacesMax) paces_.clear();
  return paces_[queue.prefix()];
}

Task<bool> SubscriptionQueues::drain(const store::Queue& queue, const engine::Tenure& tenure) {
  while (true) {
    const auto snapshot = platform_.store.snapshot();
    const Waiting waiting = co_await read(*snapshot, queue);
    if (waiting.keys.empty()) co_return true;
    tenure.require();
    Put result{.done = 1};
    if (waiting.documents.front().created + kSubscriptionAgeMax < platform_.clock.now()) {
      tell_dropped(waiting.documents.front(), "they are more than a day old");
    } else {
      result = co_await put_or_drop(platform_, waiting.documents);
    }
    if (result.done > 0) {
      const bool raises = pace_of(queue).looked(result.done);
      co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
        co_await tenure.fence(txn);
        for (size_t i = 0; i < result.done; ++i) txn.erase(waiting.keys[i]);
        if (raises) co_await raise_floor(txn, queue, waiting.keys[result.done - 1]);
      });
    }
    if (result.is_stopped) co_return false;
  }
}

Task<void> SubscriptionQueues::try_later(const store::Timer& timer, Lane& lane) {
  const base::Time at = platform_.clock.now() + lane.wait;
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    co_await store::set_timer(txn, {.kind = timer.kind, .id = timer.id, .due = at});
  });
  lane.retry_at = at;
  lane.wait = std::min(lane.wait * 2, kSubscriptionWaitMax);
}

}  // namespace tidemill::logs
