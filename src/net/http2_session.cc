// HTTP/2 over a Transport: nghttp2 speaks the protocol, this gives it bytes and makes requests of its streams.
#include "net/http2_session.h"

#include <algorithm>
#include <charconv>

#include "base/log.h"
#include "net/text.h"

namespace tidemill::net {

namespace {

constexpr uint32_t kStreamWindow = 256 << 10;       // of a body that nobody reads, the client may send this much
constexpr int32_t kConnectionWindow = 4 << 20;      // and of all bodies of a connection together this much
constexpr size_t kBodyPieceMax = 256 << 10;         // of read_some()
constexpr uint32_t kResetsPerSecond = 50;           // that are forgiven
constexpr size_t kHeaderFieldsMax = 200;
// Of a connection's streams together: a byte or two that name an entry of HPACK's table are kilobytes here.
constexpr size_t kHeaderBytesMax = 1 << 20;

}  // namespace

// ---- frames in ----------------------------------------------------------------------------------------------------

Http2Session::Http2Session(Transport& transport, ServerContext& context)
    : transport_(transport),
      context_(context),
      bodies_(context),
      answers_(context.limits.answer_bytes_per_connection_max),
      answer_pace_(context.limits.write_idle_timeout, context.limits.answer_bytes_per_second_min) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_received);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  nghttp2_option_set_no_auto_window_update(option, 1);  // the window opens as the handler reads
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_session_server_new2(&session_, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);

  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, context.limits.http2_streams_max},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(context.limits.header_bytes_max)},
  };
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  idle_deadline_ = deadline(context.limits.keep_alive_timeout);
}

void Http2Session::receive() {
  const std::string_view bytes = transport_.input.view();
  const ssize_t used = nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  transport_.input.consume(bytes.size());
  if (used < 0) {
    nghttp2_session_terminate_session(session_, NGHTTP2_PROTOCOL_ERROR);
    fill_output();
    transport_.close_after_flush();
    return;
  }
  // Only now: a small request's body has come with its headers, and its handler need not wait for it.
  if (!start_ready() && starting_.running() == 0) starting_.spawn(start_rest());
  idle_deadline_ = deadline(context_.limits.keep_alive_timeout);
  transport_.flush_soon({});
}

// Of hundreds of requests that come at once, as many as a slice has room for. False: some are left.
bool Http2Session::start_ready() {
  size_t begun = 0;
  while (begun < ready_.size()) {
    if (Http2Stream* stream = find(ready_[begun++])) start(*stream);
    if (base::slice_is_over(kStepsPerRequest)) break;
  }
  ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(begun));
  return ready_.empty();
}

Task<void> Http2Session::start_rest() {
  do {
    co_await base::give_way();
  } while (!start_ready());
}

int Http2Session::on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
  if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  Http2Session& session = self(user_data);
  auto stream = std::make_unique<Http2Stream>(session, frame->hd.stream_id, session.context_, session.bodies_,
                                              session.answers_);
  stream->request.peer = session.transport_.peer;
  stream->request.is_protected = session.transport_.is_protected;
  stream->request.version_major = 2;
  session.streams_.emplace(frame->hd.stream_id, std::move(stream));
  session.open_header_block_ = frame->hd.stream_id;
  session.header_deadline_ = session.deadline(session.context_.limits.header_timeout);
  return 0;
}

// :authority has precedence.
void add_host(Request& request, std::string_view value) {
  if (!request.headers.find("host")) request.headers.add("host", std::string(value));
}

int Http2Session::on_header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name_bytes,
                            size_t name_length, const uint8_t* value_bytes, size_t value_length, uint8_t,
                            void* user_data) {
  Http2Session& session = self(user_data);
  Http2Stream* stream = session.find(frame->hd.stream_id);
  if (!stream || stream->headers_done) return 0;  // trailers are dropped
  const std::string_view name(reinterpret_cast<const char*>(name_bytes), name_length);
  const std::string_view value(reinterpret_cast<const char*>(value_bytes), value_length);
  constexpr size_t kEntryOverhead = 32;  // RFC 9113, 6.5.2
  const size_t bytes = name.size() + value.size() + kEntryOverhead;
  stream->header_bytes += bytes;
  Request& request = stream->request;
  const bool too_long = stream->header_bytes > session.context_.limits.header_bytes_max;
  if (too_long || request.headers.entries().size() >= kHeaderFieldsMax) {
    stream->refusal = 431;
    return 0;
  }
  if (session.header_bytes_ + bytes > kHeaderBytesMax) {
    nghttp2_submit_rst_stream(session.session_, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_REFUSED_STREAM);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // nothing more of this stream
  }
  session.header_bytes_ += bytes;
  stream->header_bytes_held += bytes;
  if (name == ":method") request.method = value;
  else if (name == ":path") request.target = value;
  else if (name == ":authority") request.headers.set("host", std::string(value));
  else if (name == "host") add_host(request, value);
  else if (name == "expect") stream->continue_due = equal_ignoring_case(value, "100-continue");
  else if (!name.starts_with(':')) request.headers.add(std::string(name), std::string(value));
  return 0;
}

