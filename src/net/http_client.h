// Asks other servers over HTTP/1.1, with TLS where the URL says https (the server's certificate and name are verified
// against the system's authorities, or those that SSL_CERT_FILE and SSL_CERT_DIR name).
//
//   HttpAnswer answer = co_await client.send({.url = "https://example.com/hook", .headers = …, .body = "…"});
//
// One connection per call. A name is looked up beside others, once for all who call it at a time; one that was not found
// after long fails at once for 10 s (name_lookups.h). A want of descriptors or of ports is waited for, within its time.
// Redirections are answers as others are.
// Timeouts are real time, whatever the platform's clock says; while a call is under way the platform is not quiet.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "net/http.h"
#include "net/loop.h"

namespace tidemill::net {

struct HttpUrl {
  bool is_tls = false;
  std::string host;           // without brackets
  uint16_t port = 80;
  std::string target = "/";   // path and query
  std::string user_info;      // "user:password", decoded; sent as basic authentication
  [[nodiscard]] std::string authority() const;  // what stands in the Host header
};

// http and https with a host; nothing else, and nothing with spaces or control characters. A fragment is dropped.
[[nodiscard]] std::optional<HttpUrl> parse_http_url(std::string_view url);

inline constexpr size_t kUrlBytesMax = 2048;

struct HttpCall {
  std::string method = "POST";
  std::string url;
  Headers headers;  // Host, Content-Length, Connection and Authorization (of user_info) are the client's
  std::string body;
  std::chrono::milliseconds timeout{15'000};  // from the name's resolution to the answer's last byte; 0: no limit
  size_t answer_bytes_max = 64 << 10;         // of headers, and of the body; beyond: HttpFailed
  bool needs_body = true;                     // false: a body beyond answer_bytes_max is left out of the answer
  // For answers that go on: called, on the client's loop, with each piece of the body of an answer of 200 as it comes;
  // the answer is then without them, and they may be as many as they like.
  std::function<void(std::string_view)> on_piece;
};

struct HttpAnswer {
  int status = 0;
  std::string reason = {};  // "Not Found", in the server's words
  Headers headers = {};
  std::string body = {};
};

// There was no whole answer; what() says why, without any part of the URL.
class HttpFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Connections of one client at once, if nothing else is said.
inline constexpr size_t kCallsAtOnceMax = 1024;

class HttpClient {
 public:
  // Connections run on `loop`, which must outlive this. Calls beyond `at_once_max` wait their turn, for as long as their
  // timeout at most.
  explicit HttpClient(Loop& loop, size_t at_once_max = kCallsAtOnceMax);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;

  // From any executor. Throws HttpFailed. If the task is destroyed, the connection is closed.
  Task<HttpAnswer> send(HttpCall call);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemill::net
