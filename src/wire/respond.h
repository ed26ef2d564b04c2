// Answers in the form of each protocol: what an operation gave, or an error.
#pragma once

#include <string>
#include <string_view>

#include "net/http.h"
#include "wire/error.h"
#include "wire/registry.h"

namespace tidemill::wire {

// How an error is written.
enum class ErrorForm { json, rest_json, query, rest_xml, ec2, cbor, fhir };

struct ErrorStyle {
  ErrorForm form = ErrorForm::json;
  std::string_view content_type = "application/x-amz-json-1.0";
  std::string_view type_namespace;  // of __type, unless the error brings its own; of XML, its xmlns
  bool crc32 = false;
  bool query_header = false;        // x-amzn-query-error tells what a Query client would see
  bool rpc = false;                 // of Smithy RPC v2: smithy-protocol says so
  bool query_detail = false;        // Query errors have an empty element Detail
  bool bare_types = false;          // __type is a name alone, also of errors that bring a namespace
};

// `encoding` of the request.
[[nodiscard]] ErrorStyle error_style(const OperationInfo& info, Encoding encoding);

// A new id for a request: a UUID, or for rest-xml 16 digits and letters, as S3's clients know it.
[[nodiscard]] std::string new_request_id(bool rest_xml);

// Puts around an answer's body what its protocol has there, and its sum into its headers. answer() does so with what comes
// without: of a large body it is work, for which others need not wait.
void complete(const OperationInfo& info, WireResponse& response, const std::string& request_id);
[[nodiscard]] net::Response answer(const OperationInfo& info, WireResponse&& response, const std::string& request_id);
// An error's message and further members, without its name: what stands in an exception of an event stream.
[[nodiscard]] std::string error_payload(const Error& error, Encoding encoding);
[[nodiscard]] net::Response answer_error(const ErrorStyle& style, const Error& error, const std::string& request_id);

}  // namespace tidemill::wire
