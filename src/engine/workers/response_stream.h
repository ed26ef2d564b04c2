// A function's answer on its way to whoever asked for it piece by piece. The process is asked for its next piece once the
// last but one has been taken, so a slow reader slows the function down and no more than two pieces, of 256 KiB at most, are
// held. A reader that leaves does not stop the function, as on AWS: the rest is dropped.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/future.h"
#include "base/task.h"

namespace tidemill::engine {

// Shared by both sides, each on an executor of its own.
class ResponseStream {
 public:
  // ---- The process's side ----

  // The first thing that is known of an answer: its content type. Later calls say nothing new.
  void begin(std::string content_type);
  // Waits until there is room for the piece.
  Task<void> give(std::string piece);
  // There will be no more, for whatever reason.
  void end();

  // ---- The reader's side: one wait at a time ----

  // Waits for the beginning, and tells the content type. Nothing: it ended before there was an answer.
  Task<std::optional<std::string>> begun();
  // The next piece; nothing at the end.
  Task<std::optional<std::string>> next();
  // Nobody reads any more.
  void leave();

 private:
  std::mutex mutex_;
  std::optional<std::string> content_type_;
  std::optional<std::string> piece_;
  bool ended_ = false;
  bool left_ = false;
  base::Signal for_reader_;
  base::Signal for_writer_;
};

}  // namespace tidemill::engine
