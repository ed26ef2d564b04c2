// Packs as gzip does (RFC 1952), a piece at a time, the same bytes each time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tidemill::wire {

class GzipWriter {
 public:
  GzipWriter();
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;

  void add(std::string_view text);
  // The whole file. Nothing is added afterwards.
  [[nodiscard]] std::string finish();
  // How much of it there is so far.
  [[nodiscard]] size_t size() const;

 private:
  struct State;
  void deflate(std::string_view text, int flush);

  std::unique_ptr<State> state_;
};

[[nodiscard]] std::string gzip(std::string_view text);

}  // namespace tidemill::wire
