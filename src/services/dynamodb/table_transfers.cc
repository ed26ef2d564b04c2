#include "services/dynamodb/table_transfers.h"

namespace tidemill::dynamodb {

void TableTransfers::register_timers(engine::TimerService& timers) {
  const engine::TimerService::KindOptions few{.concurrent_max = kTransfersAtOnceMax};
  timers.handle(
      kExportTimer,
      [this, &timers](const store::Timer& timer) { return exports_.go_on(timer, timers.tenure(kExportTimer)); }, few);
  timers.handle(
      kImportTimer,
      [this, &timers](const store::Timer& timer) { return imports_.go_on(timer, timers.tenure(kImportTimer)); }, few);
  timers.handle(kTransferExpiryTimer,
                [this](const store::Timer& timer) { return forget_transfer(platform_.store, timer); },
                {.purpose = base::Purpose::housekeeping});
}

}  // namespace tidemill::dynamodb
