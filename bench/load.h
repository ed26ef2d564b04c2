// What the load generators share: their command lines, sockets on loopback, and the CPU time of the server.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace load {

// Says why on standard error, behind the program's name, and ends with 2.
[[noreturn]] void die(const std::string& why);

// Gives each `--flag value` of the command line to `take`, which returns false for a flag that it does not know.
void parse_flags(int argc, char** argv, const std::function<bool(std::string_view flag, const char* value)>& take);

// User and system time of a process, in seconds; of pid 0: none.
double cpu_seconds(int pid);

// A TCP connection to a port of an IPv4 address.
int connect_to(int port, const std::string& host = "127.0.0.1");
void send_all(int fd, std::string_view bytes);

}  // namespace load
