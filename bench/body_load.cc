// Large bodies over HTTP/1.1: so many requests, one after the other, each on the same connection. What is sent comes from one
// buffer, what is received is thrown away by the kernel: the client costs as little as it can.
//
//   body_load --port 4566 --method PUT --path /bucket/key --size 8388608 --count 10 [--pid SERVER] [--header 'Name: value']...
//
// --size is that of a PUT's body. Prints one line of JSON: requests, bytes of bodies, seconds, CPU seconds of the server.
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "load.h"

namespace {

constexpr size_t kBufferBytes = 1 << 20;

struct Options {
  int port = 4566;
  std::string method = "GET";
  std::string path = "/";
  std::string headers;
  uint64_t size = 0;
  int count = 1;
  int pid = 0;
};

Options parse(int argc, char** argv) {
  Options options;
  load::parse_flags(argc, argv, [&](std::string_view flag, const char* value) {
    if (flag == "--port") options.port = std::atoi(value);
    else if (flag == "--method") options.method = value;
    else if (flag == "--path") options.path = value;
    else if (flag == "--header") options.headers.append(value).append("\r\n");
    else if (flag == "--size") options.size = std::strtoull(value, nullptr, 10);
    else if (flag == "--count") options.count = std::atoi(value);
    else if (flag == "--pid") options.pid = std::atoi(value);
    else return false;
    return true;
  });
  return options;
}

uint64_t content_length(std::string head) {
  std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view kName = "\r\ncontent-length:";
  const size_t at = head.find(kName);
  return at == std::string::npos ? 0 : std::strtoull(head.c_str() + at + kName.size(), nullptr, 10);
}

// Reads one answer; the size of its body.
uint64_t receive(int fd) {
  std::string start(16384, '\0');
  size_t filled = 0, head = std::string::npos;
  while (head == std::string::npos) {
    if (filled == start.size()) load::die("a head without an end");
    const ssize_t count = ::recv(fd, start.data() + filled, start.size() - filled, 0);
    if (count <= 0) load::die("the server closed the connection");
    filled += static_cast<size_t>(count);
    head = std::string_view(start).substr(0, filled).find("\r\n\r\n");
  }
  if (start.compare(9, 1, "2") != 0) load::die("refused: " + start.substr(0, filled));
  const uint64_t size = content_length(start.substr(0, head + 2));
  uint64_t got = filled - (head + 4);
  while (got < size) {
    // MSG_TRUNC: TCP drops the bytes without copying them.
    const ssize_t count = ::recv(fd, nullptr, std::min<uint64_t>(size - got, kBufferBytes), MSG_TRUNC);
    if (count <= 0) load::die("the server closed the connection");
    got += static_cast<uint64_t>(count);
  }
  return size;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::string buffer(kBufferBytes, '\0');
  std::mt19937_64 random{std::random_device()()};
  std::generate(buffer.begin(), buffer.end(), [&] { return static_cast<char>(random()); });
  const bool sends = options.method == "PUT";
  std::string head = options.method + ' ' + options.path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(options.port) +
                     "\r\n" + options.headers;
  if (sends) head += "Content-Length: " + std::to_string(options.size) + "\r\n";
  head += "\r\n";

  const int fd = load::connect_to(options.port);
  const double cpu_before = load::cpu_seconds(options.pid);
  const auto begin = std::chrono::steady_clock::now();
  uint64_t bytes = 0;
  for (int i = 0; i < options.count; ++i) {
    load::send_all(fd, head);
    for (uint64_t left = sends ? options.size : 0; left > 0;) {
      const uint64_t piece = std::min<uint64_t>(left, buffer.size());
      load::send_all(fd, std::string_view(buffer).substr(0, piece));
      left -= piece;
    }
    const uint64_t received = receive(fd);
    bytes += sends ? options.size : received;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("{\"requests\": %d, \"errors\": 0, \"bytes\": %llu, \"seconds\": %.6f, \"server_cpu_seconds\": %.3f}\n",
              options.count, static_cast<unsigned long long>(bytes), seconds, load::cpu_seconds(options.pid) - cpu_before);
}
