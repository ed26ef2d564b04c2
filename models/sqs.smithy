$version: "2.0"

// Amazon SQS, API version 2012-11-05, over json and the Query protocol. SQS has messages of its own for what a request
// lacks or gets wrong, so constraints are checked by the service and not here; docs/sqs.md lists them.
namespace tidemill.sqs

@awsJson1_0
@awsQuery
@signingName("sqs")
@targetPrefix("AmazonSQS")
@errorNamespace("com.amazonaws.sqs")
@xmlNamespace("http://queue.amazonaws.com/doc/2012-11-05/")
@queryPathMember("QueueUrl")
@throttlingError("RequestThrottled")
@internalError("InternalFailure")
@unsupportedError("UnsupportedOperation")
service Sqs {
    version: "2012-11-05"
    operations: [
        CreateQueue
        GetQueueUrl
        ListQueues
        DeleteQueue
        PurgeQueue
        GetQueueAttributes
        SetQueueAttributes
        ListQueueTags
        TagQueue
        UntagQueue
        AddPermission
        RemovePermission
        ListDeadLetterSourceQueues
        SendMessage
        SendMessageBatch
        ReceiveMessage
        DeleteMessage
        DeleteMessageBatch
        ChangeMessageVisibility
        ChangeMessageVisibilityBatch
        StartMessageMoveTask
        CancelMessageMoveTask
        ListMessageMoveTasks
    ]
}

// ---- Collections ----------------------------------------------------------------------------------------------------

list Strings {
    member: String
}

list Blobs {
    member: Blob
}

map AttributeMap {
    @xmlName("Name")
    key: String
    @xmlName("Value")
    value: String
}

map TagMap {
    @xmlName("Key")
    key: String
    @xmlName("Value")
    value: String
}

// ---- Messages -------------------------------------------------------------------------------------------------------

structure MessageAttributeValue {
    StringValue: String

    BinaryValue: Blob

    @unsupported
    @xmlFlattened
    @xmlName("StringListValue")
    StringListValues: Strings

    @unsupported
    @xmlFlattened
    @xmlName("BinaryListValue")
    BinaryListValues: Blobs

    DataType: String
}

map MessageAttributeMap {
    @xmlName("Name")
    key: String
    @xmlName("Value")
    value: MessageAttributeValue
}

structure Message {
    MessageId: String

    ReceiptHandle: String

    MD5OfBody: String

    Body: String

    @xmlFlattened
    @xmlName("Attribute")
    Attributes: AttributeMap

    MD5OfMessageAttributes: String

    @xmlFlattened
    @xmlName("MessageAttribute")
    MessageAttributes: MessageAttributeMap
}

list MessageList {
    member: Message
}

structure BatchResultErrorEntry {
    Id: String

    SenderFault: Boolean

    Code: String

    Message: String
}

list BatchResultErrorEntryList {
    member: BatchResultErrorEntry
}

// ---- Queues ---------------------------------------------------------------------------------------------------------

operation CreateQueue {
    input := {
        QueueName: String

        @xmlFlattened
        @xmlName("Attribute")
        Attributes: AttributeMap

        @xmlFlattened
        @xmlName("Tag")
        tags: TagMap
    }
    output := {
        QueueUrl: String
    }
    errors: [QueueNameExists, InvalidAttributeName, InvalidAttributeValue]
}

operation GetQueueUrl {
    input := {
        QueueName: String

        QueueOwnerAWSAccountId: String
    }
    output := {
        QueueUrl: String
    }
    errors: [QueueDoesNotExist]
}

operation ListQueues {
    input := {
        QueueNamePrefix: String

        NextToken: String

        MaxResults: Integer
    }
    output := {
        @xmlFlattened
        @xmlName("QueueUrl")
        QueueUrls: Strings

        NextToken: String
    }
}

operation DeleteQueue {
    input := {
        QueueUrl: String
    }
    errors: [QueueDoesNotExist]
}

operation PurgeQueue {
    input := {
        QueueUrl: String
    }
    errors: [QueueDoesNotExist, PurgeQueueInProgress]
}

