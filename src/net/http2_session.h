// The inside of HTTP/2, for net/http2_*.cc only: a session's streams, and nghttp2's callbacks.
#pragma once

#include <nghttp2/nghttp2.h>

#include <coroutine>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/executor.h"
#include "net/session.h"

namespace tidemill::net {

class Http2Session;

struct Http2Stream {
  Http2Stream(Http2Session& owner, int32_t stream_id, ServerContext& server, ConnectionBodies& connection_bodies,
              base::Budget& connection_answers)
      : session(owner),
        context(server),
        id(stream_id),
        reservation(connection_bodies),
        body_pace(server.limits),
        room(server, &connection_answers) {
    request.answer_room = &room;
  }
  ~Http2Stream();

  Http2Session& session;
  ServerContext& context;
  const int32_t id;
  Request request;
  size_t header_bytes = 0;       // that have come
  size_t header_bytes_held = 0;  // and are in `request`
  int refusal = 0;  // instead of running the handler
  bool headers_done = false;
  bool started = false;

  std::string received;  // of the body: arrived, and not yet read
  bool received_all = false;
  bool body_unwanted = false;  // the response is on its way; what still comes is dropped
  bool continue_due = false;
  BodyReservation reservation;
  uint32_t body_deadline = 0;
  BodyPace body_pace;

  AnswerReservation room;
  Response response;
  std::string piece;  // of the response: what goes out now
  size_t piece_sent = 0;
  bool response_whole = false;  // nothing comes after `piece`
  bool responded = false;
  bool deferred = false;        // nghttp2 waits to be told that there is more
  uint32_t output_deadline = 0;  // of a piece: the client takes some of it until then
  std::coroutine_handle<> piece_waiter;

  std::shared_ptr<class Http2Body> body;
  base::Scope tasks;  // last: its tasks use all the above
};

class Http2Body final : public Body, public std::enable_shared_from_this<Http2Body> {
 public:
  explicit Http2Body(Http2Stream* stream) : stream_(stream) {}
  Task<std::string> read_all(size_t limit) override;
  Task<std::optional<std::string>> read_some() override;
  void hold(size_t bytes) override {
    stream().reservation.grow_to(bytes);
    stream().body_pace.hold(bytes);
  }
  // The request is over: whoever still reads the body, or waits for more of it, finds it lost.
  void detach() {
    stream_ = nullptr;
    BodyWaiter::wake_soon(waiter_);
  }
  [[nodiscard]] bool is_awaited() const { return waiter_->waits(); }
  void wake() { (void)waiter_->wake(); }

 private:
  // These own the body: the request may end while they wait.
  static Task<std::string> read_rest(std::shared_ptr<Http2Body> self, size_t limit);
  static Task<std::optional<std::string>> read_more(std::shared_ptr<Http2Body> self);
  // Until more has come. Throws ConnectionLost if the request has ended meanwhile.
  Task<void> input();

  Http2Stream& stream() const {
    if (!stream_) throw ConnectionLost("the request is over");
    return *stream_;
  }
  Http2Stream* stream_;
  std::shared_ptr<BodyWaiter> waiter_ = std::make_shared<BodyWaiter>();
};

inline Http2Stream::~Http2Stream() {
  tasks.clear();
  if (body) body->detach();
  context.give_back(std::move(piece));
  context.give_back(std::move(response.body));
}

class Http2Session final : public Session {
 public:
  Http2Session(Transport& transport, ServerContext& context);
  ~Http2Session() override {
    starting_.clear();
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

  std::string take_received(Http2Stream& stream, size_t count);
  void say_continue(Http2Stream& stream);
  // From now on the client is given its time to take more of the response.
  void await_output(Http2Stream& stream) { stream.output_deadline = deadline(context_.limits.write_idle_timeout); }
  // From now on the client is given its time to send more of the body.
  void await_body(Http2Stream& stream) { stream.body_deadline = deadline(context_.limits.body_idle_timeout); }

 private:
  // Streams that a client may open and reset at once ("rapid reset"); more come back with each second.
  static constexpr uint32_t kResetsBurst = 300;

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

  Http2Stream* find(int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second.get();
  }
  void count_reset();
  bool start_ready();
  Task<void> start_rest();
  void start(Http2Stream& stream);
  Task<void> run(Http2Stream& stream);
  Task<void> send_stream(Http2Stream& stream);
  void respond(Http2Stream& stream);
  void resume_output(Http2Stream& stream);
  bool serialize();
  bool end_stalled();
  [[nodiscard]] bool takes_answers();
  [[nodiscard]] bool is_idle() const;
  void end_connection();
  void wake_reader(Http2Stream& stream);
  uint32_t deadline(std::chrono::seconds timeout) const {
    return transport_.tick() + static_cast<uint32_t>(timeout.count()) + 1;
  }

  Transport& transport_;
  ServerContext& context_;
  nghttp2_session* session_ = nullptr;
  ConnectionBodies bodies_;  // of all streams
  base::Budget answers_;     // of all streams
  PaceCheck answer_pace_;
  std::unordered_map<int32_t, std::unique_ptr<Http2Stream>> streams_;
  std::vector<int32_t> ready_;       // streams whose headers are complete, to be started after the bytes at hand
  std::vector<int32_t> drained_;     // streams whose piece has gone out
  size_t header_bytes_ = 0;          // held, of all streams
  int32_t open_header_block_ = 0;    // the stream whose headers have begun and not ended
  uint32_t header_deadline_ = 0;
  uint32_t idle_deadline_ = 0;
  uint32_t resets_left_ = kResetsBurst;
  base::Scope starting_;    // those of ready_ that wait for a slice
};

}  // namespace tidemill::net
