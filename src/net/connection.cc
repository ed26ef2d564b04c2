#include "net/connection.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <cerrno>
#include <cstring>

#include "base/log.h"

namespace tidemill::net {

namespace {

constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr size_t kInputMin = 64 << 10;  // a connection's input buffer may grow to this, or to the header limit
constexpr uint32_t kLingerSeconds = 2;
constexpr size_t kSentUnaskedMax = 128 << 10;  // what is larger is not begun when a slice is over
constexpr uint64_t kSentAtOnceMax = 2 << 20;   // and takes one of its own for each so many bytes: a page at once
constexpr uint64_t kEncryptedAtOnceMax = 512 << 10;  // the same where each byte is work
constexpr size_t kEncryptedAhead = 64 << 10;   // so much is encrypted at a time
constexpr size_t kStepsToLook = 16;            // so that the clock is looked at (base::slice_is_over)

constexpr std::string_view kPlainRefused =
    "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: 47\r\nconnection: close\r\n\r\n"
    "this port speaks TLS: ask it by https, please\r\n";

// Whether the other end of a connection is at the same address as this one, or on loopback.
bool is_of_this_machine(int socket) {
  sockaddr_storage own{};
  sockaddr_storage other{};
  socklen_t size = sizeof own;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) != 0) return false;
  size = sizeof other;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&other), &size) != 0 || own.ss_family != other.ss_family) return false;
  if (own.ss_family == AF_INET) {
    const in_addr ours = reinterpret_cast<const sockaddr_in&>(own).sin_addr;
    const in_addr theirs = reinterpret_cast<const sockaddr_in&>(other).sin_addr;
    return ours.s_addr == theirs.s_addr || (ntohl(theirs.s_addr) >> 24) == IN_LOOPBACKNET;
  }
  const in6_addr& ours = reinterpret_cast<const sockaddr_in6&>(own).sin6_addr;
  const in6_addr& theirs = reinterpret_cast<const sockaddr_in6&>(other).sin6_addr;
  return std::memcmp(&ours, &theirs, sizeof ours) == 0;
}

uint32_t seconds(std::chrono::seconds timeout) { return static_cast<uint32_t>(timeout.count()) + 1; }

}  // namespace

// ---- the set ------------------------------------------------------------------------------------------------------

ConnectionSet::ConnectionSet(Loop& loop, std::shared_ptr<ServerContext> context,
                             std::shared_ptr<std::atomic<size_t>> open)
    : loop_(loop), context_(std::move(context)), open_(std::move(open)) {}

ConnectionSet::~ConnectionSet() { close_all(); }

void ConnectionSet::adopt(int socket, std::string peer) {
  auto connection = std::make_shared<Connection>(*this, socket, std::move(peer));
  connection->index = connections_.size();
  connections_.push_back(connection);
  if (connections_.size() == 1) next_sweep_ = loop_.call_after(std::chrono::seconds(1), [this] { sweep(); });
  connection->read_more();
}

void ConnectionSet::sweep() {
  ++tick_;
  // Connections leave the set at the end of the turn, not under this loop.
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i]->on_tick();
  if (!connections_.empty()) next_sweep_ = loop_.call_after(std::chrono::seconds(1), [this] { sweep(); });
}

void ConnectionSet::remove(Connection& connection) {
  const size_t index = connection.index;
  connections_[index].swap(connections_.back());
  connections_[index]->index = index;
  connections_.pop_back();
  open_->fetch_sub(1);
}

void ConnectionSet::begin_handshake(const std::shared_ptr<Connection>& connection) {
  const auto goes_on = [](const std::weak_ptr<Connection>& weak) {
    const auto begun = weak.lock();
    return begun && begun->is_in_handshake();
  };
  while (!handshakes_.empty() && !goes_on(handshakes_.front())) handshakes_.pop_front();
  if (context_->handshakes.load(std::memory_order_relaxed) > context_->limits.handshakes_max && !handshakes_.empty()) {
    const auto oldest = handshakes_.front().lock();
    handshakes_.pop_front();
    oldest->destroy();
  }
  handshakes_.push_back(connection);
}

void ConnectionSet::go_away() {
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i]->go_away();
}

void ConnectionSet::close_all() {
  go_away();
  while (!connections_.empty()) {
    const auto connection = connections_.back();
    connection->destroy();
  }
  next_sweep_.cancel();
}

// ---- reading ------------------------------------------------------------------------------------------------------

Connection::Connection(ConnectionSet& set, int socket, std::string peer_text)
    : Transport(std::max(kInputMin, set.context_->limits.header_bytes_max + 1)),
      set_(&set),
      context_(set.context_),
      loop_(set.loop_.impl()),
      socket_(loop_.io),
      answers_(context_->answers.none()),
      pace_(context_->limits.write_idle_timeout, context_->limits.answer_bytes_per_second_min) {
  peer = std::move(peer_text);
  boost::system::error_code error;
  socket_.assign(boost::asio::ip::tcp::v6(), socket, error);  // the family matters only to later connects
  if (error) ::close(socket);
  deadline_ = tick() + seconds(context_->limits.header_timeout);
}

