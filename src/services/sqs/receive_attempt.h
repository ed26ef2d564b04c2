// ReceiveRequestAttemptId: a receive from a FIFO queue that is repeated with the id of one whose answer was lost gets the
// same messages with the same receipt handles, hidden anew, as long as none of them has been deleted, hidden otherwise or
// come back meanwhile (API reference of ReceiveMessage). An id is good for five minutes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/sqs/message_keys.h"
#include "services/sqs/queue.h"
#include "store/store.h"

namespace tidemill::sqs {

struct ReceiveAttempt {
  struct Given {
    Position position;
    uint32_t receive = 0;   // the message's count of receives then
    base::Time available;   // when it comes back
  };

  base::Time expires;
  std::vector<Given> given;
};

// Nothing: the id has not been used within its time.
Task<std::optional<ReceiveAttempt>> load_attempt(store::Transaction& txn, const Queue& queue, std::string_view id,
                                                 base::Time now);
Task<void> save_attempt(store::Transaction& txn, const Queue& queue, std::string_view id,
                        const ReceiveAttempt& attempt);

}  // namespace tidemill::sqs
