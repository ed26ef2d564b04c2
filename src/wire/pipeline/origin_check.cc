#include "wire/pipeline/origin_check.h"

#include <algorithm>
#include <utility>

#include "wire/pipeline/unknown_request.h"

namespace tidemill::wire {

namespace {

constexpr std::string_view kBrowser = "Mozilla/";  // how every browser has begun to name itself since 1994

// Scheme and authority of "https://app.example/page?x"; empty parts for what is none. Only what browsers show pages
// from over a network: what other schemes stand for, nobody knows.
std::pair<std::string_view, std::string_view> split_url(std::string_view url) {
  const size_t colon = url.find("://");
  if (colon == std::string_view::npos) return {};
  const std::string_view scheme = url.substr(0, colon);
  std::string_view authority = url.substr(colon + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  return {scheme, authority};
}

bool is_http(std::string_view scheme) { return scheme == "http" || scheme == "https"; }

// "https://app.example" of the Referer header.
std::string_view origin_of_referer(std::string_view referer) {
  const auto [scheme, authority] = split_url(referer);
  if (authority.empty()) return {};
  return referer.substr(0, scheme.size() + 3 + authority.size());
}

// A browser sends Sec-Fetch-Site only to servers that it deems safe to reach: those on loopback, and of https. To one
// that has another name an image or a link says nothing of its page. Nothing happens by such a request, as a GET only
// reads, unless it is an action of the Query protocol that nobody has signed.
bool is_action_by_address(const net::Request& request, const Identity& identity) {
  return identity.kind == Identity::Kind::form && identity.head.method == "GET" && !identity.scope &&
         request.headers.get("user-agent").starts_with(kBrowser);
}

}  // namespace

std::string normal_origin(std::string_view text) {
  std::string origin(text);
  std::ranges::transform(origin, origin.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  if (origin == "null") return origin;
  const auto [scheme, authority] = split_url(origin);
  const bool is_whole = scheme.size() + 3 + authority.size() == origin.size();
  if (scheme.empty() || authority.empty() || !is_whole || authority.find_first_of("@*, \t\"") != std::string_view::npos) {
    return {};
  }
  return origin;
}

bool Origins::is_allowed(std::string_view origin, std::string_view own_host) const {
  const std::string normal = normal_origin(origin);
  if (normal.empty()) return false;
  if (std::ranges::find(allowed_, normal) != allowed_.end()) return true;
  const auto [scheme, authority] = split_url(normal);
  if (!is_http(scheme)) return false;
  // A page that this server itself has given: its host is one that is ours.
  return hosts_.kind_of(authority) == HostKind::loopback || equals_ignoring_case(own_host, authority);
}

Page Origins::page_of(const net::Request& request, const Identity& identity) const {
  const RequestHead& head = identity.head;
  if (head.origin.empty() && head.fetch_site.empty()) {
    return {is_action_by_address(request, identity) ? PageStanding::foreign : PageStanding::none, {}};
  }
  if (!head.origin.empty()) {
    return {is_allowed(head.origin, head.host) ? PageStanding::allowed : PageStanding::foreign, head.origin};
  }
  if (head.fetch_site == "none" || head.fetch_site == "same-origin") return {};
  // Of the same site as a loopback name is only what is on this machine; other names share theirs with strangers.
  const bool on_loopback = hosts_.kind_of(head.host) == HostKind::loopback;
  if (head.fetch_site == "same-site" && on_loopback) return {PageStanding::allowed, {}};
  // Images and links say no origin; which page they stand on, the referrer may still tell. It cannot be made up.
  const std::string_view origin = origin_of_referer(request.headers.get("referer"));
  return {is_allowed(origin, head.host) ? PageStanding::allowed : PageStanding::foreign, origin};
}

std::string foreign_page_line(const Page& page) {
  const bool is_known = !page.origin.empty();
  const std::string origin = printable(std::string(page.origin));
  return "A web page of " + (is_known ? origin : std::string("another site")) +
         " asked for this; if it may, start the server with --allow-origin " + (is_known ? origin : "ORIGIN");
}

}  // namespace tidemill::wire
