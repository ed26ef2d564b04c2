// What bodies that come may hold of the server's memory, and for how long: sessions over a connection in memory, whose
// seconds pass as the test says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "net/memory_transport.h"

namespace tidemill::net {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMiB = 1 << 20;

// A session whose handler reads a body as its target says: "/held" in one, "/little" if it is of 100 KiB at most,
// "/piecewise" in pieces, "/kept" in pieces that it keeps.
class BodyReader {
 public:
  using Make = std::unique_ptr<Session> (*)(Transport&, ServerContext&);

  BodyReader(Make make, const ServerLimits& limits) : context(limits) {
    context.handler = [this](Request& request) { return read(request); };
    session_ = make(transport_, context);
  }

  void send(std::string_view bytes) {
    while (!bytes.empty() && !transport_.closed) {
      const auto room = transport_.input.room();
      const size_t count = std::min(bytes.size(), room.size());
      ASSERT_GT(count, 0u);
      std::memcpy(room.data(), bytes.data(), count);
      transport_.input.commit(count);
      bytes.remove_prefix(count);
      session_->receive();
      while (std::exchange(transport_.flush_due, false)) {
        session_->fill_output();
        transport_.flush();
      }
    }
  }
  // A second passes.
  void tick() {
    ++transport_.now;
    if (!transport_.closed) session_->on_tick();
  }

  ServerContext context;
  size_t reading = 0;
  size_t read_to_end = 0;
  size_t refused = 0;  // for want of memory

 private:
  struct Counter {
    size_t& count;
    explicit Counter(size_t& counted) : count(counted) { ++count; }
    ~Counter() { --count; }
  };

  Task<Response> read(Request& request) {
    const Counter counter(reading);
    try {
      if (request.target == "/piecewise" || request.target == "/kept") {
        size_t size = 0;
        while (const auto piece = co_await request.body->read_some()) {
          size += piece->size();
          if (request.target == "/kept") request.body->hold(size);
        }
      } else {
        (void)co_await request.body->read_all(request.target == "/little" ? 100 << 10 : 64 * kMiB);
      }
      ++read_to_end;
    } catch (const ServerBusy&) {
      ++refused;
    }
    co_return Response{};
  }

