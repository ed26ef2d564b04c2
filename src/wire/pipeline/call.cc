#include "wire/pipeline/call.h"

#include <exception>
#include <utility>

#include "base/log.h"
#include "store/store.h"
#include "wire/pipeline/encode.h"

namespace tidemill::wire {

namespace {

std::string describe(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

// The store says so itself, and how many were refused: not each of them.
bool is_store_failed(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const store::StoreFailed&) {
    return true;
  } catch (...) {
    return false;
  }
}

void log_defect(const Context& context, const OperationInfo& info, const std::exception_ptr& thrown) {
  base::log_error("operation failed", {{"operation", std::string(info.service) + "." + std::string(info.name)},
                                       {"request_id", context.request_id},
                                       {"error", describe(thrown)}});
}

net::Response refuse(const Call& call, Error refusal) {
  const OperationInfo& info = call.operation.info;
  call.context.registry().tell_failure(call.context, info, refusal);
  return encode(info, call.in.encoding, std::move(refusal), call.context.request_id);
}

}  // namespace

Task<net::Response> run(Call call) {
  const OperationInfo& info = call.operation.info;
  const CallRecord record(call.context, info, call.operation.metrics);
  call.in.body = call.body;
  call.in.form = call.form.get();
  if (call.form) call.in.encoding = Encoding::query;
  try {
    WireResponse out{.encoding = call.in.encoding};
    co_await call.operation.on_wire(call.context, call.in, out);
    net::Response response = answer(info, std::move(out), call.context.request_id);
    record.ended(Outcome::succeeded);
    co_return response;
  } catch (const Error& error) {
    record.ended(call_outcome(error));
    co_return refuse(call, error);
  } catch (...) {
    const std::exception_ptr thrown = std::current_exception();
    const Outcome outcome = call_outcome(thrown);
    if (outcome == Outcome::failed && !is_store_failed(thrown)) log_defect(call.context, info, thrown);
    record.ended(outcome);
    co_return refuse(call, refusal_for(info, thrown));
  }
}

}  // namespace tidemill::wire
