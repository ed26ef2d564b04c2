// Any bytes after the preface must leave the HTTP/2 session standing. The first byte says into pieces of which size the
// rest is cut.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/log.h"
#include "net/memory_transport.h"

namespace {

using namespace tidemill;

Task<net::Response> handle(net::Request& request) {
  net::Response response;
  response.body = co_await request.body->read_all(1 << 16);
  for (auto& [name, value] : request.headers.entries()) response.headers.add(name, value);
  co_return response;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  base::set_log_level(base::Level::error);
  const size_t piece = data[0] + size_t{1};
  std::string bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  bytes.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  net::ServerContext context;
  context.handler = handle;
  net::MemoryTransport transport;
  const auto session = net::make_http2_session(transport, context);
  const auto send = [&] {
    while (std::exchange(transport.flush_due, false)) {
      session->fill_output();
      transport.flush();
    }
  };
  for (size_t at = 0; at < bytes.size() && !transport.closed;) {
    const auto room = transport.input.room();
    const size_t count = std::min({piece, bytes.size() - at, room.size()});
    std::memcpy(room.data(), bytes.data() + at, count);
    transport.input.commit(count);
    at += count;
    session->receive();
    send();
  }
  for (int i = 0; i < 3; ++i) {
    transport.now += 100;
    if (!transport.closed) session->on_tick();
    send();
  }
  return 0;
}
