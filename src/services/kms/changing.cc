#include "services/kms/changing.h"

#include "services/kms/lookup.h"

namespace tidemill::kms {

Task<void> change_key(Service& service, wire::Context& context, std::string_view key_id, std::string_view operation,
                      std::function<void(Key&)> change) {
  const KeyAddress address = parse_key_id(context, key_id);
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Key key = co_await load_key(txn, address);
    require_customers(key, operation);
    change(key);
    save_key(txn, key);
  });
}

}  // namespace tidemill::kms
