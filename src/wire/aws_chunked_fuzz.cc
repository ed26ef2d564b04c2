// Any bytes, cut anywhere, as an aws-chunked body: content and trailers, or an Error; the cuts change nothing.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "wire/aws_chunked.h"
#include "wire/error.h"

namespace {

using namespace tidemill::wire;

struct Result {
  std::string content;
  BodySource::Headers trailers;
};

std::optional<Result> decode(std::string_view bytes, uint64_t length, size_t step) {
  AwsChunkedDecoder decoder(length, "x-amz-checksum-crc32, x-amz-checksum-sha256");
  Result result;
  try {
    for (size_t at = 0; at < bytes.size(); at += step) decoder.feed(bytes.substr(at, step), result.content);
    decoder.finish();
  } catch (const Error&) {
    return std::nullopt;
  }
  result.trailers = decoder.trailers();
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const uint64_t length = data[0];
  const size_t step = 1 + data[1] % 16;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto whole = decode(bytes, length, bytes.size() + 1);
  const auto cut = decode(bytes, length, step);
  if (whole.has_value() != cut.has_value()) std::abort();
  if (whole && (whole->content != cut->content || whole->trailers != cut->trailers)) std::abort();
  if (whole && whole->content.size() != length) std::abort();
  return 0;
}
