// HTTP/1.1 over a Transport: one coroutine per connection reads a request's head, runs the handler, writes the response.
#include <charconv>
#include <coroutine>
#include <optional>

#include "base/executor.h"
#include "net/http1_parser.h"
#include "net/http1_write.h"
#include "net/session.h"

namespace tidemill::net {
namespace {

constexpr size_t kBodyPieceMax = 256 << 10;   // of read_some()
constexpr size_t kDiscardMax = 256 << 10;     // of a body that the handler left unread; beyond, the connection closes
constexpr size_t kCopiedBodyMax = 16 << 10;   // a response body up to this is copied behind its head

class Http1Session;

class Http1Body final : public Body, public std::enable_shared_from_this<Http1Body> {
 public:
  explicit Http1Body(Http1Session* session) : session_(session) {}
  Task<std::string> read_all(size_t limit) override;
  Task<std::optional<std::string>> read_some() override;
  void hold(size_t bytes) override;
  // The request is over: whoever still reads the body, or waits for more of it, finds it lost.
  void detach() {
    session_ = nullptr;
    BodyWaiter::wake_soon(waiter_);
  }
  // There is more input. False: nobody waits for it.
  bool wake() { return waiter_->wake(); }

 private:
  // These own the body: the request may end while they wait.
  static Task<std::string> read_rest(std::shared_ptr<Http1Body> self, size_t limit);
  static Task<std::optional<std::string>> read_more(std::shared_ptr<Http1Body> self);
  // Until more input has come. Throws ConnectionLost if the request has ended meanwhile.
  Task<void> input();

  Http1Session& session() const {
    if (!session_) throw ConnectionLost("the request is over");
    return *session_;
  }
  Http1Session* session_;
  std::shared_ptr<BodyWaiter> waiter_ = std::make_shared<BodyWaiter>();
};

class Http1Session final : public Session {
 public:
  Http1Session(Transport& transport, ServerContext& context)
      : transport_(transport),
        context_(context),
        bodies_(context),
        reservation_(bodies_),
        answer_(context, nullptr),
        body_pace_(context.limits) {
    request_.answer_room = &answer_;
    request_.peer = transport.peer;
    request_.is_protected = transport.is_protected;
    wait_for(Waiting::request);
  }
  ~Http1Session() override {
    tasks_.clear();
    if (body_) body_->detach();
  }

  void receive() override {
    if (waiting_ == Waiting::body) {
      body_pace_.add(transport_.input.size());
      wait_for(Waiting::body);
    }
    if (!std::exchange(started_, true)) tasks_.spawn(serve());
    else if (const auto waiter = std::exchange(input_waiter_, nullptr)) waiter.resume();
    else if (body_) (void)body_->wake();
  }
  void fill_output() override {
    if (!transport_.output.empty()) return;
    if (const auto waiter = std::exchange(output_waiter_, nullptr)) waiter.resume();
  }
  void on_tick() override;
  void go_away() override {
    goes_away_ = true;
    if (waiting_ == Waiting::request) transport_.close_after_flush();
  }

 private:
  friend class Http1Body;
  enum class Waiting { nothing, request, head, body };
  enum class Head { complete, incomplete, refused };

  // co_await one of these: resumed when input has come, or when the output is empty. A connection that is lost
  // destroys the coroutine instead.
  struct Wait {
    std::coroutine_handle<>& waiter;
    bool ready = false;
    bool await_ready() const noexcept { return ready; }
    void await_suspend(std::coroutine_handle<> self) noexcept { waiter = self; }
    void await_resume() const noexcept {}
    ~Wait() { waiter = nullptr; }
  };
  Wait input() { return {input_waiter_}; }
  Wait drained() { return {output_waiter_, transport_.output.empty() || transport_.is_dead()}; }

  Task<void> serve();
  void begin_request();
  Head parse_head();
  bool parse_body(size_t pending_max);
  Task<bool> respond(Response& response);
  Task<bool> send_stream(Response& response, bool chunked, std::optional<uint64_t> length);
  Task<bool> discard_body();
  void refuse(int status);
  void wait_for(Waiting what);
  [[nodiscard]] bool makes_room() const;
  void say_continue();

