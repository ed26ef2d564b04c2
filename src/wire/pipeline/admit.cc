#include "wire/pipeline/admit.h"

#include <algorithm>
#include <charconv>

#include "wire/aws_chunked.h"
#include "wire/body_claims.h"
#include "wire/gzip.h"
#include "wire/large_work.h"
#include "wire/shape_bindings.h"

namespace tidemill::wire {

namespace {

constexpr std::string_view kChunked = "aws-chunked";

class RequestSource final : public BodySource {
 public:
  explicit RequestSource(std::shared_ptr<net::Body> body) : body_(std::move(body)) {}
  Task<std::optional<std::string>> next() override { return body_->read_some(); }

 private:
  std::shared_ptr<net::Body> body_;
};

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Takes aws-chunked off the header's list of codings. False: it is not there.
bool take_coding(std::string& codings) {
  std::string rest;
  bool found = false;
  for (std::string_view text = codings; !text.empty();) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (trim(part) == kChunked) found = true;
    else rest.append(rest.empty() ? "" : ",").append(trim(part));
  }
  if (found) codings = std::move(rest);
  return found;
}

// Whether the body is aws-chunked; the coding's name then goes out of the headers.
bool take_chunked(WireRequest& in) {
  const std::string* sha256 = shapes::find(in.headers, "x-amz-content-sha256");
  bool chunked = sha256 && sha256->starts_with("STREAMING-");
  const auto codings = std::ranges::find(in.headers, "content-encoding", &shapes::Pairs::value_type::first);
  if (codings == in.headers.end()) return chunked;
  chunked |= take_coding(codings->second);
  if (codings->second.empty()) in.headers.erase(codings);
  return chunked;
}

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Error missing_length() {
  return {"MissingContentLength", 411, "You must provide the Content-Length HTTP header."};
}

std::optional<uint64_t> length_of(const net::Request& request) {
  const auto text = request.headers.find("content-length");
  return text ? number_of(*text) : std::nullopt;
}

BodyStream chunked_body(std::shared_ptr<BodySource> source, const WireRequest& in,
                        std::shared_ptr<ChunkSignatures> chunks) {
  const std::string* text = shapes::find(in.headers, "x-amz-decoded-content-length");
  if (!text) throw missing_length();
  const auto length = number_of(*text);
  if (!length) throw Error("InvalidArgument", 400, "x-amz-decoded-content-length is not a number of bytes");
  const std::string* declared = shapes::find(in.headers, "x-amz-trailer");
  return {make_aws_chunked_source(std::move(source), *length, declared ? *declared : std::string(), std::move(chunks)),
          length};
}

std::optional<std::string> header(const WireRequest& in, std::string_view name) {
  const std::string* value = shapes::find(in.headers, name);
  return value ? std::optional(*value) : std::nullopt;
}

BodyClaims claims_of(const OperationInfo& info, const WireRequest& in) {
  BodyClaims claims{.content_md5 = header(in, "content-md5"), .content_sha256 = header(in, "x-amz-content-sha256")};
  // There they speak of the object that is made.
  if (info.name == "CompleteMultipartUpload") return claims;
  for (const Algorithm algorithm : kAlgorithms) add_claim(claims, algorithm, header(in, header_of(algorithm)));
  add_trailer(claims, header(in, "x-amz-trailer"));
  return claims;
}

// `content` of the body that is decoded, if it has to be. Throws Error if it is not what its sender said.
Task<std::string> read_xml(std::shared_ptr<net::Body> body, std::optional<BodyStream> content, size_t bytes_max,
                           BodyClaims claims) {
  ClaimedSums sums(std::move(claims));
  std::string text;
  if (content) text = co_await content->read_all(bytes_max, [&](size_t bytes) { body->hold(bytes); });
  else text = co_await body->read_all(bytes_max);
  co_await add_in_pieces(sums, text);
  (void)sums.finish(content ? content->trailers() : BodySource::Headers());
  co_return text;
}

Task<std::string> read_zipped(std::shared_ptr<net::Body> body, size_t bytes_max) {
  std::string zipped = co_await body->read_all(bytes_max);
  auto text = co_await gunzip(std::move(zipped), bytes_max, [body](size_t bytes) { body->hold(bytes); });
  if (!text) throw net::BodyTooLarge();
  co_return *std::move(text);
}

}  // namespace

BodyStream admit_stream(const net::Request& request, const OperationInfo& info, WireRequest& in,
                        std::shared_ptr<ChunkSignatures> chunks) {
  auto source = std::make_shared<RequestSource>(request.body);
  if (info.protocol == Protocol::rest_xml && take_chunked(in)) {
    return chunked_body(std::move(source), in, std::move(chunks));
  }
  const auto length = length_of(request);
  if (!length && info.requires_length) throw missing_length();
  return {std::move(source), length};
}

Task<std::string> admit_body(net::Request& request, const OperationInfo& info, WireRequest& in,
                             std::shared_ptr<ChunkSignatures> chunks) {
  if (info.protocol != Protocol::rest_xml) return admit_form(request, info.request_bytes_max);
  BodyClaims claims = claims_of(info, in);
  std::optional<BodyStream> content;
  if (take_chunked(in)) {
    content = chunked_body(std::make_shared<RequestSource>(request.body), in, std::move(chunks));
  }
  return read_xml(request.body, std::move(content), info.request_bytes_max, std::move(claims));
}

Task<std::string> admit_form(net::Request& request, size_t bytes_max) {
  if (request.headers.get("content-encoding") == "gzip") return read_zipped(request.body, bytes_max);
  return request.body->read_all(bytes_max);
}

}  // namespace tidemill::wire
