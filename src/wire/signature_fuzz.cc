// A request's target and its Authorization header, and behind that a date and a body in chunks, parted by zero bytes.
// What is read of it is made into a text to sign without harm, and no signature is right by chance.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "wire/aws_chunked.h"
#include "wire/error.h"
#include "wire/signature.h"

namespace {

std::string_view take(std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  return part;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemill::wire;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  tidemill::net::Request request;
  request.method = "GET";
  request.target = "/" + std::string(take(rest));
  const std::string_view authorization = take(rest);
  if (!authorization.empty()) request.headers.add("Authorization", std::string(authorization));
  request.headers.add("X-Amz-Date", std::string(take(rest)));
  request.headers.add("Host", "example.amazonaws.com");
  const Signature signature = parse_signature(request);
  if (const auto time = parse_basic_date(signature.time)) {
    if (basic_date(*time).size() != signature.time.size()) std::abort();
  }
  for (const PathForm form : {PathForm::as_it_is, PathForm::normal, PathForm::encoded_again}) {
    const std::string canonical = canonical_request(request, signature, form, kUnsignedPayload);
    if (!canonical.starts_with("GET\n/")) std::abort();
    const std::string text = string_to_sign(signature, canonical);
    if (sign("key", text) == signature.signature) std::abort();
  }
  const auto signatures = std::make_shared<ChunkSignatures>("key", std::string(signature.time),
                                                             std::string(signature.scope()), "seed", true);
  AwsChunkedDecoder decoder(size, "x-amz-checksum-crc32", signatures);
  std::string out;
  try {
    decoder.feed(rest, out);
    decoder.finish();
    std::abort();  // somebody has guessed one
  } catch (const Error&) {
  }
  return 0;
}
