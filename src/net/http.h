// HTTP messages as the rest of the house sees them, the same for HTTP/1.1 and HTTP/2.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace tidemill::net {

// Field names are matched without regard to case; order is kept; a name may repeat.
class Headers {
 public:
  using Entry = std::pair<std::string, std::string>;
  void add(std::string name, std::string value) { entries_.emplace_back(std::move(name), std::move(value)); }
  void set(std::string_view name, std::string value);
  // The first value; empty optional if there is none.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  // The first value, or "".
  [[nodiscard]] std::string_view get(std::string_view name) const { return find(name).value_or(""); }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::vector<Entry>& entries() { return entries_; }

 private:
  std::vector<Entry> entries_;
};

// A request body ended early, was malformed, or the client was too slow: the connection is gone. Let it pass through.
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A body went over the limit its reader gave. The server answers 413 if the handler lets it pass through.
class BodyTooLarge : public std::runtime_error {
 public:
  BodyTooLarge() : std::runtime_error("request body too large") {}
};

// The bodies or the answers in the server's memory are as many as it may hold. The server answers 503 if the handler
// lets it pass through.
class ServerBusy : public std::runtime_error {
 public:
  ServerBusy() : std::runtime_error("too many requests' bodies or answers are in memory") {}
};

// A request's body. Content-Length and chunked look alike; "Expect: 100-continue" is answered at the first read. Whoever
// keeps it beyond its request, or waits in it when the client leaves, finds ConnectionLost.
class Body {
 public:
  virtual ~Body() = default;
  // The whole body; a ready task if all of it has come. Throws BodyTooLarge beyond `limit` bytes, ServerBusy,
  // ConnectionLost.
  virtual Task<std::string> read_all(size_t limit) = 0;
  // The next piece, at most 256 KiB; nothing at the end. Throws ConnectionLost. Reading slowly slows the client down.
  virtual Task<std::optional<std::string>> read_some() = 0;
  // Whoever keeps what read_some() gives, or makes more of the body than was sent, by decompressing it, has so many
  // bytes in all counted as bodies in memory until the request is answered; what is left of the body is waited for as
  // read_all() does. Throws ServerBusy, ConnectionLost.
  virtual void hold(size_t /*bytes*/) {}
};

// The room in the server's memory for one request's answer, from when it is made until the client has taken it: of what
// its connection may have and of what all may have together (ServerLimits).
class AnswerRoom {
 public:
  virtual ~AnswerRoom() = default;
  // Before an answer is made that may have so many bytes: waits its turn. Until the client has taken enough of its
  // other answers; until others' clients have, but not for long: throws ServerBusy then.
  virtual Task<void> reserve(size_t bytes) = 0;
  // An answer of so many bytes has been made. Throws ServerBusy if more than was reserved is needed, and is not there.
  virtual void hold(size_t bytes) = 0;
};

// One of a count while it lives.
class [[nodiscard]] Counted {
 public:
  Counted() = default;
  explicit Counted(std::atomic<size_t>& count) : count_(&count) { count.fetch_add(1, std::memory_order_relaxed); }
  Counted(Counted&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  Counted& operator=(Counted&& other) noexcept {
    std::swap(count_, other.count_);
    return *this;
  }
  ~Counted() {
    if (count_) count_->fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  std::atomic<size_t>* count_ = nullptr;
};

struct Request {
  std::string method;       // as sent: "GET"
  std::string target;       // origin form as sent: "/path?query", still percent-encoded
  Headers headers;          // HTTP/2's :authority appears as "host"
  std::shared_ptr<Body> body;
  Headers trailers;         // what stood behind the body, once that has been read; HTTP/1.1 only
  AnswerRoom* answer_room = nullptr;  // lives as long as the request; null: nobody counts
  std::string peer;         // "127.0.0.1:50312"
  int version_major = 1;    // 1 or 2
  bool is_protected = false;  // came by TLS
  // Keeps the platform from being quiet until the response has gone to the socket. Empty if the server's requests do
  // not count (ServerLimits::requests_are_activity); a handler that itself waits for quiet resets it.
  base::Activity::Hold activity;
  // Until the response has gone to the socket, too: one of those that a server which stops waits for. A handler whose
  // answer goes on for as long as its client likes resets it.
  Counted under_way;
};

struct Response {
  int status = 200;
  Headers headers;          // content-length, date and connection are the server's
  std::string body;
  // If set, sent after `body`, piece by piece until it gives nothing; chunked in HTTP/1.1 unless content-length is set
  // in the headers.
  std::function<Task<std::optional<std::string>>()> stream;
};

// Answers one request. Runs on the connection's loop. Requests of one HTTP/1.1 connection are handled one after the
// other; streams of an HTTP/2 connection concurrently. If the client goes away the task is destroyed where it waits.
// Exceptions other than those above are defects: logged and answered with 500. An answer for whose body there is no
// room is dropped for a 503: who would rather say so in its own words asks request.answer_room first.
using Handler = std::function<Task<Response>(Request&)>;

// "%41+b" -> "A+b" ('+' stays). Nothing if an escape is malformed.
std::optional<std::string> percent_decode(std::string_view text);

// The query of a target as decoded pairs ('+' means space here), in order.
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view target);

}  // namespace tidemill::net
