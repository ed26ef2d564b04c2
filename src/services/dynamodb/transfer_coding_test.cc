#include "services/dynamodb/transfer_coding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "wire/gzip_writer.h"

namespace tidemill::dynamodb {
namespace {

std::string gzip(std::string_view text) {
  wire::GzipWriter writer;
  for (; !text.empty(); text.remove_prefix(std::min<size_t>(1000, text.size()))) writer.add(text.substr(0, 1000));
  return writer.finish();
}

std::string zstd(std::string_view text, int level = 3) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), level));
  return packed;
}

// What comes out of `file`, given in pieces of `size`; or what is wrong with it.
std::string unpack(Packing packing, std::string_view file, size_t size = 100) {
  std::string text;
  try {
    const auto unpacker = make_unpacker(packing);
    for (; !file.empty(); file.remove_prefix(std::min(size, file.size()))) {
      unpacker->add(std::string(file.substr(0, size)));
      while (const auto part = unpacker->next()) {
        if (packing != Packing::none) EXPECT_LE(part->size(), kUnpackedPieceBytes);
        EXPECT_FALSE(part->empty());
        text += *part;
      }
    }
    unpacker->check_end();
  } catch (const DamagedFile& damaged) {
    return damaged.what();
  }
  return text;
}

std::string long_text() {
  std::string text;
  for (int i = 0; text.size() < 3 * kUnpackedPieceBytes; ++i) text += std::to_string(i) + ",";
  return text;
}

TEST(TransferCoding, WhatIsPackedIsUnpackedHoweverThePiecesAreCut) {
  const std::string text = long_text();
  for (const size_t size : {1, 100, 1 << 20}) {
    EXPECT_EQ(unpack(Packing::none, text, size), text);
    EXPECT_EQ(unpack(Packing::gzip, gzip(text), size), text);
    EXPECT_EQ(unpack(Packing::zstd, zstd(text), size), text);
  }
}

TEST(TransferCoding, SeveralFilesBehindEachOtherAreOne) {
  EXPECT_EQ(unpack(Packing::gzip, gzip("one") + gzip("") + gzip("two")), "onetwo");
  EXPECT_EQ(unpack(Packing::zstd, zstd("one") + zstd("") + zstd("two")), "onetwo");
}

TEST(TransferCoding, AnEmptyFileIsWhole) {
  for (const Packing packing : {Packing::none, Packing::gzip, Packing::zstd}) EXPECT_EQ(unpack(packing, ""), "");
  EXPECT_EQ(unpack(Packing::gzip, gzip("")), "");
}

TEST(TransferCoding, DamageIsFound) {
  const std::string text = long_text();
  EXPECT_EQ(unpack(Packing::gzip, "plain text"), "The file is not valid GZIP");
  EXPECT_EQ(unpack(Packing::zstd, "plain text"), "The file is not valid ZSTD");
  const std::string packed = gzip(text), other = zstd(text);
  EXPECT_EQ(unpack(Packing::gzip, packed.substr(0, packed.size() - 1)), "The GZIP file is not complete");
  EXPECT_EQ(unpack(Packing::zstd, other.substr(0, other.size() - 1)), "The ZSTD file is not complete");
  EXPECT_EQ(unpack(Packing::gzip, packed + "x"), "The GZIP file is not complete");
}

TEST(TransferCoding, AFileThatUnpacksToFarMoreComesInPieces) {
  const std::string zeros(50 << 20, '\0');
  EXPECT_EQ(unpack(Packing::gzip, gzip(zeros), 1 << 20).size(), zeros.size());
  EXPECT_EQ(unpack(Packing::zstd, zstd(zeros), 1 << 20).size(), zeros.size());
}

TEST(TransferCoding, AZstandardFileThatWantsTooMuchMemoryIsRefused) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, kZstdWindowLogMax + 1);
  const std::string text(10, 'x');
  std::string packed(1000, '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  ASSERT_FALSE(ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)));
  ASSERT_EQ(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0u);
  ZSTD_freeCCtx(context);
  EXPECT_EQ(unpack(Packing::zstd, packed.substr(0, out.pos)), "The file is not valid ZSTD");
}

}  // namespace
}  // namespace tidemill::dynamodb
