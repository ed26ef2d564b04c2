// The floor that the server's operations are measured against: the same HTTP server, one loop, a handler that gives the
// body back. Prints "ready http://127.0.0.1:PORT".  echo_server [port]
#include <cstdio>
#include <cstdlib>

#include "net/http_server.h"

namespace {

using namespace tidemill;

constexpr size_t kBodyMax = 64 << 20;

Task<net::Response> echo(net::Request& request) {
  net::Response response;
  response.headers.add("content-type", "application/x-amz-json-1.0");
  response.body = co_await request.body->read_all(kBodyMax);
  co_return response;
}


}  // namespace

int main(int argc, char** argv) {
  base::Activity activity;
  net::Loop loop(activity);
  net::Loop* loops[] = {&loop};
  try {
    const net::HttpServer server(loops, "127.0.0.1", static_cast<uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0), {}, echo);
    std::printf("ready http://127.0.0.1:%d\n", server.port());
    std::fflush(stdout);
    loop.run();
  } catch (const net::ListenError& error) {
    std::fprintf(stderr, "echo_server: %s\n", error.what());
    return 1;
  }
}
