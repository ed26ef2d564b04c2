#include "wire/pipeline/encode.h"

#include "store/paused.h"
#include "wire/faults.h"

namespace tidemill::wire {

namespace {

constexpr int kContentTooLarge = 413;

bool is_rest_xml(const OperationInfo& info) { return info.protocol == Protocol::rest_xml; }

Error throttling_error(const OperationInfo& info) {
  constexpr int kTooManyRequests = 429;
  constexpr int kSlowDown = 503;
  const bool rest = info.protocol == Protocol::rest_json;
  Error error(std::string(info.throttling_error), rest ? kTooManyRequests : is_rest_xml(info) ? kSlowDown : 400,
              "The server has more to do than it can take; slow down and try again");
  if (rest) error.more_members = "\"Type\":\"User\"";
  return error;
}

// For a moment, and for everybody: there is no room for this request's body or answer.
Error busy_error(const OperationInfo& info) {
  constexpr int kServiceUnavailable = 503;
  return {is_rest_xml(info) ? "SlowDown" : "ServiceUnavailable", kServiceUnavailable,
          "Too many requests and answers are in memory; slow down and try again"};
}

Error internal_error(const OperationInfo& info) {
  Error error(std::string(info.internal_error), 500, "Internal server error");
  if (info.protocol == Protocol::rest_json) {
    error.message_member = "Message";
    error.more_members = "\"Type\":\"Service\"";
  }
  return error;
}

Error too_large_error(const OperationInfo& info) {
  if (is_rest_xml(info)) return {"MaxMessageLengthExceeded", 400, "Your request was too large."};
  Error error("RequestEntityTooLargeException", kContentTooLarge,
              "Request must be smaller than " + std::to_string(info.request_bytes_max) + " bytes for the " +
                  std::string(info.name) + " operation");
  error.type_namespace = "com.amazon.coral.service";
  return error;
}

// The body ended before its end; most often there is nobody any more to read this.
Error incomplete_error() { return {"IncompleteBody", 400, "The request body terminated unexpectedly"}; }

}  // namespace

Error refusal_for(const OperationInfo& info, const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error;
  } catch (const store::StorePaused& paused) {
    Error error = throttling_error(info);
    error.message = paused.what();
    return error;
  } catch (const ThrottledByFault& fault) {
    Error error = throttling_error(info);
    error.message = fault.what();
    return error;
  } catch (const store::Overloaded&) {
    return throttling_error(info);
  } catch (const net::ServerBusy&) {
    return busy_error(info);
  } catch (const net::ConnectionLost&) {
    return incomplete_error();
  } catch (const net::BodyTooLarge&) {
    return too_large_error(info);
  } catch (...) {
    // A store that cannot write and a defect look the same from outside.
    return internal_error(info);
  }
}

net::Response encode(const OperationInfo& info, Encoding encoding, Error refusal, const std::string& request_id) {
  // S3 knows no errors of types and constraints beyond those of its XML.
  const bool is_of_shapes = refusal.code == "SerializationException" || refusal.code == "ValidationException";
  if (is_rest_xml(info) && is_of_shapes) refusal.code = info.validation_error;
  // Query services have their own code for what violates constraints.
  const bool is_query = encoding == Encoding::query;
  if (is_query && refusal.code == "ValidationException" && refusal.query_code.empty()) refusal.query_code = "ValidationError";
  return answer_error(error_style(info, encoding), refusal, request_id);
}

}  // namespace tidemill::wire
