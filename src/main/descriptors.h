// Descriptors: one for each connection, file of the store, and pipe to a function.
#pragma once

namespace tidemill {

// Lets the process open as many as the machine allows it to: the usual soft limit of 1,024 is there for programs that
// select(). Throws std::runtime_error, with what to do, if that is too few to run.
void raise_descriptor_limit();

}  // namespace tidemill
