#include "services/sqs/move_task.h"

#include <algorithm>

#include "base/base64.h"
#include "base/json.h"
#include "base/ordered.h"
#include "base/uuid.h"
#include "services/sqs/fifo.h"
#include "services/sqs/message_keys.h"
#include "services/sqs/queue_floors.h"
#include "services/sqs/taking.h"

namespace tidemill::sqs {
namespace {

constexpr size_t kMovedPerRunMax = 100;
// Within kSequenceNumbersPerCommit.
constexpr size_t kMovedPerFifoRunMax = 10;
constexpr int kRunsPerSecond = 10;

constexpr std::string_view kNoQueue = "AWS.SimpleQueueService.NonExistentQueue";
constexpr std::string_view kNoSource = "CouldNotDetermineMessageSource";

// Why a task cannot go on. Thrown through the transaction, which then leaves everything as it is.
struct MoveFailure {
  std::string_view reason;
};

std::string encode(const MoveTask& task) {
  json::Object document{{"id", task.id},
                        {"started_us", task.started.time_since_epoch().count()},
                        {"status", task.status},
                        {"destination", task.destination_arn},
                        {"rate", task.rate},
                        {"moved", task.moved},
                        {"to_move", task.to_move},
                        {"failure", task.failure}};
  if (!task.allowed_arns.empty()) {
    document.set("allowed", json::Array(task.allowed_arns.begin(), task.allowed_arns.end()));
  }
  return json::write(json::Value(std::move(document)));
}

MoveTask decode(std::string_view bytes) {
  const auto document = json::parse(bytes);
  if (!document || !document->is_object()) throw std::runtime_error("a stored message move task is damaged");
  const auto text = [&](std::string_view name) {
    const json::Value* found = document->find(name);
    return found && found->is_string() ? found->string() : std::string();
  };
  const auto number = [&](std::string_view name) {
    const json::Value* found = document->find(name);
    return found ? found->to_int64().value_or(0) : 0;
  };
  MoveTask task{
      .id = text("id"), .started = base::Time(base::Duration(number("started_us"))), .status = text("status")};
  task.destination_arn = text("destination");
  task.rate = static_cast<int>(number("rate"));
  task.moved = number("moved");
  task.to_move = number("to_move");
  task.failure = text("failure");
  if (const json::Value* allowed = document->find("allowed"); allowed && allowed->is_array()) {
    for (const json::Value& arn : allowed->array()) {
      if (arn.is_string()) task.allowed_arns.push_back(arn.string());
    }
  }
  return task;
}

// What a timer's payload says.
struct Run {
  QueueAddress source;
  std::string task_key;
  [[nodiscard]] std::string_view source_id() const { return queue_id_of_key(task_key); }
};

std::string encode_run(const Queue& source, const MoveTask& task) {
  std::string payload;
  base::append_string(payload, source.address.account);
  base::append_string(payload, source.address.region);
  base::append_string(payload, source.address.name);
  base::append_fixed(payload, move_task_key(source.id, task.started, task.id));
  return payload;
}

Run decode_run(std::string_view payload) {
  base::OrderedReader reader(payload);
  Run run;
  run.source.account = reader.string();
  run.source.region = reader.string();
  run.source.name = reader.string();
  run.task_key = reader.rest();
  return run;
}

size_t moved_per_run(const Queue& source, const MoveTask& task) {
  const size_t most = source.is_fifo() ? kMovedPerFifoRunMax : kMovedPerRunMax;
  if (task.rate == 0) return most;
  return std::clamp<size_t>(static_cast<size_t>(task.rate) / kRunsPerSecond, 1, most);
}

// A redriven message is a new one: it has another id and is as old as its move.
Task<void> move_one(Service& service, store::Transaction& txn, const Queue& source, const MoveTask& task,
                    Message message, size_t index, base::Time now) {
  const std::string& arn = task.destination_arn.empty() ? message.source_arn : task.destination_arn;
  const auto address = parse_queue_arn(arn);
  // A queue may be its own dead-letter queue: what comes back to it would be moved for ever.
  if (!address || *address == source.address) throw MoveFailure{kNoSource};
  // One that came from a queue which did not give up to this one any more when the task began: nobody was asked of it.
  const std::vector<std::string>& allowed = task.allowed_arns;
  if (!allowed.empty() && std::ranges::find(allowed, arn) == allowed.end()) throw MoveFailure{kNoSource};
  const QueuePtr destination = co_await service.queues().find(txn, *address);
  if (!destination) throw MoveFailure{kNoQueue};
  message.id = base::new_uuid();
  message.source_arn.clear();
  message.receives_before = 0;
  if (destination->is_fifo()) message.sequence_number = sequence_number(txn.version(), index);
  co_await service.messages().add(txn, *destination, message, {.sent = now, .available = now});
}

// Moves some. False: nothing was there.
Task<bool> move_some(Service& service, store::Transaction& txn, const Queue& source, MoveTask& task, base::Time now) {
  const std::vector<Wanted> wanted{{.count = moved_per_run(source, task)}};
  Taking taking(txn, service.messages(), source, wanted, base::Time::min(), now);
  TakeResult result = co_await taking.run();
  size_t index = 0;
  for (Taken& taken : result.taken.front()) {
    co_await MessageStore::expire(txn, source, taken.position, taken.record, now);
    co_await move_one(service, txn, source, task, std::move(taken.message), index++, now);
  }
  task.moved += static_cast<int64_t>(index);
  co_return index > 0 || !result.exhausted;
}

// True: there is more to do at once, and the timer stands.
Task<bool> run_once(Service& service, store::Transaction& txn, const store::Timer& timer, base::Time now) {
  const Run run = decode_run(timer.payload);
  const QueuePtr source = co_await service.queues().find(txn, run.source);
  const auto bytes = co_await txn.get(run.task_key);
  if (!source || !bytes || !decode(*bytes).is_running()) {
    (void)co_await store::finish_timer(txn, timer);
    co_return false;
  }
  MoveTask task = decode(*bytes);
  const bool is_more = co_await move_some(service, txn, *source, task, now);
  if (is_more && task.rate > 0) {
    const auto moved = static_cast<int64_t>(moved_per_run(*source, task));
    co_await schedule_move(txn, *source, task, now + base::Duration(std::chrono::seconds(1)) * moved / task.rate);
  }
  if (!is_more) {
    task.status = move_status::kCompleted;
    (void)co_await store::finish_timer(txn, timer);
  }
  save_task(txn, *source, task);
  co_return is_more&& task.rate == 0;
}

Task<void> fail(store::Transaction& txn, const store::Timer& timer, std::string_view reason) {
  const Run run = decode_run(timer.payload);
  (void)co_await store::finish_timer(txn, timer);
  const auto bytes = co_await txn.get(run.task_key);
  if (!bytes) co_return;
  MoveTask task = decode(*bytes);
  if (!task.is_running()) co_return;
  task.status = move_status::kFailed;
  task.failure = reason;
  txn.put(run.task_key, encode(task));
}

}  // namespace

std::string make_task_handle(const MoveTask& task, const QueueAddress& source) {
  return base::base64_encode(json::write(json::Object{{"taskId", task.id}, {"sourceArn", source.arn()}}));
}

std::optional<TaskHandle> parse_task_handle(const std::string& handle) {
  const auto text = base::base64_decode(handle);
  const auto document = text ? json::parse(*text) : json::parse("");
  if (!document) return std::nullopt;
  const json::Value* id = document->find("taskId");
  const json::Value* arn = document->find("sourceArn");
  if (!id || !id->is_string() || !arn || !arn->is_string()) return std::nullopt;
  auto source = parse_queue_arn(arn->string());
  if (!source) return std::nullopt;
  return TaskHandle{id->string(), *std::move(source)};
}

void save_task(store::Transaction& txn, const Queue& source, const MoveTask& task) {
  txn.put(move_task_key(source.id, task.started, task.id), encode(task));
}

void erase_task(store::Transaction& txn, const Queue& source, const MoveTask& task) {
  txn.erase(move_task_key(source.id, task.started, task.id));
}

Task<std::vector<MoveTask>> load_tasks(store::Snapshot& reader, const Queue& source, size_t most) {
  std::vector<MoveTask> tasks;
  co_await reader.scan(move_tasks_range(source.id), store::last(most),
                       [&](std::string_view, std::string_view value) {
                         tasks.push_back(decode(value));
                         return true;
                       });
  co_return tasks;
}

Task<void> schedule_move(store::Transaction& txn, const Queue& source, const MoveTask& task, base::Time due) {
  co_await store::set_timer(
      txn, store::Timer{
               .kind = std::string(kMoveTimer.name), .id = task.id, .due = due, .payload = encode_run(source, task)});
}

Task<void> move_messages(Service& service, store::Timer timer) {
  std::optional<MoveFailure> failure;
  try {
    bool goes_on = true;
    store::FloorPace pace = kReceiverFloorPace;
    while (goes_on) {
      const Arrivals::Arrival arrival(service.arrivals(), service.clock().now());
      goes_on = co_await service.store().transact(
          [&](store::Transaction& txn) { return run_once(service, txn, timer, arrival.time()); });
      if (!goes_on || pace.looked(kMovedPerRunMax)) {
        co_await raise_floors(service.store(), decode_run(timer.payload).source_id(), arrival.time());
      }
    }
  } catch (const MoveFailure& caught) {
    failure = caught;
  }
  if (!failure) co_return;
  co_await service.store().transact([&](store::Transaction& txn) { return fail(txn, timer, failure->reason); });
}

}  // namespace tidemill::sqs