  Transport& transport_;
  ServerContext& context_;
  Request request_;
  std::shared_ptr<Http1Body> body_;
  std::optional<Http1Parser> parser_;
  std::string pending_;  // of the body: understood, and not yet read
  ConnectionBodies bodies_;
  BodyReservation reservation_;
  AnswerReservation answer_;
  BodyPace body_pace_;
  size_t head_bytes_ = 0;
  bool continue_due_ = false;
  bool started_ = false;
  bool responding_ = false;
  bool goes_away_ = false;  // once the request under way is answered
  int refusal_ = 400;
  Waiting waiting_ = Waiting::nothing;
  uint32_t deadline_ = 0;
  std::coroutine_handle<> input_waiter_;
  std::coroutine_handle<> output_waiter_;
  base::Scope tasks_;
};

// ---- the request --------------------------------------------------------------------------------------------------

Task<void> Http1Session::serve() {
  while (!transport_.is_dead()) {
    begin_request();
    Head head;
    while ((head = parse_head()) == Head::incomplete) {
      const bool begun = head_bytes_ + transport_.input.size() > 0;
      if (waiting_ != Waiting::head) wait_for(begun ? Waiting::head : Waiting::request);
      transport_.read_more();
      co_await input();
    }
    wait_for(Waiting::nothing);
    if (head == Head::refused) {
      refuse(refusal_);
      co_return;
    }
    request_.activity = base::Activity::Hold(context_.activity);
    request_.under_way = Counted(context_.requests);
    transport_.read_more();

    Response response;
    try {
      response = co_await context_.handler(request_);
      answer_.hold(response.body.size());
    } catch (...) {
      const int status = status_of_current_exception(request_);
      if (status == 0) {
        refuse(400);  // a body that is malformed; if the client is gone nobody reads it
        co_return;
      }
      response = plain_response(status);
    }
    wait_for(Waiting::nothing);
    const bool keep_alive = co_await respond(response);
    reservation_.release();
    request_.activity = {};
    request_.under_way = {};
    if (!keep_alive) {
      transport_.close_after_flush();
      co_return;
    }
    // Who asks hundreds of things at once need not have them all before others.
    if (transport_.input.size() > 0 && base::slice_is_over(kStepsPerRequest)) co_await base::give_way();
  }
}

void Http1Session::begin_request() {
  if (body_ && body_.use_count() > 2) {
    body_->detach();
    body_ = nullptr;
  }
  if (!body_) body_ = std::make_shared<Http1Body>(this);
  request_.body = body_;
  request_.method.clear();
  request_.target.clear();
  request_.headers.entries().clear();
  request_.trailers.entries().clear();
  pending_.clear();
  head_bytes_ = 0;
  body_pace_.begin();
  responding_ = false;
  parser_.emplace(request_, pending_, static_cast<uint32_t>(context_.limits.header_bytes_max));
}

Http1Session::Head Http1Session::parse_head() {
  Input& input = transport_.input;
  if (head_bytes_ == 0) {
    // RFC 9112, 2.2: an empty line before a request is ignored.
    const std::string_view bytes = input.view();
    size_t blank = 0;
    while (bytes.size() - blank >= 2 && bytes.substr(blank, 2) == "\r\n") blank += 2;
    if (blank > 0) input.consume(blank);
    if (input.view() == "\r") return Head::incomplete;
  }
  if (input.size() == 0) return Head::incomplete;
  boost::beast::error_code error;
  const std::string_view bytes = input.view();
  const size_t used = parser_->put({bytes.data(), bytes.size()}, error);
  head_bytes_ += used;
  input.consume(used);
  const bool incomplete = error == boost::beast::http::error::need_more;
  const size_t size = head_bytes_ + (incomplete ? input.size() : 0);
  if (size > context_.limits.header_bytes_max || error == boost::beast::http::error::header_limit) {
    refusal_ = 431;
    return Head::refused;
  }
  if (incomplete) return Head::incomplete;
  if (error) {
    refusal_ = parser_->refusal();
    return Head::refused;
  }
  continue_due_ = parser_->expects_continue();
  if (!parser_->is_done()) {
    try {
      parse_body(kBodyPieceMax);
    } catch (const ConnectionLost&) {
      refusal_ = 400;
      return Head::refused;
    }
  }
  return Head::complete;
}

// Understands more of the body, as far as it has come, until `pending_max` bytes of it wait to be read. True: all of it
// is there. Throws ConnectionLost if it is malformed.
bool Http1Session::parse_body(size_t pending_max) {
  Input& input = transport_.input;
  while (!parser_->is_done() && input.size() > 0 && pending_.size() < pending_max) {
    boost::beast::error_code error;
    const std::string_view bytes = input.view();
    const size_t used = parser_->put({bytes.data(), bytes.size()}, error);
    input.consume(used);
    if (used > 0) continue_due_ = false;
    if (error == boost::beast::http::error::need_more) {
      if (input.size() > context_.limits.chunk_head_bytes_max) {
        throw ConnectionLost("a chunk's size line is too long, or the trailers are");
      }
      break;
    }
    if (error) throw ConnectionLost("malformed request body: " + error.message());
  }
  if (!parser_->is_done()) transport_.read_more();
  return parser_->is_done();
}

void Http1Session::say_continue() {
  if (!std::exchange(continue_due_, false)) return;
  transport_.output.append(std::string_view("HTTP/1.1 100 Continue\r\n\r\n"));
  transport_.flush();
}

Task<void> Http1Body::input() {
  session().wait_for(Http1Session::Waiting::body);
  co_await BodyWaiter::Wait(waiter_);
  session().wait_for(Http1Session::Waiting::nothing);
}

void Http1Body::hold(size_t bytes) {
  session().reservation_.grow_to(bytes);
  session().body_pace_.hold(bytes);
}

Task<std::string> Http1Body::read_all(size_t limit) {
  Http1Session& session = this->session();
  if (!session.parser_->is_done()) return read_rest(shared_from_this(), limit);
  if (session.pending_.size() > limit) throw BodyTooLarge();
  session.say_continue();  // botocore takes the next answer apart wrongly if there is none, also for an empty body
  session.reservation_.grow_to(session.pending_.size());
  return Task<std::string>::ready(std::exchange(session.pending_, {}));
}

Task<std::string> Http1Body::read_rest(std::shared_ptr<Http1Body> self, size_t limit) {
  Http1Session& session = self->session();  // as long as input() does not throw
  std::string body;
  uint64_t declared = 0;
  if (const auto length = session.parser_->content_length_remaining()) declared = *length + session.pending_.size();
  if (declared > limit) throw BodyTooLarge();
  session.say_continue();
  for (;;) {
    const bool done = session.parse_body(kBodyPieceMax);
    std::string& pending = session.pending_;
    const size_t size = body.size() + pending.size();
    if (size > limit) throw BodyTooLarge();
    session.reservation_.grow_to(size);
    session.body_pace_.hold(size);
    make_room(body, size, declared);
    body.append(pending);
    const bool more = pending.size() >= kBodyPieceMax;  // parse_body() stopped for that
    pending.clear();
    if (done) break;
    if (!more) co_await self->input();
  }
  co_return body;
}

Task<std::optional<std::string>> Http1Body::read_some() {
  Http1Session& session = this->session();
  if (session.pending_.empty() && session.parser_->is_done()) {
    session.say_continue();
    return Task<std::optional<std::string>>::ready(std::nullopt);
  }
  return read_more(shared_from_this());
}

Task<std::optional<std::string>> Http1Body::read_more(std::shared_ptr<Http1Body> self) {
  Http1Session& session = self->session();  // as long as input() does not throw
  session.say_continue();
  for (;;) {
    const bool done = session.parse_body(kBodyPieceMax);
    std::string& pending = session.pending_;
    if (!pending.empty()) {
      if (pending.size() <= kBodyPieceMax) co_return std::exchange(pending, {});
      std::string piece = pending.substr(0, kBodyPieceMax);
      pending.erase(0, kBodyPieceMax);
      co_return piece;
    }
    if (done) co_return std::nullopt;
    co_await self->input();
  }
}

// ---- the response -------------------------------------------------------------------------------------------------

std::optional<uint64_t> declared_length(const Headers& headers) {
  const auto text = headers.find("content-length");
  uint64_t length = 0;
  if (!text) return std::nullopt;
  const auto result = std::from_chars(text->data(), text->data() + text->size(), length);
  if (result.ec != std::errc() || result.ptr != text->data() + text->size()) return std::nullopt;
  return length;
}

// Sends the response, or begins to and then sends what its stream gives. True: the connection can go on.
Task<bool> Http1Session::respond(Response& response) {
  responding_ = true;
  const bool head_only = request_.method == "HEAD";
  const bool bodiless = response.status == 204 || response.status == 304;
  const auto length = response.stream || head_only ? declared_length(response.headers) : std::nullopt;

  HeadFraming framing;
  framing.http11 = parser_->is_http11();
  if (bodiless) framing.framing = Framing::none;
  else if (response.stream && !length) framing.framing = framing.http11 ? Framing::chunked : Framing::close;
  else framing.framing = Framing::length;
  framing.length = length.value_or(response.body.size());
  // A client that waits for 100 may or may not send the body now: nobody can tell where the next request begins.
  framing.keep_alive = parser_->keep_alive() && framing.framing != Framing::close && !continue_due_ && !goes_away_;
  if (framing.keep_alive && !parser_->is_done() && !response.stream) {  // a stream may still read the request
    const auto rest = parser_->content_length_remaining();
    if (rest && *rest > kDiscardMax) framing.keep_alive = false;
  }

  const bool has_body = !head_only && !bodiless;
  Output& output = transport_.output;
  const bool chunked = framing.framing == Framing::chunked;
  output.compose([&](std::string& out) {
    append_response_head(out, response, framing);
    if (has_body && !chunked && response.body.size() <= kCopiedBodyMax) out += response.body;
  });
  if (has_body && !chunked && response.body.size() > kCopiedBodyMax) output.append(std::move(response.body));
  if (has_body && response.stream && !co_await send_stream(response, chunked, length)) co_return false;

  // Responses to pipelined requests leave together.
  if (transport_.input.size() > 0 && framing.keep_alive) {
    transport_.flush_soon(std::move(request_.activity));
  } else {
    transport_.flush();
  }
  answer_.release();  // what the client has not taken counts as the connection's output
  request_.activity = {};
  if (!framing.keep_alive) co_return false;
  if (output.size() > Transport::kOutputHigh) co_await drained();
  if (!parser_->is_done()) co_return co_await discard_body();
  co_return true;
}

void append_chunk(Output& output, std::string&& piece) {
  if (piece.empty()) return;  // an empty chunk would be the last
  char size[18];
  const auto end = std::to_chars(size, size + sizeof size - 2, piece.size(), 16).ptr;
  end[0] = '\r';
  end[1] = '\n';
  output.append(std::string_view(size, static_cast<size_t>(end + 2 - size)));
  output.append(std::move(piece));
  output.append(std::string_view("\r\n"));
}

// False: the stream failed or did not keep to its length, and the client must see the connection end early.
Task<bool> Http1Session::send_stream(Response& response, bool chunked, std::optional<uint64_t> length) {
  Output& output = transport_.output;
  uint64_t sent = response.body.size();
  if (chunked) append_chunk(output, std::move(response.body));
  try {
    while (!transport_.is_dead()) {
      transport_.flush();
      if (output.size() > Transport::kOutputHigh) co_await drained();
      co_await answer_.await_room();
      std::optional<std::string> piece = co_await response.stream();
      if (!piece) break;
      sent += piece->size();
      if (length && sent > *length) throw std::logic_error("a response's stream is longer than its content-length");
      if (chunked) append_chunk(output, std::move(*piece));
      else output.append(std::move(*piece));
    }
    if (length && sent != *length) throw std::logic_error("a response's stream is shorter than its content-length");
  } catch (...) {
    (void)status_of_current_exception(request_);
    co_return false;
  }
  if (chunked) output.append(std::string_view("0\r\n\r\n"));
  co_return true;
}

// Drops what the handler did not read of the body, so that the next request can be found.
Task<bool> Http1Session::discard_body() {
  size_t discarded = 0;
  body_pace_.hold(0);
  try {
    while (!parse_body(kBodyPieceMax)) {
      const bool more = pending_.size() >= kBodyPieceMax;
      discarded += pending_.size();
      pending_.clear();
      if (discarded > kDiscardMax) co_return false;
      if (more) continue;
      wait_for(Waiting::body);
      co_await input();
    }
  } catch (const ConnectionLost&) {
    co_return false;
  }
  wait_for(Waiting::nothing);
  co_return true;
}

// Answers without a handler, and closes.
void Http1Session::refuse(int status) {
  Response response = plain_response(status);
  transport_.output.compose([&](std::string& out) {
    append_response_head(out, response, {Framing::length, response.body.size(), true, false});
    out += response.body;
  });
  transport_.flush();
  request_.activity = {};
  responding_ = true;
  transport_.close_after_flush();
}

// ---- time ---------------------------------------------------------------------------------------------------------

void Http1Session::wait_for(Waiting what) {
  waiting_ = what;
  const ServerLimits& limits = context_.limits;
  std::chrono::seconds timeout{0};
  switch (what) {
    case Waiting::nothing: return;
    case Waiting::request: timeout = limits.keep_alive_timeout; break;
    case Waiting::head: timeout = limits.header_timeout; break;
    case Waiting::body: timeout = limits.body_idle_timeout; break;
  }
  deadline_ = transport_.tick() + static_cast<uint32_t>(timeout.count()) + 1;  // the tick under way has partly passed
}

// Whether others wait to be let in while nothing is asked here.
bool Http1Session::makes_room() const {
  const auto saved = context_.limits.keep_alive_timeout - context_.limits.idle_when_crowded;
  return waiting_ == Waiting::request && context_.crowded.load(std::memory_order_relaxed) &&
         transport_.tick() + saved.count() >= deadline_;
}

void Http1Session::on_tick() {
  if (waiting_ == Waiting::nothing) return;
  const bool is_slow = waiting_ == Waiting::body && !body_pace_.tick();
  if (!is_slow && transport_.tick() < deadline_ && !makes_room()) return;
  const Waiting waited = std::exchange(waiting_, Waiting::nothing);
  tasks_.clear();
  if (body_) body_->detach();
  if (waited == Waiting::request || responding_) transport_.close_after_flush();
  else refuse(408);
}

}  // namespace

std::unique_ptr<Session> make_http1_session(Transport& transport, ServerContext& context) {
  return std::make_unique<Http1Session>(transport, context);
}

}  // namespace tidemill::net
