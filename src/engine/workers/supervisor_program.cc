#include "engine/workers/supervisor_program.h"

// TIDEMILL_SUPERVISOR is the file that CMake has built (cmake/functions.cmake).
asm(".pushsection .rodata\n"
    "tidemill_supervisor_begin:\n"
    ".incbin \"" TIDEMILL_SUPERVISOR "\"\n"
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
