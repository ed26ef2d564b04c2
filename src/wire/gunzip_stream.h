// Unpacks gzip (RFC 1952) that comes piece by piece: one file, or several one behind the other.
//
//   stream.add(piece);
//   while (const auto part = stream.next()) …
//   …and once there are no more pieces: stream.is_whole()
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tidemill::wire {

class GunzipStream {
 public:
  static constexpr size_t kPartBytes = size_t{64} << 10;

  GunzipStream();
  ~GunzipStream();
  GunzipStream(const GunzipStream&) = delete;

  // All that was added before has been taken.
  void add(std::string piece);
  // At most kPartBytes, valid until the next call. Nothing: more is needed. Throws std::runtime_error for what is no gzip.
  [[nodiscard]] std::optional<std::string_view> next();
  // What was added ends where a file does; so does nothing.
  [[nodiscard]] bool is_whole() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::wire
