#include "services/logs/export_run.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "services/logs/export_folders.h"
#include "services/logs/operations.h"
#include "wire/packing.h"

namespace tidemill::logs {
namespace {

namespace Status = shapes::ExportTaskStatusCode;

// Looked at before what was read is packed.
constexpr size_t kBytesAtOnce = 256 << 10;

struct File {
  std::string packed;
  bool is_empty = true;
  bool is_last = false;  // of its stream
  std::string after;
};

// The events of a stream behind the task's place in it.
Task<File> next_file(store::Snapshot& snapshot, const ExportTask& task, const LogStream& stream) {
  store::Range rest = events_range(task.group_id, stream.id, task.from, task.to + 1);
  if (!task.after.empty() && task.stream == stream.name) {
    const auto after = EventPlace::of_digits(task.after);
    if (!after) throw std::runtime_error("a stored export task is damaged: after");
    rest.begin = std::max(rest.begin, event_key(task.group_id, stream.id, *after) + '\0');
  }
  File file{.is_last = true};
  wire::GzipWriter writer;
  size_t bytes = 0;
  bool is_more = true;
  while (is_more && rest.begin < rest.end) {
    std::string lines;
    is_more = false;
    co_await snapshot.scan(rest, store::Direction::forward, [&](std::string_view key, std::string_view value) {
      const Event event = decode_event(place_of_event_key(key), value);
      lines += base::iso_milliseconds(base::Time(std::chrono::milliseconds(event.place.time)));
      lines += "Z ";
      lines += event.message;
      lines += '\n';
      file.after = event.place.digits();
      rest.begin = std::string(key) + '\0';
      is_more = lines.size() >= kBytesAtOnce;
      return !is_more;
    });
    bytes += lines.size();
    co_await wire::pack(writer, lines);
    if (bytes >= kExportFileBytes) {
      file.is_last = false;
      break;
    }
  }
  file.is_empty = bytes == 0;
  file.packed = writer.finish();
  co_return file;
}

Task<std::string> folder_of(Service& service, const engine::Tenure& tenure, const ExportTask& task,
                            const std::string& stream_name) {
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<std::string> {
    co_await tenure.fence(txn);
    co_return co_await claim_export_folder(txn, task, stream_name);
  });
}

// Changes the task's record, and says whether it is to go on. False also if there is none any more.
template <class Change>
Task<bool> change(Service& service, const store::Timer& timer, const engine::Tenure& tenure,
                  const store::ResourceAddress& address, Change apply) {
  co_return co_await service.store().transact([&](store::Transaction& txn) -> Task<bool> {
    co_await tenure.fence(txn);
    auto task = co_await find_export_task(txn, address);
    if (!task || !task->is_active()) {
      (void)co_await store::finish_timer(txn, timer);
      co_return false;
    }
    if (task->status == Status::kPendingCancel) {
      task->status = std::string(Status::kCancelled);
      task->message = "Cancelled by the user";
    } else {
      apply(*task);
    }
    const bool goes_on = task->is_active();
    if (!goes_on) {
      task->ended = service.clock().now();
      forget_export_folders(txn, *task);
      (void)co_await store::finish_timer(txn, timer);
    }
    txn.put(export_task_key(address), encode_export_task(*task));
    co_return goes_on;
  });
}

}  // namespace

engine::BucketAccess bucket_of(wire::Platform& platform, const ExportTask& task) {
  return {platform, task.group_arn(), task.bucket, std::nullopt,
          wire::Principal::service("logs.amazonaws.com", task.group_arn() + ":*")};
}

Task<void> go_on_exporting(Service& service, wire::Platform& platform, const store::Timer& timer,
                           std::shared_ptr<const engine::Tenure> tenure) {
  const auto address = store::resource_of_key(kExportTaskType, timer.id);
  if (!address) co_return;
  const auto snapshot = service.store().snapshot();
  std::optional<ExportTask> task = co_await find_export_task(*snapshot, *address);
  if (!task) co_return;
  const auto save = [&](auto apply) { return change(service, timer, *tenure, *address, std::move(apply)); };
  if (!co_await save([](ExportTask& record) { record.status = std::string(Status::kRunning); })) co_return;

  std::string failure;
  try {
    engine::BucketAccess bucket = bucket_of(platform, *task);
    const LogGroupPtr group =
        co_await service.groups().find(*snapshot, {address->account, address->region, task->group});
    if (!group || group->id != task->group_id)
      throw engine::CallRefused({"", "The log group does not exist any more."});
    store::Range range = streams_range(group->id, task->stream_prefix);
    if (!task->stream.empty()) range.begin = std::max(range.begin, stream_key(group->id, task->stream));
    StreamPages streams(*snapshot, *group, std::move(range));
    while (const LogStream* const next = co_await streams.next()) {
      const LogStream& stream = *next;
      if (stream.name != task->stream) {
        task->stream = stream.name;
        task->files = 0;
        task->after.clear();
      }
      std::string folder;
      for (bool is_last = false; !is_last;) {
        const File file = co_await next_file(*snapshot, *task, stream);
        is_last = file.is_last;
        if (file.is_empty) break;
        if (folder.empty()) folder = co_await folder_of(service, *tenure, *task, stream.name);
        (void)co_await bucket.put(task->file_key(folder, task->files), file.packed);
        ++task->files;
        task->after = file.after;
        const bool goes_on = co_await save([&](ExportTask& record) {
          record.stream = task->stream;
          record.files = task->files;
          record.after = task->after;
        });
        if (!goes_on) co_return;
      }
    }
  } catch (const engine::CallRefused& refused) {
    failure = refused.refusal().message;
    base::log_warning("an export of log events failed", {{"group", task->group_arn()}, {"reason", failure}});
  }
  co_await save([&](ExportTask& record) {
    record.status = std::string(failure.empty() ? Status::kCompleted : Status::kFailed);
    record.message = failure.empty() ? "Completed successfully" : failure;
  });
}

}  // namespace tidemill::logs
