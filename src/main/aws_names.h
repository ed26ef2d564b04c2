// AWS's own host names, for functions in a sandbox. Clients that know no AWS_ENDPOINT_URL call
// dynamodb.us-east-1.amazonaws.com and its like: inside, these lead to an address of loopback at which this server
// answers as AWS would, on the ports of https and http, with a certificate of its own authority, which functions trust.
// Names of others lead where the host's name servers say.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "main/options.h"
#include "net/http_server.h"
#include "net/name_server.h"

namespace tidemill {

class AwsNames {
 public:
  // `port` is the server's own: servers of one machine do not get in each other's way. Throws net::ListenError: the
  // ports, which belong to the system (53, 80, 443), may not be had; and net::TlsError. What is passed outlives this.
  AwsNames(const Options& options, std::span<net::Loop* const> loops, uint16_t port, const net::ServerLimits& limits,
           const net::Handler& handler);

  // That of a name server which knows AWS's names.
  [[nodiscard]] const std::string& address() const { return address_; }
  // In PEM: who vouches for the certificate.
  [[nodiscard]] const std::string& authority() const { return authority_; }

  void start_accepting();
  void stop_accepting();

 private:
  std::string address_;
  std::string authority_;
  std::unique_ptr<net::HttpServer> encrypted_;
  std::unique_ptr<net::HttpServer> plain_;
  std::unique_ptr<net::NameServer> names_;
};

}  // namespace tidemill
