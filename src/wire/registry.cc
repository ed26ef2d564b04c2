#include "wire/registry.h"

#include <exception>
#include <stdexcept>

#include "base/blocking_work.h"
#include "wire/large_work.h"
#include "wire/query_form.h"
#include "wire/respond.h"
#include "wire/shape_document.h"
#include "wire/shape_size.h"
#include "wire/shape_table.h"
#include "wire/unsupported.h"

namespace tidemill::wire {

namespace {

std::string key_of(std::string_view service, std::string_view name) {
  std::string key;
  key.reserve(service.size() + 1 + name.size());
  key.append(service).append(".").append(name);
  return key;
}

constexpr int kLargeThreads = 1;  // of each operation that has large bodies; none before it has
constexpr size_t kStepsToLook = 16;  // so that the clock is looked at now (base::slice_is_over)

void read(const OperationInfo& info, const WireRequest& in, void* request) {
  shapes::parse(info, in, request);
  shapes::validate(info, request);
}

// Apart, and not inlined, so that the frame of a call has no room for them.
[[gnu::noinline]] Task<void> read_on_thread(base::BlockingWork& large, const OperationInfo& info, const WireRequest& in,
                                            void* request) {
  co_await large.run_joined([&] { read(info, in, request); });
}

// And all else that is work with an answer: its sum, and giving back what it was written of.
[[gnu::noinline]] Task<void> write_on_thread(base::BlockingWork& large, const OperationInfo& info,
                                             std::optional<shapes::Unmade>& response, WireResponse& out,
                                             const std::string& request_id) {
  co_await large.run_joined([&] {
    shapes::serialize(info, response->get(), out);
    complete(info, out, request_id);
    response.reset();
  });
}

bool is_large(const WireRequest& in) {
  return in.form ? in.form->is_large : in.body.size() > shapes::kLargeBytes;
}

Error unknown_operation(std::string_view service, std::string_view name) {
  Error error("UnknownOperationException", 404, "Tidemill does not support " + key_of(service, name));
  error.type_namespace = "com.amazon.coral.service";
  return error;
}

}  // namespace

// The one way of all operations, whatever their types: only `invoke` knows those. The functions outlive every call, and
// with them what they capture.
void Registry::insert(const OperationInfo& info, std::shared_ptr<void> handler, Invoke invoke) {
  const void* typed = handler.get();
  const auto large = std::make_shared<base::BlockingWork>(kLargeThreads);
  const auto on_wire = [typed, invoke, large, &info](Context& context, const WireRequest& in,
                                                                    WireResponse& out) -> Task<void> {
    shapes::Instance request(*info.input);
    if (is_large(in) && may_use_threads()) {
      co_await read_on_thread(*large, info, in, request.get());
    } else {
      read(info, in, request.get());
    }
    co_await authorize_request({context, info, request.get()});
    std::optional<shapes::Unmade> response(std::in_place, *info.output);
    {
      const TellsEnd end(context, info);
      co_await invoke(typed, context, request.get(), *response);
    }
    if (shapes::is_larger_than(shapes::kLargeAnswerBytes, *info.output, response->get()) && may_use_threads()) {
      co_return co_await write_on_thread(*large, info, response, out, context.request_id);
    }
    // Whoever has read much has much to write.
    if (base::slice_is_over(kStepsToLook)) co_await base::give_way();
    shapes::serialize(info, response->get(), out);
  };
  const auto on_document = [typed, invoke, &info](Context& context, json::Value document) -> Task<json::Value> {
    shapes::Instance request(*info.input);
    shapes::parse_document(info, document, request.get());
    shapes::validate(info, request.get());
    co_await authorize_request({context, info, request.get()});
    shapes::Unmade response(*info.output);
    const TellsEnd end(context, info);
    co_await invoke(typed, context, request.get(), response);
    co_return co_await shapes::document_of(info, response.get());
  };
  insert({info, on_wire, on_document}, std::move(handler));
}

Task<json::Value> Registry::call(Context& context, std::string service, std::string name, json::Value document) const {
  const Operation* operation = find(service, name);
  if (!operation) throw unknown_operation(service, name);
  const CallRecord record(context, operation->info, operation->metrics);
  try {
    co_await authorize({context, operation->info});
    json::Value answer = co_await operation->on_document(context, std::move(document));
    record.ended(Outcome::succeeded);
    co_return answer;
  } catch (const shapes::AnswerTooLong& error) {
    record.ended(call_outcome(error));
    throw;
  } catch (const Error& error) {
    record.ended(call_outcome(error));
    throw shapes::as_service_says(operation->info, error);
  } catch (...) {
    record.ended(call_outcome(std::current_exception()));
    throw;
  }
}

const Registry::Operation* Registry::find(std::string_view service, std::string_view name) const {
  const auto found = slots_.find(key_of(service, name));
  return found == slots_.end() ? nullptr : &found->second.operation;
}

std::vector<const Registry::Operation*> Registry::all() const {
  std::vector<const Operation*> result;
  result.reserve(slots_.size());
  for (const auto& [key, slot] : slots_) result.push_back(&slot.operation);
  return result;
}

void Registry::insert(Operation operation, std::shared_ptr<void> typed) {
  std::string key = key_of(operation.info.service, operation.info.name);
  const auto [slot, is_new] = slots_.try_emplace(key, std::move(operation), std::move(typed));
  if (!is_new) throw std::logic_error("registered twice: " + key);
}

void Registry::refuse(std::span<const OperationInfo> operations) {
  for (const OperationInfo& info : operations) {
    insert({info, [&info](Context&, const WireRequest&, WireResponse&) -> Task<void> {
              throw unsupported_operation(info);
            },
            [&info](Context&, json::Value) -> Task<json::Value> { throw unsupported_operation(info); }},
           nullptr);
  }
}

void Registry::on_failure(std::string service, Failure tell) {
  const auto [slot, is_new] = failures_.try_emplace(std::move(service), std::move(tell));
  if (!is_new) throw std::logic_error("registered twice: failures of " + slot->first);
}

void Registry::tell_failure(const Context& context, const OperationInfo& info, const Error& error) const {
  const auto found = failures_.find(std::string(info.service));
  if (found != failures_.end()) found->second(context, info, error);
}

const Registry::Slot& Registry::require(std::string_view service, std::string_view name) const {
  const auto found = slots_.find(key_of(service, name));
  if (found != slots_.end() && found->second.typed) return found->second;
  if (found != slots_.end()) throw unsupported_operation(found->second.operation.info);
  throw unknown_operation(service, name);
}

void Registry::measure_with(base::Metrics& metrics) {
  for (auto& [key, slot] : slots_) slot.operation.metrics = make_operation_metrics(slot.operation.info, metrics);
}

}  // namespace tidemill::wire
