// What a function prints: to the server's log line by line, and its end kept for LogType=Tail.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::engine {

class WorkerOutput {
 public:
  // What LogType=Tail returns at most.
  static constexpr size_t kTailBytes = 4096;
  // Longer lines are logged in pieces.
  static constexpr size_t kLineBytesMax = 16 << 10;

  explicit WorkerOutput(std::string function) : function_(std::move(function)) {}

  // What the process wrote.
  void append(std::string_view bytes);
  // A line of the platform (START, END, REPORT): in the tail and, at level debug, in the log. With its line feed.
  void platform_line(std::string_view line);
  // From now on lines belong to this request. What was printed while the process started stays in its first tail.
  void begin(std::string_view request_id);
  // Logs what is left of an unfinished line.
  void flush();

  [[nodiscard]] const std::string& tail() const { return tail_; }

 private:
  void keep(std::string_view bytes);
  void log_line(std::string_view line) const;

  std::string function_;
  std::string request_id_;
  std::string line_;  // begun, not yet ended
  std::string tail_;
};

}  // namespace tidemill::engine
