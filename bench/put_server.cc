// The floor of durable writes: the same HTTP server, and behind it the committer with a transaction of one key. Prints
// "ready http://127.0.0.1:PORT".  put_server DIRECTORY [loops]
//
// The body of a request is the value; its first 10 digits in a row are the key.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "net/http_server.h"
#include "store/rocksdb_store.h"

namespace {

using namespace tidemill;

constexpr size_t kBodyMax = 1 << 20;
constexpr size_t kKeyDigits = 10;

// The first ten digits in a row, as the load generator writes them.
std::string_view key_of(std::string_view body) {
  size_t digits = 0;
  for (size_t at = 0; at < body.size(); ++at) {
    digits = body[at] >= '0' && body[at] <= '9' ? digits + 1 : 0;
    if (digits == kKeyDigits) return body.substr(at + 1 - kKeyDigits, kKeyDigits);
  }
  return "none";
}

Task<net::Response> put(store::Store& store, net::Request& request) {
  const std::string body = co_await request.body->read_all(kBodyMax);
  co_await store.transact([&](store::Transaction& txn) -> Task<void> {
    txn.put("I" + std::string(key_of(body)), body);
    co_return;
  });
  net::Response response;
  response.headers.add("content-type", "application/x-amz-json-1.0");
  response.body = "{}";
  co_return response;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("put_server DIRECTORY [loops]\n", stderr), 1;
  const unsigned count = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : std::thread::hardware_concurrency();
  base::RealClock clock;
  try {
    const auto store = store::open_rocksdb({.directory = argv[1]}, clock);
    std::vector<std::unique_ptr<net::Loop>> owned;
    std::vector<net::Loop*> loops;
    for (unsigned n = 0; n < count; ++n) {
      owned.push_back(std::make_unique<net::Loop>(clock.activity()));
      loops.push_back(owned.back().get());
    }
    const net::HttpServer server(loops, "127.0.0.1", 0, {},
                                 [&store](net::Request& request) { return put(*store, request); });
    std::printf("ready http://127.0.0.1:%d\n", server.port());
    std::fflush(stdout);
    std::vector<std::thread> threads;
    for (net::Loop* loop : loops) threads.emplace_back([loop] { loop->run(); });
    for (std::thread& thread : threads) thread.join();  // runs until it is killed
  } catch (const std::exception& error) {
    std::fprintf(stderr, "put_server: %s\n", error.what());
    return 1;
  }
}
