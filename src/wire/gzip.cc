#include "wire/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "wire/error.h"
#include "wire/large_work.h"

namespace tidemill::wire {

namespace {

constexpr int kGzipOnly = 15 + 16;         // zlib's largest window, and gzip's header instead of its own

[[noreturn]] void refuse() { throw serialization_error("The request body is not valid gzip, as its Content-Encoding says"); }

}  // namespace

Task<std::optional<std::string>> gunzip(std::string compressed, size_t bytes_max, std::function<void(size_t)> hold) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string out;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    const size_t size = out.size();
    if (size > bytes_max) co_return std::nullopt;
    const size_t next = std::min(bytes_max + 1, size + kPieceBytes);
    if (next > out.capacity()) {
      const size_t room = std::min(bytes_max + 1, std::max(next, 2 * size));
      hold(room);
      out.reserve(room);
    }
    out.resize(next);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = static_cast<uInt>(out.size() - size);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    const bool starved = status == Z_BUF_ERROR || (status == Z_OK && stream.avail_in == 0 && stream.avail_out > 0);
    if (starved || (status != Z_OK && status != Z_STREAM_END)) refuse();
    if (base::slice_is_over(kPieceBytes / kBytesPerStep)) co_await base::give_way();
  }
  if (out.size() > bytes_max) co_return std::nullopt;
  if (stream.avail_in > 0) refuse();
  co_return out;
}

}  // namespace tidemill::wire
