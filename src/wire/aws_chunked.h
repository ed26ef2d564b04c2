// Content-Encoding: aws-chunked, in which S3's clients send a body with checksums behind it, and with signatures of its
// pieces (AWS: "Signature calculations for the Authorization header: transferring a payload in multiple chunks", and
// "trailing checksums"):
//
//   10000;chunk-signature=…\r\n <65536 bytes> \r\n … 0;chunk-signature=…\r\n x-amz-checksum-crc32:…\r\n \r\n
//
// Signatures are taken off and not looked at. Chunks have a least size, as on AWS: its clients are to send no others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wire/body_stream.h"

namespace tidemill::wire {

class AwsChunkedDecoder {
 public:
  static constexpr size_t kLineBytesMax = 4 << 10;  // of a chunk's head, or a trailer
  static constexpr size_t kTrailersMax = 16;
  static constexpr uint64_t kChunkBytesMin = 8192;  // of all chunks but the last

  // `decoded_length` of x-amz-decoded-content-length; `declared` the names in x-amz-trailer, "a, b".
  AwsChunkedDecoder(uint64_t decoded_length, std::string_view declared);

  // Appends to `out` what `bytes`, the next of the body in any cut, hold of the content. Throws Error.
  void feed(std::string_view bytes, std::string& out);
  // The body has ended. Throws Error (IncompleteBody, MalformedTrailerError) unless it was whole.
  void finish() const;
  // Without signatures; names in lower case.
  [[nodiscard]] const BodySource::Headers& trailers() const { return trailers_; }

 private:
  enum class State { head, data, data_end, trailer, done };

  bool take_line(std::string_view& bytes);
  void begin_chunk();
  void add_trailer();

  uint64_t left_;           // of the whole content
  uint64_t chunk_left_ = 0;
  uint64_t chunk_size_ = 0;
  uint64_t chunks_ = 0;     // that have begun
  State state_ = State::head;
  std::string line_;
  std::vector<std::string> declared_;
  BodySource::Headers trailers_;
};

// The content of `chunked` as a source of its own.
[[nodiscard]] std::shared_ptr<BodySource> make_aws_chunked_source(std::shared_ptr<BodySource> chunked,
                                                                  uint64_t decoded_length, std::string_view declared);

}  // namespace tidemill::wire