operation GetQueueAttributes {
    input := {
        QueueUrl: String

        @xmlFlattened
        @xmlName("AttributeName")
        AttributeNames: Strings
    }
    output := {
        @xmlFlattened
        @xmlName("Attribute")
        Attributes: AttributeMap
    }
    errors: [QueueDoesNotExist, InvalidAttributeName]
}

operation SetQueueAttributes {
    input := {
        QueueUrl: String

        @xmlFlattened
        @xmlName("Attribute")
        Attributes: AttributeMap
    }
    errors: [QueueDoesNotExist, InvalidAttributeName, InvalidAttributeValue]
}

operation ListQueueTags {
    input := {
        QueueUrl: String
    }
    output := {
        @xmlFlattened
        @xmlName("Tag")
        Tags: TagMap
    }
    errors: [QueueDoesNotExist]
}

operation TagQueue {
    input := {
        QueueUrl: String

        @xmlFlattened
        @xmlName("Tag")
        Tags: TagMap
    }
    errors: [QueueDoesNotExist]
}

operation UntagQueue {
    input := {
        QueueUrl: String

        @xmlFlattened
        @xmlName("TagKey")
        TagKeys: Strings
    }
    errors: [QueueDoesNotExist]
}

operation AddPermission {
    input := {
        QueueUrl: String

        Label: String

        @xmlFlattened
        @xmlName("AWSAccountId")
        AWSAccountIds: Strings

        @xmlFlattened
        @xmlName("ActionName")
        Actions: Strings
    }
    errors: [QueueDoesNotExist, OverLimit]
}

operation RemovePermission {
    input := {
        QueueUrl: String

        Label: String
    }
    errors: [QueueDoesNotExist]
}

operation ListDeadLetterSourceQueues {
    input := {
        QueueUrl: String

        NextToken: String

        MaxResults: Integer
    }
    output := {
        @xmlFlattened
        @xmlName("QueueUrl")
        queueUrls: Strings

        NextToken: String
    }
    errors: [QueueDoesNotExist]
}

// ---- Sending --------------------------------------------------------------------------------------------------------

operation SendMessage {
    input := {
        QueueUrl: String

        MessageBody: String

        DelaySeconds: Integer

        @xmlFlattened
        @xmlName("MessageAttribute")
        MessageAttributes: MessageAttributeMap

        @xmlFlattened
        @xmlName("MessageSystemAttribute")
        MessageSystemAttributes: MessageAttributeMap

        MessageDeduplicationId: String

        MessageGroupId: String
    }
    output := {
        MD5OfMessageBody: String

        MD5OfMessageAttributes: String

        MD5OfMessageSystemAttributes: String

        MessageId: String

        SequenceNumber: String
    }
    errors: [
        QueueDoesNotExist
        InvalidMessageContents
        KmsAccessDenied
        KmsDisabled
        KmsInvalidKeyUsage
        KmsInvalidState
        KmsNotFound
        KmsThrottled
    ]
}

structure SendMessageBatchRequestEntry {
    Id: String

    MessageBody: String

    DelaySeconds: Integer

    @xmlFlattened
    @xmlName("MessageAttribute")
    MessageAttributes: MessageAttributeMap

    @xmlFlattened
    @xmlName("MessageSystemAttribute")
    MessageSystemAttributes: MessageAttributeMap

    MessageDeduplicationId: String

    MessageGroupId: String
}

list SendMessageBatchRequestEntryList {
    member: SendMessageBatchRequestEntry
}

structure SendMessageBatchResultEntry {
    Id: String

    MessageId: String

    MD5OfMessageBody: String

    MD5OfMessageAttributes: String

    MD5OfMessageSystemAttributes: String

    SequenceNumber: String
}

list SendMessageBatchResultEntryList {
    member: SendMessageBatchResultEntry
}

operation SendMessageBatch {
    input := {
        QueueUrl: String

        @xmlFlattened
        @xmlName("SendMessageBatchRequestEntry")
        Entries: SendMessageBatchRequestEntryList
    }
    output := {
        @xmlFlattened
        @xmlName("SendMessageBatchResultEntry")
        Successful: SendMessageBatchResultEntryList

        @xmlFlattened
        @xmlName("BatchResultErrorEntry")
        Failed: BatchResultErrorEntryList
    }
    errors: [
        KmsAccessDenied
        KmsDisabled
        KmsInvalidKeyUsage
        KmsInvalidState
        KmsNotFound
        KmsThrottled
        QueueDoesNotExist
        EmptyBatchRequest
        TooManyEntriesInBatchRequest
        BatchEntryIdsNotDistinct
        InvalidBatchEntryId
        BatchRequestTooLong
    ]
}

