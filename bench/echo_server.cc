// The floor that the server's operations are measured against: the same HTTP server on as many loops, and a handler that
// gives the body back, or as many bytes as the target asks for ("/?bytes=1000000"). Prints "ready http://127.0.0.1:PORT".
//   echo_server [port]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "net/http_server.h"

namespace {

using namespace tidemill;

constexpr size_t kBodyMax = 64 << 20;
constexpr std::string_view kBytes = "?bytes=";

Task<net::Response> echo(net::Request& request) {
  net::Response response;
  response.headers.add("content-type", "application/x-amz-json-1.0");
  response.body = co_await request.body->read_all(kBodyMax);
  if (const size_t at = request.target.find(kBytes); at != std::string::npos) {
    response.body.assign(std::min<size_t>(kBodyMax, std::strtoull(request.target.c_str() + at + kBytes.size(), nullptr, 10)), 'x');
  }
  co_return response;
}

}  // namespace

int main(int argc, char** argv) {
  base::Activity activity;
  std::vector<std::unique_ptr<net::Loop>> owned;
  std::vector<net::Loop*> loops;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    owned.push_back(std::make_unique<net::Loop>(activity));
    loops.push_back(owned.back().get());
  }
  try {
    const net::HttpServer server(loops, "127.0.0.1", static_cast<uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0), {}, echo);
    std::printf("ready http://127.0.0.1:%d\n", server.port());
    std::fflush(stdout);
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < loops.size(); ++i) threads.emplace_back([loop = loops[i]] { loop->run(); });
    loops.front()->run();
  } catch (const net::ListenError& error) {
    std::fprintf(stderr, "echo_server: %s\n", error.what());
    return 1;
  }
}
