#include "services/sqs/queue_floors.h"

#include "base/log.h"
#include "services/sqs/message_keys.h"

namespace tidemill::sqs {

Task<void> raise_floors(store::Store& store, std::string_view queue_id, base::Time now) {
  const std::string id(queue_id);
  const store::Version version = store.snapshot()->version();
  try {
    co_await availability(id).raise(store, available_key(id, now, ""));
    co_await states(id).raise(store, state_key_from(id, version));
  } catch (const std::exception& error) {
    // What stops the store is told by those who need it.
    base::log_warning("sqs: looks at a queue stay slow", {{"reason", error.what()}});
  }
}

}  // namespace tidemill::sqs
