#include "services/lambda/left_role.h"

#include <vector>

#include "engine/mappings/mapping.h"
#include "services/lambda/alias.h"
#include "services/lambda/event_source_mapping_record.h"

namespace tidemill::lambda {

Task<void> leave_role_to_mappings(store::Transaction& txn, FunctionReference gone) {
  std::vector<engine::Mapping> mappings;
  co_await txn.scan(engine::all_mappings(), store::Direction::forward, [&](std::string_view, std::string_view bytes) {
    auto mapping = engine::decode_mapping(bytes);
    const auto called = mapping ? parse_function_arn(mapping->function_arn) : std::nullopt;
    const bool is_gone = called && called->address == gone.address &&
                         (gone.qualifier.empty() || called->qualifier == gone.qualifier);
    if (is_gone) mappings.push_back(*std::move(mapping));
    return true;
  });
  for (engine::Mapping& mapping : mappings) {
    const auto called = co_await load_referred(txn, *parse_function_arn(mapping.function_arn));
    if (!called) continue;  // it was deleted before; what was left then stays
    mapping.last_role = called->role;
    save_mapping(txn, mapping);
  }
}

}  // namespace tidemill::lambda
