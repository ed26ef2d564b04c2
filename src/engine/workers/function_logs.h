// Carries what functions print to CloudWatch Logs: each process has a stream, each line is an event. No invocation waits
// for it. A stream's lines are gathered for a few milliseconds and go out as one PutLogEvents, the next once that is
// answered; groups and streams are made when the first line comes. While lines are on their way the platform is not
// quiet, so that a stop lets them out and a test that turns the clock finds them.
//
// Lines are kept in memory till then. When they come faster than the store takes them, new ones are dropped, counted
// (tidemill_function_log_lines_dropped_total), and the stream says how many. A kill loses those on their way.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/executor.h"
#include "wire/context.h"

namespace tidemill::engine {

class FunctionLogs {
 public:
  // Of all streams together, as events.
  static constexpr size_t kPendingBytesMax = 16 << 20;
  static constexpr std::chrono::milliseconds kGatherTime{5};
  // Of one line; the rest goes on in another event. AWS's own limit for functions' lines.
  static constexpr size_t kLineBytesMax = 256 << 10;

  // Everything on `executor`. Both outlive this; Logs is registered by the time that lines come.
  FunctionLogs(base::Executor& executor, wire::Platform& platform);
  // Drops what is on its way.
  ~FunctionLogs();
  FunctionLogs(const FunctionLogs&) = delete;

  struct Name {
    std::string account;
    std::string region;
    std::string group;   // "/aws/lambda/f"
    std::string stream;  // "2026/03/14/[$LATEST]…"
  };

  struct Core;

  // One process's lines. Lines that its last owner wrote go out also after it is gone.
  class Stream {
   public:
    Stream(std::shared_ptr<Core> core, Name name);
    ~Stream();
    // An event at the platform's time, with its line feed.
    void line(std::string_view text);

   private:
    friend struct Core;
    struct State;
    std::shared_ptr<State> state_;
  };

  [[nodiscard]] std::unique_ptr<Stream> open(Name name);

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace tidemill::engine
