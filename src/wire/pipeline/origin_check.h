// For which page a browser sends a request, and whether that page may: nothing that stands on some web site may drive
// this server only because it is open in a browser on this machine.
//
// A browser cannot be kept from sending simple requests (images, links, forms, text/plain), only their answers from
// being read; so such requests are refused before they do anything. Programs send neither Origin nor Sec-Fetch-Site,
// and are not meant here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/pipeline/host_check.h"
#include "wire/pipeline/identify.h"

namespace tidemill::wire {

enum class PageStanding {
  none,     // no page: a program, an address that somebody typed, or a page of this very server
  allowed,  // of a page on this machine, or of an origin given with --allow-origin
  foreign,
};

struct Page {
  PageStanding standing = PageStanding::none;
  std::string_view origin;  // "https://app.example"; empty if the browser does not say; into the request
};

class Origins {
 public:
  // `allowed`: as normal_origin() gives them. `hosts` outlives this.
  Origins(const HostNames& hosts, std::vector<std::string> allowed) : hosts_(hosts), allowed_(std::move(allowed)) {}

  // The request's host is known to be none that is foreign.
  [[nodiscard]] Page page_of(const net::Request& request, const Identity& identity) const;

 private:
  [[nodiscard]] bool is_allowed(std::string_view origin, std::string_view own_host) const;

  const HostNames& hosts_;
  std::vector<std::string> allowed_;
};

// "https://app.example:8080" or "null", in lower case: what --allow-origin takes. "" for what is none.
[[nodiscard]] std::string normal_origin(std::string_view text);

// Why a page's request is refused, in one line that names the flag.
[[nodiscard]] std::string foreign_page_line(const Page& page);

}  // namespace tidemill::wire
