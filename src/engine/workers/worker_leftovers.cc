#include "engine/workers/worker_leftovers.h"

#include <signal.h>

#include <charconv>
#include <string>

#include "base/log.h"
#include "base/text.h"
#include "base/wants.h"

namespace tidemill::engine {
namespace {

namespace fs = std::filesystem;

// A process's environment: "NAME=value" and a NUL, again and again. Empty if it is not ours to read.
std::string environment_of(const fs::path& process) { return base::text_if_any(process / "environ"); }

}  // namespace

void end_leftover_workers(const fs::path& scratch) {
  std::error_code error;
  if (!fs::exists(scratch, error) || fs::is_empty(scratch, error)) return;
  const std::string mark = '\0' + base::cat(kWorkerVariable, "=", scratch.string(), "/");
  fs::directory_iterator entries("/proc", error);
  base::throw_if_wanting(error, "cannot list", "/proc");
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename();
    pid_t process = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (bad != std::errc() || end != name.data() + name.size()) continue;
    if (('\0' + environment_of(entry.path())).find(mark) == std::string::npos) continue;
    base::log_info("leftover_worker_ended", {{"process", name}});
    ::kill(process, SIGKILL);
  }
}

}  // namespace tidemill::engine