int Http2Session::on_frame_received(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
  Http2Session& session = self(user_data);
  Http2Stream* stream = session.find(frame->hd.stream_id);
  if (!stream || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)) return 0;
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
    stream->received_all = true;
    session.wake_reader(*stream);
  }
  if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
    session.open_header_block_ = 0;
    stream->headers_done = true;
    session.ready_.push_back(stream->id);
  }
  return 0;
}

int Http2Session::on_data(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t length, void* user_data) {
  Http2Session& session = self(user_data);
  Http2Stream* stream = session.find(id);
  if (!stream || stream->body_unwanted) {
    nghttp2_session_consume(session.session_, id, length);
    return 0;
  }
  stream->continue_due = false;
  stream->body_pace.add(length);
  stream->received.append(reinterpret_cast<const char*>(data), length);
  session.wake_reader(*stream);
  return 0;
}

int Http2Session::on_stream_close(nghttp2_session*, int32_t id, uint32_t, void* user_data) {
  Http2Session& session = self(user_data);
  const auto found = session.streams_.find(id);
  if (found == session.streams_.end()) return 0;
  if (session.open_header_block_ == id) session.open_header_block_ = 0;
  session.header_bytes_ -= found->second->header_bytes_held;
  if (!found->second->responded) session.count_reset();
  // What was received and never read still counts in the connection's window.
  if (!found->second->received.empty()) {
    nghttp2_session_consume_connection(session.session_, found->second->received.size());
  }
  session.streams_.erase(found);
  return 0;
}

// A client that opens streams only to have them reset makes us work for nothing (CVE-2023-44487, CVE-2025-8671).
void Http2Session::count_reset() {
  if (resets_left_ > 0) --resets_left_;
  else nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
}

// ---- requests -----------------------------------------------------------------------------------------------------

void Http2Session::start(Http2Stream& stream) {
  if (std::exchange(stream.started, true)) return;
  stream.body = std::make_shared<Http2Body>(&stream);
  stream.request.body = stream.body;
  stream.request.activity = base::Activity::Hold(context_.activity);
  stream.request.under_way = Counted(context_.requests);
  if (stream.refusal == 0 && stream.request.method == "CONNECT") stream.refusal = 501;
  if (stream.refusal != 0) {
    stream.response = plain_response(stream.refusal);
    return respond(stream);
  }
  stream.tasks.spawn(run(stream));
}

Task<void> Http2Session::run(Http2Stream& stream) {
  try {
    stream.response = co_await context_.handler(stream.request);
    stream.room.hold(stream.response.body.size());
  } catch (...) {
    const int status = status_of_current_exception(stream.request);
    stream.response = plain_response(status == 0 ? 400 : status);
    stream.room.release();
  }
  respond(stream);
  stream.reservation.release();
  if (stream.response.stream && !stream.response_whole) co_await send_stream(stream);
}

void Http2Session::wake_reader(Http2Stream& stream) {
  if (stream.body) stream.body->wake();
}

void Http2Session::say_continue(Http2Stream& stream) {
  if (!std::exchange(stream.continue_due, false)) return;
  const nghttp2_nv status = {(uint8_t*)":status", (uint8_t*)"100", 7, 3, NGHTTP2_NV_FLAG_NONE};
  nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream.id, nullptr, &status, 1, nullptr);
  transport_.flush_soon({});
}

std::string Http2Session::take_received(Http2Stream& stream, size_t count) {
  std::string taken;
  if (count >= stream.received.size()) {
    taken = std::exchange(stream.received, {});
  } else {
    taken = stream.received.substr(0, count);
    stream.received.erase(0, count);
  }
  if (!taken.empty()) {
    nghttp2_session_consume(session_, stream.id, taken.size());
    transport_.flush_soon({});
  }
  return taken;
}

