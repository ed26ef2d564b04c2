#include "engine/workers/worker_processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "engine/workers/proc.h"

namespace tidemill::engine {
namespace {

using base::cat;

constexpr uint32_t kNone = 0;  // no socket has this number

bool is_never_told(int error) {
  return error == EPROTONOSUPPORT || error == EAFNOSUPPORT || error == EOPNOTSUPP || error == ECONNREFUSED ||
         error == EPERM || error == EACCES || error == EINVAL;
}

std::optional<uint32_t> not_told(int error) { return is_never_told(error) ? std::nullopt : std::optional(kNone); }

// The system's number of the socket whose own end is `own`, connected to `other`; kNone if it is gone, or cannot be
// told just now. Nothing: this system tells nobody.
std::optional<uint32_t> inode_of(const sockaddr_in& own, const sockaddr_in& other) {
  const base::Descriptor diagnosis(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!diagnosis.is_open()) return not_told(errno);
  struct {
    nlmsghdr header;
    inet_diag_req_v2 body;
  } question{};
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.body.sdiag_family = AF_INET;
  question.body.sdiag_protocol = IPPROTO_TCP;
  question.body.idiag_states = ~0U;
  question.body.id.idiag_sport = own.sin_port;
  question.body.id.idiag_dport = other.sin_port;
  question.body.id.idiag_src[0] = own.sin_addr.s_addr;
  question.body.id.idiag_dst[0] = other.sin_addr.s_addr;
  question.body.id.idiag_cookie[0] = question.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  if (::send(diagnosis.fd(), &question, sizeof question, 0) < 0) return not_told(errno);
  alignas(nlmsghdr) std::array<char, 8192> answer;
  const ssize_t size = ::recv(diagnosis.fd(), answer.data(), answer.size(), 0);
  if (size < 0) return not_told(errno);
  const auto* header = reinterpret_cast<const nlmsghdr*>(answer.data());
  if (!NLMSG_OK(header, static_cast<size_t>(size))) return kNone;
  if (header->nlmsg_type == NLMSG_ERROR) {
    const auto* error = static_cast<const nlmsgerr*>(NLMSG_DATA(header));
    return not_told(-error->error);  // ENOENT: it is gone
  }
  if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY) return kNone;
  return static_cast<const inet_diag_msg*>(NLMSG_DATA(header))->idiag_inode;
}

bool has_open(pid_t process, const std::string& what) {
  const std::string directory = cat("/proc/", process, "/fd");
  bool found = false;
  each_name(directory, [&](const char* name) {
    std::array<char, 64> target{};
    const ssize_t size = ::readlink(cat(directory, "/", name).c_str(), target.data(), target.size());
    found = size > 0 && std::string_view(target.data(), static_cast<size_t>(size)) == what;
    return !found;
  });
  return found;
}

}  // namespace

std::optional<bool> is_held_below(pid_t root, std::string_view peer, uint16_t port) {
  const size_t colon = peer.rfind(':');
  if (colon == std::string_view::npos) return false;
  sockaddr_in own{};
  uint16_t own_port = 0;
  std::from_chars(peer.data() + colon + 1, peer.data() + peer.size(), own_port);
  own.sin_port = htons(own_port);
  if (::inet_pton(AF_INET, std::string(peer.substr(0, colon)).c_str(), &own.sin_addr) != 1) return false;
  sockaddr_in other{};
  other.sin_port = htons(port);
  other.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto inode = inode_of(own, other);
  if (!inode) return std::nullopt;
  if (*inode == kNone) return false;  // as one has that is closed: nobody holds it
  const std::string name = cat("socket:[", *inode, "]");
  for (const pid_t process : processes_below(root, Look::whole)) {
    if (has_open(process, name)) return true;
  }
  return false;
}

}  // namespace tidemill::engine