void Connection::read_more() {
  if (reading_ || state_ == State::dead) return;
  // Who does not take our answers may wait with questions.
  if (state_ == State::open && output.size() > kOutputHigh) return;
  if (tls_ && tls_->outgoing.size() > kOutputHigh) return;
  if (stalled_) {
    if (!input.full() && !std::exchange(decrypt_due_, true)) {
      loop_.at_turn_end([self = shared_from_this()] { self->go_on_decrypting(); });
    }
    return;
  }
  const std::span<char> room = room_for_input();
  if (room.empty()) return;
  reading_ = true;
  socket_.async_read_some(boost::asio::buffer(room.data(), room.size()),
                          [self = shared_from_this()](const boost::system::error_code& error, size_t count) {
                            self->on_read(error, count);
                          });
}

void Connection::on_read(const boost::system::error_code& error, size_t count) {
  const Loop::Impl::Turn turn(loop_);
  reading_ = false;
  if (state_ == State::dead) return;
  if (error) return destroy();
  (tls_ ? tls_->incoming : input).commit(count);
  take_input();
}

std::span<char> Connection::room_for_input() { return tls_ ? tls_->incoming.room() : input.room(); }

void Connection::take_input() {
  if (state_ != State::open) {
    if (tls_) tls_->incoming.consume(tls_->incoming.size());
    input.consume(input.size());
  } else if (std::exchange(is_first_, false) && !detect_tls()) {
    return;
  } else if (decrypt()) {
    dispatch();
  }
  read_more();
}

// Who is on this machine may leave TLS out, as functions do; nobody listens on that way.
bool Connection::detect_tls() {
  if (!context_->tls) return true;
  if (input.view().front() == TlsStream::kFirstByte) {
    begin_tls();
    return true;
  }
  if (is_of_this_machine(socket_.native_handle())) return true;
  output.append(std::string_view(kPlainRefused));
  close_after_flush();
  return false;
}

void Connection::begin_tls() {
  tls_ = std::make_unique<TlsStream>(*context_->tls);
  handshake_ = Counted(context_->handshakes);
  set_->begin_handshake(shared_from_this());
  deadline_ = tick() + seconds(context_->limits.handshake_timeout);
  while (input.size() > 0) {
    const std::span<char> room = tls_->incoming.room();
    const size_t count = std::min(room.size(), input.size());
    std::memcpy(room.data(), input.view().data(), count);
    tls_->incoming.commit(count);
    input.consume(count);
  }
}

// False: nothing is to be understood.
bool Connection::decrypt() {
  if (!tls_) return true;
  const TlsStream::State state = tls_->receive(input);
  stalled_ = state == TlsStream::State::stalled;
  if (!is_protected && tls_->is_open()) {
    is_protected = true;
    handshake_ = Counted();
    deadline_ = tick() + seconds(context_->limits.header_timeout);
  }
  if (!tls_->outgoing.empty()) flush();
  if (state == TlsStream::State::ended) end_tls();
  return state_ == State::open && input.size() > 0;
}

// Whose handshake fails is told why.
void Connection::end_tls() {
  handshake_ = Counted();
  if (session_) fail();
  else close_after_flush();
}

void Connection::go_on_decrypting() {
  decrypt_due_ = false;
  if (state_ != State::dead) take_input();
}

void Connection::dispatch() {
  if (!session_ && !detect_protocol()) return;
  session_->receive();
}

// HTTP/2 begins with a preface that no HTTP/1.1 request can begin with.
bool Connection::detect_protocol() {
  const std::string_view bytes = input.view();
  const size_t length = std::min(bytes.size(), kHttp2Preface.size());
  if (bytes.substr(0, length) != kHttp2Preface.substr(0, length)) {
    session_ = make_http1_session(*this, *context_);
  } else if (length == kHttp2Preface.size()) {
    session_ = make_http2_session(*this, *context_);
  } else {
    return false;
  }
  deadline_ = 0;
  return true;
}

// ---- writing ------------------------------------------------------------------------------------------------------

void Connection::flush() {
  if (writing_ || state_ == State::dead) return;
  send_output();
  context_->give_back_spent(output);
  count_output();
  if (!writing_) holds_.clear();
}

void Connection::flush_soon(base::Activity::Hold hold) {
  holds_.push_back(std::move(hold));
  if (std::exchange(flush_due_, true)) return;
  loop_.at_turn_end([self = shared_from_this()] {
    self->flush_due_ = false;
    self->pump();
    self->holds_.clear();
  });
}

