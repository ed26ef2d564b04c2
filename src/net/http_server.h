// Serves HTTP/1.1 (keep-alive, pipelining) and HTTP/2 on the same port: over TLS, where ALPN says which, and plain with
// prior knowledge.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>

#include "net/http.h"
#include "net/loop.h"
#include "net/tls.h"

namespace tidemill::net {

struct ServerLimits {
  size_t header_bytes_max = 16 << 10;               // request line and headers; beyond: 431
  size_t chunk_head_bytes_max = 4 << 10;            // a chunk's size line with extensions, or the trailers
  size_t connections_max = 10'000;                  // beyond: they wait, and idle ones make room (idle_when_crowded)
  size_t body_bytes_in_memory_max = 512 << 20;      // all read_all() bodies of this server together; beyond: 503
  size_t answer_bytes_in_memory_max = 512 << 20;    // all answers that are not with their clients; beyond: wait, 503
  size_t answer_bytes_per_connection_max = 64 << 20;  // HTTP/2's: its streams' answers together; beyond: the same
  uint32_t http2_streams_max = 256;                 // per connection
  std::chrono::seconds header_timeout{20};          // from a request's first byte to the end of its headers
  std::chrono::seconds handshake_timeout{10};       // from the first byte of TLS to its first request's turn
  size_t handshakes_max = 512;                      // under way; of more the oldest ends
  std::chrono::seconds body_idle_timeout{30};       // without a byte of a body that a handler reads
  std::chrono::seconds keep_alive_timeout{120};     // without a request
  std::chrono::seconds idle_when_crowded{5};        // the same while others wait to be let in
  std::chrono::seconds write_idle_timeout{60};      // without the client taking a byte
  std::chrono::seconds answer_wait{10};             // for room for an answer, in all
  // The least that a client sends of a body within any body_idle_timeout in which the server waits for it, and takes of
  // answers within any write_idle_timeout in which they wait for it. Who is slower would hold memory for hours.
  size_t body_bytes_per_second_min = 2 << 10;
  size_t answer_bytes_per_second_min = 1 << 10;
  // A body that is in memory until all of it has come, read_all()'s, is waited for so long at most, and a second longer for
  // each so many bytes that have come: who sends little may be slow. Not zero.
  std::chrono::seconds held_body_timeout{60};
  size_t held_body_bytes_per_second_min = 128 << 10;
  bool accepts_at_once = true;                      // false: whoever connects waits for start_accepting()
  bool requests_are_activity = true;                // false: for servers whose clients wait for work (long polls)
};

// The port is taken or the address is not ours; what() is one line that says what to do.
class ListenError : public std::runtime_error {
 public:
  explicit ListenError(const std::string& what, std::error_code why = {}) : std::runtime_error(what), reason(why) {}
  const std::error_code reason;  // the system's, if it is
};

// Now, on any thread.
struct ServerUse {
  size_t connections = 0;
  size_t requests = 0;              // begun, and not yet answered
  size_t body_bytes = 0;
  size_t answer_bytes = 0;
  uint64_t crowded = 0;             // how often no more connections could be taken, ever
  size_t handshakes = 0;            // of TLS, begun and not over
};

// Whether a connection from `peer` ("127.0.0.1:50312") is taken; asked on the first loop, of one at a time: those that come
// meanwhile wait in the kernel's queue. Has `decide` called once, now or later and on any thread, while the loop lives. One
// that is not taken is closed at once.
using Decide = std::function<void(bool is_taken)>;
using Admission = std::function<void(const std::string& peer, Decide decide)>;

class HttpServer {
 public:
  // Listens at once and spreads connections over `loops` in turn. `port` 0 picks a free one. Throws ListenError.
  // Construct before the loops run or from any of their threads. With `tls` plain HTTP is for those on this machine only
  // (loopback, or the server's own address); others are told so with a 400.
  HttpServer(std::span<Loop* const> loops, const std::string& address, uint16_t port, ServerLimits limits,
             Handler handler, Admission admits = {}, std::shared_ptr<const TlsIdentity> tls = {});
  // Closes the listener and all connections. On a single-loop server call from that loop, or once its loops no longer
  // run.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;

  [[nodiscard]] uint16_t port() const;
  [[nodiscard]] ServerUse use() const;

  // With ServerLimits::accepts_at_once false: takes the connections that wait in the kernel's queue, and those that come,
  // from any thread.
  void start_accepting();
  // Takes no more connections, from any thread, and closes each that is open once what was asked on it is answered.
  // HTTP/2 clients are told (GOAWAY): their open streams are answered, new ones they open elsewhere.
  void stop_accepting();

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace tidemill::net
