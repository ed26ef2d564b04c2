#include "services/logs/export_folders.h"

#include <algorithm>

#include "base/text.h"
#include "services/logs/log_keys.h"

namespace tidemill::logs {

Task<std::string> claim_export_folder(store::Transaction& txn, const ExportTask& task, std::string_view stream_name) {
  std::string folder(stream_name);
  std::ranges::replace(folder, '/', '-');
  const std::string own = export_folder_key(task.group_id, task.address.name, folder, stream_name);
  auto number = co_await txn.get(own);
  if (!number) {
    const std::string all = export_folder_key(task.group_id, task.address.name, folder);
    const auto before = co_await txn.get(all);
    number = std::to_string(before ? std::stoll(*before) + 1 : 1);
    txn.put(all, *number);
    txn.put(own, *number);
  }
  co_return *number == "1" ? folder : base::cat(folder, ":", *number);
}

void forget_export_folders(store::Transaction& txn, const ExportTask& task) {
  txn.erase_range(export_folders_range(task.group_id, task.address.name));
}

}  // namespace tidemill::logs
