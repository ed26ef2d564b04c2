#include "main/backup_command.h"

#include <cstdio>

#include "base/json.h"

namespace tidemill {

BackupOptions parse_backup_options(std::span<const std::string_view> arguments, const Environment& environment) {
  BackupOptions options;
  parse_client_arguments(arguments, environment, options.client, [&](std::string_view name, const auto& value) {
    if (name != "--to") return false;
    options.to = std::filesystem::absolute(value());
    return true;
  });
  if (options.to.empty()) throw UsageError("backup: where to? tidemill backup --to DIR [--endpoint URL]");
  return options;
}

int make_backup(const BackupOptions& options) {
  return run_client([&](net::Loop& loop) -> Task<int> {
    ApiClient client(loop, options.client);
    const base::json::Object request{{"to", options.to.native()}};
    (void)co_await client.post("/_tidemill/backup", base::json::write(request));
    std::printf("backed up to %s: tidemill serve --data opens it\n", options.to.c_str());
    co_return 0;
  });
}

}  // namespace tidemill
