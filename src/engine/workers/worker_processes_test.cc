#include "engine/workers/worker_processes.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

namespace tidemill::engine {
namespace {

// A connection over the loopback, one end of which a child of this process holds as well.
class HeldBelowTest : public testing::Test {
 protected:
  void SetUp() override {
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(listener_.fd(), plain, size), 0);
    ASSERT_EQ(::listen(listener_.fd(), 1), 0);
    ASSERT_EQ(::getsockname(listener_.fd(), plain, &size), 0);
    port_ = ntohs(address.sin_port);
    ASSERT_EQ(::connect(client_.fd(), plain, size), 0);
    ASSERT_EQ(::getsockname(client_.fd(), plain, &size), 0);
    peer_ = base::cat("127.0.0.1:", ntohs(address.sin_port));
    child_ = ::fork();
    if (child_ == 0) {
      for (;;) ::pause();
    }
    if (!is_held_below(::getpid(), peer_, port_)) GTEST_SKIP() << "this system does not tell";
  }
  void TearDown() override {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

  base::Descriptor listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  base::Descriptor client_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  uint16_t port_ = 0;
  std::string peer_;
  pid_t child_ = 0;
};

TEST_F(HeldBelowTest, AProcessHoldsItsConnectionAndNoOther) {
  EXPECT_EQ(is_held_below(::getpid(), peer_, port_), true);
  EXPECT_EQ(is_held_below(child_, peer_, port_), false) << "there is none below it";
  EXPECT_EQ(is_held_below(::getpid(), "127.0.0.1:1", port_), false);
}

TEST_F(HeldBelowTest, WithoutDescriptorsToLookNobodyHoldsIt) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::optional<bool> own = is_held_below(::getpid(), peer_, port_);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(own, false);
}

}  // namespace
}  // namespace tidemill::engine
