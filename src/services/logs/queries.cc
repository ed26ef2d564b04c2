// Begins and stops queries of Logs Insights, and shows what they found.
#include <algorithm>
#include <limits>
#include <set>

#include "base/base64.h"
#include "base/text.h"
#include "base/uuid.h"
#include "services/logs/errors.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"
#include "services/logs/query_record.h"
#include "services/logs/stream.h"

namespace tidemill::logs {
namespace {

using base::cat;
namespace Status = shapes::QueryStatus;

// "StartQuery" in the API reference.
constexpr size_t kQueriedGroupsMax = 50;
constexpr size_t kQueriesByDefault = 1'000;
// Times beyond the year 5138 as seconds are milliseconds.
constexpr int64_t kSecondsMax = 100'000'000'000;

Milliseconds in_milliseconds(int64_t time) { return time < kSecondsMax ? time * 1'000 : time; }

void check_query(const std::string& text) {
  try {
    (void)lang::insights::Query::parse(text);
  } catch (const lang::insights::QueryError& error) {
    shapes::MalformedQueryException more;
    shapes::QueryCompileError& fault = more.query_compile_error.emplace();
    fault.location = shapes::QueryCompileErrorLocation{.start_char_offset = static_cast<int32_t>(error.begin),
                                                       .end_char_offset = static_cast<int32_t>(error.end)};
    fault.message = error.what();
    throw errors::malformed_query_exception(error.what(), more);
  }
}

std::vector<std::string> groups_of(const wire::Context& context, const shapes::StartQueryInput& request) {
  const int given =
      (request.log_group_name ? 1 : 0) + (request.log_group_names ? 1 : 0) + (request.log_group_identifiers ? 1 : 0);
  if (given != 1) {
    throw errors::invalid_parameter_exception(
        "Exactly one of logGroupName, logGroupNames and logGroupIdentifiers must be specified.");
  }
  std::set<std::string> names;
  if (request.log_group_name) names.insert(*request.log_group_name);
  if (request.log_group_names) names.insert(request.log_group_names->begin(), request.log_group_names->end());
  if (request.log_group_identifiers) {
    for (const std::string& identifier : *request.log_group_identifiers) {
      names.insert(group_called(context, std::nullopt, identifier).name);
    }
  }
  if (names.empty()) throw errors::invalid_parameter_exception("There are no log groups to be queried.");
  if (names.size() > kQueriedGroupsMax) {
    throw errors::invalid_parameter_exception(cat("No more than ", kQueriedGroupsMax, " log groups can be queried."));
  }
  return {names.begin(), names.end()};
}

wire::Error query_not_found() { return errors::resource_not_found_exception("The specified query does not exist."); }

shapes::QueryStatistics shown(const QueryStatisticsRecord& statistics) {
  return {.records_matched = static_cast<double>(statistics.matched),
          .records_scanned = static_cast<double>(statistics.scanned),
          .estimated_records_skipped = 0.0,
          .bytes_scanned = static_cast<double>(statistics.bytes),
          .estimated_bytes_skipped = 0.0,
          .log_groups_scanned = static_cast<double>(statistics.groups)};
}

}  // namespace

Task<shapes::StartQueryOutput> start_query(Service& service, wire::Context& context,
                                           const shapes::StartQueryInput& request) {
  if (request.query_language && *request.query_language != shapes::QueryLanguage::kCwli) {
    throw errors::invalid_parameter_exception(
        cat("Tidemill does not support the queryLanguage ", *request.query_language));
  }
  check_query(request.query_string);
  QueryRecord query{.address = {context.account, context.region, base::new_uuid()},
                    .text = request.query_string,
                    .groups = groups_of(context, request),
                    .from = in_milliseconds(request.start_time),
                    .to = in_milliseconds(request.end_time),
                    .limit = static_cast<size_t>(request.limit.value_or(lang::insights::kResultsMax)),
                    .status = std::string(Status::kScheduled),
                    .created = context.now()};
  // Of whole seconds all of the last one is meant.
  if (request.end_time < kSecondsMax) query.to += 999;
  query.to = std::min(query.to, std::numeric_limits<Milliseconds>::max() - 1);
  if (query.from > query.to) {
    throw errors::invalid_parameter_exception(
        "The parameter startTime must not be greater than the parameter endTime.");
  }
  const auto snapshot = service.store().snapshot();
  for (const std::string& name : query.groups) {
    if (co_await service.groups().find(*snapshot, {context.account, context.region, name})) continue;
    throw errors::resource_not_found_exception(
        cat("Log group '", name, "' does not exist for account ID '", context.account, "'"));
  }
  const std::vector<QueryRecord> others = co_await list_queries(*snapshot, context.account, context.region);
  if (static_cast<size_t>(std::ranges::count_if(others, &QueryRecord::is_active)) >= kActiveQueriesMax) {
    throw errors::limit_exceeded_exception("Account maximum query concurrency limit reached.");
  }
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    for (size_t i = kQueriesKeptMax - 1; i < others.size(); ++i) {
      if (!others[i].is_active()) co_await erase_query(txn, others[i].address);
    }
    const std::string key = query_key(query.address);
    txn.put(key, encode_query(query));
    co_await store::set_timer(txn, {.kind = std::string(kQueryTimer.name), .id = key, .due = query.created});
  });
  co_return shapes::StartQueryOutput{.query_id = query.address.name};
}

