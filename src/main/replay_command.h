// `tidemill replay`: gives the records of discarded batches to their function again. The documents that say which come
// from a file, or from the queue that is the mapping's failure destination; POST /_tidemill/replay does the work
// (engine/mappings/replay.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "main/client.h"

namespace tidemill {

struct ReplayOptions {
  std::string document;  // a file's path; "-" is standard input
  std::string queue;     // a queue's name; one of the two
  bool drop = false;     // instead: give the records up, and forget what was pinned of them
  ClientOptions client;
};

// What follows the word "replay". Throws UsageError.
ReplayOptions parse_replay_options(std::span<const std::string_view> arguments, const Environment& environment);

// Prints a line for each document. The exit code: 0 if every document's records were taken by their function, and
// otherwise 1. A message of a queue is deleted once its records were, and is visible again if they were not.
int replay(const ReplayOptions& options);

}  // namespace tidemill
