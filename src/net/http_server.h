// Serves HTTP/1.1 (keep-alive, pipelining) and HTTP/2 with prior knowledge on the same port.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "net/http.h"
#include "net/loop.h"

namespace tidemill::net {

struct ServerLimits {
  size_t header_bytes_max = 16 << 10;               // request line and headers; beyond: 431
  size_t connections_max = 10'000;                  // beyond: closed at once
  size_t body_bytes_in_memory_max = 512 << 20;      // all read_all() bodies of this server together; beyond: 503
  uint32_t http2_streams_max = 256;                 // per connection
  std::chrono::seconds header_timeout{20};          // from a request's first byte to the end of its headers
  std::chrono::seconds body_idle_timeout{30};       // without a byte of a body that a handler reads
  std::chrono::seconds keep_alive_timeout{120};     // without a request
  std::chrono::seconds write_idle_timeout{60};      // without the client taking a byte
  bool requests_are_activity = true;                // false: for servers whose clients wait for work (long polls)
};

// The port is taken or the address is not ours; what() is one line that says what to do.
class ListenError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whether a connection from `peer` ("127.0.0.1:50312") is taken; asked on the first loop. One that is not is closed at
// once.
using Admission = std::function<bool(const std::string& peer)>;

class HttpServer {
 public:
  // Listens at once and spreads connections over `loops` in turn. `port` 0 picks a free one. Throws ListenError.
  // Construct before the loops run or from any of their threads.
  HttpServer(std::span<Loop* const> loops, const std::string& address, uint16_t port, ServerLimits limits,
             Handler handler, Admission admits = {});
  // Closes the listener and all connections. On a single-loop server call from that loop, or once its loops no longer
  // run.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;

  [[nodiscard]] uint16_t port() const;

  // Takes no more connections, from any thread; those that are open go on. HTTP/2 clients are told (GOAWAY): their
  // open streams are answered, new ones they open elsewhere.
  void stop_accepting();

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace tidemill::net
