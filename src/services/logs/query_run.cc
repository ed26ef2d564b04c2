#include "services/logs/query_run.h"

#include "base/log.h"
#include "services/logs/merged_events.h"
#include "services/logs/service.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {
namespace {

namespace Status = wire::logs::QueryStatus;

constexpr size_t kPieceBytes = 1 << 20;
constexpr size_t kBytesPerStep = 100;      // of a message are worked on in about a microsecond (base::slice_is_over)
constexpr size_t kWorkPerStep = 500;       // steps of a query's own, of some nanoseconds
constexpr int64_t kEventsPerLook = 1'000;  // at the clock

// The query has ended otherwise than with results.
struct Ended {
  std::string_view status;
};

Task<void> search_group(Service& service, const QueryRecord& query, store::Snapshot& snapshot, const LogGroup& group,
                        const lang::insights::Work& work, lang::insights::Execution& execution,
                        RunningQueries::Progress& progress) {
  const base::Time began = service.clock().now();
  const Milliseconds from = std::max(query.from, group.oldest_kept(began));
  MergedEvents events(snapshot, group, streams_range(group.id), from, std::max(query.to, from - 1) + 1, {});
  const std::string log = group.address.account + ":" + group.address.name;
  while (auto found = co_await events.next()) {
    if (progress.is_stopped) throw Ended{Status::kCancelled};
    const size_t size = found->event.message.size();
    ++progress.scanned;
    progress.bytes += static_cast<int64_t>(size);
    const size_t steps = work.steps(size);
    const bool is_long = service.query_matching().is_long(steps);
    if ((is_long || progress.scanned % kEventsPerLook == 0) && service.clock().now() - query.created > kQueryTimeMax) {
      throw Ended{Status::kTimeout};
    }
    const EventPlace place = found->event.place;
    lang::insights::Record record({.message = std::move(found->event.message),
                                   .timestamp = place.time,
                                   .ingestion_time = found->event.ingested,
                                   .stream = found->stream->name,
                                   .log = log,
                                   .pointer = encode_pointer({group.address.name, found->stream->name, place})});
    if (is_long)
      co_await service.query_matching().run([&] { execution.push(std::move(record)); });
    else
      execution.push(std::move(record));
    progress.matched = static_cast<int64_t>(execution.matched());
    if (base::slice_is_over(1 + size / kBytesPerStep + steps / kWorkPerStep)) co_await base::give_way();
  }
  ++progress.groups;
}

Task<std::vector<lang::insights::ResultRow>> search(Service& service, const QueryRecord& query,
                                                    RunningQueries::Progress& progress) {
  const auto parsed = lang::insights::Query::parse(query.text);
  lang::insights::Execution execution(parsed, query.limit);
  const auto snapshot = service.store().snapshot();
  for (const std::string& name : query.groups) {
    const LogGroupPtr group =
        co_await service.groups().find(*snapshot, {query.address.account, query.address.region, name});
    if (group) {
      co_await search_group(service, query, *snapshot, *group, parsed.work(), execution, progress);
    }
  }
  const lang::insights::Execution::Worker worker = [&](size_t steps, const std::function<void()>& work) -> Task<void> {
    if (progress.is_stopped) throw Ended{Status::kCancelled};
    if (!service.query_matching().is_long(steps)) {
      work();
      co_return;
    }
    if (service.clock().now() - query.created > kQueryTimeMax) throw Ended{Status::kTimeout};
    co_await service.query_matching().run([&] { work(); });
  };
  co_return co_await execution.finish(worker);
}

// Ends the query, unless it has been ended meanwhile, and lets its timer forget it later.
Task<void> finish(Service& service, const store::Timer& timer, const engine::Tenure& tenure,
                  const store::ResourceAddress& address, std::string_view status, int64_t pieces,
                  QueryStatisticsRecord statistics) {
  const base::Time now = service.clock().now();
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    co_await tenure.fence(txn);
    auto query = co_await find_query(txn, address);
    if (!query) {
      txn.erase_range(results_range(address.name));
      co_return;
    }
    if (query->is_active()) {
      query->status = status;
      query->ended = now;
      query->pieces = pieces;
      query->statistics = statistics;
      txn.put(query_key(address), encode_query(*query));
    }
    if (query->pieces == 0) txn.erase_range(results_range(address.name));
    co_await store::set_timer(txn, {.kind = timer.kind, .id = timer.id, .due = now + kQueryResultsKept});
  });
}

