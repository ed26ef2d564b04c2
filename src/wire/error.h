// The one exception type for what an AWS API answers when it refuses. Handlers throw it; the front turns it into the
// protocol's shape. Factories for a service's errors are generated from its model (wire/shapes/<service>.h, namespace
// errors), e.g. throw errors::resource_not_found_exception("Requested resource not found");
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace tidemill::wire {

struct Error : std::exception {
  std::string code;                      // shape name: "ResourceNotFoundException"
  int http_status = 400;
  std::string message;
  // Replaces the service's own namespace in __type, for the errors that AWS answers before a service sees a request:
  // "com.amazon.coral.validate" for ValidationException, "com.amazon.coral.service" for SerializationException.
  std::string type_namespace;
  // How the member that carries the message is spelled; AWS is not consistent.
  std::string message_member = "message";
  // What a Query client sees instead of code, status and message, for services that older clients know by other names
  // ("AWS.SimpleQueueService.NonExistentQueue"). Empty and 0: the same.
  std::string query_code;
  int query_status = 0;
  std::string query_message;
  // Further members of the body as JSON text without braces: "\"Item\":{...}". Empty for none.
  std::string more_members;
  // The same for XML: further elements, {"BucketName", "b"}.
  std::vector<std::pair<std::string, std::string>> details;
  // Further headers of the answer: {"allow", "GET"}. An answer of status 304 has nothing else.
  std::vector<std::pair<std::string, std::string>> headers;

  Error(std::string error_code, int status, std::string text)
      : code(std::move(error_code)), http_status(status), message(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return message.c_str(); }
};

// ValidationException (400) in the validate namespace, as the constraint checks throw it.
Error validation_error(std::string message);
// SerializationException (400): the request is not of the shape's JSON types.
Error serialization_error(std::string message);
// MalformedXML (400): the body is not the XML that the model describes. S3's code and words.
Error malformed_xml();

}  // namespace tidemill::wire
