// What a function prints: line by line to its stream in CloudWatch Logs and to the server's log, and its end kept for
// LogType=Tail.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/workers/function_logs.h"

namespace tidemill::engine {

class WorkerOutput {
 public:
  // What LogType=Tail returns at most.
  static constexpr size_t kTailBytes = 4096;
  // Longer lines are several.
  static constexpr size_t kLineBytesMax = FunctionLogs::kLineBytesMax;
  // Of which the server's log shows at most so much.
  static constexpr size_t kShownBytesMax = 16 << 10;

  explicit WorkerOutput(std::string function) : function_(std::move(function)) {}

  // From now on lines go there, too.
  void write_to(std::unique_ptr<FunctionLogs::Stream> stream) { stream_ = std::move(stream); }
  // Whether anything beside a tail takes the platform's lines.
  [[nodiscard]] bool has_stream() const { return stream_ != nullptr; }

  // What the process wrote.
  void append(std::string_view bytes);
  // A line of the platform (START, END, REPORT): in the tail, the stream and, at level debug, the log. With its line
  // feed.
  void platform_line(std::string_view line);
  // The same in the stream only.
  void stream_line(std::string_view line) {
    if (stream_) stream_->line(line);
  }
  // From now on lines belong to this request. What was printed while the process started stays in its first tail.
  void begin(std::string_view request_id);
  // Logs what is left of an unfinished line.
  void flush();

  [[nodiscard]] const std::string& tail() const { return tail_; }

 private:
  void keep(std::string_view bytes);
  // `end`: the line feed that came with it, or nothing.
  void end_line(std::string_view line, std::string_view end);

  std::string function_;
  std::unique_ptr<FunctionLogs::Stream> stream_;
  std::string request_id_;
  std::string line_;  // begun, not yet ended
  std::string tail_;
};

}  // namespace tidemill::engine
