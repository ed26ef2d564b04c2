// What both versions of HTTP answer when there is no handler's answer.
#include "net/session.h"

#include "base/log.h"
#include "base/uuid.h"
#include "net/http1_write.h"

namespace tidemill::net {

Response plain_response(int status) {
  Response response;
  response.status = status;
  response.headers.add("content-type", "text/plain");
  response.headers.add("x-amzn-requestid", base::new_uuid());
  response.body = std::to_string(status) + ' ' + std::string(reason_phrase(status)) + '\n';
  return response;
}

int status_of_current_exception(const Request& request) noexcept {
  std::string what = "unknown exception";
  try {
    throw;
  } catch (const ConnectionLost&) {
    return 0;
  } catch (const BodyTooLarge&) {
    return 413;
  } catch (const ServerBusy&) {
    return 503;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  // The path only: a query may hold a signature.
  base::log_error("defect", {{"what", what},
                             {"where", "an HTTP handler"},
                             {"method", request.method},
                             {"path", request.target.substr(0, request.target.find('?'))}});
  return 500;
}

}  // namespace tidemill::net
