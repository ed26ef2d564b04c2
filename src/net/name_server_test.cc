#include "net/name_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/no_more_threads.h"
#include "net/http_server.h"

namespace tidemill::net {
namespace {

using ::testing::EndsWith;

const std::vector<std::string> kDomains{".amazonaws.com", ".on.aws"};
constexpr uint16_t kTypeOfVersion6 = 28;

std::string query(std::string_view name, uint16_t type = 1) {
  std::string out("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12);
  for (size_t at = 0; at < name.size();) {
    const size_t dot = std::min(name.find('.', at), name.size());
    out += static_cast<char>(dot - at);
    out += name.substr(at, dot - at);
    at = dot + 1;
  }
  out += '\0';
  out += static_cast<char>(type >> 8);
  out += static_cast<char>(type & 0xFF);
  out += std::string_view("\x00\x01", 2);
  return out;
}

in_addr own_address() {
  in_addr address{};
  ::inet_pton(AF_INET, "127.77.1.2", &address);
  return address;
}

struct Answer {
  int code = -1;  // of its header
  int count = -1;
  std::string bytes;
};
Answer ask(std::string_view datagram) {
  const auto answer = answer_to_name_query(datagram, own_address(), kDomains);
  if (!answer) return {};
  return {(*answer)[3] & 0x0F, (*answer)[7], *answer};
}

TEST(NameServer, KnowsTheNamesBelowItsDomains) {
  for (const char* name : {"dynamodb.us-east-1.amazonaws.com", "b.s3.AmazonAWS.com", "x.lambda-url.eu-west-1.on.aws"}) {
    const Answer answer = ask(query(name));
    EXPECT_EQ(answer.code, 0) << name;
    EXPECT_EQ(answer.count, 1) << name;
    EXPECT_THAT(answer.bytes, EndsWith(std::string("\x00\x04\x7F\x4D\x01\x02", 6))) << name;
    EXPECT_EQ(answer.bytes.substr(0, 2), "\x12\x34");
  }
  const Answer of_version_6 = ask(query("sqs.us-east-1.amazonaws.com", kTypeOfVersion6));
  EXPECT_EQ(of_version_6.code, 0);
  EXPECT_EQ(of_version_6.count, 0);
}

TEST(NameServer, RefusesOtherNames) {
  for (const char* name : {"example.com", "amazonaws.com", "notamazonaws.com", "amazonaws.com.evil.org", ""}) {
    EXPECT_EQ(ask(query(name)).code, 5) << name;
  }
}

TEST(NameServer, SaysNothingToWhatIsNoQuery) {
  const std::string good = query("sqs.us-east-1.amazonaws.com");
  for (size_t size = 0; size < good.size(); ++size) EXPECT_EQ(ask(good.substr(0, size)).code, -1) << size;
  std::string answer = good;
  answer[2] = '\x81';
  EXPECT_EQ(ask(answer).code, -1);
  std::string pointer = good;
  pointer[12] = '\xC0';
  EXPECT_EQ(ask(pointer).code, -1);
  EXPECT_EQ(ask(query(std::string(63, 'a') + "." + std::string(63, 'b') + "." + std::string(63, 'c') + "." +
                      std::string(63, 'd') + ".amazonaws.com"))
                .code,
            -1);
}

TEST(NameServer, SaysThatThereIsNoThreadForIt) {
  const base::testing::NoMoreThreads none;
  EXPECT_THROW(NameServer("127.77.1.2", kDomains, 0), ListenError);
}

TEST(NameServer, AnswersOverUdp) {
  const NameServer server("127.77.1.2", kDomains, 0);
  const int client = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(server.port());
  at.sin_addr = own_address();
  ASSERT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  const std::string asked = query("sqs.us-east-1.amazonaws.com");
  ASSERT_EQ(::send(client, "x", 1, 0), 1);  // is nothing, and harms nothing
  ASSERT_EQ(::send(client, asked.data(), asked.size(), 0), static_cast<ssize_t>(asked.size()));
  char bytes[512];
  const ssize_t count = ::recv(client, bytes, sizeof bytes, 0);
  EXPECT_EQ(std::string(bytes, static_cast<size_t>(count)), ask(asked).bytes);
  ::close(client);
}

}  // namespace
}  // namespace tidemill::net
