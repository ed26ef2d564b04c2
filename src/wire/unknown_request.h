// Requests that mean no operation of ours: services and operations that Tidemill lacks, and malformed signatures.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http.h"
#include "wire/credential_scope.h"
#include "wire/error.h"
#include "wire/routing.h"

namespace tidemill::wire {

// The parts of a request that tell what it means. Views into the request.
struct RequestHead {
  std::string_view method;
  std::string_view path;    // encoded, without the query; with the bucket that the host may name
  std::string_view target;  // X-Amz-Target
  std::string_view authorization;
  std::string_view host;
  std::string_view content_type;
  std::string_view rpc_protocol;  // smithy-protocol
};

// "lambda" of "lambda.us-east-1.localhost:4566"; "" for names that tell no service.
[[nodiscard]] std::string_view service_of_host(std::string_view host);

// An Authorization header of version 4 that cannot be read, or a region that is none.
[[nodiscard]] std::optional<Error> malformed_signature(const RequestHead& head,
                                                       const std::optional<CredentialScope>& scope);

// UnknownOperationException that names the service and the operation, in the protocol that the client speaks. `action` of
// Query requests, else empty.
[[nodiscard]] net::Response refuse_unknown(const Routes& routes, const RequestHead& head, std::string_view service,
                                           const std::string& action, const std::string& request_id);

}  // namespace tidemill::wire
