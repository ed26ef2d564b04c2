// Any bytes, cut in any way, must leave the HTTP/1.1 session standing. The first byte says into pieces of which size the
// rest is cut.
//   cmake -DTIDEMILL_FUZZ=ON -DCMAKE_CXX_FLAGS="-fsanitize=fuzzer-no-link,address,undefined"
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "net/memory_transport.h"

namespace {

using namespace tidemill;

Task<net::Response> handle(net::Request& request) {
  net::Response response;
  if (request.target.starts_with("/s")) {
    while (const auto piece = co_await request.body->read_some()) response.body += *piece;
  } else if (!request.target.starts_with("/i")) {
    response.body = co_await request.body->read_all(1 << 16);
  }
  for (auto& [name, value] : request.headers.entries()) response.headers.add(name, value);
  (void)net::parse_query(request.target);
  (void)net::percent_decode(request.target);
  co_return response;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  base::set_log_level(base::Level::error);
  const size_t piece = data[0] + size_t{1};
  net::ServerContext context;
  context.handler = handle;
  net::MemoryTransport transport;
  const auto session = net::make_http1_session(transport, context);
  for (size_t at = 1; at < size && !transport.closed;) {
    const auto room = transport.input.room();
    if (room.empty()) break;
    const size_t count = std::min({piece, size - at, room.size()});
    std::memcpy(room.data(), data + at, count);
    transport.input.commit(count);
    at += count;
    session->receive();
    if (std::exchange(transport.flush_due, false)) transport.flush();
    session->fill_output();
  }
  for (int i = 0; i < 3; ++i) {
    transport.now += 100;
    if (!transport.closed) session->on_tick();
  }
  if (context.bodies.used() > context.limits.body_bytes_in_memory_max) std::abort();
  return 0;
}
