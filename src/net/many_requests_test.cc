// Who asks hundreds of things at once does not have all of them begun before anybody else has a turn.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "net/test_client.h"

namespace tidemill::net {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr int kRequests = 120;

// Each request takes the loop 50 microseconds. Somebody else asks for it during the first.
class ManyRequests : public ::testing::Test {
 protected:
  Task<Response> answer(Request&) {
    if (begun_.fetch_add(1) == 0) server_.loop.post([this] { begun_before_others_ = begun_.load(); });
    const auto until = Steady::now() + 50us;
    while (Steady::now() < until) {
    }
    co_return Response{};
  }

  // In one piece, which the server reads at once.
  void send_and_wait(std::string_view requests) {
    TestClient client(server_);
    client.send(requests);
    while (begun_ < kRequests && !client.receive_some().empty()) {
    }
  }

  std::atomic<int> begun_ = 0;
  std::atomic<int> begun_before_others_ = kRequests;
  TestServer server_{[this](Request& request) { return answer(request); }};
};

TEST_F(ManyRequests, OfAnHttp1PipelineGiveWay) {
  std::string requests;
  for (int i = 0; i < kRequests; ++i) requests += "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  send_and_wait(requests);
  EXPECT_EQ(begun_, kRequests);
  EXPECT_LT(begun_before_others_, kRequests / 4);
}

TEST_F(ManyRequests, OfHttp2StreamsGiveWay) {
  // An empty SETTINGS frame, and HEADERS frames that end streams: :method GET, :scheme http, :path /, :authority h.
  std::string requests("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 24 + 9);
  for (int i = 0; i < kRequests; ++i) {
    const auto stream = static_cast<char16_t>(2 * i + 1);
    requests += std::string("\0\0\6\1\5\0\0", 7) + static_cast<char>(stream >> 8) + static_cast<char>(stream & 0xff) +
                std::string("\x82\x86\x84\x01\x01h", 6);
  }
  send_and_wait(requests);
  EXPECT_EQ(begun_, kRequests);
  EXPECT_LT(begun_before_others_, kRequests / 4);
}

}  // namespace
}  // namespace tidemill::net