// How many pieces there are.
Task<int64_t> save_rows(Service& service, const engine::Tenure& tenure, const std::string& query_id,
                        const std::vector<lang::insights::ResultRow>& rows) {
  size_t total = 0;
  int64_t pieces = 0;
  for (size_t begin = 0; begin < rows.size();) {
    size_t end = begin;
    for (size_t bytes = 0; end < rows.size() && (end == begin || bytes < kPieceBytes); ++end) {
      for (const auto& [name, value] : rows[end]) bytes += name.size() + value.size();
    }
    const std::string piece = encode_rows(rows, begin, end);
    total += piece.size();
    if (total > kQueryResultBytesMax) throw lang::insights::ExecutionError("The results of the query are too large");
    co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
      co_await tenure.fence(txn);
      txn.put(result_key(query_id, pieces), piece);
    });
    ++pieces;
    begin = end;
    co_await base::give_way();
  }
  co_return pieces;
}

}  // namespace

std::shared_ptr<RunningQueries::Progress> RunningQueries::begin(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return running_[key] = std::make_shared<Progress>();
}

void RunningQueries::end(const std::string& key) {
  const std::lock_guard lock(mutex_);
  running_.erase(key);
}

std::shared_ptr<RunningQueries::Progress> RunningQueries::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(key);
  return found == running_.end() ? nullptr : found->second;
}

Task<void> go_on_with_query(Service& service, const store::Timer& timer, std::shared_ptr<const engine::Tenure> tenure) {
  const auto address = store::resource_of_key(kQueryType, timer.id);
  if (!address) co_return;
  auto query = co_await find_query(*service.store().snapshot(), *address);
  if (!query) co_return;
  if (!query->is_active()) {
    // It has been kept for long enough, or has been stopped before it began.
    co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
      if (!co_await store::finish_timer(txn, timer)) co_return;
      const base::Time forgotten = query->ended.value_or(query->created) + kQueryResultsKept;
      if (forgotten <= service.clock().now())
        co_await erase_query(txn, *address);
      else
        co_await store::set_timer(txn, {.kind = timer.kind, .id = timer.id, .due = forgotten});
    });
    co_return;
  }
  // Before the record is looked at: who stops it finds it either there or here.
  struct Registration {
    RunningQueries& queries;
    const std::string& key;
    std::shared_ptr<RunningQueries::Progress> progress;
    ~Registration() { queries.end(key); }
  };
  const Registration running{service.queries(), timer.id, service.queries().begin(timer.id)};
  const bool may_begin = co_await service.store().transact([&](store::Transaction& txn) -> Task<bool> {
    co_await tenure->fence(txn);
    auto current = co_await find_query(txn, *address);
    if (!current) co_return false;
    const bool is_given_up = current->is_active() && ++current->attempts > kQueryAttemptsMax;
    if (is_given_up) {
      current->status = std::string(Status::kFailed);
      current->ended = service.clock().now();
    }
    txn.put(query_key(*address), encode_query(*current));
    if (current->is_active()) co_return true;
    const base::Time forgotten = service.clock().now() + kQueryResultsKept;
    co_await store::set_timer(txn, {.kind = timer.kind, .id = timer.id, .due = forgotten});
    co_return false;
  });
  if (!may_begin) co_return;
  std::string_view status = Status::kComplete;
  int64_t pieces = 0;
  try {
    const auto rows = co_await search(service, *query, *running.progress);
    pieces = co_await save_rows(service, *tenure, address->name, rows);
  } catch (const Ended& ended) {
    status = ended.status;
  } catch (const lang::insights::QueryError&) {
    status = Status::kFailed;  // the language of another version
  } catch (const lang::insights::ExecutionError& error) {
    status = Status::kFailed;
    base::log_warning("a query of log groups failed", {{"query", address->name}, {"reason", error.what()}});
  }
  co_await finish(service, timer, *tenure, *address, status, status == Status::kComplete ? pieces : 0,
                  running.progress->statistics());
}

}  // namespace tidemill::logs
