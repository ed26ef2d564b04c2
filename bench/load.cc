#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace load {

void die(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
  std::exit(2);
}

void parse_flags(int argc, char** argv, const std::function<bool(std::string_view, const char*)>& take) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 >= argc) die(std::string(argv[i]) + " needs a value");
    if (!take(argv[i], argv[i + 1])) die(std::string("unknown flag ") + argv[i]);
  }
}

double cpu_seconds(int pid) {
  if (pid == 0) return 0;
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string stat((std::istreambuf_iterator<char>(file)), {});
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  unsigned long long user = 0, system = 0;
  std::sscanf(stat.c_str() + name_end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system);
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

int connect_to(int port, const std::string& host) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) die("the host must be an IPv4 address");
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    die(std::string("cannot connect: ") + std::strerror(errno));
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) die(std::string("the server closed a connection: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

}  // namespace load
