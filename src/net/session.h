// What stands between a connection's bytes and its requests. A Transport moves bytes, a Session (one per protocol)
// makes requests of them; both live on one loop. Sessions know no sockets, so a fuzzer can be their transport.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/blocking_work.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/executor.h"
#include "net/buffers.h"
#include "net/http_server.h"

namespace tidemill::net {

// To begin a request takes about so many microseconds (base::slice_is_over).
inline constexpr size_t kStepsPerRequest = 10;

// What all connections of a server share.
struct ServerContext {
  explicit ServerContext(ServerLimits all = {}, std::shared_ptr<const TlsIdentity> identity = {})
      : limits(all), tls(std::move(identity)), bodies(limits.body_bytes_in_memory_max), answers(limits.answer_bytes_in_memory_max) {}

  const ServerLimits limits;
  const std::shared_ptr<const TlsIdentity> tls;  // null: plain
  Handler handler;
  base::Activity* activity = nullptr;  // null: requests do not count
  base::Budget bodies;                 // bytes in memory
  base::Budget answers;
  std::atomic<size_t> requests = 0;    // under way
  std::atomic<size_t> handshakes = 0;  // of TLS, under way
  std::atomic<bool> crowded = false;   // connections wait to be let in
  base::BlockingWork leftovers;        // gives back what is large

  // Lets go of an answer, or what is left of one. Of a large one that takes the system a millisecond, for which nobody
  // else need wait.
  void give_back(std::string&& bytes) {
    if (bytes.capacity() >= Output::kSpentMin) leftovers.post([spent = std::move(bytes)] {});
  }
  void give_back(Output&& output) {
    if (output.size() >= Output::kSpentMin) leftovers.post([spent = std::move(output)] {});
  }
  void give_back_spent(Output& output) {
    if (output.has_spent()) leftovers.post([spent = output.take_spent()] {});
  }
};

// The share of the server's body memory that one connection's requests have together.
class ConnectionBodies {
 public:
  // Bodies that come to no more than this are not counted: there is so much for each connection.
  static constexpr size_t kFree = 16 << 10;

  explicit ConnectionBodies(ServerContext& context) : share_(context.bodies.none()) {}

  // Throws ServerBusy.
  void add(size_t bytes) {
    if (bytes_ + bytes > kFree && !share_.grow(bytes_ + bytes)) throw ServerBusy();
    bytes_ += bytes;
  }
  void give_back(size_t bytes) {
    bytes_ -= bytes;
    if (share_.size() > 0) share_.resize(bytes_ > kFree ? bytes_ : 0);
  }

 private:
  size_t bytes_ = 0;
  base::Budget::Share share_;
};

// One request's part of it.
class BodyReservation {
 public:
  explicit BodyReservation(ConnectionBodies& all) : all_(all) {}
  ~BodyReservation() { release(); }
  BodyReservation(const BodyReservation&) = delete;

  // Makes the part at least `bytes`: of what has come, not of what is to come. Throws ServerBusy.
  void grow_to(size_t bytes) {
    if (bytes <= bytes_) return;
    all_.add(bytes - bytes_);
    bytes_ = bytes;
  }
  void release() {
    if (bytes_ > 0) all_.give_back(std::exchange(bytes_, 0));
  }

 private:
  ConnectionBodies& all_;
  size_t bytes_ = 0;
};

// Room in `body` for `size` bytes, where `declared` may come in all (0: unknown). Grows in few steps: a body that
// was only declared takes none.
void make_room(std::string& body, size_t size, uint64_t declared);

// The room of one answer after the other; of one connection, where several are made at a time.
class AnswerReservation final : public AnswerRoom {
 public:
  // Answers up to this are not counted.
  static constexpr size_t kFree = 4 << 10;

  // `connection`: null for those that make one answer at a time.
  AnswerReservation(ServerContext& context, base::Budget* connection);

  Task<void> reserve(size_t bytes) override;
  void hold(size_t bytes) override;
  // A piece of an answer that streams: once there is room, before it is made, and what it came to.
  Task<void> await_room();
  void count(size_t bytes);
  void release() {
    if (in_all_.size() + of_connection_.size() > 0) count(0);
  }

 private:
  ServerContext& context_;
  base::Budget* const connection_;
  base::Budget::Share in_all_;
  base::Budget::Share of_connection_;
};

// Whether a peer does its part while it is waited for: so many bytes within each window, of which the last tick may
// have partly passed.
class PaceCheck {
 public:
  PaceCheck(std::chrono::seconds window, size_t bytes_per_second)
      : ticks_(static_cast<uint32_t>(window.count()) + 1),
        bytes_min_(static_cast<uint64_t>(window.count()) * bytes_per_second) {}

  void add(uint64_t bytes) { bytes_ += bytes; }
  // A second in which it was waited for. False: a window has ended in which too little came.
  bool tick() {
    if (++passed_ < ticks_) return true;
    const bool enough = bytes_ >= bytes_min_;
    begin();
    return enough;
  }
  void begin() {
    passed_ = 0;
    bytes_ = 0;
  }

 private:
  const uint32_t ticks_;
  const uint64_t bytes_min_;
  uint32_t passed_ = 0;
  uint64_t bytes_ = 0;
};

// Whether a body comes in time, second by second of those in which it is waited for. It keeps a pace; and one that is
// held in memory until all of it has come may take the longer for that, the more has come.
class BodyPace {
 public:
  // `limits` outlive it.
  explicit BodyPace(const ServerLimits& limits)
      : limits_(limits), pace_(limits.body_idle_timeout, limits.body_bytes_per_second_min) {}

  void add(uint64_t bytes) { pace_.add(bytes); }
  // So many bytes of it are held; 0: none, as of one that is passed on as it comes.
  void hold(size_t bytes) { held_ = bytes; }
  // A second in which it was waited for. False: it comes too slowly.
  bool tick() {
    ++waited_;
    return pace_.tick() && (held_ == 0 || waited_ <= seconds_max());
  }
  void begin() {
    pace_.begin();
    held_ = 0;
    waited_ = 0;
  }

 private:
  // The first second may have partly passed.
  [[nodiscard]] uint64_t seconds_max() const {
    return static_cast<uint64_t>(limits_.held_body_timeout.count()) + held_ / limits_.held_body_bytes_per_second_min + 1;
  }

  const ServerLimits& limits_;
  PaceCheck pace_;
  size_t held_ = 0;
  uint64_t waited_ = 0;
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
  bool is_protected = false;  // by TLS, once its handshake is over
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
