// What stands between a connection's bytes and its requests. A Transport moves bytes, a Session (one per protocol)
// makes requests of them; both live on one loop. Sessions know no sockets, so a fuzzer can be their transport.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "net/buffers.h"
#include "net/http_server.h"

namespace tidemill::net {

// What all connections of a server share.
struct ServerContext {
  ServerLimits limits;
  Handler handler;
  base::Activity* activity = nullptr;  // null: requests do not count
  std::atomic<size_t> body_bytes = 0;  // of bodies in memory
};

// The share of the server's body memory that one request has.
class BodyReservation {
 public:
  // Bodies below this are bounded by the connections' buffers and not counted.
  static constexpr size_t kFree = 16 << 10;

  explicit BodyReservation(ServerContext& context) : context_(context) {}
  ~BodyReservation() { release(); }
  BodyReservation(const BodyReservation&) = delete;

  // Makes the share at least `bytes`. Throws ServerBusy.
  void grow_to(size_t bytes) {
    if (bytes <= kFree || bytes <= held_) return;
    const size_t more = bytes - held_;
    if (context_.body_bytes.fetch_add(more) + more > context_.limits.body_bytes_in_memory_max) {
      context_.body_bytes.fetch_sub(more);
      throw ServerBusy();
    }
    held_ = bytes;
  }
  void release() {
    if (held_ > 0) context_.body_bytes.fetch_sub(std::exchange(held_, 0));
  }

 private:
  ServerContext& context_;
  size_t held_ = 0;
};

// Where a body's reader waits. One reader at a time. It outlives the request, as the body does: whoever waits when the
// request ends is woken to find that out.
class BodyWaiter {
 public:
  struct Wait {
    std::shared_ptr<BodyWaiter> waiter;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) noexcept { waiter->handle_ = self; }
    void await_resume() const noexcept {}
    ~Wait() {
      if (waiter) waiter->handle_ = nullptr;
    }
    explicit Wait(std::shared_ptr<BodyWaiter> shared) : waiter(std::move(shared)) {}
    Wait(const Wait&) = delete;
  };

  [[nodiscard]] bool waits() const { return handle_ != nullptr; }
  // Resumes who waits, here and now. False: nobody did.
  bool wake() {
    const auto handle = std::exchange(handle_, nullptr);
    if (handle) handle.resume();
    return handle != nullptr;
  }
  // Resumes who waits, later. Of no effect where nothing runs any more.
  static void wake_soon(const std::shared_ptr<BodyWaiter>& waiter) {
    if (!waiter->handle_) return;
    if (base::Executor* executor = base::Executor::current_or_null()) executor->post([waiter] { waiter->wake(); });
  }

 private:
  std::coroutine_handle<> handle_;
};

class Transport {
 public:
  // A session produces no more while this much waits for the client.
  static constexpr size_t kOutputHigh = 256 << 10;

  explicit Transport(size_t input_size_max) : input(input_size_max) {}
  virtual ~Transport() = default;

  // Sends what is in `output`, as far as the client takes it; the rest follows by itself.
  virtual void flush() = 0;
  // flush() at the end of this turn of the loop, after a fill_output(); `hold` ends with it.
  virtual void flush_soon(base::Activity::Hold hold) = 0;
  // Input has been consumed: go on reading if that had stopped.
  virtual void read_more() = 0;
  // Sends what is in `output`, then closes. Nothing is received any more.
  virtual void close_after_flush() = 0;
  // The connection is gone; the session is destroyed as soon as none of its code is on the stack.
  [[nodiscard]] virtual bool is_dead() const = 0;
  // Seconds that the loop has counted, for timeouts.
  [[nodiscard]] virtual uint32_t tick() const = 0;

  Input input;
  Output output;
  std::string peer;
};

class Session {
 public:
  virtual ~Session() = default;
  // There is more in the transport's input.
  virtual void receive() = 0;
  // The client takes more: put into the output what waited for that.
  virtual void fill_output() = 0;
  // A second has passed.
  virtual void on_tick() = 0;
  // The server stops.
  virtual void go_away() {}
};

std::unique_ptr<Session> make_http1_session(Transport& transport, ServerContext& context);
std::unique_ptr<Session> make_http2_session(Transport& transport, ServerContext& context);

// The response to a request that never reached a handler, or whose handler failed: a status and a tiny text.
Response plain_response(int status);

// What the exception that a handler let pass through answers; 0: the connection is to be closed without an answer.
// To be called inside a catch block. Logs defects.
int status_of_current_exception(const Request& request) noexcept;

}  // namespace tidemill::net
