#include "services/s3/unpacking.h"

#include <bzlib.h>

#include <stdexcept>

#include "wire/gunzip_stream.h"

namespace tidemill::s3 {
namespace {

class Plain final : public Unpacker {
 public:
  void add(std::string piece) override {
    piece_ = std::move(piece);
    is_new_ = true;
  }
  std::optional<std::string_view> next() override {
    if (!std::exchange(is_new_, false)) return std::nullopt;
    return piece_;
  }
  [[nodiscard]] bool is_whole() const override { return true; }

 private:
  std::string piece_;
  bool is_new_ = false;
};

class Gzip final : public Unpacker {
 public:
  void add(std::string piece) override { stream_.add(std::move(piece)); }
  std::optional<std::string_view> next() override { return stream_.next(); }
  [[nodiscard]] bool is_whole() const override { return stream_.is_whole(); }

 private:
  wire::GunzipStream stream_;
};

// One file, or several one behind the other.
class Bzip2 final : public Unpacker {
 public:
  Bzip2() { begin(); }
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }

  void add(std::string piece) override {
    piece_ = std::move(piece);
    stream_.next_in = piece_.data();
    stream_.avail_in = static_cast<unsigned>(piece_.size());
  }
  std::optional<std::string_view> next() override {
    while (true) {
      if (is_at_end_) {
        if (stream_.avail_in == 0) return std::nullopt;
        const bz_stream rest = stream_;
        BZ2_bzDecompressEnd(&stream_);
        begin();
        stream_.next_in = rest.next_in;
        stream_.avail_in = rest.avail_in;
      }
      part_.resize(kPartBytes);
      stream_.next_out = part_.data();
      stream_.avail_out = static_cast<unsigned>(part_.size());
      const int result = BZ2_bzDecompress(&stream_);
      if (result != BZ_OK && result != BZ_STREAM_END) throw std::runtime_error("this is no bzip2");
      is_begun_ = is_begun_ || stream_.total_in_lo32 > 0;
      is_at_end_ = result == BZ_STREAM_END;
      part_.resize(kPartBytes - stream_.avail_out);
      if (!part_.empty()) return part_;
      if (!is_at_end_) return std::nullopt;
    }
  }
  [[nodiscard]] bool is_whole() const override { return is_at_end_ || !is_begun_; }

 private:
  static constexpr size_t kPartBytes = 64 << 10;

  void begin() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
    is_at_end_ = false;
  }

  bz_stream stream_{};
  std::string piece_;
  std::string part_;
  bool is_begun_ = false;
  bool is_at_end_ = false;
};

}  // namespace

std::unique_ptr<Unpacker> make_unpacker(Packing packing) {
  if (packing == Packing::gzip) return std::make_unique<Gzip>();
  if (packing == Packing::bzip2) return std::make_unique<Bzip2>();
  return std::make_unique<Plain>();
}

}  // namespace tidemill::s3
