// A name server (RFC 1035, over UDP) that knows the names below a few domains, all at one address, and leaves all
// others to the next one that its clients know: it refuses them, and C libraries, Go's resolver among them, then ask
// the next.
//
//   NameServer server("127.77.17.214", {".amazonaws.com"});
//   // resolv.conf: "nameserver 127.77.17.214", and those of the host below it
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.h"

namespace tidemill::net {

inline constexpr uint16_t kNamePort = 53;

// What is answered to a datagram. Nothing: it is no query, or not one that can be answered. `domains` begin with a dot
// and are in lower case; what stands below one of them has `address`, and of addresses of version 6 and all else none.
[[nodiscard]] std::optional<std::string> answer_to_name_query(std::string_view query, in_addr address,
                                                              const std::vector<std::string>& domains);

class NameServer {
 public:
  // Answers on a thread of its own, at `address` with itself. Throws ListenError (http_server.h): the port, or a
  // thread, may not be had.
  NameServer(const std::string& address, std::vector<std::string> domains, uint16_t port = kNamePort);
  ~NameServer();
  NameServer(const NameServer&) = delete;

  [[nodiscard]] uint16_t port() const { return port_; }

 private:
  void run() const;

  in_addr address_{};
  std::vector<std::string> domains_;
  base::Descriptor socket_;
  base::Descriptor end_;  // an event: the thread is to end
  uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace tidemill::net
