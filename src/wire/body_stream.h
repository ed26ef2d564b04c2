// Bodies that come and go piece by piece: the members of @streaming blobs, in requests and in responses. What one side
// does not take, the other does not make: reading slowly slows the client down, and a source is asked for its next piece
// only once the last one is on its way.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"

namespace tidemill::wire {

// Where a body comes from: a file, a connection, a decoder around another source.
class BodySource {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  virtual ~BodySource() = default;
  // The next piece, never empty; nothing at the end, and from then on. One call at a time. May be destroyed where it
  // waits. What it throws ends the request or the connection.
  virtual Task<std::optional<std::string>> next() = 0;
  // What stood behind the body, once next() has given nothing. Names in lower case.
  [[nodiscard]] virtual Headers trailers() const { return {}; }
};

// A handle on a body. Copies share one position: a body is read once.
//
// Of a request, read() throws net::ConnectionLost once the client has left or was too slow (a handler is not destroyed
// for that: it cleans up and lets it pass), and wire::Error for a body that is not what its headers say.
class BodyStream {
 public:
  using Headers = BodySource::Headers;

  BodyStream() = default;  // empty
  // What is in memory already: for callers in this process, and for small answers.
  BodyStream(std::string whole);  // NOLINT: stands for itself
  BodyStream(const char* whole) : BodyStream(std::string(whole)) {}  // NOLINT
  // `length` in bytes, if it is known. A response's source must give exactly that many.
  BodyStream(std::shared_ptr<BodySource> source, std::optional<uint64_t> length)
      : source_(std::move(source)), length_(length) {}

  // Of the whole body as read() gives it, in bytes.
  [[nodiscard]] std::optional<uint64_t> length() const { return length_; }
  // The next piece, at most 256 KiB of a request; nothing at the end.
  Task<std::optional<std::string>> read() const;
  // All that is left. Throws net::BodyTooLarge beyond `bytes_max`. `hold`, if given, is told with each piece how many
  // bytes that comes to so far, before they are kept; what it throws ends the reading.
  Task<std::string> read_all(size_t bytes_max, std::function<void(size_t bytes)> hold = {}) const;
  // Known once read() has given nothing.
  [[nodiscard]] Headers trailers() const { return source_ ? source_->trailers() : Headers(); }

  // All of it, if it is in memory and nobody has read of it; it then has been read.
  [[nodiscard]] std::optional<std::string> take_whole() const;

 private:
  std::shared_ptr<BodySource> source_;  // null: empty
  std::optional<uint64_t> length_ = 0;
};

}  // namespace tidemill::wire
