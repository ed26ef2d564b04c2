// A program of the host's that is run to its end to find out what it can do here: without a shell, which could not
// start it and end as if it had said no.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemill::engine {

struct ProgramEnd {
  int code = 0;        // what it ended with; 128 and the signal that ended it, and 127 if it is none, as shells say it
  std::string output;  // the beginning of what it wrote
  std::string errors;  // of its standard error likewise, in the language of the locale C
};

// `argv[0]` is its path; `input` is its standard input. Any thread, which waits for it. Throws std::system_error if it
// cannot be started for want of descriptors, processes or memory (base/wants.h), or fails and says that this is why:
// soon it may go well.
[[nodiscard]] ProgramEnd run_program(const std::vector<std::string>& argv, std::string_view input = {});

}  // namespace tidemill::engine
