#include "services/logs/export_task.h"

#include "base/json_members.h"
#include "base/text.h"
#include "wire/shapes/logs.h"

namespace tidemill::logs {
namespace {

namespace Status = wire::logs::ExportTaskStatusCode;

constexpr auto kExportTaskMembers = [](auto& member, auto& task) {
  member("name", task.name);
  member("group", task.group);
  member.bytes("group_id", task.group_id);
  member("stream_prefix", task.stream_prefix);
  member("from", task.from);
  member("to", task.to);
  member("bucket", task.bucket);
  member("prefix", task.prefix);
  member("status", task.status);
  member("message", task.message);
  member("created_us", task.created);
  member("ended_us", task.ended);
  member("stream", task.stream);
  member("files", task.files);
  member("after", task.after);
};

}  // namespace

bool ExportTask::is_active() const {
  return status == Status::kPending || status == Status::kRunning || status == Status::kPendingCancel;
}

std::string ExportTask::group_arn() const {
  return base::cat("arn:aws:logs:", address.region, ":", address.account, ":log-group:", group);
}

std::string ExportTask::file_key(std::string_view folder, int64_t number) const {
  constexpr size_t kDigits = 6;
  std::string digits = std::to_string(number);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return base::cat(prefix, "/", address.name, "/", folder, "/", digits, ".gz");
}

std::string export_task_key(const store::ResourceAddress& address) {
  return store::resource_key(kExportTaskType, address.account, address.region, address.name);
}

std::string encode_export_task(const ExportTask& task) { return json::encode(task, kExportTaskMembers); }

ExportTask decode_export_task(store::ResourceAddress address, std::string_view bytes) {
  return json::decode("export task", bytes, kExportTaskMembers, ExportTask{.address = std::move(address)});
}

Task<std::optional<ExportTask>> find_export_task(store::Snapshot& reader, store::ResourceAddress address) {
  const auto bytes = co_await reader.get(export_task_key(address));
  if (!bytes) co_return std::nullopt;
  co_return decode_export_task(std::move(address), *bytes);
}

}  // namespace tidemill::logs
