// From commit to function: puts numbered items or records, or sends numbered messages, one after the other, and hears from
// the function, by a datagram for each event, when it was entered with which numbers.
//
//   change_latency --url http://127.0.0.1:4566/ --table T --samples N [--pause-ms M] [--report-port P]
//   change_latency --url http://127.0.0.1:4566/ --queue Q …
//   change_latency --url http://127.0.0.1:4566/ --stream S …
//
// The function sends "<nanoseconds since 1970 at entry> <records> <text with "turn":{"N":"123"}, or "turn 123;" of a
// message or as a data record's partition key, for each record>" to the UDP port P of 127.0.0.1 (bench/minimal_handler.cc, bench/latency_function.py). Prints one line
// of JSON: microseconds from the acknowledgement, and from the sending of the write, to the entry; negative: entered
// before the acknowledgement had reached the writer.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "load.h"

namespace {

constexpr int kEntryDeadlineMs = 10'000;

int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

sockaddr_in local(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int listen_on(int port) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in address = local(port);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) load::die("the report port is taken");
  return fd;
}

// Sends the request and returns once its whole answer is there.
void call(int fd, const std::string& request) {
  if (send(fd, request.data(), request.size(), 0) != static_cast<ssize_t>(request.size())) load::die("cannot send");
  std::string answer;
  size_t whole = std::string::npos;
  while (answer.size() < whole) {
    char bytes[4096];
    const ssize_t count = recv(fd, bytes, sizeof bytes, 0);
    if (count <= 0) load::die("the server closed the connection");
    answer.append(bytes, static_cast<size_t>(count));
    const size_t end = answer.find("\r\n\r\n");
    if (whole != std::string::npos || end == std::string::npos) continue;
    std::string head = answer.substr(0, end);
    std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) { return std::tolower(c); });
    const size_t length = head.find("content-length:");
    whole = end + 4 + (length == std::string::npos ? 0 : std::strtoul(head.c_str() + length + 15, nullptr, 10));
  }
  if (answer.compare(9, 3, "200") != 0) load::die(answer.c_str());
}

// What is written to, and how the function tells of it.
struct Target {
  enum class Kind { table, queue, data_stream };
  std::string name;
  Kind kind = Kind::table;

  [[nodiscard]] std::string request(int number) const {
    const std::string text(100, 'x');
    switch (kind) {
      case Kind::table:
        return http("dynamodb", "DynamoDB_20120810.PutItem",
                    "{\"TableName\":\"" + name + "\",\"Item\":{\"id\":{\"S\":\"one\"}," + wanted(number) +
                        ",\"text\":{\"S\":\"" + text + "\"}}}");
      case Kind::queue:
        return http("sqs", "AmazonSQS.SendMessage", "{\"QueueUrl\":\"http://127.0.0.1/000000000000/" + name +
                                                        "\",\"MessageBody\":\"" + wanted(number) + text + "\"}");
      case Kind::data_stream:
        return http("kinesis", "Kinesis_20131202.PutRecord", "{\"StreamName\":\"" + name + "\",\"PartitionKey\":\"" +
                                                                 wanted(number) + "\",\"Data\":\"" + text + "\"}");
    }
    load::die("no such target");
  }

  [[nodiscard]] std::string wanted(int number) const {
    if (kind != Kind::table) return "turn " + std::to_string(number) + ";";
    return "\"turn\":{\"N\":\"" + std::to_string(number) + "\"}";
  }

 private:
  static std::string http(const std::string& service, const std::string& operation, const std::string& body) {
    return "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Amz-Target: " + operation +
           "\r\nContent-Type: application/x-amz-json-1.0\r\nAuthorization: AWS4-HMAC-SHA256 "
           "Credential=test/20260101/us-east-1/" + service + "/aws4_request, SignedHeaders=host, Signature=0\r\n"
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
};

// Waits for the datagram that has `wanted`; when the function was entered with it.
int64_t entered_with(int reports, const std::string& wanted) {
  const int64_t deadline = now_ns() + kEntryDeadlineMs * 1'000'000LL;
  while (now_ns() < deadline) {
    pollfd poll_reports{reports, POLLIN, 0};
    if (poll(&poll_reports, 1, 1000) <= 0) continue;
    static char bytes[65536];
    const ssize_t count = recv(reports, bytes, sizeof bytes - 1, 0);
    if (count <= 0) continue;
    bytes[count] = 0;
    if (std::string_view(bytes, static_cast<size_t>(count)).find(wanted) != std::string_view::npos) {
      return std::strtoll(bytes, nullptr, 10);
    }
  }
  load::die("the function was not entered within 10 seconds");
}

void print(const char* name, std::vector<double>& all, bool last) {
  std::sort(all.begin(), all.end());
  const auto at = [&](double share) { return all[std::min(all.size() - 1, static_cast<size_t>(share * all.size()))]; };
  std::printf("\"%s\": {\"min_us\": %.1f, \"p50_us\": %.1f, \"p99_us\": %.1f, \"max_us\": %.1f}%s", name, all.front(),
              at(0.5), at(0.99), all.back(), last ? "}\n" : ", ");
}

}  // namespace

int main(int argc, char** argv) {
  int port = 4566, report_port = 4599, samples = 1000, pause_ms = 2;
  Target target{"bench"};
  for (int n = 1; n + 1 < argc; n += 2) {
    const std::string_view flag = argv[n];
    if (flag == "--url") port = std::atoi(std::strrchr(argv[n + 1], ':') + 1);
    else if (flag == "--table") target = {argv[n + 1]};
    else if (flag == "--queue") target = {argv[n + 1], Target::Kind::queue};
    else if (flag == "--stream") target = {argv[n + 1], Target::Kind::data_stream};
    else if (flag == "--samples") samples = std::max(1, std::atoi(argv[n + 1]));
    else if (flag == "--pause-ms") pause_ms = std::atoi(argv[n + 1]);
    else if (flag == "--report-port") report_port = std::atoi(argv[n + 1]);
    else load::die("unknown flag");
  }
  const int reports = listen_on(report_port);
  const int server = load::connect_to(port);
  const int warmup = std::max(20, samples / 20);
  std::vector<double> from_ack, from_send, ack;
  for (int number = 0; number < warmup + samples; ++number) {
    const std::string request = target.request(number);
    const int64_t sent = now_ns();
    call(server, request);
    const int64_t acknowledged = now_ns();
    const int64_t entered = entered_with(reports, target.wanted(number));
    if (number >= warmup) {
      ack.push_back(static_cast<double>(acknowledged - sent) / 1e3);
      from_ack.push_back(static_cast<double>(entered - acknowledged) / 1e3);
      from_send.push_back(static_cast<double>(entered - sent) / 1e3);
    }
    usleep(static_cast<useconds_t>(pause_ms) * 1000);
  }
  std::printf("{\"samples\": %d, ", samples);
  print("put", ack, false);
  print("sent_to_entered", from_send, false);
  print("acknowledged_to_entered", from_ack, true);
}
