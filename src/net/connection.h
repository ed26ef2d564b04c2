// A client's TCP connection: moves bytes between a socket and the Session that its first bytes ask for.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <memory>
#include <vector>

#include "net/loop_impl.h"
#include "net/session.h"
#include "net/tls_stream.h"

namespace tidemill::net {

class Connection;

// The connections that one loop has of a server. All members on that loop.
class ConnectionSet {
 public:
  ConnectionSet(Loop& loop, std::shared_ptr<ServerContext> context, std::shared_ptr<std::atomic<size_t>> open);
  ~ConnectionSet();
  ConnectionSet(const ConnectionSet&) = delete;

  // Takes the socket over.
  void adopt(int socket, std::string peer);
  // HTTP/2 clients are told to open no more streams.
  void go_away();
  void close_all();

 private:
  friend class Connection;
  void remove(Connection& connection);
  void sweep();
  // One more handshake. Of too many the oldest ends.
  void begin_handshake(const std::shared_ptr<Connection>& connection);

  Loop& loop_;
  std::shared_ptr<ServerContext> context_;
  std::shared_ptr<std::atomic<size_t>> open_;  // connections of the whole server
  std::vector<std::shared_ptr<Connection>> connections_;
  std::deque<std::weak_ptr<Connection>> handshakes_;  // begun, the oldest first; not all of them still go on
  uint32_t tick_ = 0;
  base::Alarm next_sweep_;
};

class Connection final : public Transport, public std::enable_shared_from_this<Connection> {
 public:
  Connection(ConnectionSet& set, int socket, std::string peer_text);

  void flush() override;
  void flush_soon(base::Activity::Hold hold) override;
  void read_more() override;
  void close_after_flush() override;
  [[nodiscard]] bool is_dead() const override { return state_ == State::dead; }
  [[nodiscard]] uint32_t tick() const override;

  void on_tick();
  [[nodiscard]] bool makes_room() const;
  [[nodiscard]] bool is_in_handshake() const { return state_ == State::open && tls_ && !is_protected; }
  void go_away();
  // Closes at once and destroys the session: never call it with the session on the stack.
  void destroy();

  size_t index = 0;  // in its set

 private:
  enum class State {
    open,
    closing,    // the last output is being sent
    lingering,  // sent, and our side closed: waits for the client's end, so that it sees the answer before a reset
    dead,
  };

  void on_read(const boost::system::error_code& error, size_t count);
  void dispatch();
  bool detect_protocol();
  void take_input();
  // False: the connection ends.
  bool detect_tls();
  void begin_tls();
  bool decrypt();
  void end_tls();
  void go_on_decrypting();
  bool encrypt();
  [[nodiscard]] std::span<char> room_for_input();
  [[nodiscard]] Output& wire() { return tls_ ? tls_->outgoing : output; }
  [[nodiscard]] size_t waiting() const { return output.size() + (tls_ ? tls_->outgoing.size() : 0); }
  void send_output();
  void pump();
  void await_writable();
  void await_slice();
  void go_on_writing();
  void linger();
  void fail();
  void count_output();
  [[nodiscard]] uint64_t taken() const;
  [[nodiscard]] bool takes_output();

  ConnectionSet* set_;
  std::shared_ptr<ServerContext> context_;
  Loop::Impl& loop_;
  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<TlsStream> tls_;
  Counted handshake_;
  std::vector<base::Activity::Hold> holds_;  // until the next flush
  base::Budget::Share answers_;              // what waits in `output`
  PaceCheck pace_;                           // at which the client takes that
  uint64_t sent_ = 0;                        // bytes, to the kernel
  uint64_t taken_ = 0;                       // of these by the client, at the last tick
  State state_ = State::open;
  bool reading_ = false;
  bool is_first_ = true;      // nothing has come yet
  bool decrypt_due_ = false;  // at the end of this turn
  bool stalled_ = false;      // what has come encrypted waits for room in `input`
  bool writing_ = false;      // waits until the socket takes more
  bool flush_due_ = false;    // at the end of this turn
  uint32_t deadline_ = 0;     // of the state: the protocol's first bytes, lingering; 0: none
};

}  // namespace tidemill::net
