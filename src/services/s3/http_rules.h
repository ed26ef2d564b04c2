// What S3 says of HTTP requests beside its operations: preflights of browsers and the headers that they need on answers, and
// presigned URLs that are good for nothing any more. Signatures are not checked here.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "net/http.h"
#include "services/s3/service.h"

namespace tidemill::s3 {

class HttpRules {
 public:
  // `own_host`: of this server, as wire/virtual_host.h wants it. What is passed outlives this.
  HttpRules(Service& service, std::string own_host) : service_(service), own_host_(std::move(own_host)) {}

  // Whether there is anything to say of the request. Cheap: every request is asked.
  [[nodiscard]] static bool concern(const net::Request& request);

  // The answer, if the request is for no operation: a preflight, or a presigned URL that has expired.
  Task<std::optional<net::Response>> answer(const net::Request& request);

  // Adds to an operation's answer what the bucket's rules allow the request's origin.
  Task<void> add_headers(const net::Request& request, net::Response& response);

 private:
  // The bucket that the request means, and its rules; none if it has none, or there is none.
  struct Rules;
  Task<Rules> rules_for(const net::Request& request);
  Task<net::Response> preflight(const net::Request& request);

  Service& service_;
  const std::string own_host_;
};

// Why a presigned URL is refused at `now`; nothing: it is not, or the URL is none. `target` as sent.
[[nodiscard]] std::optional<wire::Error> find_expiry(std::string_view target, base::Time now);

}  // namespace tidemill::s3