// Lets the session produce and sends that, until the client takes no more or there is no more.
void Connection::pump() {
  for (;;) {
    if (state_ == State::open && session_) session_->fill_output();
    if (waiting() == 0) return;
    flush();
    if (writing_ || state_ != State::open) return;
  }
}

void Connection::send_output() {
  if (output.size() > kSentUnaskedMax && base::slice_is_over(kStepsToLook)) return await_slice();
  for (const uint64_t end = sent_ + (tls_ ? kEncryptedAtOnceMax : kSentAtOnceMax);;) {
    if (!encrypt()) return fail();
    if (wire().empty()) break;
    if (sent_ >= end) return await_slice();
    iovec vectors[Output::kGatherMax];
    msghdr message{};
    message.msg_iov = vectors;
    message.msg_iovlen = wire().gather(vectors, static_cast<size_t>(end - sent_));
    const int socket = socket_.native_handle();
    constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
    const ssize_t sent = message.msg_iovlen == 1 ? ::send(socket, vectors[0].iov_base, vectors[0].iov_len, kFlags)
                                                 : ::sendmsg(socket, &message, kFlags);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return await_writable();
      return fail();
    }
    sent_ += static_cast<uint64_t>(sent);
    wire().consume(static_cast<size_t>(sent));
  }
  if (state_ == State::closing) linger();
}

// What is to be sent next, a piece at a time. False: it cannot be.
bool Connection::encrypt() {
  if (!tls_) return true;
  if (tls_->outgoing.size() < kEncryptedAhead && !output.empty() && !tls_->send(output, kEncryptedAhead)) return false;
  if (state_ == State::closing && output.empty()) tls_->send_end();
  return true;
}

void Connection::await_writable() {
  writing_ = true;
  socket_.async_wait(boost::asio::socket_base::wait_write,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       const Loop::Impl::Turn turn(self->loop_);
                       if (error && self->state_ != State::dead) return self->destroy();
                       self->go_on_writing();
                     });
}

// The kernel takes megabytes of a large answer at once, and hands them on to a client on this machine as well: that is
// work like any other.
void Connection::await_slice() {
  writing_ = true;
  loop_.post_slice([self = shared_from_this()] { self->go_on_writing(); });
}

void Connection::go_on_writing() {
  writing_ = false;
  if (state_ == State::dead) return;
  flush();
  if (writing_ || state_ != State::open) return;
  pump();
  read_more();
}

void Connection::count_output() {
  const size_t bytes = waiting();
  if (bytes > AnswerReservation::kFree || answers_.size() > 0) answers_.resize(bytes);
}

// The kernel takes much at a time, and seldom: what it has sent on tells how fast the client is.
uint64_t Connection::taken() const {
  int unsent = 0;
  if (::ioctl(const_cast<Connection*>(this)->socket_.native_handle(), SIOCOUTQ, &unsent) != 0) unsent = 0;
  return sent_ - std::min(sent_, static_cast<uint64_t>(unsent));
}

bool Connection::takes_output() {
  if (!writing_) {
    pace_.begin();
    return true;
  }
  const uint64_t before = std::exchange(taken_, taken());
  pace_.add(taken_ - std::min(taken_, before));
  return pace_.tick();
}

// ---- the end ------------------------------------------------------------------------------------------------------

void Connection::close_after_flush() {
  if (state_ != State::open) return;
  state_ = State::closing;
  flush();
}

void Connection::linger() {
  state_ = State::lingering;
  deadline_ = tick() + kLingerSeconds;
  boost::system::error_code ignored;
  socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  input.consume(input.size());
  loop_.at_turn_end([self = shared_from_this()] { self->read_more(); });
}

void Connection::fail() {
  if (state_ == State::dead) return;
  state_ = State::dead;
  loop_.at_turn_end([self = shared_from_this()] { self->destroy(); });
}

void Connection::destroy() {
  state_ = State::dead;
  if (!set_) return;
  const auto self = shared_from_this();
  std::exchange(set_, nullptr)->remove(*this);
  session_.reset();
  holds_.clear();
  answers_.resize(0);
  context_->give_back(std::exchange(output, {}));
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void Connection::on_tick() {
  if (state_ == State::dead) return;
  if (deadline_ != 0 && tick() >= deadline_) return fail();
  if (!session_ && makes_room()) return fail();
  if (!takes_output()) return fail();
  if (state_ == State::open && session_) session_->on_tick();
}

// Whether others wait to be let in while nothing has been said here.
bool Connection::makes_room() const {
  const auto saved = context_->limits.header_timeout - context_->limits.idle_when_crowded;
  return context_->crowded.load(std::memory_order_relaxed) && tick() + saved.count() >= deadline_;
}

void Connection::go_away() {
  if (state_ != State::open || !session_) return;
  session_->go_away();
  if (!writing_) pump();
}

uint32_t Connection::tick() const { return set_ ? set_->tick_ : 0; }

}  // namespace tidemill::net
