#include "net/name_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "net/http_server.h"

namespace tidemill::net {

namespace {

constexpr size_t kHeaderBytes = 12;
constexpr size_t kNameBytesMax = 255;
constexpr size_t kLabelBytesMax = 63;
constexpr size_t kDatagramBytesMax = 4096;
constexpr uint16_t kTypeAddress = 1;
constexpr uint16_t kTypeAny = 255;
constexpr uint16_t kClassInternet = 1;
constexpr uint32_t kSeconds = 5;  // how long clients may keep an answer

// Of the header's third and fourth bytes.
constexpr uint8_t kIsAnswer = 0x80;
constexpr uint8_t kOperation = 0x78;
constexpr uint8_t kIsAuthoritative = 0x04;
constexpr uint8_t kWantsRecursion = 0x01;
constexpr uint8_t kMayRecurse = 0x80;
constexpr uint8_t kRefused = 5;

uint16_t number_at(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(static_cast<uint8_t>(bytes[at]) << 8 | static_cast<uint8_t>(bytes[at + 1]));
}

void append(std::string& out, uint32_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xFF);
}

struct Asked {
  std::string name;  // "sqs.us-east-1.amazonaws.com", in lower case
  uint16_t type = 0;
  uint16_t class_of_name = 0;
  size_t end = 0;  // of the question, in the datagram
};

// The one question of a query.
std::optional<Asked> question_of(std::string_view query) {
  if (query.size() < kHeaderBytes || number_at(query, 4) != 1) return std::nullopt;
  if ((query[2] & (kIsAnswer | kOperation)) != 0) return std::nullopt;
  Asked asked;
  size_t at = kHeaderBytes;
  for (;;) {
    if (at >= query.size()) return std::nullopt;
    const auto size = static_cast<uint8_t>(query[at++]);
    if (size == 0) break;
    if (size > kLabelBytesMax || at + size > query.size()) return std::nullopt;  // pointers have no place in a question
    if (!asked.name.empty()) asked.name += '.';
    for (const char letter : query.substr(at, size)) {
      asked.name += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
    }
    if (asked.name.size() > kNameBytesMax) return std::nullopt;
    at += size;
  }
  if (at + 4 > query.size()) return std::nullopt;
  asked.type = number_at(query, at);
  asked.class_of_name = number_at(query, at + 2);
  asked.end = at + 4;
  return asked;
}

}  // namespace

std::optional<std::string> answer_to_name_query(std::string_view query, in_addr address,
                                                const std::vector<std::string>& domains) {
  const auto asked = question_of(query);
  if (!asked) return std::nullopt;
  const bool is_known = std::ranges::any_of(domains, [&](const std::string& domain) {
    return asked->name.ends_with(domain) && asked->name.size() > domain.size();
  });
  const bool has_address =
      is_known && asked->class_of_name == kClassInternet && (asked->type == kTypeAddress || asked->type == kTypeAny);
  std::string answer(query.substr(0, 2));
  answer += static_cast<char>(kIsAnswer | (is_known ? kIsAuthoritative : 0) | (query[2] & kWantsRecursion));
  answer += static_cast<char>(kMayRecurse | (is_known ? 0 : kRefused));
  append(answer, 1, 2);
  append(answer, has_address ? 1 : 0, 2);
  append(answer, 0, 4);
  answer += query.substr(kHeaderBytes, asked->end - kHeaderBytes);
  if (!has_address) return answer;
  append(answer, 0xC000 | kHeaderBytes, 2);  // the question's name
  append(answer, kTypeAddress, 2);
  append(answer, kClassInternet, 2);
  append(answer, kSeconds, 4);
  append(answer, sizeof address, 2);
  append(answer, ntohl(address.s_addr), sizeof address);
  return answer;
}

NameServer::NameServer(const std::string& address, std::vector<std::string> domains, uint16_t port)
    : domains_(std::move(domains)),
      socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      end_(::eventfd(0, EFD_CLOEXEC)) {
  const auto refuse = [&](int reason) {
    throw ListenError(base::cat("cannot answer names at ", address, ":", port, ": ", std::strerror(reason)),
                      std::error_code(reason, std::system_category()));
  };
  if (!socket_.is_open() || !end_.is_open()) refuse(errno);
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &own.sin_addr) != 1) refuse(EINVAL);
  address_ = own.sin_addr;
  socklen_t size = sizeof own;
  if (::bind(socket_.fd(), reinterpret_cast<const sockaddr*>(&own), size) != 0 ||
      ::getsockname(socket_.fd(), reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    refuse(errno);
  }
  port_ = ntohs(own.sin_port);
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    refuse(error.code().value());
  }
}

NameServer::~NameServer() {
  const uint64_t one = 1;
  (void)!::write(end_.fd(), &one, sizeof one);
  thread_.join();
}

void NameServer::run() const {
  std::array<char, kDatagramBytesMax> bytes{};
  std::array<pollfd, 2> watched{{{socket_.fd(), POLLIN, 0}, {end_.fd(), POLLIN, 0}}};
  for (;;) {
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
    if (watched[1].revents != 0) return;
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t count =
        ::recvfrom(socket_.fd(), bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (count <= 0) continue;
    const auto answer = answer_to_name_query({bytes.data(), static_cast<size_t>(count)}, address_, domains_);
    if (!answer) continue;
    // Who asked and does not take it asks again.
    (void)::sendto(socket_.fd(), answer->data(), answer->size(), MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&from),
                   size);
  }
}

}  // namespace tidemill::net
