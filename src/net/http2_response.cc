// What an HTTP/2 session sends: a response's head, its body piece by piece, and nghttp2's frames of them.
#include <cstring>

#include "base/log.h"
#include "net/http1_write.h"
#include "net/http2_session.h"
#include "net/text.h"

namespace tidemill::net {

void Http2Session::respond(Http2Stream& stream) {
  stream.body_unwanted = true;
  stream.responded = true;
  if (!stream.received.empty()) (void)take_received(stream, stream.received.size());

  Response& response = stream.response;
  const bool head_only = stream.request.method == "HEAD";
  const bool bodiless = head_only || response.status == 204 || response.status == 304;
  std::vector<Headers::Entry> own;
  own.emplace_back(":status", std::to_string(response.status));
  const auto declared = response.headers.find("content-length");
  if (declared && (response.stream || head_only)) own.emplace_back("content-length", *declared);
  else if (!response.stream && response.status != 204 && response.status != 304) {
    own.emplace_back("content-length", std::to_string(response.body.size()));
  }
  for (auto& [name, value] : response.headers.entries()) {
    if (is_servers_own_header(name)) continue;
    for (char& c : name) c = ascii_lower(c);
    for (char& c : value) {
      if (c == '\r' || c == '\n' || c == '\0') c = ' ';
    }
    own.emplace_back(std::move(name), std::move(value));
  }
  std::vector<nghttp2_nv> fields;
  fields.reserve(own.size());
  for (auto& [name, value] : own) {
    fields.push_back({reinterpret_cast<uint8_t*>(name.data()), reinterpret_cast<uint8_t*>(value.data()), name.size(),
                      value.size(), NGHTTP2_NV_FLAG_NONE});
  }

  stream.piece = std::move(response.body);
  stream.response_whole = bodiless || !response.stream;
  if (bodiless) stream.piece.clear();
  await_output(stream);
  nghttp2_data_provider provider{};
  provider.source.ptr = &stream;
  provider.read_callback = read_response;
  const bool empty = stream.response_whole && stream.piece.empty();
  nghttp2_submit_response(session_, stream.id, fields.data(), fields.size(), empty ? nullptr : &provider);
  transport_.flush_soon({});
}

Task<void> Http2Session::send_stream(Http2Stream& stream) {
  bool failed = false;
  try {
    for (;;) {
      // Only what the client has a window for is made.
      while (stream.piece_sent < stream.piece.size() || !stream.deferred) co_await Wait{stream.piece_waiter};
      stream.piece.clear();
      stream.piece_sent = 0;
      co_await stream.room.await_room();
      std::optional<std::string> next = co_await stream.response.stream();
      if (!next) break;
      if (next->empty()) continue;
      stream.piece = std::move(*next);
      stream.room.count(stream.piece.size());
      await_output(stream);
      resume_output(stream);
    }
  } catch (...) {
    (void)status_of_current_exception(stream.request);
    failed = true;
  }
  if (failed) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id, NGHTTP2_INTERNAL_ERROR);
    transport_.flush_soon({});
    co_return;
  }
  stream.response_whole = true;
  resume_output(stream);
}

void Http2Session::resume_output(Http2Stream& stream) {
  if (std::exchange(stream.deferred, false)) nghttp2_session_resume_data(session_, stream.id);
  transport_.flush_soon({});
}

ssize_t Http2Session::read_response(nghttp2_session*, int32_t, uint8_t* out, size_t length, uint32_t* flags,
                                    nghttp2_data_source* source, void*) {
  Http2Stream& stream = *static_cast<Http2Stream*>(source->ptr);
  const size_t count = std::min(length, stream.piece.size() - stream.piece_sent);
  std::memcpy(out, stream.piece.data() + stream.piece_sent, count);
  stream.piece_sent += count;
  if (count > 0) stream.session.await_output(stream);
  stream.session.answer_pace_.add(count);
  if (stream.piece_sent == stream.piece.size()) {
    if (stream.response_whole) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (count == 0) {
      stream.deferred = true;
      if (stream.piece_waiter) stream.session.drained_.push_back(stream.id);
      return NGHTTP2_ERR_DEFERRED;
    }
  }
  return static_cast<ssize_t>(count);
}

int Http2Session::on_frame_sent(nghttp2_session* raw, const nghttp2_frame* frame, void* user_data) {
  Http2Session& session = self(user_data);
  if (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS) return 0;
  Http2Stream* stream = session.find(frame->hd.stream_id);
  if (!stream) return 0;
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
    session.transport_.flush_soon(std::move(stream->request.activity));
    stream->request.under_way = {};
    // Answered before the request had ended: the client need not send the rest (RFC 9113, 8.1).
    if (!stream->received_all) nghttp2_submit_rst_stream(raw, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_NO_ERROR);
  }
  return 0;
}

void Http2Session::fill_output() {
  while (serialize() || !drained_.empty()) {
    // Those whose piece has gone ask for the next; not from inside nghttp2, which they may enter again.
    for (const int32_t id : std::exchange(drained_, {})) {
      Http2Stream* stream = find(id);
      if (!stream) continue;
      if (const auto waiter = std::exchange(stream->piece_waiter, nullptr)) waiter.resume();
    }
  }
  if (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0) {
    transport_.close_after_flush();
  }
}

// Moves frames into the output. False: there were none.
bool Http2Session::serialize() {
  bool any = false;
  while (transport_.output.size() < Transport::kOutputHigh) {
    const uint8_t* data = nullptr;
    const ssize_t length = nghttp2_session_mem_send(session_, &data);
    if (length <= 0) break;
    transport_.output.append(std::string_view(reinterpret_cast<const char*>(data), static_cast<size_t>(length)));
    any = true;
  }
  return any;
}

}  // namespace tidemill::net
