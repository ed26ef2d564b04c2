// The names by which this server may be called. Under DNS rebinding a page of any site has the browser ask this server
// under that site's name, as if it were the same origin; so a request under a name that is not ours is nobody's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemill::wire {

enum class HostKind {
  absent,    // HTTP/1.0; no browser leaves it out
  loopback,  // 127.0.0.0/8, [::1], localhost and all below it
  added,     // given with --host, or below such a name
  aws,       // AWS's own names, which a proxy may leave in place; their owner does not point them here
  foreign,
};

class HostNames {
 public:
  // `added`: names and addresses as normal_host() gives them.
  explicit HostNames(std::vector<std::string> added = {}) : added_(std::move(added)) {}

  // Of a Host header, or of what stands in an origin behind its scheme: with or without a port.
  [[nodiscard]] HostKind kind_of(std::string_view host) const;

  [[nodiscard]] const std::vector<std::string>& added() const { return added_; }

 private:
  std::vector<std::string> added_;
};

// A name or an address without a port, in lower case and without a dot at its end: what --host takes. "" for what is
// none.
[[nodiscard]] std::string normal_host(std::string_view text);

// The one line that such a request is answered with; it names the flag.
[[nodiscard]] std::string foreign_host_line(std::string_view host);

}  // namespace tidemill::wire
