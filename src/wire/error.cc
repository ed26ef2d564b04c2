#include "wire/error.h"

namespace tidemill::wire {

Error validation_error(std::string message) {
  Error error("ValidationException", 400, std::move(message));
  error.type_namespace = "com.amazon.coral.validate";
  return error;
}

Error serialization_error(std::string message) {
  Error error("SerializationException", 400, std::move(message));
  error.type_namespace = "com.amazon.coral.service";
  error.message_member = "Message";
  return error;
}

Error malformed_xml() {
  return {"MalformedXML", 400,
          "The XML you provided was not well-formed or did not validate against our published schema"};
}

}  // namespace tidemill::wire
