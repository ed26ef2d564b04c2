// HTTP/2 over a Transport: nghttp2 speaks the protocol, this gives it bytes and makes requests of its streams.
#include <nghttp2/nghttp2.h>

#include <charconv>
#include <coroutine>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "base/executor.h"
#include "base/log.h"
#include "net/http1_write.h"
#include "net/session.h"
#include "net/text.h"

namespace tidemill::net {

namespace {

constexpr uint32_t kStreamWindow = 256 << 10;       // of a body that nobody reads, the client may send this much
constexpr int32_t kConnectionWindow = 4 << 20;      // and of all bodies of a connection together this much
constexpr size_t kBodyPieceMax = 256 << 10;         // of read_some()
constexpr uint32_t kResetsBurst = 300;              // streams that a client may open and reset ("rapid reset")
constexpr uint32_t kResetsPerSecond = 50;
constexpr size_t kHeaderFieldsMax = 200;

class Http2Session;

struct Stream {
  Stream(Http2Session& owner, int32_t stream_id, ServerContext& context)
      : session(owner), id(stream_id), reservation(context) {}
  ~Stream();

  Http2Session& session;
  const int32_t id;
  Request request;
  size_t header_bytes = 0;
  int refusal = 0;  // instead of running the handler
  bool headers_done = false;
  bool started = false;

  std::string received;  // of the body: arrived, and not yet read
  bool received_all = false;
  bool body_unwanted = false;  // the response is on its way; what still comes is dropped
  bool continue_due = false;
  BodyReservation reservation;
  std::coroutine_handle<> body_waiter;
  uint32_t body_deadline = 0;

  Response response;
  std::string piece;  // of the response: what goes out now
  size_t piece_sent = 0;
  bool response_whole = false;  // nothing comes after `piece`
  bool responded = false;
  bool deferred = false;        // nghttp2 waits to be told that there is more
  std::coroutine_handle<> piece_waiter;

  std::shared_ptr<class Http2Body> body;
  base::Scope tasks;  // last: its tasks use all the above
};

class Http2Body final : public Body {
 public:
  explicit Http2Body(Stream* stream) : stream_(stream) {}
  Task<std::string> read_all(size_t limit) override;
  Task<std::optional<std::string>> read_some() override;
  void detach() { stream_ = nullptr; }

 private:
  Stream& stream() const {
    if (!stream_) throw ConnectionLost("the request is over");
    return *stream_;
  }
  Stream* stream_;
};

Stream::~Stream() {
  tasks.clear();
  if (body) body->detach();
}

class Http2Session final : public Session {
 public:
  Http2Session(Transport& transport, ServerContext& context);
  ~Http2Session() override {
    streams_.clear();
    nghttp2_session_del(session_);
  }

  void receive() override;
  void fill_output() override;
  void on_tick() override;
  void go_away() override {
    nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                          NGHTTP2_NO_ERROR, nullptr, 0);
  }

  Task<std::string> read_all(Stream& stream, size_t limit);
  Task<std::optional<std::string>> read_some(Stream& stream);
  std::string take_received(Stream& stream, size_t count);

 private:
  struct Wait {
    std::coroutine_handle<>& waiter;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) noexcept { waiter = self; }
    void await_resume() const noexcept {}
    ~Wait() { waiter = nullptr; }
  };

  static Http2Session& self(void* user_data) { return *static_cast<Http2Session*>(user_data); }
  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user_data);
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_length,
                       const uint8_t* value, size_t value_length, uint8_t flags, void* user_data);
  static int on_frame_received(nghttp2_session*, const nghttp2_frame* frame, void* user_data);
  static int on_data(nghttp2_session*, uint8_t flags, int32_t id, const uint8_t* data, size_t length, void* user_data);
  static int on_frame_sent(nghttp2_session*, const nghttp2_frame* frame, void* user_data);
  static int on_stream_close(nghttp2_session*, int32_t id, uint32_t error_code, void* user_data);
  static ssize_t read_response(nghttp2_session*, int32_t id, uint8_t* out, size_t length, uint32_t* flags,
                               nghttp2_data_source* source, void* user_data);

  Stream* find(int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second.get();
  }
  void count_reset();
  void start(Stream& stream);
  Task<void> run(Stream& stream);
  Task<void> send_stream(Stream& stream);
  void respond(Stream& stream);
  void resume_output(Stream& stream);
  bool serialize();
  void wake_reader(Stream& stream);
  Wait body(Stream& stream) {
    stream.body_deadline = deadline(context_.limits.body_idle_timeout);
    return {stream.body_waiter};
  }
  void say_continue(Stream& stream);
  uint32_t deadline(std::chrono::seconds timeout) const {
    return transport_.tick() + static_cast<uint32_t>(timeout.count()) + 1;
  }

  Transport& transport_;
  ServerContext& context_;
  nghttp2_session* session_ = nullptr;
  std::unordered_map<int32_t, std::unique_ptr<Stream>> streams_;
  std::vector<int32_t> ready_;       // streams whose headers are complete, to be started after the bytes at hand
  std::vector<int32_t> drained_;     // streams whose piece has gone out
  int32_t open_header_block_ = 0;    // the stream whose headers have begun and not ended
  uint32_t header_deadline_ = 0;
  uint32_t idle_deadline_ = 0;
  uint32_t resets_left_ = kResetsBurst;
};

