// StartMessageMoveTask, CancelMessageMoveTask and ListMessageMoveTasks.
#include "base/text.h"
#include "base/uuid.h"
#include "services/sqs/counts.h"
#include "services/sqs/errors.h"
#include "services/sqs/listing.h"
#include "services/sqs/move_task.h"
#include "services/sqs/operations.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::sqs {
namespace {

constexpr int kResultsMax = 10;

wire::Error no_resource(std::string_view parameter) {
  return errors::resource_not_found_exception(
      base::cat("The resource that you specified for the ", parameter, " parameter doesn't exist."));
}

// The queue that an ARN of a request means.
Task<QueuePtr> find_by_arn(Service& service, wire::Context& context, std::string arn, std::string_view parameter) {
  const auto address = parse_queue_arn(arn);
  if (!address || address->account != context.account || address->region != context.region)
    throw no_resource(parameter);
  const auto snapshot = service.store().snapshot();
  QueuePtr queue = co_await service.queues().find(*snapshot, *address);
  if (!queue) throw no_resource(parameter);
  co_return queue;
}

// The ARNs of queues that give their messages up to this one: one at most, or all. Throws InvalidParameterValue: there are
// none.
Task<std::vector<std::string>> load_sources(Service& service, wire::Context& context, const Queue& queue, bool all) {
  std::vector<std::string> sources;
  (void)co_await list_page(service, context, std::nullopt, 1, [&](const Queue& other) {
    const bool is_source = other.settings.redrive && other.settings.redrive->target == queue.address;
    if (is_source && (all || sources.empty())) sources.push_back(other.address.arn());
    return is_source && !all;
  });
  if (sources.empty()) {
    throw errors::invalid_parameter_value_exception("Source queue must be configured as a Dead Letter Queue.");
  }
  co_return sources;
}

Task<MoveTask> read_request(Service& service, wire::Context& context, const shapes::StartMessageMoveTaskInput& request,
                            const Queue& source) {
  MoveTask task{.id = base::new_uuid(), .started = context.now()};
  if (const auto& rate = request.max_number_of_messages_per_second) {
    if (*rate < 1 || *rate > kMovesPerSecondMax) {
      throw invalid_parameter(std::to_string(*rate), "MaxNumberOfMessagesPerSecond",
                              "Must be between 1 and 500, if provided.");
    }
    task.rate = *rate;
  }
  if (request.destination_arn) {
    const QueuePtr destination = co_await find_by_arn(service, context, *request.destination_arn, "DestinationArn");
    if (destination->is_fifo() != source.is_fifo()) {
      throw errors::invalid_parameter_value_exception("Source and destination queue must be of the same type.");
    }
    if (destination->address == source.address) {
      throw errors::invalid_parameter_value_exception("Source and destination queue must not be the same.");
    }
    task.destination_arn = *request.destination_arn;
  }
  task.to_move = static_cast<int64_t>((co_await count_messages(service.store(), source, context.now())).visible);
  co_return task;
}

}  // namespace

Task<shapes::StartMessageMoveTaskOutput> start_message_move_task(Service& service, wire::Context& context,
                                                                 const shapes::StartMessageMoveTaskInput& request) {
  const QueuePtr source =
      co_await find_by_arn(service, context, required(request.source_arn, "SourceArn"), "SourceArn");
  // Of a destination that the request names the right to send has been asked.
  const bool asks_sources = !request.destination_arn && context.platform().authorizer;
  std::vector<std::string> sources = co_await load_sources(service, context, *source, asks_sources);
  if (asks_sources) {
    for (const std::string& arn : sources) co_await wire::authorize_deed(context, {"sqs:SendMessage", arn});
  }
  MoveTask task = co_await read_request(service, context, request, *source);
  if (asks_sources) task.allowed_arns = std::move(sources);
  co_await service.change(source->address,
                          [&](store::Transaction& txn, const Queue& queue, base::Time now) -> Task<void> {
                            const std::vector<MoveTask> tasks = co_await load_tasks(txn, queue);
                            for (size_t i = 0; i < tasks.size(); ++i) {
                              if (tasks[i].is_running()) {
                                throw errors::invalid_parameter_value_exception(
                                    "There is already a task running. Only one active task is allowed for a source "
                                    "queue arn at a given time.");
                              }
                              if (i + 1 >= kMoveTasksKeptMax) erase_task(txn, queue, tasks[i]);
                            }
                            save_task(txn, queue, task);
                            co_await schedule_move(txn, queue, task, now);
                          });
  co_return shapes::StartMessageMoveTaskOutput{.task_handle = make_task_handle(task, source->address)};
}

Task<shapes::CancelMessageMoveTaskOutput> cancel_message_move_task(Service& service, wire::Context& context,
                                                                   const shapes::CancelMessageMoveTaskInput& request) {
  const auto handle = parse_task_handle(required(request.task_handle, "TaskHandle"));
  if (!handle) throw errors::invalid_parameter_value_exception("Value for parameter TaskHandle is invalid.");
  const QueuePtr source = co_await find_by_arn(service, context, handle->source.arn(), "SourceArn");
  const int64_t moved = co_await service.change(
      source->address, [&](store::Transaction& txn, const Queue& queue, base::Time) -> Task<int64_t> {
        for (MoveTask& task : co_await load_tasks(txn, queue)) {
          if (task.id != handle->task_id || !task.is_running()) continue;
          task.status = move_status::kCancelled;
          save_task(txn, queue, task);
          co_return task.moved;
        }
        throw errors::resource_not_found_exception("Task does not exist.");
      });
  co_return shapes::CancelMessageMoveTaskOutput{.approximate_number_of_messages_moved = moved};
}

Task<shapes::ListMessageMoveTasksOutput> list_message_move_tasks(Service& service, wire::Context& context,
                                                                 const shapes::ListMessageMoveTasksInput& request) {
  const int limit = request.max_results.value_or(1);
  if (limit < 1 || limit > kResultsMax) {
    throw invalid_parameter(std::to_string(limit), "MaxResults", "Must be between 1 and 10, if provided.");
  }
  const QueuePtr source =
      co_await find_by_arn(service, context, required(request.source_arn, "SourceArn"), "SourceArn");
  const auto snapshot = service.store().snapshot();
  shapes::ListMessageMoveTasksOutput out;
  for (const MoveTask& task : co_await load_tasks(*snapshot, *source, static_cast<size_t>(limit))) {
    if (!out.results) out.results.emplace();
    auto& entry = out.results->emplace_back();
    if (task.is_running()) entry.task_handle = make_task_handle(task, source->address);
    entry.status = task.status;
    entry.source_arn = source->address.arn();
    if (!task.destination_arn.empty()) entry.destination_arn = task.destination_arn;
    if (task.rate > 0) entry.max_number_of_messages_per_second = task.rate;
    entry.approximate_number_of_messages_moved = task.moved;
    entry.approximate_number_of_messages_to_move = task.to_move;
    if (!task.failure.empty()) entry.failure_reason = task.failure;
    entry.started_timestamp = std::chrono::floor<std::chrono::milliseconds>(task.started).time_since_epoch().count();
  }
  co_return out;
}

}  // namespace tidemill::sqs