  MemoryTransport transport_;
  std::unique_ptr<Session> session_;
};

// For so many seconds of a body of any length: whether it is still read.
bool is_read_on(std::string_view target, size_t bytes_per_second, int seconds, size_t at_first = 0) {
  BodyReader reader(make_http1_session, {});
  reader.send("PUT " + std::string(target) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 60000000\r\n\r\n");
  reader.send(std::string(at_first, 'x'));
  for (int second = 0; second < seconds && reader.reading > 0; ++second) {
    reader.send(std::string(bytes_per_second, 'x'));
    reader.tick();
  }
  return reader.reading > 0;
}

TEST(BodyBounds, ABodyThatIsHeldIsWaitedForTheLongerTheMoreHasCome) {
  EXPECT_TRUE(is_read_on("/held", 2 << 10, 60));
  EXPECT_FALSE(is_read_on("/held", 2 << 10, 63));
  EXPECT_TRUE(is_read_on("/held", 2 << 10, 60 + 128, 16 * kMiB));
  EXPECT_FALSE(is_read_on("/held", 2 << 10, 60 + 128 + 5, 16 * kMiB));
  // A line of a megabit brings any.
  EXPECT_TRUE(is_read_on("/held", 128 << 10, 400));
}

TEST(BodyBounds, ABodyThatIsPassedOnAsItComesKeepsItsPaceAndNoMore) {
  EXPECT_TRUE(is_read_on("/piecewise", 2 << 10, 3600, kMiB));
  EXPECT_FALSE(is_read_on("/piecewise", 1 << 10, 62, kMiB));
}

TEST(BodyBounds, ABodyWhosePiecesAreKeptIsWaitedForAsOneThatIsHeld) {
  EXPECT_TRUE(is_read_on("/kept", 2 << 10, 60));
  EXPECT_FALSE(is_read_on("/kept", 2 << 10, 63));
  EXPECT_TRUE(is_read_on("/kept", 2 << 10, 60 + 8, kMiB));
  EXPECT_FALSE(is_read_on("/kept", 2 << 10, 60 + 8 + 5, kMiB));
}

TEST(BodyBounds, ASmallBodyOnASlowLineIsReadToItsEnd) {
  BodyReader reader(make_http1_session, {});
  reader.send("PUT /held HTTP/1.1\r\nHost: x\r\nContent-Length: 102400\r\n\r\n");
  for (int second = 0; second < 50; ++second) {
    reader.tick();
    reader.send(std::string(2 << 10, 'x'));
  }
  EXPECT_EQ(reader.read_to_end, 1u);
}

TEST(BodyBounds, TheTimeOfABodyEndsWithItsRequest) {
  BodyReader reader(make_http1_session, {});
  for (int request = 0; request < 3; ++request) {
    reader.send("PUT /held HTTP/1.1\r\nHost: x\r\nContent-Length: 81920\r\n\r\n");
    for (int second = 0; second < 40; ++second) {
      reader.tick();
      reader.send(std::string(2 << 10, 'x'));
    }
  }
  EXPECT_EQ(reader.read_to_end, 3u);
}

TEST(BodyBounds, WhatIsLeftOfABodyThatWasTooLongIsDroppedAsItComes) {
  const std::string chunk = "400\r\n" + std::string(1 << 10, 'x') + "\r\n";
  BodyReader reader(make_http1_session, {});
  reader.send("PUT /little HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int kib = 0; kib < 101; ++kib) reader.send(chunk);
  EXPECT_EQ(reader.reading, 0u);
  for (int second = 0; second < 70; ++second) {
    reader.send(chunk + chunk);
    reader.tick();
  }
  reader.send("0\r\n\r\nPUT /held HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx");
  EXPECT_EQ(reader.read_to_end, 1u);
}

// ---- HTTP/2 -------------------------------------------------------------------------------------------------------

std::string frame(char type, char flags, int32_t stream, std::string_view payload) {
  std::string out;
  for (const int shift : {16, 8, 0}) out += static_cast<char>(payload.size() >> shift);
  out += type;
  out += flags;
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(stream >> shift);
  return out + std::string(payload);
}
const std::string kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "");
// POST http://x/held, by HPACK's table.
std::string begin_upload(int32_t stream) { return frame(1, 4, stream, "\x83\x86\x44\x05/held\x41\x01x"); }
std::string upload(int32_t stream, size_t bytes) { return frame(0, 0, stream, std::string(bytes, 'x')); }
std::string reset(int32_t stream) { return frame(3, 0, stream, std::string_view("\0\0\0\x8", 4)); }
int32_t nth_stream(int n) { return 2 * n + 1; }

TEST(BodyBounds, AStreamOfHttp2ThatIsHeldIsWaitedForTheLongerTheMoreHasCome) {
  for (const int at_first : {0, 8}) {
    BodyReader reader(make_http2_session, {});
    reader.send(kPreface + begin_upload(1));
    for (int piece = 0; piece < 16 * at_first; ++piece) reader.send(upload(1, 8 << 10));
    const int allowed = 60 + at_first;  // a second for each 128 KiB
    for (int second = 0; second < allowed; ++second) {
      reader.send(upload(1, 2 << 10));
      reader.tick();
    }
    EXPECT_EQ(reader.reading, 1u);
    for (int second = 0; second < 4; ++second) reader.tick();
    EXPECT_EQ(reader.reading, 0u);
  }
}

TEST(BodyBounds, SmallBodiesOfOneConnectionAreCountedWhenTheyAreManyAtATime) {
  constexpr size_t kBody = 10'000;
  constexpr int kStreams = 100;
  ServerLimits limits;
  limits.body_bytes_in_memory_max = 50 * kBody;
  BodyReader reader(make_http2_session, limits);
  reader.send(kPreface);
  const auto begin = [&](int n) {
    reader.send(begin_upload(nth_stream(n)));
    reader.send(upload(nth_stream(n), kBody));
  };
  begin(0);
  EXPECT_EQ(reader.reading, 1u);
  EXPECT_EQ(reader.context.bodies.used(), 0u);
  begin(1);
  EXPECT_EQ(reader.context.bodies.used(), 2 * kBody);
  for (int n = 2; n < kStreams; ++n) begin(n);
  EXPECT_EQ(reader.context.bodies.used(), 50 * kBody);
  EXPECT_EQ(reader.reading, 50u);
  EXPECT_EQ(reader.refused, 50u);
  // Those that end give back what they held, however they end.
  for (int n = 0; n < 25; ++n) reader.send(reset(nth_stream(n)));
  EXPECT_EQ(reader.context.bodies.used(), 25 * kBody);
  for (int n = 25; n < 48; ++n) reader.send(frame(0, 1, nth_stream(n), ""));
  EXPECT_EQ(reader.read_to_end, 23u);
  EXPECT_EQ(reader.context.bodies.used(), 2 * kBody);
  reader.send(reset(nth_stream(48)));
  EXPECT_EQ(reader.context.bodies.used(), 0u);
}

}  // namespace
}  // namespace tidemill::net
