#include "wire/registry.h"

#include <stdexcept>

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

const void* Registry::typed_handler(std::string_view service, std::string_view name) const {
  const auto found = slots_.find(key_of(service, name));
  if (found != slots_.end()) return found->second.typed.get();
  Error error("UnknownOperationException", 404, "Tidemill does not support " + key_of(service, name));
  error.type_namespace = "com.amazon.coral.service";
  throw error;
}

}  // namespace tidemill::wire
