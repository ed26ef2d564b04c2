#include "services/dynamodb/transfer_coding.h"

#include <zstd.h>

#include <array>

#include "wire/gunzip_stream.h"

namespace tidemill::dynamodb {

namespace {

class PlainFile : public Unpacker {
 public:
  void add(std::string piece) override { piece_ = std::move(piece), taken_ = false; }
  std::optional<std::string_view> next() override {
    if (std::exchange(taken_, true) || piece_.empty()) return std::nullopt;
    return piece_;
  }
  void check_end() const override {}

 private:
  std::string piece_;
  bool taken_ = true;
};

class GzipFile : public Unpacker {
 public:
  void add(std::string piece) override { stream_.add(std::move(piece)); }

  std::optional<std::string_view> next() override {
    try {
      return stream_.next();
    } catch (const std::runtime_error&) {
      throw DamagedFile("The file is not valid GZIP");
    }
  }

  void check_end() const override {
    if (!stream_.is_whole()) throw DamagedFile("The GZIP file is not complete");
  }

 private:
  static_assert(wire::GunzipStream::kPartBytes <= kUnpackedPieceBytes);
  wire::GunzipStream stream_;
};

class ZstdFile : public Unpacker {
 public:
  ZstdFile() : stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    if (!stream_ || ZSTD_isError(ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kZstdWindowLogMax))) {
      throw std::bad_alloc();
    }
  }

  void add(std::string piece) override {
    piece_ = std::move(piece);
    input_ = {piece_.data(), piece_.size(), 0};
  }

  std::optional<std::string_view> next() override {
    ZSTD_outBuffer output{out_.data(), out_.size(), 0};
    // Also without input: something may be left inside the decoder.
    while (output.pos < output.size) {
      const size_t written = output.pos;
      const size_t read = input_.pos;
      const size_t hint = ZSTD_decompressStream(stream_.get(), &output, &input_);
      if (ZSTD_isError(hint)) throw DamagedFile("The file is not valid ZSTD");
      if (output.pos == written && input_.pos == read) break;
      at_end_ = hint == 0;
    }
    if (output.pos == 0) return std::nullopt;
    return std::string_view(out_.data(), output.pos);
  }

  void check_end() const override {
    if (!at_end_) throw DamagedFile("The ZSTD file is not complete");
  }

 private:
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream_;
  std::string piece_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  std::array<char, kUnpackedPieceBytes> out_;
  bool at_end_ = true;
};

}  // namespace

std::unique_ptr<Unpacker> make_unpacker(Packing packing) {
  switch (packing) {
    case Packing::gzip:
      return std::make_unique<GzipFile>();
    case Packing::zstd:
      return std::make_unique<ZstdFile>();
    case Packing::none:
      break;
  }
  return std::make_unique<PlainFile>();
}

}  // namespace tidemill::dynamodb
