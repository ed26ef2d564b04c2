#include "wire/pipeline/admit.h"

#include <gtest/gtest.h>

#include "wire/testdata/attic.h"
#include "wire/testdata/kettle.h"
#include "wire/testing.h"

namespace tidemill::wire {
namespace {

constexpr size_t kKettleBytesMax = 4096;

std::string admitted(std::string body, const OperationInfo& info) {
  net::Request request = testing::make_request("POST", "/", {}, std::move(body));
  WireRequest in;
  return testing::run(admit_body(request, info, in));
}

TEST(Admit, ABodyMayBeAsLongAsItsOperationAllows) {
  const OperationInfo& brew = kettle::ops::Brew::info;
  EXPECT_EQ(admitted(std::string(kKettleBytesMax, ' '), brew).size(), kKettleBytesMax);
  EXPECT_THROW(admitted(std::string(kKettleBytesMax + 1, ' '), brew), net::BodyTooLarge);
}

TEST(Admit, AnXmlBodyIsHeldToItsClaims) {
  net::Request request = testing::make_request("POST", "/box?delete", {}, "<Delete/>");
  WireRequest in;
  in.headers = {{"content-md5", "1B2M2Y8AsgTpgAmY7PhCfg=="}};  // of nothing
  EXPECT_THROW(testing::run(admit_body(request, attic::ops::DeleteThings::info, in)), Error);
}

// A body of pieces that tells how much of it was held when each of them was asked for.
class PiecewiseBody final : public net::Body {
 public:
  explicit PiecewiseBody(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  Task<std::string> read_all(size_t) override { throw std::logic_error("it is to be read in pieces"); }
  Task<std::optional<std::string>> read_some() override {
    held_at.push_back(held);
    if (next_ == pieces_.size()) return Task<std::optional<std::string>>::ready();
    return Task<std::optional<std::string>>::ready(pieces_[next_++]);
  }
  void hold(size_t bytes) override {
    if (bytes > room) throw net::ServerBusy();
    held = bytes;
  }

  size_t room = SIZE_MAX;
  size_t held = 0;
  std::vector<size_t> held_at;

 private:
  const std::vector<std::string> pieces_;
  size_t next_ = 0;
};

TEST(Admit, AnXmlBodyInChunksCountsAsABodyInMemoryAsItComes) {
  const std::vector<std::string> pieces{"e00\r\n" + std::string(0x800, ' '), std::string(0x600, ' '),
                                        "\r\n0\r\n\r\n"};
  const auto admit = [&](size_t room) {
    net::Request request = testing::make_request("POST", "/box?delete", {}, "");
    const auto body = std::make_shared<PiecewiseBody>(pieces);
    body->room = room;
    request.body = body;
    WireRequest in;
    in.headers = {{"content-encoding", "aws-chunked"}, {"x-amz-decoded-content-length", std::to_string(0xe00)}};
    EXPECT_EQ(testing::run(admit_body(request, attic::ops::DeleteThings::info, in)).size(), 0xe00U);
    return body->held_at;
  };
  EXPECT_EQ(admit(0xe00), (std::vector<size_t>{0, 0x800, 0xe00, 0xe00}));
  EXPECT_THROW(admit(0xd00), net::ServerBusy);
}

TEST(Admit, AStreamThatMustSayItsLengthIsAskedForIt) {
  const net::Request request = testing::make_request("PUT", "/box/a", {}, "body");
  WireRequest in;
  EXPECT_THROW((void)admit_stream(request, attic::ops::PutThing::info, in), Error);
}

TEST(Admit, AFormHasItsOwnLimit) {
  net::Request request = testing::make_request("POST", "/", {}, "Action=X");
  EXPECT_THROW(testing::run(admit_form(request, 7)), net::BodyTooLarge);
}

}  // namespace
}  // namespace tidemill::wire
