#include "wire/gzip_writer.h"

#include <zlib.h>

#include <array>
#include <new>

namespace tidemill::wire {

namespace {

constexpr int kGzipOnly = 15 + 16;  // zlib's largest window, and gzip's header instead of its own
constexpr int kMemoryLevel = 8;     // zlib's default
constexpr size_t kPieceBytes = 64 << 10;

}  // namespace

struct GzipWriter::State {
  z_stream stream{};
  std::string out;
};

GzipWriter::GzipWriter() : state_(std::make_unique<State>()) {
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipOnly, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
}

GzipWriter::~GzipWriter() { deflateEnd(&state_->stream); }

void GzipWriter::add(std::string_view text) { deflate(text, Z_NO_FLUSH); }

std::string GzipWriter::finish() {
  deflate({}, Z_FINISH);
  return std::move(state_->out);
}

size_t GzipWriter::size() const { return state_->out.size(); }

void GzipWriter::deflate(std::string_view text, int flush) {
  z_stream& stream = state_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  std::array<char, kPieceBytes> piece;
  do {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    ::deflate(&stream, flush);
    state_->out.append(piece.data(), piece.size() - stream.avail_out);
  } while (stream.avail_out == 0);
}

std::string gzip(std::string_view text) {
  GzipWriter writer;
  writer.add(text);
  return writer.finish();
}

}  // namespace tidemill::wire
