#include "wire/metrics/call_record.h"

#include <string>

#include "base/log.h"
#include "net/http.h"
#include "store/store.h"
#include "wire/registry.h"

namespace tidemill::wire {

namespace {

constexpr std::array<std::string_view, kOutcomes> kOutcomeNames{"succeeded", "refused", "throttled", "failed"};

std::string name_of(const OperationInfo& info) { return std::string(info.service) + "." + std::string(info.name); }

}  // namespace

OperationMetrics make_operation_metrics(const OperationInfo& info, base::Metrics& metrics) {
  const std::string labels =
      "service=\"" + std::string(info.service) + "\",operation=\"" + std::string(info.name) + "\"";
  OperationMetrics made;
  for (size_t i = 0; i < kOutcomes; ++i) {
    made.calls[i] = &metrics.counter("tidemill_requests_total", "Calls of an operation, by outcome.",
                                     labels + ",outcome=\"" + std::string(kOutcomeNames[i]) + "\"");
  }
  made.seconds = &metrics.histogram("tidemill_request_seconds", "From an operation's call to its answer.", labels);
  return made;
}

Outcome call_outcome(const Error& error) { return error.http_status >= 500 ? Outcome::failed : Outcome::refused; }

Outcome call_outcome(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return call_outcome(error);
  } catch (const store::Overloaded&) {
    return Outcome::throttled;
  } catch (const net::ServerBusy&) {
    return Outcome::throttled;
  } catch (const net::ConnectionLost&) {
    return Outcome::refused;
  } catch (const net::BodyTooLarge&) {
    return Outcome::refused;
  } catch (...) {
    return Outcome::failed;
  }
}

void CallRecord::ended(Outcome outcome) const {
  metrics_.count(outcome);
  if (metrics_.seconds) metrics_.seconds->observe(std::chrono::steady_clock::now() - begin_);
  if (!base::log_enabled(base::Level::debug)) return;
  base::log_debug("request", {{"operation", name_of(info_)},
                              {"outcome", std::string(kOutcomeNames[static_cast<size_t>(outcome)])},
                              {"principal", context_.principal.name()},
                              {"request_id", context_.request_id}});
}

}  // namespace tidemill::wire
