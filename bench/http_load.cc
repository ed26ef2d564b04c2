// A load generator: N keep-alive HTTP/1.1 connections, each sending its next request when the last is answered.
//
//   http_load --url http://127.0.0.1:4566/ --connections 64 --seconds 5 [--requests N] [--method POST]
//             [--header 'X-Amz-Target: ...']... [--body-file F | --body TEXT] [--vary N] [--first N]
//             [--pid SERVER] [--warmup S] [--status 400]
//
// Any other answer than a 2xx is an error, or than the --status that is given.
// --vary N replaces @@N@@ in body and path by a number below N of fixed width (zero-padded), another for each place and
// request; @@R@@ by one that is the same all over the request; @@I@@ by a counter that never repeats, or that begins at
// --first and rises with each place. With --pid it adds the CPU time that the server used per request.
// Prints one line of JSON: requests, errors, seconds, per second, latency p50/p99/max in microseconds, server CPU.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load.h"

namespace {

using Steady = std::chrono::steady_clock;

struct Options {
  std::string host = "127.0.0.1";
  int port = 4566;
  std::string path = "/";
  std::string method = "POST";
  std::vector<std::string> headers;
  std::string body;
  int connections = 1;
  double seconds = 5;
  double warmup = 0.5;
  uint64_t requests_max = UINT64_MAX;
  uint64_t vary = 0;
  std::optional<uint64_t> first;
  int pid = 0;
  std::string status = "2";  // how it begins
};

void parse_url(const std::string& url, Options& options) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) load::die("only http:// urls");
  const size_t slash = url.find('/', kScheme.size());
  const std::string authority = url.substr(kScheme.size(), slash == std::string::npos ? slash : slash - kScheme.size());
  const size_t colon = authority.find(':');
  options.host = authority.substr(0, colon);
  options.port = colon == std::string::npos ? 80 : std::atoi(authority.c_str() + colon + 1);
  if (slash != std::string::npos) options.path = url.substr(slash);
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) load::die(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Options parse(int argc, char** argv) {
  Options options;
  load::parse_flags(argc, argv, [&](std::string_view flag, const char* value) {
    if (flag == "--url") parse_url(value, options);
    else if (flag == "--connections") options.connections = std::atoi(value);
    else if (flag == "--seconds") options.seconds = std::atof(value);
    else if (flag == "--warmup") options.warmup = std::atof(value);
    else if (flag == "--requests") options.requests_max = std::strtoull(value, nullptr, 10);
    else if (flag == "--method") options.method = value;
    else if (flag == "--header") options.headers.emplace_back(value);
    else if (flag == "--body") options.body = value;
    else if (flag == "--body-file") options.body = read_file(value);
    else if (flag == "--vary") options.vary = std::strtoull(value, nullptr, 10);
    else if (flag == "--first") options.first = std::strtoull(value, nullptr, 10);
    else if (flag == "--status") options.status = value;
    else if (flag == "--pid") options.pid = std::atoi(value);
    else return false;
    return true;
  });
  return options;
}

// The request's text, cut where its varying numbers stand; all of one width, so that content-length is constant.
class Template {
 public:
  explicit Template(const Options& options)
      : vary_(std::max<uint64_t>(options.vary, 1)), counts_places_(options.first.has_value()) {
    if (options.first) counter_ = *options.first;
    const std::string body = mark(options.body);
    text_ = options.method + ' ' + mark(options.path) + " HTTP/1.1\r\nHost: " + options.host + ':' +
            std::to_string(options.port) + "\r\n";
    for (const std::string& header : options.headers) text_ += header + "\r\n";
    text_ += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    find('\x01', random_places_);
    find('\x02', counter_places_);
    find('\x03', shared_places_);
  }

  const std::string& next() {
    for (const size_t place : random_places_) write(place, random() % vary_);
    if (!shared_places_.empty()) {
      const uint64_t shared = random() % vary_;
      for (const size_t place : shared_places_) write(place, shared);
    }
    if (!counts_places_) ++counter_;
    for (const size_t place : counter_places_) write(place, counts_places_ ? counter_++ : counter_);
    return text_;
  }

 private:
  static constexpr size_t kWidth = 10;

  static std::string mark(std::string text) {
    for (size_t at; (at = text.find("@@N@@")) != std::string::npos;) text.replace(at, 5, kWidth, '\x01');
    for (size_t at; (at = text.find("@@I@@")) != std::string::npos;) text.replace(at, 5, kWidth, '\x02');
    for (size_t at; (at = text.find("@@R@@")) != std::string::npos;) text.replace(at, 5, kWidth, '\x03');
    return text;
  }
  void find(char marker, std::vector<size_t>& places) {
    for (size_t at = 0; (at = text_.find(marker, at)) != std::string::npos; at += kWidth) places.push_back(at);
  }
  void write(size_t place, uint64_t number) {
    for (size_t i = kWidth; i-- > 0; number /= 10) text_[place + i] = static_cast<char>('0' + number % 10);
  }
  uint64_t random() {  // splitmix64
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  const uint64_t vary_;
  const bool counts_places_;
  uint64_t state_ = static_cast<uint64_t>(Steady::now().time_since_epoch().count());
  // Starts where no earlier run can have been.
  uint64_t counter_ = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count() / 100'000) % 1'000'000'000;
  std::string text_;
  std::vector<size_t> random_places_, counter_places_, shared_places_;
};

struct Connection {
  int fd = -1;
  std::string out;  // what the kernel has not taken yet: large requests go out beside each other
  std::string in;
  size_t body_left = 0;
  bool in_body = false;
  Steady::time_point sent;
};

struct Tally {
  uint64_t requests = 0;
  uint64_t errors = 0;
  std::string first_error;
  std::vector<uint32_t> nanoseconds;  // saturating at 4.2 s
};

class Load {
 public:
  explicit Load(const Options& options) : options_(options), template_(options), epoll_(epoll_create1(0)) {}

  void run() {
    connections_.resize(static_cast<size_t>(options_.connections));
    for (Connection& connection : connections_) open(connection);
    const auto begin = Steady::now();
    auto counted_from = begin + duration(options_.warmup);
    auto until = counted_from + duration(options_.seconds);
    bool counting = options_.warmup <= 0;
    double cpu_before = options_.pid ? load::cpu_seconds(options_.pid) : 0;
    for (Connection& connection : connections_) send(connection);
    while (tally_.requests < options_.requests_max) {
      epoll_event events[256];
      const int count = epoll_wait(epoll_, events, 256, 1000);
      const auto now = Steady::now();
      if (!counting && now >= counted_from) {
        counting = true;
        tally_ = {};
        counted_from = now;
        until = now + duration(options_.seconds);
        if (options_.pid) cpu_before = load::cpu_seconds(options_.pid);
      }
      if (now >= until) break;
      for (int i = 0; i < count; ++i) {
        Connection& connection = *static_cast<Connection*>(events[i].data.ptr);
        if (connection.out.empty()) receive(connection);
        else send_rest(connection);
      }
    }
    const double elapsed = std::chrono::duration<double>(Steady::now() - counted_from).count();
    report(elapsed, options_.pid ? load::cpu_seconds(options_.pid) - cpu_before : 0);
  }

 private:
  static Steady::duration duration(double seconds) {
    return std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double>(seconds));
  }

  void open(Connection& connection) {
    connection.fd = load::connect_to(options_.port, options_.host);
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
  }

  void watch(Connection& connection, int operation, uint32_t for_what) {
    epoll_event event{};
    event.events = for_what;
    event.data.ptr = &connection;
    epoll_ctl(epoll_, operation, connection.fd, &event);
  }

  void send(Connection& connection) {
    const std::string& text = template_.next();
    connection.sent = Steady::now();
    const size_t taken = send_some(connection, text);
    if (taken == text.size()) return;
    connection.out = text.substr(taken);
    watch(connection, EPOLL_CTL_MOD, EPOLLOUT);
  }

  void send_rest(Connection& connection) {
    connection.out.erase(0, send_some(connection, connection.out));
    if (connection.out.empty()) watch(connection, EPOLL_CTL_MOD, EPOLLIN);
  }

  // As much as goes without waiting.
  static size_t send_some(const Connection& connection, std::string_view text) {
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t sent = ::send(connection.fd, text.data() + done, text.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EAGAIN) break;
      if (sent <= 0) load::die(std::string("the server closed a connection: ") + std::strerror(errno));
      done += static_cast<size_t>(sent);
    }
    return done;
  }

  void receive(Connection& connection) {
    char bytes[65536];
    const ssize_t count = ::recv(connection.fd, bytes, sizeof bytes, 0);
    if (count <= 0) load::die("the server closed a connection");
    connection.in.append(bytes, static_cast<size_t>(count));
    if (!connection.in_body) {
      const size_t end = connection.in.find("\r\n\r\n");
      if (end == std::string::npos) return;
      begin_body(connection, end + 4);
    }
    if (connection.in.size() < connection.body_left) return;
    finish(connection);
    connection.in.clear();
    connection.in_body = false;
    send(connection);
  }

  // Turns body_left into the size of the whole response.
  void begin_body(Connection& connection, size_t head) {
    constexpr std::string_view kLength = "\r\ncontent-length:";
    size_t length = 0;
    const auto matches = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    const auto begin = connection.in.begin();
    const auto found = std::search(begin, begin + static_cast<ptrdiff_t>(head), kLength.begin(), kLength.end(), matches);
    if (found != begin + static_cast<ptrdiff_t>(head)) length = std::strtoull(&*found + kLength.size(), nullptr, 10);
    connection.body_left = head + length;
    connection.in_body = true;
  }

  void finish(Connection& connection) {
    const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now() - connection.sent).count();
    tally_.nanoseconds.push_back(static_cast<uint32_t>(std::min<int64_t>(took, UINT32_MAX)));
    ++tally_.requests;
    if (connection.in.compare(9, options_.status.size(), options_.status) != 0 && tally_.errors++ == 0) {
      tally_.first_error = connection.in.substr(0, 600);
    }
  }

  void report(double elapsed, double cpu) {
    std::vector<uint32_t>& all = tally_.nanoseconds;
    std::sort(all.begin(), all.end());
    const auto at = [&](double share) {
      return all.empty() ? 0.0 : all[std::min(all.size() - 1, static_cast<size_t>(share * static_cast<double>(all.size())))] / 1e3;
    };
    std::printf("{\"requests\": %llu, \"errors\": %llu, \"seconds\": %.3f, \"per_second\": %.1f, \"p50_us\": %.1f, "
                "\"p99_us\": %.1f, \"max_us\": %.1f",
                static_cast<unsigned long long>(tally_.requests), static_cast<unsigned long long>(tally_.errors), elapsed,
                static_cast<double>(tally_.requests) / elapsed, at(0.5), at(0.99), at(1));
    if (options_.pid && tally_.requests > 0) {
      std::printf(", \"server_cpu_seconds\": %.3f, \"server_cpu_us_per_request\": %.2f", cpu,
                  cpu * 1e6 / static_cast<double>(tally_.requests));
    }
    std::printf("}\n");
    if (tally_.errors > 0) std::fprintf(stderr, "http_load: the first error:\n%s\n", tally_.first_error.c_str());
  }

  const Options options_;
  Template template_;
  int epoll_;
  std::vector<Connection> connections_;
  Tally tally_;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  Load load(options);
  load.run();
}
