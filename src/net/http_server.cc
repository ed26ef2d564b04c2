#include "net/http_server.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/log.h"
#include "base/wants.h"
#include "net/connection.h"
#include "net/file_descriptor.h"
#include "net/loop_impl.h"

namespace tidemill::net {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr int kBacklog = 1024;
constexpr int kAcceptsPerTurn = 64;
constexpr auto kAcceptPause = std::chrono::milliseconds(100);  // while there is no room for another connection
constexpr auto kWarningPause = std::chrono::minutes(1);

std::string text_of(const sockaddr_storage& address) {
  char host[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
    return '[' + std::string(host) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
  return std::string(host) + ':' + std::to_string(ntohs(v4.sin_port));
}

void listen_on(tcp::acceptor& acceptor, const std::string& address, uint16_t port) {
  boost::system::error_code error;
  const auto ip = asio::ip::make_address(address, error);
  if (error) throw ListenError("\"" + address + "\" is not an IP address");
  const tcp::endpoint endpoint(ip, port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.set_option(tcp::no_delay(true), error);  // inherited by what is accepted
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(kBacklog, error);
  if (!error) acceptor.non_blocking(true, error);
  if (!error) return;
  const std::string where = address + " port " + std::to_string(port);
  if (error == asio::error::address_in_use) {
    throw ListenError(where + " is already in use: stop what listens there or choose another port");
  }
  throw ListenError("cannot listen on " + where + ": " + error.message(), error);
}

}  // namespace

struct HttpServer::Impl : std::enable_shared_from_this<HttpServer::Impl> {
  Impl(std::span<Loop* const> all, ServerLimits limits, Handler handler, Admission admission,
       std::shared_ptr<const TlsIdentity> tls)
      : loops(all.begin(), all.end()), acceptor(loops[0]->impl().io), admits(std::move(admission)) {
    context = std::make_shared<ServerContext>(limits, std::move(tls));
    context->handler = std::move(handler);
    if (limits.requests_are_activity) context->activity = &loops[0]->impl().activity;
    for (Loop* loop : loops) sets.push_back(std::make_unique<ConnectionSet>(*loop, context, open));
  }

  void accept() {
    if (!acceptor.is_open() || judged) return;
    context->crowded.store(false, std::memory_order_relaxed);
    acceptor.async_wait(tcp::acceptor::wait_read, [weak = weak_from_this()](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (!self || error) return;
      const Loop::Impl::Turn turn(self->loops[0]->impl());
      if (self->accept_waiting()) return self->accept();
      self->context->crowded.store(true, std::memory_order_relaxed);
      self->pause = self->loops[0]->call_after(kAcceptPause, [impl = self.get()] { impl->accept(); });
    });
  }

  // One line for all that wait within kWarningPause.
  void tell_crowded(const char* reason) {
    const auto now = std::chrono::steady_clock::now();
    if (!last_crowded || now - *last_crowded > 2 * kAcceptPause) crowded.fetch_add(1, std::memory_order_relaxed);
    last_crowded = now;
    if (warned && now - *warned < kWarningPause) return;
    warned = now;
    base::log_warning("new connections wait", {{"reason", reason}, {"open", std::to_string(open->load())}});
  }

  // Takes what waits in the backlog. False: no more can be taken for now.
  bool accept_waiting() {
    for (int i = 0; i < kAcceptsPerTurn; ++i) {
      if (open->load() >= context->limits.connections_max) {
        tell_crowded("as many are open as may be");
        return false;
      }
      sockaddr_storage address{};
      socklen_t length = sizeof address;
      FileDescriptor socket(::accept4(acceptor.native_handle(), reinterpret_cast<sockaddr*>(&address), &length,
                                      SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!socket) {
        const int reason = errno;
        if (reason == EAGAIN || !base::is_want_of_resources({reason, std::generic_category()})) return true;
        tell_crowded(std::strerror(reason));
        return false;
      }
      std::string peer = text_of(address);
      if (admits) {
        judge(std::move(socket), std::move(peer));
        return true;
      }
      open->fetch_add(1);
      give(next++ % loops.size(), std::move(socket), std::move(peer));
    }
    return true;
  }

  void judge(FileDescriptor socket, std::string peer) {
    judged = std::move(socket);
    admits(peer, [weak = weak_from_this(), first = loops[0], peer](bool is_taken) {
      first->post([weak, peer, is_taken] {
        const auto self = weak.lock();
        if (!self) return;
        FileDescriptor socket = std::move(self->judged);
        if (is_taken && self->acceptor.is_open()) {
          self->open->fetch_add(1);
          self->give(self->next++ % self->loops.size(), std::move(socket), peer);
        }
        self->accept();
      });
    });
  }

  void give(size_t which, FileDescriptor socket, std::string peer) {
    if (which == 0) return sets[0]->adopt(socket.release(), std::move(peer));
    loops[which]->post([weak = weak_from_this(), which, socket = std::move(socket), peer = std::move(peer)]() mutable {
      if (const auto self = weak.lock()) self->sets[which]->adopt(socket.release(), std::move(peer));
    });
  }

  void close_acceptor() {
    boost::system::error_code ignored;
    acceptor.close(ignored);
    pause.cancel();
  }

  std::vector<Loop*> loops;
  tcp::acceptor acceptor;
  base::Alarm pause;
  std::optional<std::chrono::steady_clock::time_point> last_crowded;
  std::optional<std::chrono::steady_clock::time_point> warned;
  std::atomic<uint64_t> crowded = 0;
  std::shared_ptr<ServerContext> context;
  const Admission admits;
  FileDescriptor judged;  // whom admits has not decided about yet
  std::shared_ptr<std::atomic<size_t>> open = std::make_shared<std::atomic<size_t>>(0);
  std::vector<std::unique_ptr<ConnectionSet>> sets;  // one per loop
  size_t next = 0;
  uint16_t port = 0;
};

HttpServer::HttpServer(std::span<Loop* const> loops, const std::string& address, uint16_t port, ServerLimits limits,
                       Handler handler, Admission admits, std::shared_ptr<const TlsIdentity> tls)
    : impl_(std::make_shared<Impl>(loops, limits, std::move(handler), std::move(admits), std::move(tls))) {
  listen_on(impl_->acceptor, address, port);
  impl_->port = impl_->acceptor.local_endpoint().port();
  if (!limits.accepts_at_once) return;
  if (base::Executor::current_or_null() == impl_->loops[0]) {
    impl_->accept();
  } else {
    start_accepting();
  }
}

HttpServer::~HttpServer() {
  impl_->close_acceptor();
  for (const auto& set : impl_->sets) set->close_all();
}

uint16_t HttpServer::port() const { return impl_->port; }

ServerUse HttpServer::use() const {
  const ServerContext& context = *impl_->context;
  return {impl_->open->load(), context.requests.load(), context.bodies.used(), context.answers.used(),
          impl_->crowded.load(std::memory_order_relaxed), context.handshakes.load()};
}

void HttpServer::start_accepting() {
  impl_->loops[0]->post([weak = std::weak_ptr(impl_)] {
    if (const auto self = weak.lock()) self->accept();
  });
}

void HttpServer::stop_accepting() {
  for (size_t i = 0; i < impl_->loops.size(); ++i) {
    impl_->loops[i]->post([weak = std::weak_ptr(impl_), i] {
      const auto self = weak.lock();
      if (!self) return;
      if (i == 0) self->close_acceptor();
      self->sets[i]->go_away();
    });
  }
}

}  // namespace tidemill::net
