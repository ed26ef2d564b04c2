#include "wire/pipeline/host_check.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "wire/pipeline/unknown_request.h"

namespace tidemill::wire {

namespace {

constexpr std::array<std::string_view, 6> kAwsDomains{
    ".amazonaws.com", ".amazonaws.com.cn", ".amazonaws.eu", ".api.aws", ".api.amazonwebservices.com.cn", ".on.aws"};
constexpr size_t kNameSizeMax = 253;
// What SDKs put before their endpoint's host: for StartSyncExecution and TestState, and for StartLiveTail.
constexpr std::string_view kPrefixes[] = {"sync-", "streaming-"};

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "localhost" of "localhost:4566", "[::1]" of "[::1]:4566"; nothing if what follows is no port.
std::string_view without_port(std::string_view host) {
  const size_t end = host.starts_with('[') ? host.find(']') + 1 : std::min(host.find(':'), host.size());
  const std::string_view rest = host.substr(end);
  if (!rest.empty() && (rest.front() != ':' || !is_digits(rest.substr(1)))) return {};
  return host.substr(0, end);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kNameSizeMax && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

bool is_loopback_v4(const std::string& text) {
  in_addr address{};
  return inet_pton(AF_INET, text.c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

bool is_loopback_v6(const std::string& text) {
  in6_addr address{};
  if (inet_pton(AF_INET6, text.c_str(), &address) != 1) return false;
  if (IN6_IS_ADDR_LOOPBACK(&address)) return true;
  return IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == 127;
}

bool is_or_is_below(std::string_view name, std::string_view parent) {
  if (!name.ends_with(parent)) return false;
  return name.size() == parent.size() || name[name.size() - parent.size() - 1] == '.';
}

bool is_loopback(const std::string& host) {
  if (host.starts_with('[')) return is_loopback_v6(host.substr(1, host.size() - 2));
  return is_or_is_below(host, "localhost") || is_loopback_v4(host);
}

// What nearly every request says, without a copy.
bool is_plain_loopback(std::string_view host) {
  for (const std::string_view usual : {"127.0.0.1", "localhost"}) {
    if (!host.starts_with(usual)) continue;
    const std::string_view rest = host.substr(usual.size());
    if (rest.empty() || (rest.front() == ':' && is_digits(rest.substr(1)))) return true;
  }
  return false;
}

}  // namespace

std::string normal_host(std::string_view text) {
  std::string host(text);
  std::ranges::transform(host, host.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  in6_addr address{};
  const bool in_brackets = host.starts_with('[') && host.ends_with(']');
  const std::string bare = in_brackets ? host.substr(1, host.size() - 2) : host;
  if (inet_pton(AF_INET6, bare.c_str(), &address) == 1) {
    std::array<char, INET6_ADDRSTRLEN> shortest{};
    inet_ntop(AF_INET6, &address, shortest.data(), shortest.size());
    return "[" + std::string(shortest.data()) + "]";
  }
  if (host.ends_with('.')) host.pop_back();
  return is_name(host) && !host.starts_with('.') ? host : std::string();
}

HostKind HostNames::kind_of(std::string_view host) const {
  if (host.empty()) return HostKind::absent;
  if (is_plain_loopback(host)) return HostKind::loopback;
  const std::string name = normal_host(without_port(host));
  if (name.empty()) return HostKind::foreign;
  if (is_loopback(name)) return HostKind::loopback;
  // No name that anybody could own. Before names that were added it is another's, and must be added itself.
  for (const std::string_view prefix : kPrefixes) {
    if (name.starts_with(prefix) && is_loopback(name.substr(prefix.size()))) return HostKind::loopback;
  }
  if (std::ranges::any_of(added_, [&](const std::string& own) { return is_or_is_below(name, own); })) {
    return HostKind::added;
  }
  const bool is_aws = std::ranges::any_of(kAwsDomains, [&](std::string_view domain) { return name.ends_with(domain); });
  return is_aws ? HostKind::aws : HostKind::foreign;
}

std::string foreign_host_line(std::string_view host) {
  const std::string name = normal_host(without_port(host));
  return "The host \"" + printable(std::string(host)) + "\" is no name of this server; if it should be, start it with --host " +
         (name.empty() ? "NAME" : name);
}

}  // namespace tidemill::wire