// ---- Receiving ------------------------------------------------------------------------------------------------------

@endsWithClient
operation ReceiveMessage {
    input := {
        QueueUrl: String

        @xmlFlattened
        @xmlName("AttributeName")
        AttributeNames: Strings

        @xmlFlattened
        @xmlName("MessageSystemAttributeName")
        MessageSystemAttributeNames: Strings

        @xmlFlattened
        @xmlName("MessageAttributeName")
        MessageAttributeNames: Strings

        MaxNumberOfMessages: Integer

        VisibilityTimeout: Integer

        WaitTimeSeconds: Integer

        ReceiveRequestAttemptId: String
    }
    output := {
        @xmlFlattened
        @xmlName("Message")
        Messages: MessageList
    }
    errors: [
        QueueDoesNotExist
        OverLimit
        KmsAccessDenied
        KmsDisabled
        KmsInvalidKeyUsage
        KmsInvalidState
        KmsNotFound
        KmsThrottled
    ]
}

operation DeleteMessage {
    input := {
        QueueUrl: String

        ReceiptHandle: String
    }
    errors: [QueueDoesNotExist, ReceiptHandleIsInvalid]
}

structure DeleteMessageBatchRequestEntry {
    Id: String

    ReceiptHandle: String
}

list DeleteMessageBatchRequestEntryList {
    member: DeleteMessageBatchRequestEntry
}

structure BatchResultEntry {
    Id: String
}

list BatchResultEntryList {
    member: BatchResultEntry
}

operation DeleteMessageBatch {
    input := {
        QueueUrl: String

        @xmlFlattened
        @xmlName("DeleteMessageBatchRequestEntry")
        Entries: DeleteMessageBatchRequestEntryList
    }
    output := {
        @xmlFlattened
        @xmlName("DeleteMessageBatchResultEntry")
        Successful: BatchResultEntryList

        @xmlFlattened
        @xmlName("BatchResultErrorEntry")
        Failed: BatchResultErrorEntryList
    }
    errors: [QueueDoesNotExist]
}

operation ChangeMessageVisibility {
    input := {
        QueueUrl: String

        ReceiptHandle: String

        VisibilityTimeout: Integer
    }
    errors: [QueueDoesNotExist, ReceiptHandleIsInvalid]
}

structure ChangeMessageVisibilityBatchRequestEntry {
    Id: String

    ReceiptHandle: String

    VisibilityTimeout: Integer
}

list ChangeMessageVisibilityBatchRequestEntryList {
    member: ChangeMessageVisibilityBatchRequestEntry
}

operation ChangeMessageVisibilityBatch {
    input := {
        QueueUrl: String

        @xmlFlattened
        @xmlName("ChangeMessageVisibilityBatchRequestEntry")
        Entries: ChangeMessageVisibilityBatchRequestEntryList
    }
    output := {
        @xmlFlattened
        @xmlName("ChangeMessageVisibilityBatchResultEntry")
        Successful: BatchResultEntryList

        @xmlFlattened
        @xmlName("BatchResultErrorEntry")
        Failed: BatchResultErrorEntryList
    }
    errors: [QueueDoesNotExist]
}

// ---- Moving messages out of a dead-letter queue -----------------------------------------------------------------

operation StartMessageMoveTask {
    input := {
        SourceArn: String

        DestinationArn: String

        MaxNumberOfMessagesPerSecond: Integer
    }
    output := {
        TaskHandle: String
    }
    errors: [ResourceNotFoundException]
}

operation CancelMessageMoveTask {
    input := {
        TaskHandle: String
    }
    output := {
        ApproximateNumberOfMessagesMoved: Long
    }
    errors: [ResourceNotFoundException]
}

structure ListMessageMoveTasksResultEntry {
    TaskHandle: String

    Status: String

    SourceArn: String

    DestinationArn: String

    MaxNumberOfMessagesPerSecond: Integer

    ApproximateNumberOfMessagesMoved: Long

    ApproximateNumberOfMessagesToMove: Long

    FailureReason: String

    StartedTimestamp: Long
}

