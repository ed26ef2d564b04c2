#include "services/states/execution_log.h"

#include <algorithm>

#include "base/hex.h"
#include "base/json_record.h"
#include "base/log.h"
#include "base/ordered.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "engine/targets/internal_call.h"
#include "services/states/errors.h"
#include "services/states/history.h"
#include "services/states/map_run.h"
#include "store/keys.h"
#include "store/timer.h"
#include "wire/pipeline/authorize.h"
#include "wire/shapes/logs.h"

namespace tidemill::states {

using base::cat;

namespace {

namespace ops = wire::logs::ops;

constexpr std::string_view kGroup = "log-group:";
constexpr std::string_view kDenied = "AccessDeniedException";
constexpr std::string_view kNotThere = "ResourceNotFoundException";

// What includeExecutionData says no to.
bool is_data(std::string_view member) {
  static constexpr std::string_view kData[] = {"input",         "output",     "parameters",
                                               "inputDetails",  "outputDetails", "assignedVariables",
                                               "assignedVariablesDetails"};
  return std::ranges::find(kData, member) != std::end(kData);
}

size_t escaped_size(char c) {
  if (c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r') return 2;
  return static_cast<unsigned char>(c) < 0x20 ? 6 : 1;
}

// The longest beginning that is no longer than the limit once it is escaped, and ends with a whole character.
std::string_view fitting(std::string_view text) {
  size_t size = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    size += escaped_size(text[i]);
    if (size <= kLoggedDataBytesMax) continue;
    while (i > 0 && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) --i;
    return text.substr(0, i);
  }
  return text;
}

void write_as_text(json::Writer& writer, const json::Value& value) {
  if (value.is_object()) {
    writer.begin_object();
    for (const auto& [name, member] : value.object()) {
      writer.key(name);
      write_as_text(writer, member);
    }
    writer.end_object();
  } else {
    writer.string(value.is_string() ? value.string() : json::write(value));
  }
}

void write_details(json::Writer& writer, const json::Object& details, bool with_data) {
  bool is_cut = false;
  writer.begin_object();
  for (const auto& [name, value] : details) {
    if (!with_data && is_data(name)) continue;
    writer.key(name);
    if (name.ends_with("Details") && is_cut) {
      writer.raw(R"({"truncated":"true"})");
    } else if (value.is_string()) {
      const std::string_view text = fitting(value.string());
      is_cut = text.size() < value.string().size();
      writer.string(text);
    } else {
      write_as_text(writer, value);
    }
  }
  writer.end_object();
}

std::string logged_key(const ExecutionId& id) {
  return std::string{static_cast<char>(store::KeySpace::execution), 'g'} + id.bytes;
}

// How far an execution's history has been written.
struct Logged {
  uint64_t next = 1;  // event
  uint32_t redrives = 0;
};
Task<Logged> read_logged(store::Snapshot& reader, ExecutionId id) {
  const auto bytes = co_await reader.get(logged_key(id));
  if (!bytes) co_return Logged{};
  base::OrderedReader fields(*bytes);
  Logged logged{.next = fields.u64()};
  logged.redrives = fields.u32();
  if (!fields.ok()) throw std::runtime_error("the note of what an execution has logged is damaged");
  co_return logged;
}
void put_logged(store::Transaction& txn, const ExecutionId& id, const Logged& logged) {
  std::string bytes;
  base::append_u64(bytes, logged.next);
  base::append_u32(bytes, logged.redrives);
  txn.put(logged_key(id), bytes);
}

// False: the stream is not there.
Task<bool> try_put(wire::Context& context, const wire::logs::PutLogEventsInput& request) {
  try {
    (void)co_await context.registry().call<ops::PutLogEvents>(context, request);
    co_return true;
  } catch (const wire::Error& error) {
    if (error.code != kNotThere) throw;
  }
  co_return false;
}

Task<void> make_stream(wire::Context& context, const wire::logs::PutLogEventsInput& request) {
  try {
    (void)co_await context.registry().call<ops::CreateLogStream>(
        context, {.log_group_name = request.log_group_name, .log_stream_name = request.log_stream_name});
  } catch (const wire::Error& error) {
    if (error.code != "ResourceAlreadyExistsException") throw;
  }
}

Task<void> put_batch(wire::Context& context, const wire::logs::PutLogEventsInput& request) {
  try {
    if (co_await try_put(context, request)) co_return;
    co_await make_stream(context, request);
    (void)co_await context.registry().call<ops::PutLogEvents>(context, request);
  } catch (const wire::Error& error) {
    if (error.http_status >= 500) throw;
    base::log_warning("execution_log_lost", {{"log_group", request.log_group_name},
                                             {"lines", std::to_string(request.log_events.size())},
                                             {"reason", cat(error.code, ": ", error.message)}});
  }
}

wire::Error invalid_logging(std::string_view why) {
  return errors::invalid_logging_configuration(cat("Invalid Logging Configuration: ", why));
}

// Lines are judged by nobody when they are written, only the machine's role when it is to log (require_log_delivery).
constexpr std::string_view kOtherPlace = "The log group must be of the account and region of the state machine.";

bool is_group_of(std::string_view account, std::string_view region, std::string_view group_arn) {
  const auto arn = wire::parse_arn_of("logs", group_arn);
  return arn && arn->account == account && arn->region == region;
}

}  // namespace

bool logs_anything(const Definition& definition) {
  return definition.log_level != "OFF" && !definition.log_group.empty();
}

bool is_logged(std::string_view level, std::string_view type) {
  if (level == "ALL") return true;
  const bool is_fatal = type == "ExecutionFailed" || type == "ExecutionAborted" || type == "ExecutionTimedOut";
  if (level == "FATAL") return is_fatal;
  return level == "ERROR" && (type == "FailStateEntered" || type.ends_with("Failed") || type.ends_with("Aborted") ||
                              type.ends_with("TimedOut"));
}

std::optional<LogLine> log_line_of(std::string_view event, const Definition& definition,
                                   std::string_view execution_arn, uint32_t& redrives) {
  const auto parsed = json::parse(event);
  if (!parsed || !parsed->is_object()) throw std::runtime_error("an event of a history is damaged");
  const auto number = [&](std::string_view name) { return parsed->find(name)->number_text(); };
  const std::string& type = parsed->find("type")->string();
  if (type == "ExecutionRedriven") ++redrives;
  if (!is_logged(definition.log_level, type)) return std::nullopt;
  LogLine line;
  const double seconds = parsed->find("timestamp")->to_double().value_or(0);
  line.time_ms = static_cast<int64_t>(seconds * 1000 + 0.5);
  json::Writer writer(line.message);
  writer.begin_object();
  json::write_member(writer, "id", number("id"));
  json::write_member(writer, "type", type);
  writer.key("details");
  const json::Object* details = nullptr;
  for (const auto& [name, value] : parsed->object()) {
    if (value.is_object()) details = &value.object();
  }
  write_details(writer, details ? *details : json::Object(), definition.logs_data);
  json::write_member(writer, "previous_event_id", number("previousEventId"));
  json::write_member(writer, "event_timestamp", std::to_string(line.time_ms));
  json::write_member(writer, "execution_arn", execution_arn);
  json::write_member(writer, "redrive_count", std::to_string(redrives));
  writer.end_object();
  return line;
}

std::string log_stream_of(std::string_view machine, const Definition& definition) {
  static constexpr size_t kHashBytes = 4;
  const std::string hash = base::hex_of(crypto::sha256(definition.revision).substr(0, kHashBytes));
  std::string minute = base::iso_milliseconds(definition.created).substr(0, 16);  // 2026-03-14T10:30
  std::ranges::replace(minute, 'T', '-');
  std::ranges::replace(minute, ':', '-');
  return cat("states/", machine, "/", minute, "/", hash);
}

Task<void> put_log_lines(wire::Platform& platform, std::string account, std::string region, std::string group_arn,
                         std::string stream, std::vector<LogLine> lines) {
  if (!is_group_of(account, region, group_arn)) {
    base::log_warning("execution_log_lost", {{"log_group", group_arn}, {"reason", std::string(kOtherPlace)}});
    co_return;
  }
  wire::Context context = engine::internal_context(platform, group_arn);
  wire::logs::PutLogEventsInput request;
  request.log_group_name = log_group_of(group_arn);
  request.log_stream_name = stream;
  size_t bytes = 0;
  for (LogLine& line : lines) {
    if (!request.log_events.empty() && bytes + line.message.size() > kLogBytesAtOnce) {
      co_await put_batch(context, request);
      request.log_events.clear();
      bytes = 0;
    }
    bytes += line.message.size();
    request.log_events.push_back({.timestamp = line.time_ms, .message = std::move(line.message)});
  }
  if (!request.log_events.empty()) co_await put_batch(context, request);
}

std::string log_group_of(std::string_view text) {
  const auto arn = wire::parse_arn_of("logs", text);
  std::string_view name = arn && arn->resource.starts_with(kGroup) ? arn->resource.substr(kGroup.size()) : "";
  if (!name.ends_with(":*") || name.size() == 2) throw invalid_logging("Must set valid CloudWatch Log Group ARN.");
  name.remove_suffix(2);
  return std::string(name);
}

Task<void> require_log_delivery(wire::Platform& platform, std::string machine_arn, std::string role) {
  const wire::Context asking =
      engine::internal_context(platform, machine_arn, session_of(std::move(role), machine_arn));
  try {
    co_await wire::authorize_deed(asking, {"logs:CreateLogDelivery", "*"});
    co_return;
  } catch (const wire::Error& error) {
    if (error.code != kDenied) throw;
  }
  throw wire::Error(std::string(kDenied), 400,
                    "The state machine IAM Role is not authorized to access the Log Destination");
}

Task<void> require_log_group(wire::Platform& platform, std::string account, std::string region,
                             std::string group_arn) {
  const std::string name = log_group_of(group_arn);
  if (!is_group_of(account, region, group_arn)) throw invalid_logging(kOtherPlace);
  wire::Context context = engine::internal_context(platform, group_arn);
  wire::logs::DescribeLogGroupsInput request;
  request.log_group_name_prefix = name;  // names are in their order: itself comes first
  const auto found = co_await platform.registry.call<ops::DescribeLogGroups>(context, request);
  if (found.log_groups && !found.log_groups->empty() && found.log_groups->front().log_group_name == name) co_return;
  throw invalid_logging(cat("The log group '", name, "' does not exist."));
}

// ---- Of Standard executions -----------------------------------------------------------------------------------------

void ExecutionLogs::register_with(engine::TimerService& timers) {
  timers.handle(store::TimerKind{kLogTimer}, [this](const store::Timer& timer) { return run(timer); },
                {.concurrent_max = kLogsAtOnce});
}

Task<void> ExecutionLogs::wake(store::Transaction& txn, const ExecutionRecord& record, base::Time now) {
  if (co_await store::timer_due(txn, {kLogTimer}, record.id.bytes)) co_return;
  co_await store::set_timer(txn, {std::string(kLogTimer), record.id.bytes, now, execution_key(record.address)});
}

void ExecutionLogs::forget(store::Transaction& txn, const ExecutionId& id) { txn.erase(logged_key(id)); }

Task<void> ExecutionLogs::run(const store::Timer& timer) {
  while (co_await write_some(timer)) {
  }
}

Task<bool> ExecutionLogs::write_some(const store::Timer& timer) {
  const auto snapshot = platform_.store.snapshot();
  const auto record = co_await find_execution(*snapshot, address_of_key(timer.payload));
  if (!record || record->id.bytes != timer.id) co_return false;  // the service removes the timer
  const ExecutionAddress& address = record->address;
  const std::string machine = base_machine(address.machine);
  const auto parsed = co_await parsed_definition(*snapshot, machines_, address.account, address.region, machine,
                                                 record->revision);
  Logged logged = co_await read_logged(*snapshot, record->id);
  const HistoryPage page = co_await read_history(*snapshot, record->id, logged.next, kLogEventsAtOnce, false);
  const std::string arn = address.arn();
  std::vector<LogLine> lines;
  for (const std::string& event : page.events) {
    if (auto line = log_line_of(event, parsed->definition, arn, logged.redrives)) lines.push_back(*std::move(line));
    if (base::slice_is_over()) co_await base::give_way();
  }
  logged.next += page.events.size();
  co_await put_log_lines(platform_, address.account, address.region, parsed->definition.log_group,
                         log_stream_of(machine, parsed->definition), std::move(lines));
  co_return co_await platform_.store.transact([&](store::Transaction& txn) -> Task<bool> {
    put_logged(txn, record->id, logged);
    // Tracked: events that come meanwhile make this conflict, or find no timer.
    bool has_more = page.next != 0;
    store::Range rest = store::Range::prefix(history_prefix(record->id));
    rest.begin = history_key(record->id, logged.next);
    co_await txn.scan(rest, store::first(1), [&](std::string_view, std::string_view) { return !(has_more = true); });
    if (!has_more) (void)co_await store::finish_timer(txn, timer);
    co_return has_more;
  });
}

}  // namespace tidemill::states
