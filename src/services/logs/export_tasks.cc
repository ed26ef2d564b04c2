// Begins, cancels and shows export tasks.
#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "base/uuid.h"
#include "services/logs/errors.h"
#include "services/logs/export_run.h"
#include "services/logs/group_name.h"
#include "services/logs/operations.h"

namespace tidemill::logs {
namespace {

namespace Status = shapes::ExportTaskStatusCode;

constexpr size_t kTasksByDefault = 50;
constexpr std::string_view kDefaultPrefix = "exportedlogs";

Task<std::vector<ExportTask>> tasks_of(store::Snapshot& reader, const wire::Context& context) {
  std::vector<ExportTask> tasks;
  const store::Range all = store::resources_range(kExportTaskType, context.account, context.region);
  co_await reader.scan(all, store::Direction::forward, [&](std::string_view key, std::string_view value) {
    if (auto address = store::resource_of_key(kExportTaskType, key)) {
      tasks.push_back(decode_export_task(*std::move(address), value));
    }
    return true;
  });
  co_return tasks;
}

// Writes the object by which AWS, too, finds out whether it may. Throws InvalidParameterException and
// AccessDeniedException.
Task<void> try_bucket(wire::Context& context, const ExportTask& task) {
  engine::BucketAccess bucket = bucket_of(context.platform(), task);
  std::optional<engine::Refusal> refusal;
  try {
    (void)co_await bucket.put(task.prefix + "/aws-logs-write-test", "Permission Check Successful");
  } catch (const engine::CallRefused& refused) {
    refusal = refused.refusal();
  }
  if (!refusal) co_return;
  if (refusal->code == "S3NoSuchBucket") {
    throw errors::invalid_parameter_exception("The given bucket does not exist. Please provide another bucket.");
  }
  throw errors::access_denied_exception(
      "PutObject call on the given bucket failed. Please check if CloudWatch Logs has been granted permission to "
      "perform "
      "this operation.");
}

shapes::ExportTask describe(const ExportTask& task) {
  shapes::ExportTask out{.task_id = task.address.name};
  if (!task.name.empty()) out.task_name = task.name;
  out.log_group_name = task.group;
  out.from = task.from;
  out.to = task.to;
  out.destination = task.bucket;
  out.destination_prefix = task.prefix;
  out.status.emplace().code = task.status;
  if (!task.message.empty()) out.status->message = task.message;
  out.execution_info.emplace().creation_time = milliseconds(task.created);
  if (task.ended) out.execution_info->completion_time = milliseconds(*task.ended);
  return out;
}

}  // namespace

Task<shapes::CreateExportTaskOutput> create_export_task(Service& service, wire::Context& context,
                                                        const shapes::CreateExportTaskInput& request) {
  if (request.from > request.to) {
    throw errors::invalid_parameter_exception("The parameter from must not be greater than the parameter to.");
  }
  const store::ResourceAddress group_address = group_called(context, request.log_group_name);
  const LogGroupPtr group = co_await service.groups().get(*service.store().snapshot(), group_address);
  std::string prefix = request.destination_prefix.value_or(std::string(kDefaultPrefix));
  while (prefix.ends_with('/')) prefix.pop_back();
  if (prefix.empty()) prefix = kDefaultPrefix;
  const base::Time now = context.now();
  const ExportTask task{.address = {context.account, context.region, base::new_uuid()},
                        .name = request.task_name.value_or(""),
                        .group = group->address.name,
                        .group_id = group->id,
                        .stream_prefix = request.log_stream_name_prefix.value_or(""),
                        .from = request.from,
                        .to = std::min(request.to, std::numeric_limits<Milliseconds>::max() - 1),
                        .bucket = request.destination,
                        .prefix = std::move(prefix),
                        .status = std::string(Status::kPending),
                        .created = now};
  co_await try_bucket(context, task);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    for (const ExportTask& other : co_await tasks_of(txn, context)) {
      // One at a time, as on AWS.
      if (other.is_active()) throw errors::limit_exceeded_exception("Resource limit exceeded.");
      if (other.ended && *other.ended + kExportTasksKept < now) txn.erase(export_task_key(other.address));
    }
    const std::string key = export_task_key(task.address);
    txn.put(key, encode_export_task(task));
    co_await store::set_timer(txn, {.kind = std::string(kExportTimer.name), .id = key, .due = now});
  });
  co_return shapes::CreateExportTaskOutput{.task_id = task.address.name};
}

Task<shapes::CancelExportTaskOutput> cancel_export_task(Service& service, wire::Context& context,
                                                        const shapes::CancelExportTaskInput& request) {
  const store::ResourceAddress address{context.account, context.region, request.task_id};
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    auto task = co_await find_export_task(txn, address);
    if (!task) throw errors::resource_not_found_exception("The specified export task does not exist.");
    if (!task->is_active()) {
      throw errors::invalid_operation_exception(
          base::cat("The specified export task is not pending or running: ", task->status));
    }
    task->status = std::string(Status::kPendingCancel);  // until whoever carries it out has seen that
    txn.put(export_task_key(address), encode_export_task(*task));
  });
  co_return shapes::CancelExportTaskOutput{};
}

Task<shapes::DescribeExportTasksOutput> describe_export_tasks(Service& service, wire::Context& context,
                                                              const shapes::DescribeExportTasksInput& request) {
  std::vector<ExportTask> tasks = co_await tasks_of(*service.store().snapshot(), context);
  std::ranges::sort(tasks, [](const ExportTask& a, const ExportTask& b) {
    return std::tie(b.created, b.address.name) < std::tie(a.created, a.address.name);  // the newest first
  });
  auto from = tasks.begin();
  if (request.next_token) {
    const auto last = base::base64_decode(*request.next_token);
    from = std::ranges::find_if(tasks, [&](const ExportTask& task) { return last && task.address.name == *last; });
    if (from == tasks.end()) throw invalid_next_token();
    ++from;
  }
  const size_t count_max = request.limit ? static_cast<size_t>(*request.limit) : kTasksByDefault;
  shapes::DescribeExportTasksOutput out;
  auto& found = out.export_tasks.emplace();
  for (; from != tasks.end(); ++from) {
    if (request.task_id && from->address.name != *request.task_id) continue;
    if (request.status_code && from->status != *request.status_code) continue;
    if (found.size() == count_max) {
      out.next_token = base::base64_encode(*found.back().task_id);
      break;
    }
    found.push_back(describe(*from));
  }
  co_return out;
}

}  // namespace tidemill::logs
