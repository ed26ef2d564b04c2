// Content-Encoding: aws-chunked, in which S3's clients send a body with checksums behind it, and with signatures of its
// pieces (AWS: "Signature calculations for the Authorization header: transferring a payload in multiple chunks", and
// "trailing checksums"):
//
//   10000;chunk-signature=…\r\n <65536 bytes> \r\n … 0;chunk-signature=…\r\n x-amz-checksum-crc32:…\r\n \r\n
//
// Signatures are checked if somebody is given who knows them, and taken off. Chunks have a least size, as on AWS: its
// clients are to send no others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wire/body_stream.h"
#include "wire/chunk_signatures.h"

namespace tidemill::wire {

class AwsChunkedDecoder {
 public:
  static constexpr size_t kLineBytesMax = 4 << 10;  // of a chunk's head, or a trailer
  static constexpr size_t kTrailersMax = 16;
  static constexpr uint64_t kChunkBytesMin = 8192;  // of all chunks but the last

  // `decoded_length` of x-amz-decoded-content-length; `declared` the names in x-amz-trailer, "a, b".
  // `signatures` of its chunks; null: nobody checks them.
  AwsChunkedDecoder(uint64_t decoded_length, std::string_view declared,
                    std::shared_ptr<ChunkSignatures> signatures = nullptr);

  // Appends to `out` what `bytes`, the next of the body in any cut, hold of the content. Throws Error; of a chunk whose
  // signature is wrong the content has been given by then, so nothing may become of a body before finish().
  void feed(std::string_view bytes, std::string& out);
  // The body has ended. Throws Error (IncompleteBody, MalformedTrailerError) unless it was whole.
  void finish() const;
  // Without signatures; names in lower case.
  [[nodiscard]] const BodySource::Headers& trailers() const { return trailers_; }

 private:
  enum class State { head, data, data_end, trailer, done };

  bool take_line(std::string_view& bytes);
  void begin_chunk();
  void end_chunk();
  void add_trailer();

  uint64_t left_;           // of the whole content
  uint64_t chunk_left_ = 0;
  uint64_t chunk_size_ = 0;
  uint64_t chunks_ = 0;     // that have begun
  State state_ = State::head;
  std::string line_;
  std::shared_ptr<ChunkSignatures> signatures_;
  std::string signature_;       // of the chunk that has begun
  std::string trailer_lines_;   // as they are signed
  bool trailers_are_signed_ = false;
  std::vector<std::string> declared_;
  BodySource::Headers trailers_;
};

// The content of `chunked` as a source of its own.
[[nodiscard]] std::shared_ptr<BodySource> make_aws_chunked_source(std::shared_ptr<BodySource> chunked,
                                                                  uint64_t decoded_length, std::string_view declared,
                                                                  std::shared_ptr<ChunkSignatures> signatures = nullptr);

}  // namespace tidemill::wire
