#include "wire/gunzip_stream.h"

#include <zlib.h>

#include <new>
#include <stdexcept>

namespace tidemill::wire {

namespace {

constexpr int kGzipOnly = 15 + 16;  // zlib's largest window, and gzip's header instead of its own

}  // namespace

struct GunzipStream::State {
  State() : part(kPartBytes, '\0') {
    if (inflateInit2(&zlib, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~State() { inflateEnd(&zlib); }
  State(const State&) = delete;

  z_stream zlib{};
  std::string piece;
  std::string part;
  bool is_at_end = true;  // of a file, of which several may follow each other
};

GunzipStream::GunzipStream() : state_(std::make_unique<State>()) {}
GunzipStream::~GunzipStream() = default;

void GunzipStream::add(std::string piece) {
  state_->piece = std::move(piece);
  state_->zlib.next_in = reinterpret_cast<Bytef*>(state_->piece.data());
  state_->zlib.avail_in = static_cast<uInt>(state_->piece.size());
}

std::optional<std::string_view> GunzipStream::next() {
  z_stream& zlib = state_->zlib;
  zlib.next_out = reinterpret_cast<Bytef*>(state_->part.data());
  zlib.avail_out = kPartBytes;
  while (zlib.avail_out > 0) {
    if (state_->is_at_end) {
      if (zlib.avail_in == 0) break;
      if (inflateReset(&zlib) != Z_OK) throw std::bad_alloc();
      state_->is_at_end = false;
    }
    const int status = inflate(&zlib, Z_NO_FLUSH);
    if (status == Z_BUF_ERROR) break;  // it needs more
    if (status != Z_OK && status != Z_STREAM_END) throw std::runtime_error("no gzip");
    state_->is_at_end = status == Z_STREAM_END;
  }
  const size_t size = kPartBytes - zlib.avail_out;
  if (size == 0) return std::nullopt;
  return std::string_view(state_->part).substr(0, size);
}

bool GunzipStream::is_whole() const { return state_->is_at_end; }

}  // namespace tidemill::wire
