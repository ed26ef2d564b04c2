#include "wire/body_stream.h"

#include "net/http.h"

namespace tidemill::wire {

namespace {

class TextSource final : public BodySource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  Task<std::optional<std::string>> next() override {
    if (text_.empty()) return Task<std::optional<std::string>>::ready();
    return Task<std::optional<std::string>>::ready(take());
  }
  std::string take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

}  // namespace

BodyStream::BodyStream(std::string whole) : length_(whole.size()) {
  if (!whole.empty()) source_ = std::make_shared<TextSource>(std::move(whole));
}

Task<std::optional<std::string>> BodyStream::read() const {
  if (!source_) return Task<std::optional<std::string>>::ready();
  return source_->next();
}

Task<std::string> BodyStream::read_all(size_t bytes_max, std::function<void(size_t bytes)> hold) const {
  const BodyStream self = *this;  // the handle may go away while this waits
  std::string all;
  while (std::optional<std::string> piece = co_await self.read()) {
    const size_t size = all.size() + piece->size();
    if (size > bytes_max) throw net::BodyTooLarge();
    if (hold) hold(size);
    if (all.empty()) all = *std::move(piece);
    else all += *piece;
  }
  co_return all;
}

std::optional<std::string> BodyStream::take_whole() const {
  if (!source_) return std::string();
  auto* text = dynamic_cast<TextSource*>(source_.get());
  if (!text) return std::nullopt;
  return text->take();
}

}  // namespace tidemill::wire
