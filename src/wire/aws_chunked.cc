#include "wire/aws_chunked.h"

#include <algorithm>
#include <charconv>

#include "wire/error.h"

namespace tidemill::wire {

namespace {

constexpr std::string_view kTrailerSignature = "x-amz-trailer-signature";

[[noreturn]] void refuse_incomplete() {
  throw Error("IncompleteBody", 400, "The request body terminated unexpectedly");
}

[[noreturn]] void refuse_length() {
  throw Error("IncompleteBody", 400,
              "You did not provide the number of bytes specified by the x-amz-decoded-content-length HTTP header");
}

[[noreturn]] void refuse_chunk() {
  throw Error("InvalidRequest", 400, "The body is not encoded as aws-chunked, as the headers say");
}

[[noreturn]] void refuse_trailer() {
  throw Error("MalformedTrailerError", 400,
              "The request contained trailing data that was not well-formed or did not conform to our published schema.");
}

[[noreturn]] void refuse_chunk_size(uint64_t chunk, uint64_t bad_size) {
  Error error("InvalidChunkSizeError", 400, "Only the last chunk is allowed to have a size less than 8192 bytes");
  error.details = {{"Chunk", std::to_string(chunk)}, {"BadChunkSize", std::to_string(bad_size)}};
  throw error;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return result;
}

class AwsChunkedSource final : public BodySource {
 public:
  AwsChunkedSource(std::shared_ptr<BodySource> chunked, uint64_t decoded_length, std::string_view declared,
                   std::shared_ptr<ChunkSignatures> signatures)
      : chunked_(std::move(chunked)), decoder_(decoded_length, declared, std::move(signatures)) {}

  Task<std::optional<std::string>> next() override {
    while (std::optional<std::string> piece = co_await chunked_->next()) {
      std::string content;
      content.reserve(piece->size());
      decoder_.feed(*piece, content);
      if (!content.empty()) co_return content;
    }
    decoder_.finish();
    co_return std::nullopt;
  }
  [[nodiscard]] Headers trailers() const override { return decoder_.trailers(); }

 private:
  std::shared_ptr<BodySource> chunked_;
  AwsChunkedDecoder decoder_;
};

}  // namespace

AwsChunkedDecoder::AwsChunkedDecoder(uint64_t decoded_length, std::string_view declared,
                                     std::shared_ptr<ChunkSignatures> signatures)
    : left_(decoded_length), signatures_(std::move(signatures)) {
  while (!declared.empty()) {
    const std::string_view name = declared.substr(0, declared.find(','));
    declared.remove_prefix(std::min(declared.size(), name.size() + 1));
    if (!trim(name).empty()) declared_.push_back(lower(trim(name)));
  }
}

// Takes a line's bytes off `bytes` into line_, without its end, which is CR and LF: a bare LF is part of it (AWS's own
// example has one behind a trailer). False: the line goes on in what comes next.
bool AwsChunkedDecoder::take_line(std::string_view& bytes) {
  while (!bytes.empty()) {
    const size_t count = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    if (line_.size() + count > kLineBytesMax) state_ == State::trailer ? refuse_trailer() : refuse_chunk();
    line_.append(bytes.substr(0, count));
    bytes.remove_prefix(count);
    if (!line_.ends_with("\r\n")) continue;
    line_.resize(line_.size() - 2);
    return true;
  }
  return false;
}

void AwsChunkedDecoder::feed(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    switch (state_) {
      case State::head:
        if (take_line(bytes)) begin_chunk();
        break;
      case State::data: {
        const size_t count = static_cast<size_t>(std::min<uint64_t>(chunk_left_, bytes.size()));
        out.append(bytes.substr(0, count));
        if (signatures_) signatures_->add(bytes.substr(0, count));
        bytes.remove_prefix(count);
        chunk_left_ -= count;
        if (chunk_left_ == 0) end_chunk();
        break;
      }
      case State::data_end:
        if (!take_line(bytes)) break;
        if (!line_.empty()) refuse_chunk();
        state_ = State::head;
        break;
      case State::trailer:
        if (take_line(bytes)) add_trailer();
        break;
      case State::done:
        if (!trim(bytes).empty()) refuse_chunk();
        return;
    }
  }
}

// line_ is "size" or "size;chunk-signature=…".
void AwsChunkedDecoder::begin_chunk() {
  constexpr std::string_view kSignature = "chunk-signature=";
  const size_t semicolon = std::min(line_.find(';'), line_.size());
  const std::string_view digits = trim(std::string_view(line_).substr(0, semicolon));
  const std::string_view extension = trim(std::string_view(line_).substr(std::min(semicolon + 1, line_.size())));
  signature_ = extension.starts_with(kSignature) ? extension.substr(kSignature.size()) : std::string_view();
  uint64_t size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) refuse_chunk();
  line_.clear();
  if (size > left_) refuse_length();
  if (size > 0 && chunks_ > 0 && chunk_size_ < kChunkBytesMin) refuse_chunk_size(chunks_ + 1, chunk_size_);
  ++chunks_;
  left_ -= size;
  chunk_left_ = chunk_size_ = size;
  state_ = State::data;
  if (size > 0) return;
  end_chunk();  // the last is signed as well
  state_ = State::trailer;
}

void AwsChunkedDecoder::end_chunk() {
  if (signatures_) signatures_->check_chunk(signature_);
  state_ = State::data_end;
}

void AwsChunkedDecoder::add_trailer() {
  const std::string line = std::exchange(line_, {});
  if (trim(line).empty()) {
    state_ = State::done;
    return;
  }
  const size_t colon = line.find(':');
  if (colon == std::string::npos || trailers_.size() == kTrailersMax) refuse_trailer();
  std::string name = lower(trim(std::string_view(line).substr(0, colon)));
  const std::string_view value = trim(std::string_view(line).substr(colon + 1));
  if (name == kTrailerSignature) {
    if (signatures_) signatures_->check_trailers(trailer_lines_, value);
    trailers_are_signed_ = true;
    return;
  }
  if (trailers_are_signed_) refuse_trailer();  // nothing stands behind what signs it
  if (std::ranges::find(declared_, name) == declared_.end()) refuse_trailer();
  trailer_lines_.append(name).append(":").append(value).append("\n");
  trailers_.emplace_back(std::move(name), std::string(value));
}

void AwsChunkedDecoder::finish() const {
  if (state_ != State::done) refuse_incomplete();
  if (left_ > 0) refuse_length();
  if (signatures_ && signatures_->has_trailers() && !trailers_are_signed_) refuse_trailer();
  for (const std::string& name : declared_) {
    if (std::ranges::find(trailers_, name, &BodySource::Headers::value_type::first) == trailers_.end()) refuse_trailer();
  }
}

std::shared_ptr<BodySource> make_aws_chunked_source(std::shared_ptr<BodySource> chunked, uint64_t decoded_length,
                                                    std::string_view declared,
                                                    std::shared_ptr<ChunkSignatures> signatures) {
  return std::make_shared<AwsChunkedSource>(std::move(chunked), decoded_length, declared, std::move(signatures));
}

}  // namespace tidemill::wire