Task<shapes::StopQueryOutput> stop_query(Service& service, wire::Context& context,
                                         const shapes::StopQueryInput& request) {
  const store::ResourceAddress address{context.account, context.region, request.query_id};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    auto query = co_await find_query(txn, address);
    if (!query) throw query_not_found();
    if (!query->is_active()) throw errors::invalid_parameter_exception("The specified query is not running");
    query->status = std::string(Status::kCancelled);
    query->ended = context.now();
    txn.put(query_key(address), encode_query(*query));
  });
  if (const auto progress = service.queries().find(query_key(address))) progress->is_stopped = true;
  co_return shapes::StopQueryOutput{.success = true};
}

Task<shapes::GetQueryResultsOutput> get_query_results(Service& service, wire::Context& context,
                                                      const shapes::GetQueryResultsInput& request) {
  const store::ResourceAddress address{context.account, context.region, request.query_id};
  const auto snapshot = service.store().snapshot();
  const auto query = co_await find_query(*snapshot, address);
  if (!query) throw query_not_found();
  shapes::GetQueryResultsOutput out;
  out.query_language = std::string(shapes::QueryLanguage::kCwli);
  out.status = query->status;
  out.results.emplace();
  const auto progress = query->is_active() ? service.queries().find(query_key(address)) : nullptr;
  out.statistics = shown(progress ? progress->statistics() : query->statistics);
  if (progress) out.status = std::string(Status::kRunning);
  if (query->status != Status::kComplete) co_return out;
  for (int64_t piece = 0; piece < query->pieces; ++piece) {
    const auto bytes = co_await snapshot->get(result_key(address.name, piece));
    if (!bytes) throw std::runtime_error("results of a query are gone");
    std::vector<lang::insights::ResultRow> rows;
    decode_rows(*bytes, rows);
    for (auto& row : rows) {
      auto& fields = out.results->emplace_back();
      for (auto& [name, value] : row) fields.push_back({.field = std::move(name), .value = std::move(value)});
    }
    co_await base::give_way();
  }
  co_return out;
}

Task<shapes::DescribeQueriesOutput> describe_queries(Service& service, wire::Context& context,
                                                     const shapes::DescribeQueriesInput& request) {
  const auto queries = co_await list_queries(*service.store().snapshot(), context.account, context.region);
  auto from = queries.begin();
  if (request.next_token) {
    const auto last = base::base64_decode(*request.next_token);
    from = std::ranges::find_if(queries, [&](const QueryRecord& query) { return last && query.address.name == *last; });
    if (from == queries.end()) throw invalid_next_token();
    ++from;
  }
  const size_t count_max = request.max_results ? static_cast<size_t>(*request.max_results) : kQueriesByDefault;
  shapes::DescribeQueriesOutput out;
  auto& found = out.queries.emplace();
  for (; from != queries.end(); ++from) {
    if (request.log_group_name && std::ranges::find(from->groups, *request.log_group_name) == from->groups.end())
      continue;
    if (request.status && from->status != *request.status) continue;
    if (found.size() == count_max) {
      out.next_token = base::base64_encode(*found.back().query_id);
      break;
    }
    found.push_back({.query_language = std::string(shapes::QueryLanguage::kCwli),
                     .query_id = from->address.name,
                     .query_string = from->text,
                     .status = from->status,
                     .create_time = milliseconds(from->created),
                     .log_group_name = from->groups.front()});
  }
  co_return out;
}

Task<shapes::GetLogRecordOutput> get_log_record(Service& service, wire::Context& context,
                                                const shapes::GetLogRecordInput& request) {
  const auto pointer = decode_pointer(request.log_record_pointer);
  if (!pointer) throw errors::invalid_parameter_exception("The specified logRecordPointer is invalid.");
  const auto snapshot = service.store().snapshot();
  const LogGroupPtr group = co_await service.groups().get(*snapshot, {context.account, context.region, pointer->group});
  const LogStream stream = co_await get_stream(*snapshot, *group, pointer->stream);
  const auto bytes = co_await snapshot->get(event_key(group->id, stream.id, pointer->place));
  if (!bytes || pointer->place.time < group->oldest_kept(context.now())) {
    throw errors::resource_not_found_exception("The specified log record does not exist.");
  }
  Event event = decode_event(pointer->place, *bytes);
  const lang::insights::Record record({.message = std::move(event.message),
                                       .timestamp = pointer->place.time,
                                       .ingestion_time = event.ingested,
                                       .stream = stream.name,
                                       .log = cat(context.account, ":", group->address.name),
                                       .pointer = request.log_record_pointer});
  shapes::GetLogRecordOutput out;
  auto& fields = out.log_record.emplace();
  for (const auto& [name, value] : record.discovered()) fields.emplace(name, value.text());
  fields.insert_or_assign("@message", record.event().message);
  fields.insert_or_assign("@timestamp", std::to_string(record.event().timestamp));
  fields.insert_or_assign("@ingestionTime", std::to_string(record.event().ingestion_time));
  fields.insert_or_assign("@logStream", stream.name);
  fields.insert_or_assign("@log", record.event().log);
  fields.insert_or_assign("@ptr", request.log_record_pointer);
  co_return out;
}

}  // namespace tidemill::logs
