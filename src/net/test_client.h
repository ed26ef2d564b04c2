// For tests in net/: a server on a thread of its own, and a blocking socket to speak to it byte by byte.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <functional>
#include <string>
#include <thread>

#include "net/file_descriptor.h"
#include "net/http_server.h"

namespace tidemill::net {

// A handler that says back what it was asked.
inline Task<Response> http1_echo(Request& request) {
  Response response;
  response.headers.add("x-method", request.method);
  response.headers.add("x-target", request.target);
  response.body = co_await request.body->read_all(1 << 20);
  co_return response;
}


class TestServer {
 public:
  explicit TestServer(Handler handler, ServerLimits limits = {}, Admission admits = {},
                      std::shared_ptr<const TlsIdentity> identity = nullptr)
      : loop(activity) {
    Loop* loops[] = {&loop};
    server = std::make_unique<HttpServer>(loops, "127.0.0.1", 0, limits, std::move(handler), std::move(admits),
                                          std::move(identity));
    thread_ = std::thread([this] { loop.run(); });
  }
  ~TestServer() {
    loop.stop();
    thread_.join();
    server.reset();
  }
  // Runs `function` on the loop and waits for it.
  void run(std::function<void()> function) {
    base::Future<bool> done;
    std::atomic<bool> finished = false;
    loop.post([&] {
      function();
      finished = true;
      finished.notify_one();
    });
    finished.wait(false);
  }

  base::Activity activity;
  Loop loop;
  std::unique_ptr<HttpServer> server;

 private:
  std::thread thread_;
};

class TestClient {
 public:
  // For what comes in the end, however busy the machine is.
  static constexpr int kPatienceMs = 60'000;

  // Of anything that has an HttpServer named `server`.
  template <class Of>
  explicit TestClient(const Of& server, int receive_buffer = 0) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer) ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const int on = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server.server->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  void close() { socket_ = FileDescriptor(); }
  [[nodiscard]] int fd() const { return socket_.get(); }

  // One more piece from the server; "" at the end or after `timeout_ms` without any.
  std::string receive_some(int timeout_ms = kPatienceMs) {
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, timeout_ms) <= 0) return "";
    char bytes[65536];
    const ssize_t count = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    ended_ = count <= 0;
    return count > 0 ? std::string(bytes, static_cast<size_t>(count)) : "";
  }
  // Everything until the server closes.
  std::string receive_all() {
    std::string all = std::exchange(rest_, "");
    for (std::string piece; !(piece = receive_some()).empty();) all += piece;
    EXPECT_TRUE(ended_) << "the server did not close";
    return all;
  }
  bool closed_by_server() { return receive_some().empty() && ended_; }

  struct Reply {
    int status = 0;
    std::string head;
    std::string body;
  };
  // The next response, framed by content-length, chunks, or having no body (`head_only`).
  Reply reply(bool head_only = false) {
    Reply reply;
    const size_t end = read_until("\r\n\r\n");
    if (end == std::string::npos) return reply;
    reply.head = rest_.substr(0, end + 4);
    rest_.erase(0, end + 4);
    reply.status = std::atoi(reply.head.c_str() + 9);
    if (head_only) return reply;
    if (reply.head.find("transfer-encoding: chunked") != std::string::npos) {
      read_chunks(reply.body);
      return reply;
    }
    const size_t at = reply.head.find("content-length: ");
    if (at == std::string::npos) return reply;
    const size_t length = std::stoull(reply.head.substr(at + 16));
    while (rest_.size() < length && more()) {
    }
    reply.body = rest_.substr(0, length);
    rest_.erase(0, length);
    return reply;
  }

 private:
  bool more() {
    const std::string piece = receive_some();
    rest_ += piece;
    return !piece.empty();
  }
  size_t read_until(std::string_view mark) {
    size_t found;
    while ((found = rest_.find(mark)) == std::string::npos && more()) {
    }
    return found;
  }
  void read_chunks(std::string& body) {
    for (;;) {
      const size_t line = read_until("\r\n");
      if (line == std::string::npos) return;
      const size_t size = std::stoull(rest_.substr(0, line), nullptr, 16);
      while (rest_.size() < line + 2 + size + 2 && more()) {
      }
      body += rest_.substr(line + 2, size);
      rest_.erase(0, line + 2 + size + 2);
      if (size == 0) return;
    }
  }

  FileDescriptor socket_;
  std::string rest_;
  bool ended_ = false;
};

}  // namespace tidemill::net
