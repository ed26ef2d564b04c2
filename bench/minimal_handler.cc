// The least a function can be: a custom runtime (provided.al2023) that answers each invocation with its own payload. What
// an invocation costs beyond this program is Tidemill's own cost.
//
// _HANDLER chooses what it does: "echo" answers the payload, "null" answers null, "enter" answers the time of entry in
// microseconds since 1970. If REPORT_PORT is set it tells that UDP port of 127.0.0.1 about each entry: nanoseconds since
// 1970, how many records the event has, and the event's text as far as it fits (bench/change_latency.cc).
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

using namespace std::string_view_literals;

// "127.0.0.1:40000" connected, or the end of the process.
int connect_to(std::string_view address) {
  const size_t colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(std::atoi(std::string(address.substr(colon + 1)).c_str())));
  inet_pton(AF_INET, std::string(address.substr(0, colon)).c_str(), &to.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0) std::exit(1);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

// The connection to the runtime API and the answers that arrive on it.
class Connection {
 public:
  explicit Connection(int fd) : fd_(fd) {}

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = write(fd_, bytes.data(), bytes.size());
      if (sent <= 0) std::exit(0);
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }

  struct Answer {
    std::string head;  // in lower case
    std::string body;
  };

  Answer receive() {
    size_t end;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) fill();
    Answer answer{buffer_.substr(0, end), ""};
    std::string lower = answer.head;
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    const std::string length = field(lower, "content-length");
    const size_t size = length.empty() ? 0 : std::strtoul(length.c_str(), nullptr, 10);
    while (buffer_.size() < end + 4 + size) fill();
    answer.body = buffer_.substr(end + 4, size);
    answer.head = std::move(lower);
    buffer_.erase(0, end + 4 + size);
    return answer;
  }

  static std::string field(std::string_view head, std::string_view name) {
    const size_t at = head.find("\r\n" + std::string(name) + ":");
    if (at == std::string_view::npos) return "";
    size_t begin = at + 2 + name.size() + 1;
    while (begin < head.size() && head[begin] == ' ') ++begin;
    return std::string(head.substr(begin, head.find("\r\n", begin) - begin));
  }

 private:
  void fill() {
    char bytes[64 << 10];
    const ssize_t count = read(fd_, bytes, sizeof(bytes));
    if (count <= 0) std::exit(0);
    buffer_.append(bytes, static_cast<size_t>(count));
  }

  int fd_;
  std::string buffer_;
};

// Tells whoever measures that an invocation has arrived.
class Reporter {
 public:
  explicit Reporter(const char* port) {
    if (!port) return;
    fd_ = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(std::atoi(port)));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0) std::exit(1);
  }

  void entered(std::chrono::nanoseconds now, const std::string& event) const {
    if (fd_ < 0) return;
    size_t records = 0;
    for (size_t at = 0; (at = event.find("\"eventSource\"", at)) != std::string::npos; ++at) ++records;
    const std::string text =
        std::to_string(now.count()) + ' ' + std::to_string(records) + ' ' + event.substr(0, kReportBytesMax);
    static_cast<void>(!write(fd_, text.data(), text.size()));
  }

 private:
  static constexpr size_t kReportBytesMax = 8192;
  int fd_ = -1;
};

}  // namespace

int main() {
  const char* address = std::getenv("AWS_LAMBDA_RUNTIME_API");
  const char* handler = std::getenv("_HANDLER");
  if (!address) return std::fputs("AWS_LAMBDA_RUNTIME_API is not set\n", stderr), 1;
  const std::string_view mode = handler ? handler : "echo";
  const std::string host = "Host: " + std::string(address) + "\r\n";
  const std::string next = "GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\n" + host + "\r\n";

  const Reporter reporter(std::getenv("REPORT_PORT"));
  Connection connection(connect_to(address));
  connection.send(next);
  for (;;) {
    const Connection::Answer invocation = connection.receive();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    reporter.entered(now, invocation.body);
    std::string answer = invocation.body;
    if (mode == "null") answer = "null";
    if (mode == "enter") {
      answer = std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
    }
    // The reply and the request for the next invocation in one packet.
    connection.send("POST /2018-06-01/runtime/invocation/" +
                    Connection::field(invocation.head, "lambda-runtime-aws-request-id") + "/response HTTP/1.1\r\n" + host +
                    "Content-Length: " + std::to_string(answer.size()) + "\r\n\r\n" + answer + next);
    connection.receive();
  }
}
