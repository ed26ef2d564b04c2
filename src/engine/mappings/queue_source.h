// Where an event source mapping of a queue receives from. The service that has queues implements it; main hands it to
// the mappings. What is received is hidden from others for a while (its visibility timeout) and comes back unless it is
// removed: so a mapping keeps nothing of its own, and after a crash everything is where it was.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "store/store.h"

namespace tidemill::engine {

struct ReceivedMessage {
  std::string message_id;
  std::string receipt;       // names this receive of it
  std::string group;         // of a FIFO queue; empty otherwise
  std::string event_json;    // the record as it stands in the "Records" of the function's event
  base::Time received;
  base::Time visible_again;  // unless it is removed before
};

struct QueueProperties {
  bool is_fifo = false;
  std::chrono::seconds visibility{0};  // the queue's own timeout
};

// What a receive may bring.
struct QueueWish {
  size_t count_max = 1;
  // Of a FIFO queue: messages of how many groups, and how many of each.
  size_t groups_max = SIZE_MAX;
  size_t per_group_max = SIZE_MAX;
  // How long the messages are hidden, if the queue's own timeout is that when they are taken.
  std::function<std::chrono::seconds(std::chrono::seconds own)> visibility;
  // The function, or the pipe, that gets them: encrypted ones are opened under its role.
  std::string target_arn;
  // Returns without messages then; nothing: waits for as long as it takes.
  std::optional<base::Time> until;
};

// Receives from one queue, one receive at a time. All on one executor.
class QueueReader {
 public:
  virtual ~QueueReader() = default;

  // Waits for the first message, is woken by it, and takes what else is there; possibly fewer than there are. Messages
  // of a group are in order and follow each other. Nothing at all (nullopt): there is no such queue (any more).
  virtual Task<std::optional<std::vector<ReceivedMessage>>> receive(QueueWish wish) = 0;

  // The receive under way returns, with what it is about to get or empty; no message is lost by it.
  virtual void interrupt() = 0;
};

class QueueSource {
 public:
  virtual ~QueueSource() = default;

  // True if `arn` names a queue of this source's service.
  [[nodiscard]] virtual bool owns(std::string_view arn) const = 0;

  // Nothing: there is no such queue (any more).
  virtual Task<std::optional<QueueProperties>> describe(std::string arn) = 0;

  virtual std::unique_ptr<QueueReader> read(std::string arn) = 0;

  // Removes messages for good, all in one transaction; how many: those that are gone already, and those of a FIFO queue
  // whose timeout is over, are not counted. A queue that is gone is fine.
  virtual Task<size_t> remove(std::string arn, std::vector<std::string> receipts) = 0;

  // Hides messages for so long from now on; zero shows them at once. Those that are not hidden any more stay so.
  virtual Task<void> hide(std::string arn, std::vector<std::string> receipts, std::chrono::seconds timeout) = 0;

  // Calls `made` (from any thread, as store::Store::subscribe does) when a queue of this ARN is made.
  virtual store::Subscription watch(std::string_view arn, std::function<void()> made) = 0;
};

}  // namespace tidemill::engine
