#include "engine/workers/response_stream.h"

namespace tidemill::engine {

void ResponseStream::begin(std::string content_type) {
  {
    const std::lock_guard lock(mutex_);
    if (content_type_) return;
    content_type_ = std::move(content_type);
  }
  for_reader_.signal();
}

Task<void> ResponseStream::give(std::string piece) {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (left_ || ended_) co_return;
      if (!piece_) {
        piece_ = std::move(piece);
        break;
      }
    }
    co_await for_writer_;
  }
  for_reader_.signal();
}

void ResponseStream::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  for_reader_.signal();
  for_writer_.signal();
}

Task<std::optional<std::string>> ResponseStream::begun() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (content_type_ || ended_) co_return content_type_;
    }
    co_await for_reader_;
  }
}

Task<std::optional<std::string>> ResponseStream::next() {
  for (;;) {
    std::optional<std::string> piece;
    {
      const std::lock_guard lock(mutex_);
      piece = std::exchange(piece_, std::nullopt);
      if (!piece && ended_) co_return std::nullopt;
    }
    if (piece) {
      for_writer_.signal();
      co_return piece;
    }
    co_await for_reader_;
  }
}

void ResponseStream::leave() {
  {
    const std::lock_guard lock(mutex_);
    left_ = true;
    piece_.reset();
  }
  for_writer_.signal();
}

}  // namespace tidemill::engine
