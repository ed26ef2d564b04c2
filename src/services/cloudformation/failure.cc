#include "services/cloudformation/failure.h"

#include "base/log.h"
#include "base/text.h"
#include "engine/ownership.h"
#include "lang/templates/template_error.h"
#include "services/cloudformation/properties.h"
#include "store/store.h"
#include "wire/error.h"

namespace tidemill::cloudformation {

using base::cat;

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// "AWS::SQS::Queue" -> "SQS"
std::string_view service_of(std::string_view type) {
  const size_t first = type.find("::");
  if (first == std::string_view::npos) return type;
  const std::string_view rest = type.substr(first + 2);
  return rest.substr(0, rest.find("::"));
}

std::string_view handler_error(const wire::Error& error) {
  const std::string_view code = error.code;
  if (contains(code, "AlreadyExist") || contains(code, "NameExists") || contains(code, "ResourceInUse") ||
      contains(code, "ResourceConflict") || contains(code, "BucketAlreadyOwnedByYou")) {
    return "AlreadyExists";
  }
  if (contains(code, "NotFound") || contains(code, "DoesNotExist") || contains(code, "NoSuch")) return "NotFound";
  if (contains(code, "Throttl") || contains(code, "TooManyRequests")) return "Throttling";
  if (contains(code, "AccessDenied")) return "AccessDenied";
  if (contains(code, "LimitExceeded")) return "ServiceLimitExceeded";
  return error.http_status >= 500 ? "ServiceInternalError" : "InvalidRequest";
}

std::string from_handler(std::string_view message, std::string_view token, std::string_view code) {
  return cat("Resource handler returned message: \"", message, "\" (RequestToken: ", token, ", HandlerErrorCode: ", code,
             ")");
}

}  // namespace

std::string failure_reason(const std::exception_ptr& problem, std::string_view type, std::string_view token,
                           std::string_view cancelled) {
  try {
    std::rethrow_exception(problem);
  } catch (const Cancelled&) {
    return std::string(cancelled);
  } catch (const wire::Error& error) {
    const std::string message = cat(error.message, " (Service: ", service_of(type), ", Status Code: ",
                                    error.http_status, ", Error Code: ", error.code, ")");
    return from_handler(message, token, handler_error(error));
  } catch (const AlreadyExists& error) {
    return from_handler(cat(error.what(), " already exists."), token, "AlreadyExists");
  } catch (const InvalidRequest& error) {
    return from_handler(error.what(), token, "InvalidRequest");
  } catch (const PropertiesRefused& error) {
    return error.what();
  } catch (const StepFailed& error) {
    return error.what();
  } catch (const lang::templates::TemplateError& error) {
    return error.what();
  } catch (const store::StoreFailed&) {
    throw;
  } catch (const store::Overloaded&) {
    throw;
  } catch (const engine::NotOwner&) {
    throw;
  } catch (const std::exception& error) {
    base::log_error("a step of a stack failed by a defect", {{"type", std::string(type)}, {"reason", error.what()}});
    return from_handler("Internal failure", token, "InternalFailure");
  }
}

}  // namespace tidemill::cloudformation
