#include "engine/workers/worker_errors.h"

#include <csignal>

#include "base/json.h"
#include "base/text.h"

namespace tidemill::engine {
using base::cat;
namespace {

// The names that AWS's supervisor prints, which are Go's.
std::string signal_name(int signal) {
  switch (signal) {
    case SIGABRT: return "aborted";
    case SIGALRM: return "alarm clock";
    case SIGBUS: return "bus error";
    case SIGFPE: return "floating point exception";
    case SIGHUP: return "hangup";
    case SIGILL: return "illegal instruction";
    case SIGINT: return "interrupt";
    case SIGKILL: return "killed";
    case SIGPIPE: return "broken pipe";
    case SIGQUIT: return "quit";
    case SIGSEGV: return "segmentation fault";
    case SIGTERM: return "terminated";
    case SIGTRAP: return "trace/breakpoint trap";
    default: return cat("signal ", signal);
  }
}

}  // namespace

std::string error_document(std::string_view error_type, std::string_view request_id, std::string_view message) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("errorType");
  writer.string(error_type);
  writer.key("errorMessage");
  writer.string(cat("RequestId: ", request_id, " Error: ", message));
  writer.end_object();
  return out;
}

std::string exit_message(net::ExitStatus status) {
  if (status.signal != 0) return "Runtime exited with error: signal: " + signal_name(status.signal);
  if (status.code != 0) return cat("Runtime exited with error: exit status ", status.code);
  return "Runtime exited without providing a reason";
}

std::string timeout_message(std::chrono::seconds timeout) {
  return cat("Task timed out after ", timeout.count(), ".00 seconds");
}

std::string response_too_large_document(size_t bytes_max) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  writer.key("errorMessage");
  writer.string(cat("Response payload size exceeded maximum allowed payload size (", bytes_max, " bytes)."));
  writer.key("errorType");
  writer.string("Function.ResponseSizeTooLarge");
  writer.end_object();
  return out;
}

}  // namespace tidemill::engine
