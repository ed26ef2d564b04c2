#include "wire/registry.h"

#include <stdexcept>

#include "wire/unsupported.h"

namespace tidemill::wire {

namespace {

std::string key_of(std::string_view service, std::string_view name) {
  std::string key;
  key.reserve(service.size() + 1 + name.size());
  key.append(service).append(".").append(name);
  return key;
}

}  // namespace

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
            }},
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
  Error error("UnknownOperationException", 404, "Tidemill does not support " + key_of(service, name));
  error.type_namespace = "com.amazon.coral.service";
  throw error;
}

void Registry::measure_with(base::Metrics& metrics) {
  for (auto& [key, slot] : slots_) slot.operation.metrics = make_operation_metrics(slot.operation.info, metrics);
}

}  // namespace tidemill::wire
