#include "engine/workers/supervisor_program.h"

// The file that CMake has built (cmake/functions.cmake), in the compiler's working directory.
asm(".pushsection .rodata\n"
    "tidemill_supervisor_begin:\n"
    ".incbin \"supervisor\"\n"
    "tidemill_supervisor_end:\n"
    ".popsection\n");

extern "C" {
extern const char tidemill_supervisor_begin[];
extern const char tidemill_supervisor_end[];
}

namespace tidemill::engine {

std::string_view supervisor_program() {
  return {tidemill_supervisor_begin, static_cast<size_t>(tidemill_supervisor_end - tidemill_supervisor_begin)};
}

}  // namespace tidemill::engine
