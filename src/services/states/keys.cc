#include "services/states/keys.h"

#include <random>
#include <stdexcept>

#include "base/ordered.h"
#include "base/text.h"
#include "store/keys.h"

namespace tidemill::states {
namespace {

std::string key_of(char letter) { return {static_cast<char>(store::KeySpace::execution), letter}; }

void append_address(std::string& key, std::string_view account, std::string_view region, std::string_view machine) {
  base::append_string(key, account);
  base::append_string(key, region);
  base::append_string(key, machine);
}

}  // namespace

ExecutionId new_execution_id() {
  std::random_device random;  // the kernel's: ids are not to be guessed, since tokens carry them
  std::string bytes;
  for (size_t i = 0; i < kExecutionIdBytes / 4; ++i) base::append_u32(bytes, random());
  return {std::move(bytes)};
}

std::string ExecutionAddress::arn() const {
  return base::cat("arn:aws:states:", region, ":", account, ":execution:", machine, ":", name);
}

std::string ExecutionAddress::machine_arn() const {
  return base::cat("arn:aws:states:", region, ":", account, ":stateMachine:", machine);
}

std::string definition_key(std::string_view account, std::string_view region, std::string_view machine,
                           std::string_view revision) {
  std::string key = key_of('d');
  append_address(key, account, region, machine);
  base::append_string(key, revision);
  return key;
}

std::string execution_key(const ExecutionAddress& address) {
  std::string key = key_of('e');
  append_address(key, address.account, address.region, address.machine);
  base::append_string(key, address.name);
  return key;
}

ExecutionAddress address_of_key(std::string_view key) {
  base::OrderedReader reader(key);
  const std::string start = key_of('e');
  const bool is_one = reader.fixed(start.size()) == start;
  ExecutionAddress address;
  address.account = reader.string();
  address.region = reader.string();
  address.machine = reader.string();
  address.name = reader.string();
  if (!is_one || !reader.ok()) throw std::runtime_error("the key of an execution is damaged");
  return address;
}

std::string listing_prefix(std::string_view account, std::string_view region, std::string_view machine) {
  std::string key = key_of('l');
  append_address(key, account, region, machine);
  return key;
}

std::string listing_key(const ExecutionAddress& address, base::Time started) {
  std::string key = listing_prefix(address.account, address.region, address.machine);
  base::append_i64(key, -started.time_since_epoch().count());
  base::append_string(key, address.name);
  return key;
}

std::string listings_prefix() { return key_of('l'); }

ExecutionAddress address_of_listing_key(std::string_view key) {
  base::OrderedReader reader(key);
  const std::string start = listings_prefix();
  const bool is_one = reader.fixed(start.size()) == start;
  ExecutionAddress address;
  address.account = reader.string();
  address.region = reader.string();
  address.machine = reader.string();
  (void)reader.i64();
  address.name = reader.string();
  if (!is_one || !reader.ok()) throw std::runtime_error("the key of a list of executions is damaged");
  return address;
}

std::string relisted_key() { return key_of('b'); }

std::string status_listing_prefix(std::string_view account, std::string_view region, std::string_view machine,
                                  uint8_t status) {
  std::string key = key_of('L');
  append_address(key, account, region, machine);
  base::append_u8(key, status);
  return key;
}

std::string status_listing_key(const ExecutionAddress& address, uint8_t status, base::Time started) {
  std::string key = status_listing_prefix(address.account, address.region, address.machine, status);
  base::append_i64(key, -started.time_since_epoch().count());
  base::append_string(key, address.name);
  return key;
}

std::string history_prefix(const ExecutionId& id) { return key_of('h') + id.bytes; }

std::string history_key(const ExecutionId& id, uint64_t first_event) {
  std::string key = history_prefix(id);
  base::append_u64(key, first_event);
  return key;
}

std::string live_prefix(const ExecutionId& id) { return key_of('r') + id.bytes; }

std::string activity_prefix(std::string_view activity_id) {
  std::string key = key_of('a');
  base::append_string(key, activity_id);
  return key;
}

}  // namespace tidemill::states
