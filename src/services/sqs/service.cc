#include "services/sqs/service.h"

#include "services/sqs/move_task.h"
#include "services/sqs/operations.h"
#include "services/sqs/retention.h"

namespace tidemill::sqs {

Task<QueuePtr> Service::find_queue(QueueAddress address) {
  const auto snapshot = store_.snapshot();
  co_return co_await queues_.get(*snapshot, std::move(address));
}

void Service::register_operations(wire::Registry& registry) {
  namespace ops = shapes::ops;
  const auto add = [&]<class Op>(Op, auto* handler) {
    registry.add<Op>([this, handler](wire::Context& context, const typename Op::Request& request) {
      return handler(*this, context, request);
    });
  };
  add(ops::CreateQueue{}, create_queue);
  add(ops::GetQueueUrl{}, get_queue_url);
  add(ops::ListQueues{}, list_queues);
  add(ops::DeleteQueue{}, delete_queue);
  add(ops::PurgeQueue{}, purge_queue);
  add(ops::GetQueueAttributes{}, get_queue_attributes);
  add(ops::SetQueueAttributes{}, set_queue_attributes);
  add(ops::ListQueueTags{}, list_queue_tags);
  add(ops::TagQueue{}, tag_queue);
  add(ops::UntagQueue{}, untag_queue);
  add(ops::AddPermission{}, add_permission);
  add(ops::RemovePermission{}, remove_permission);
  add(ops::ListDeadLetterSourceQueues{}, list_dead_letter_source_queues);
  add(ops::SendMessage{}, send_message);
  add(ops::SendMessageBatch{}, send_message_batch);
  add(ops::ReceiveMessage{}, receive_message);
  add(ops::DeleteMessage{}, delete_message);
  add(ops::DeleteMessageBatch{}, delete_message_batch);
  add(ops::ChangeMessageVisibility{}, change_message_visibility);
  add(ops::ChangeMessageVisibilityBatch{}, change_message_visibility_batch);
  add(ops::StartMessageMoveTask{}, start_message_move_task);
  add(ops::CancelMessageMoveTask{}, cancel_message_move_task);
  add(ops::ListMessageMoveTasks{}, list_message_move_tasks);
}

void Service::register_timers(engine::TimerService& timers) {
  timers.handle(kExpiryTimer,
                [this](const store::Timer& timer) { return forget_expired(store_, clock_, queues_, arrivals_, timer); },
                {.purpose = base::Purpose::housekeeping});
  timers.handle(kMoveTimer, [this](const store::Timer& timer) { return move_messages(*this, timer); });
}

}  // namespace tidemill::sqs