// ---- frames in ----------------------------------------------------------------------------------------------------

Http2Session::Http2Session(Transport& transport, ServerContext& context) : transport_(transport), context_(context) {
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
  for (size_t i = 0; i < ready_.size(); ++i) {
    if (Stream* stream = find(ready_[i])) start(*stream);
  }
  ready_.clear();
  idle_deadline_ = deadline(context_.limits.keep_alive_timeout);
  transport_.flush_soon({});
}

int Http2Session::on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
  if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  Http2Session& session = self(user_data);
  auto stream = std::make_unique<Stream>(session, frame->hd.stream_id, session.context_);
  stream->request.peer = session.transport_.peer;
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
  Stream* stream = session.find(frame->hd.stream_id);
  if (!stream || stream->headers_done) return 0;  // trailers are dropped
  const std::string_view name(reinterpret_cast<const char*>(name_bytes), name_length);
  const std::string_view value(reinterpret_cast<const char*>(value_bytes), value_length);
  constexpr size_t kEntryOverhead = 32;  // RFC 9113, 6.5.2
  stream->header_bytes += name.size() + value.size() + kEntryOverhead;
  Request& request = stream->request;
  if (stream->header_bytes > session.context_.limits.header_bytes_max || request.headers.entries().size() >= kHeaderFieldsMax) {
    stream->refusal = 431;
    return 0;
  }
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
  Stream* stream = session.find(frame->hd.stream_id);
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
  Stream* stream = session.find(id);
  if (!stream || stream->body_unwanted) {
    nghttp2_session_consume(session.session_, id, length);
    return 0;
  }
  stream->continue_due = false;
  stream->received.append(reinterpret_cast<const char*>(data), length);
  session.wake_reader(*stream);
  return 0;
}

int Http2Session::on_stream_close(nghttp2_session*, int32_t id, uint32_t, void* user_data) {
  Http2Session& session = self(user_data);
  const auto found = session.streams_.find(id);
  if (found == session.streams_.end()) return 0;
  if (session.open_header_block_ == id) session.open_header_block_ = 0;
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

void Http2Session::start(Stream& stream) {
  if (std::exchange(stream.started, true)) return;
  stream.body = std::make_shared<Http2Body>(&stream);
  stream.request.body = stream.body;
  stream.request.activity = base::Activity::Hold(context_.activity);
  if (stream.refusal == 0 && stream.request.method == "CONNECT") stream.refusal = 501;
  if (stream.refusal != 0) {
    stream.response = plain_response(stream.refusal);
    return respond(stream);
  }
  stream.tasks.spawn(run(stream));
}

Task<void> Http2Session::run(Stream& stream) {
  try {
    stream.response = co_await context_.handler(stream.request);
  } catch (...) {
    const int status = status_of_current_exception(stream.request);
    stream.response = plain_response(status == 0 ? 400 : status);
  }
  respond(stream);
  stream.reservation.release();
  if (stream.response.stream && !stream.response_whole) co_await send_stream(stream);
}

void Http2Session::wake_reader(Stream& stream) {
  if (const auto waiter = std::exchange(stream.body_waiter, nullptr)) waiter.resume();
}

void Http2Session::say_continue(Stream& stream) {
  if (!std::exchange(stream.continue_due, false)) return;
  const nghttp2_nv status = {(uint8_t*)":status", (uint8_t*)"100", 7, 3, NGHTTP2_NV_FLAG_NONE};
  nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream.id, nullptr, &status, 1, nullptr);
  transport_.flush_soon({});
}