list ListMessageMoveTasksResultEntryList {
    member: ListMessageMoveTasksResultEntry
}

operation ListMessageMoveTasks {
    input := {
        SourceArn: String

        MaxResults: Integer
    }
    output := {
        @xmlFlattened
        @xmlName("ListMessageMoveTasksResultEntry")
        Results: ListMessageMoveTasksResultEntryList
    }
    errors: [ResourceNotFoundException]
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

@error("client")
@awsQueryError(code: "AWS.SimpleQueueService.NonExistentQueue", httpResponseCode: 400)
structure QueueDoesNotExist {
    message: String
}

@error("client")
@awsQueryError(code: "QueueAlreadyExists", httpResponseCode: 400)
structure QueueNameExists {
    message: String
}

@error("client")
@awsQueryError(code: "AWS.SimpleQueueService.PurgeQueueInProgress", httpResponseCode: 403)
@httpError(403)
structure PurgeQueueInProgress {
    message: String
}

@error("client")
structure InvalidAttributeName {
    message: String
}

@error("client")
structure InvalidAttributeValue {
    message: String
}

@error("client")
structure InvalidMessageContents {
    message: String
}

@error("client")
@awsQueryError(code: "ReceiptHandleIsInvalid", httpResponseCode: 404)
structure ReceiptHandleIsInvalid {
    message: String
}

@error("client")
@awsQueryError(code: "AWS.SimpleQueueService.EmptyBatchRequest", httpResponseCode: 400)
structure EmptyBatchRequest {
    message: String
}

@error("client")
@awsQueryError(code: "AWS.SimpleQueueService.TooManyEntriesInBatchRequest", httpResponseCode: 400)
structure TooManyEntriesInBatchRequest {
    message: String
}

@error("client")
@awsQueryError(code: "AWS.SimpleQueueService.BatchEntryIdsNotDistinct", httpResponseCode: 400)
structure BatchEntryIdsNotDistinct {
    message: String
}

@error("client")
@awsQueryError(code: "AWS.SimpleQueueService.InvalidBatchEntryId", httpResponseCode: 400)
structure InvalidBatchEntryId {
    message: String
}

@error("client")
@awsQueryError(code: "AWS.SimpleQueueService.BatchRequestTooLong", httpResponseCode: 400)
structure BatchRequestTooLong {
    message: String
}

@error("client")
@awsQueryError(code: "AWS.SimpleQueueService.UnsupportedOperation", httpResponseCode: 400)
structure UnsupportedOperation {
    message: String
}

@error("client")
@awsQueryError(code: "OverLimit", httpResponseCode: 403)
structure OverLimit {
    message: String
}

@error("client")
@awsQueryError(code: "ResourceNotFoundException", httpResponseCode: 404)
@httpError(404)
structure ResourceNotFoundException {
    message: String
}

@error("client")
@awsQueryError(code: "MissingParameter", httpResponseCode: 400)
structure MissingRequiredParameterException {
    message: String
}

@error("client")
@awsQueryError(code: "InvalidParameterValue", httpResponseCode: 400)
structure InvalidParameterValueException {
    message: String
}

@error("client")
@awsQueryError(code: "KMS.AccessDeniedException", httpResponseCode: 400)
structure KmsAccessDenied {
    message: String
}

@error("client")
@awsQueryError(code: "KMS.DisabledException", httpResponseCode: 400)
structure KmsDisabled {
    message: String
}

@error("client")
@awsQueryError(code: "KMS.InvalidKeyUsageException", httpResponseCode: 400)
structure KmsInvalidKeyUsage {
    message: String
}

@error("client")
@awsQueryError(code: "KMS.InvalidStateException", httpResponseCode: 400)
structure KmsInvalidState {
    message: String
}

@error("client")
@awsQueryError(code: "KMS.NotFoundException", httpResponseCode: 400)
structure KmsNotFound {
    message: String
}

@error("client")
@awsQueryError(code: "KMS.ThrottlingException", httpResponseCode: 400)
structure KmsThrottled {
    message: String
}
