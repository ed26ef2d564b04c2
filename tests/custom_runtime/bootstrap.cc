// The same runtime in C++ (bootstrap.sh), over a socket of its own.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

const std::string kPath = "/2018-06-01/runtime/invocation/";

struct Answer {
  std::string head;
  std::string body;
};

Answer call(const std::string& method, const std::string& path, const std::string& body) {
  const std::string address = std::getenv("AWS_LAMBDA_RUNTIME_API");
  const auto colon = address.rfind(':');
  const std::string host = address.substr(0, colon);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(std::atoi(address.c_str() + colon + 1)));
  inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host.c_str(), &to.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) std::exit(1);
  const std::string request = method + " " + kPath + path + " HTTP/1.1\r\nHost: " + address +
                              "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  if (send(fd, request.data(), request.size(), 0) != static_cast<ssize_t>(request.size())) std::exit(1);
  std::string text;
  char bytes[4096];
  for (ssize_t count; (count = recv(fd, bytes, sizeof bytes, 0)) > 0;) text.append(bytes, static_cast<size_t>(count));
  close(fd);
  const size_t end = text.find("\r\n\r\n");
  return end == std::string::npos ? Answer{} : Answer{text.substr(0, end + 2), text.substr(end + 4)};
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  const size_t from = at + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

std::vector<std::string> records(const std::string& event) {
  std::vector<std::string> found;
  for (size_t at = event.find("\"eventID\""); at != std::string::npos;) {
    const size_t next = event.find("\"eventID\"", at + 1);
    found.push_back(event.substr(at, next - at));
    at = next;
  }
  return found;
}

std::string partial(const std::string& event) {
  std::string turns, failed;
  for (const std::string& record : records(event)) {
    const std::string turn = between(record, "\"turn\":{\"N\":\"", "\"");
    turns += (turns.empty() ? "\"" : ",\"") + turn + "\"";
    if (turn == "2") failed = "{\"itemIdentifier\":\"" + between(record, "\"SequenceNumber\":\"", "\"") + "\"}";
  }
  std::cerr << "DELIVERED [" + turns + "]\n";
  return "{\"batchItemFailures\":[" + failed + "]}";
}

std::string window(const std::string& event) {
  const size_t before = std::strtoul(between(event, "\"state\":{\"count\":", "}").c_str(), nullptr, 10);
  const std::string count = std::to_string(before + records(event).size());
  if (event.find("\"isFinalInvokeForWindow\":true") != std::string::npos) std::cerr << "FINAL " + count + "\n";
  return "{\"state\":{\"count\":" + count + "}}";
}

}  // namespace

int main() {
  const std::string handler = std::getenv("_HANDLER");
  for (;;) {
    const Answer next = call("GET", "next", "");
    std::string head;
    for (const char c : next.head) head += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::string id = between(head, "lambda-runtime-aws-request-id: ", "\r\n");
    call("POST", id + "/response", handler == "partial" ? partial(next.body) : window(next.body));
  }
}
