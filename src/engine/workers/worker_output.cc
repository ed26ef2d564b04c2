#include "engine/workers/worker_output.h"

#include "base/log.h"

namespace tidemill::engine {

void WorkerOutput::append(std::string_view bytes) {
  keep(bytes);
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    line_.append(bytes.substr(0, end));
    if (end == std::string_view::npos) {
      if (line_.size() >= kLineBytesMax) flush();
      return;
    }
    end_line(line_, "\n");
    line_.clear();
    bytes.remove_prefix(end + 1);
  }
}

void WorkerOutput::platform_line(std::string_view line) {
  keep(line);
  if (stream_) stream_->line(line);
  if (!base::log_enabled(base::Level::debug)) return;
  while (line.ends_with('\n')) line.remove_suffix(1);
  base::log_debug("function_platform", {{"function", function_}, {"line", std::string(line)}});
}

void WorkerOutput::begin(std::string_view request_id) {
  flush();
  if (!request_id_.empty()) tail_.clear();
  request_id_ = request_id;
}

void WorkerOutput::flush() {
  if (!line_.empty()) end_line(line_, "");
  line_.clear();
}

void WorkerOutput::keep(std::string_view bytes) {
  if (bytes.size() > kTailBytes) bytes.remove_prefix(bytes.size() - kTailBytes);
  tail_.append(bytes);
  if (tail_.size() > kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
}

void WorkerOutput::end_line(std::string_view line, std::string_view end) {
  if (stream_) stream_->line(std::string(line).append(end));
  base::log_info("function_output", {{"function", function_},
                                     {"request_id", request_id_},
                                     {"line", std::string(line.substr(0, kShownBytesMax))}});
}

}  // namespace tidemill::engine