Task<void> Http2Body::input() {
  stream().session.await_body(stream());
  co_await BodyWaiter::Wait(waiter_);
  (void)stream();
}

Task<std::string> Http2Body::read_all(size_t limit) {
  Http2Stream& stream = this->stream();
  if (!stream.received_all) return read_rest(shared_from_this(), limit);
  if (stream.received.size() > limit) throw BodyTooLarge();
  stream.reservation.grow_to(stream.received.size());
  return Task<std::string>::ready(stream.session.take_received(stream, stream.received.size()));
}

Task<std::string> Http2Body::read_rest(std::shared_ptr<Http2Body> self, size_t limit) {
  Http2Stream& stream = self->stream();  // as long as input() does not throw
  std::string body;
  uint64_t declared = 0;
  const std::string_view text = stream.request.headers.get("content-length");
  std::from_chars(text.data(), text.data() + text.size(), declared);  // nghttp2 holds the client to it
  if (declared > limit) throw BodyTooLarge();
  stream.session.say_continue(stream);
  for (;;) {
    const size_t size = body.size() + stream.received.size();
    if (size > limit) throw BodyTooLarge();
    stream.reservation.grow_to(size);
    stream.body_pace.hold(size);
    make_room(body, size, declared);
    body += stream.session.take_received(stream, stream.received.size());
    if (stream.received_all) co_return body;
    co_await self->input();
  }
}

Task<std::optional<std::string>> Http2Body::read_some() { return read_more(shared_from_this()); }

Task<std::optional<std::string>> Http2Body::read_more(std::shared_ptr<Http2Body> self) {
  Http2Stream& stream = self->stream();  // as long as input() does not throw
  stream.session.say_continue(stream);
  while (stream.received.empty()) {
    if (stream.received_all) co_return std::nullopt;
    co_await self->input();
  }
  co_return stream.session.take_received(stream, kBodyPieceMax);
}

// ---- time ---------------------------------------------------------------------------------------------------------

void Http2Session::on_tick() {
  resets_left_ = std::min(kResetsBurst, resets_left_ + kResetsPerSecond);
  const uint32_t now = transport_.tick();
  if (open_header_block_ != 0 && now >= header_deadline_) return transport_.close_after_flush();
  bool changed = false;
  if (is_idle()) {
    go_away();
    changed = true;
  }
  for (const auto& [id, stream] : streams_) {
    if (!stream->body || !stream->body->is_awaited()) continue;
    if (stream->body_pace.tick() && now < stream->body_deadline) continue;
    stream->tasks.clear();
    stream->body->detach();
    stream->response = plain_response(408);
    if (stream->responded) nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    else respond(*stream);
    changed = true;
  }
  if (end_stalled()) changed = true;
  if (!takes_answers()) return end_connection();
  if (changed) transport_.flush_soon({});
}

// Nothing is asked, and has not been for long; or not for a while, and others wait to be let in.
bool Http2Session::is_idle() const {
  if (!streams_.empty()) return false;
  const auto saved = context_.limits.keep_alive_timeout - context_.limits.idle_when_crowded;
  const bool crowded = context_.crowded.load(std::memory_order_relaxed);
  return transport_.tick() + (crowded ? saved.count() : 0) >= idle_deadline_;
}

// False: answers wait, and the client takes next to nothing, of none of them.
bool Http2Session::takes_answers() {
  const bool any_waits = std::ranges::any_of(
      streams_, [](const auto& entry) { return entry.second->piece_sent < entry.second->piece.size(); });
  if (any_waits) return answer_pace_.tick();
  answer_pace_.begin();
  return true;
}

void Http2Session::end_connection() {
  nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
  fill_output();
  transport_.close_after_flush();
}

// A client that opens no window for a response would keep it, and what its source holds, for as long as it likes.
bool Http2Session::end_stalled() {
  bool any = false;
  for (const auto& [id, stream] : streams_) {
    const bool waits = stream->responded && stream->piece_sent < stream->piece.size();
    if (!waits || transport_.tick() < stream->output_deadline) continue;
    stream->tasks.clear();
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    await_output(*stream);  // not again with each tick, should the connection be stuck as well
    any = true;
  }
  return any;
}

std::unique_ptr<Session> make_http2_session(Transport& transport, ServerContext& context) {
  return std::make_unique<Http2Session>(transport, context);
}

}  // namespace tidemill::net
