// Descriptors: one for each connection, file of the store, and pipe to a function.
#pragma once

#include <cstddef>

namespace tidemill {

// Lets the process open as many as the machine allows it to: the usual soft limit of 1,024 is there for programs that
// select(). Throws std::runtime_error, with what to do, if that is too few to run.
void raise_descriptor_limit();

// As many as may be open at once, now.
[[nodiscard]] size_t descriptor_limit();

// How they are shared out: nobody has the store's, whose files must open whatever clients and functions do.
struct DescriptorShares {
  size_t connections = 0;  // of clients
  size_t calls = 0;        // to other servers
  size_t functions = 0;    // processes, of which each takes several
};
[[nodiscard]] DescriptorShares share_descriptors(size_t limit);

// How the share of connections is divided, so that all servers together keep within it.
struct ConnectionShares {
  size_t own = 0;        // the server's own port
  size_t aws_names = 0;  // each of the two ports at which functions reach AWS's own names; 0 without
};
[[nodiscard]] ConnectionShares share_connections(size_t connections, bool answers_aws_names);

}  // namespace tidemill