std::string Http2Session::take_received(Stream& stream, size_t count) {
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

Task<std::string> Http2Body::read_all(size_t limit) {
  Stream& stream = this->stream();
  if (!stream.received_all) return stream.session.read_all(stream, limit);
  if (stream.received.size() > limit) throw BodyTooLarge();
  stream.reservation.grow_to(stream.received.size());
  return Task<std::string>::ready(stream.session.take_received(stream, stream.received.size()));
}

Task<std::string> Http2Session::read_all(Stream& stream, size_t limit) {
  std::string body;
  uint64_t declared = 0;
  const std::string_view text = stream.request.headers.get("content-length");
  std::from_chars(text.data(), text.data() + text.size(), declared);  // nghttp2 holds the client to it
  if (declared > limit) throw BodyTooLarge();
  stream.reservation.grow_to(declared);
  body.reserve(declared);
  say_continue(stream);
  for (;;) {
    const size_t size = body.size() + stream.received.size();
    if (size > limit) throw BodyTooLarge();
    if (size > body.capacity()) stream.reservation.grow_to(std::max(2 * body.capacity(), size));
    body += take_received(stream, stream.received.size());
    if (stream.received_all) co_return body;
    co_await this->body(stream);
  }
}

Task<std::optional<std::string>> Http2Body::read_some() {
  Stream& stream = this->stream();
  return stream.session.read_some(stream);
}

Task<std::optional<std::string>> Http2Session::read_some(Stream& stream) {
  say_continue(stream);
  while (stream.received.empty()) {
    if (stream.received_all) co_return std::nullopt;
    co_await body(stream);
  }
  co_return take_received(stream, kBodyPieceMax);
}

// ---- responses ----------------------------------------------------------------------------------------------------

void Http2Session::respond(Stream& stream) {
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
  nghttp2_data_provider provider{};
  provider.source.ptr = &stream;
  provider.read_callback = read_response;
  const bool empty = stream.response_whole && stream.piece.empty();
  nghttp2_submit_response(session_, stream.id, fields.data(), fields.size(), empty ? nullptr : &provider);
  transport_.flush_soon({});
}

Task<void> Http2Session::send_stream(Stream& stream) {
  bool failed = false;
  try {
    for (;;) {
      while (stream.piece_sent < stream.piece.size()) co_await Wait{stream.piece_waiter};
      std::optional<std::string> next = co_await stream.response.stream();
      if (!next) break;
      if (next->empty()) continue;
      stream.piece = std::move(*next);
      stream.piece_sent = 0;
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

void Http2Session::resume_output(Stream& stream) {
  if (std::exchange(stream.deferred, false)) nghttp2_session_resume_data(session_, stream.id);
  transport_.flush_soon({});
}

ssize_t Http2Session::read_response(nghttp2_session*, int32_t, uint8_t* out, size_t length, uint32_t* flags,
                                    nghttp2_data_source* source, void*) {
  Stream& stream = *static_cast<Stream*>(source->ptr);
  const size_t count = std::min(length, stream.piece.size() - stream.piece_sent);
  std::memcpy(out, stream.piece.data() + stream.piece_sent, count);
  stream.piece_sent += count;
  if (stream.piece_sent == stream.piece.size()) {
    if (stream.response_whole) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (count == 0) {
      stream.deferred = true;
      return NGHTTP2_ERR_DEFERRED;
    }
  }
  return static_cast<ssize_t>(count);
}

int Http2Session::on_frame_sent(nghttp2_session* raw, const nghttp2_frame* frame, void* user_data) {
  Http2Session& session = self(user_data);
  if (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS) return 0;
  Stream* stream = session.find(frame->hd.stream_id);
  if (!stream) return 0;
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
    session.transport_.flush_soon(std::move(stream->request.activity));
    // Answered before the request had ended: the client need not send the rest (RFC 9113, 8.1).
    if (!stream->received_all) nghttp2_submit_rst_stream(raw, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_NO_ERROR);
  } else if (stream->piece_sent == stream->piece.size() && stream->piece_waiter) {
    session.drained_.push_back(stream->id);
  }
  return 0;
}

void Http2Session::fill_output() {
  while (serialize()) {
    // Those whose piece has gone ask for the next; not from inside nghttp2, which they may enter again.
    for (const int32_t id : std::exchange(drained_, {})) {
      Stream* stream = find(id);
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

// ---- time ---------------------------------------------------------------------------------------------------------

void Http2Session::on_tick() {
  resets_left_ = std::min(kResetsBurst, resets_left_ + kResetsPerSecond);
  const uint32_t now = transport_.tick();
  if (open_header_block_ != 0 && now >= header_deadline_) return transport_.close_after_flush();
  bool changed = false;
  if (streams_.empty() && now >= idle_deadline_) {
    go_away();
    changed = true;
  }
  for (const auto& [id, stream] : streams_) {
    if (!stream->body_waiter || now < stream->body_deadline) continue;
    stream->tasks.clear();
    stream->response = plain_response(408);
    if (stream->responded) nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    else respond(*stream);
    changed = true;
  }
  if (changed) transport_.flush_soon({});
}

}  // namespace

std::unique_ptr<Session> make_http2_session(Transport& transport, ServerContext& context) {
  return std::make_unique<Http2Session>(transport, context);
}

}  // namespace tidemill::net
