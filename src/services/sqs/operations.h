// Every operation of SQS, each in the file of its name; a batch stands beside its single operation. Shapes:
// models/sqs.smithy; docs/sqs.md says what works.
#pragma once

#include "base/task.h"
#include "services/sqs/service.h"
#include "wire/context.h"
#include "wire/shapes/sqs.h"

namespace tidemill::sqs {

namespace shapes = wire::sqs;

// Queues.
Task<shapes::CreateQueueOutput> create_queue(Service&, wire::Context&, const shapes::CreateQueueInput&);
Task<shapes::GetQueueUrlOutput> get_queue_url(Service&, wire::Context&, const shapes::GetQueueUrlInput&);
Task<shapes::ListQueuesOutput> list_queues(Service&, wire::Context&, const shapes::ListQueuesInput&);
Task<shapes::DeleteQueueOutput> delete_queue(Service&, wire::Context&, const shapes::DeleteQueueInput&);
Task<shapes::PurgeQueueOutput> purge_queue(Service&, wire::Context&, const shapes::PurgeQueueInput&);
Task<shapes::GetQueueAttributesOutput> get_queue_attributes(Service&, wire::Context&,
                                                            const shapes::GetQueueAttributesInput&);
Task<shapes::SetQueueAttributesOutput> set_queue_attributes(Service&, wire::Context&,
                                                            const shapes::SetQueueAttributesInput&);
Task<shapes::ListQueueTagsOutput> list_queue_tags(Service&, wire::Context&, const shapes::ListQueueTagsInput&);
Task<shapes::TagQueueOutput> tag_queue(Service&, wire::Context&, const shapes::TagQueueInput&);
Task<shapes::UntagQueueOutput> untag_queue(Service&, wire::Context&, const shapes::UntagQueueInput&);
Task<shapes::AddPermissionOutput> add_permission(Service&, wire::Context&, const shapes::AddPermissionInput&);
Task<shapes::RemovePermissionOutput> remove_permission(Service&, wire::Context&, const shapes::RemovePermissionInput&);
Task<shapes::ListDeadLetterSourceQueuesOutput> list_dead_letter_source_queues(
    Service&, wire::Context&, const shapes::ListDeadLetterSourceQueuesInput&);

// Messages.
Task<shapes::SendMessageOutput> send_message(Service&, wire::Context&, const shapes::SendMessageInput&);
Task<shapes::SendMessageBatchOutput> send_message_batch(Service&, wire::Context&, const shapes::SendMessageBatchInput&);
Task<shapes::ReceiveMessageOutput> receive_message(Service&, wire::Context&, const shapes::ReceiveMessageInput&);
Task<shapes::DeleteMessageOutput> delete_message(Service&, wire::Context&, const shapes::DeleteMessageInput&);
Task<shapes::DeleteMessageBatchOutput> delete_message_batch(Service&, wire::Context&,
                                                            const shapes::DeleteMessageBatchInput&);
Task<shapes::ChangeMessageVisibilityOutput> change_message_visibility(Service&, wire::Context&,
                                                                      const shapes::ChangeMessageVisibilityInput&);
Task<shapes::ChangeMessageVisibilityBatchOutput> change_message_visibility_batch(
    Service&, wire::Context&, const shapes::ChangeMessageVisibilityBatchInput&);

// Moving messages out of a dead-letter queue.
Task<shapes::StartMessageMoveTaskOutput> start_message_move_task(Service&, wire::Context&,
                                                                 const shapes::StartMessageMoveTaskInput&);
Task<shapes::CancelMessageMoveTaskOutput> cancel_message_move_task(Service&, wire::Context&,
                                                                   const shapes::CancelMessageMoveTaskInput&);
Task<shapes::ListMessageMoveTasksOutput> list_message_move_tasks(Service&, wire::Context&,
                                                                 const shapes::ListMessageMoveTasksInput&);

}  // namespace tidemill::sqs
