// For tests: a client of HTTP/2.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "net/test_client.h"

namespace tidemill::net {

// A client over nghttp2 that reads and writes until what it waits for has come.
class Http2Client {
 public:
  struct Reply {
    int status = 0;
    std::map<std::string, std::string> headers;
    std::string body;
    bool closed = false;
    uint32_t error = 0;
  };

  explicit Http2Client(const TestServer& server, bool auto_window = true) : client(server) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, [](nghttp2_session*, const nghttp2_frame* frame,
                                                                   const uint8_t* name, size_t name_length,
                                                                   const uint8_t* value, size_t value_length, uint8_t,
                                                                   void* self) {
      Reply& reply = static_cast<Http2Client*>(self)->replies[frame->hd.stream_id];
      const std::string key(reinterpret_cast<const char*>(name), name_length);
      const std::string text(reinterpret_cast<const char*>(value), value_length);
      if (key == ":status") reply.status = std::stoi(text);
      else reply.headers[key] = text;
      return 0;
    });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t length, void* self) {
          static_cast<Http2Client*>(self)->replies[id].body.append(reinterpret_cast<const char*>(data), length);
          return 0;
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, int32_t id, uint32_t error, void* self) {
          Reply& reply = static_cast<Http2Client*>(self)->replies[id];
          reply.closed = true;
          reply.error = error;
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          if (frame->hd.type == NGHTTP2_GOAWAY) {
            static_cast<Http2Client*>(self)->goaway = static_cast<int>(frame->goaway.error_code);
          }
          return 0;
        });
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_no_auto_window_update(option, auto_window ? 0 : 1);
    nghttp2_session_client_new2(&session, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  ~Http2Client() { nghttp2_session_del(session); }

  struct Upload {
    std::string bytes;
    size_t sent = 0;
    bool open_ended = false;  // more may follow: the stream stays open
  };

  int32_t request(std::string method, std::string path, Upload* upload = nullptr,
                  std::vector<std::pair<std::string, std::string>> more = {}) {
    std::vector<std::pair<std::string, std::string>> all = {
        {":method", std::move(method)}, {":scheme", "http"}, {":path", std::move(path)}, {":authority", "host:1"}};
    for (auto& entry : more) all.push_back(std::move(entry));
    std::vector<nghttp2_nv> fields;
    for (auto& [name, value] : all) {
      fields.push_back({(uint8_t*)name.data(), (uint8_t*)value.data(), name.size(), value.size(), 0});
    }
    nghttp2_data_provider provider{};
    provider.source.ptr = upload;
    provider.read_callback = [](nghttp2_session*, int32_t, uint8_t* out, size_t length, uint32_t* flags,
                                nghttp2_data_source* source, void*) -> ssize_t {
      auto& body = *static_cast<Upload*>(source->ptr);
      const size_t count = std::min(length, body.bytes.size() - body.sent);
      std::memcpy(out, body.bytes.data() + body.sent, count);
      body.sent += count;
      if (body.sent == body.bytes.size()) {
        if (!body.open_ended) *flags |= NGHTTP2_DATA_FLAG_EOF;
        else if (count == 0) return NGHTTP2_ERR_DEFERRED;
      }
      return static_cast<ssize_t>(count);
    };
    return nghttp2_submit_request(session, nullptr, fields.data(), fields.size(), upload ? &provider : nullptr,
                                  nullptr);
  }

  void send() {
    const uint8_t* data = nullptr;
    for (ssize_t length; (length = nghttp2_session_mem_send(session, &data)) > 0;) {
      client.send({reinterpret_cast<const char*>(data), static_cast<size_t>(length)});
    }
  }
  // False: the server closed, or nothing came for `timeout_ms`.
  bool turn(int timeout_ms = TestClient::kPatienceMs) {
    send();
    const std::string bytes = client.receive_some(timeout_ms);
    if (bytes.empty()) return false;
    nghttp2_session_mem_recv(session, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    send();
    return true;
  }
  Reply& wait(int32_t id) {
    while (!replies[id].closed && turn()) {
    }
    return replies[id];
  }

  TestClient client;
  nghttp2_session* session = nullptr;
  std::map<int32_t, Reply> replies;
  int goaway = -1;
};

// Tells what came: method, target and host in headers, the body as it was.
inline Task<Response> echo(Request& request) {
  Response response;
  response.headers.add("X-Method", request.method);
  response.headers.add("X-Target", request.target);
  response.headers.add("X-Host", std::string(request.headers.get("host")));
  response.headers.add("Connection", "x");
  response.body = co_await request.body->read_all(64 << 20);
  co_return response;
}

}  // namespace tidemill::net
