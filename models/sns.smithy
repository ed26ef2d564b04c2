$version: "2.0"

// Amazon SNS, API version 2010-03-31, over the Query protocol, which is all that it speaks. Its messages about what a
// request gets wrong are its own, so most constraints are checked by the service; docs/sns.md lists them.
namespace tidemill.sns

@awsQuery
@signingName("sns")
@xmlNamespace("http://sns.amazonaws.com/doc/2010-03-31/")
@throttlingError("Throttled")
@internalError("InternalError")
@unsupportedError("InvalidParameter")
service Sns {
    version: "2010-03-31"
    operations: [
        CreateTopic
        DeleteTopic
        ListTopics
        GetTopicAttributes
        SetTopicAttributes
        AddPermission
        RemovePermission
        TagResource
        UntagResource
        ListTagsForResource
        Subscribe
        ConfirmSubscription
        Unsubscribe
        ListSubscriptions
        ListSubscriptionsByTopic
        GetSubscriptionAttributes
        SetSubscriptionAttributes
        Publish
        PublishBatch
        PutDataProtectionPolicy
        GetDataProtectionPolicy
        CheckIfPhoneNumberIsOptedOut
        CreateSMSSandboxPhoneNumber
        DeleteSMSSandboxPhoneNumber
        GetSMSAttributes
        GetSMSSandboxAccountStatus
        ListOriginationNumbers
        ListPhoneNumbersOptedOut
        ListSMSSandboxPhoneNumbers
        OptInPhoneNumber
        SetSMSAttributes
        VerifySMSSandboxPhoneNumber
        CreatePlatformApplication
        CreatePlatformEndpoint
        DeleteEndpoint
        DeletePlatformApplication
        GetEndpointAttributes
        GetPlatformApplicationAttributes
        ListEndpointsByPlatformApplication
        ListPlatformApplications
        SetEndpointAttributes
        SetPlatformApplicationAttributes
    ]
}

// ---- Collections ----------------------------------------------------------------------------------------------------

list Strings {
    member: String
}

map AttributeMap {
    key: String
    value: String
}

structure Tag {
    @required
    Key: String

    @required
    Value: String
}

list TagList {
    member: Tag
}

structure Topic {
    TopicArn: String
}

list TopicList {
    member: Topic
}

structure Subscription {
    SubscriptionArn: String

    Owner: String

    Protocol: String

    Endpoint: String

    TopicArn: String
}

list SubscriptionList {
    member: Subscription
}

structure MessageAttributeValue {
    @required
    DataType: String

    StringValue: String

    BinaryValue: Blob
}

map MessageAttributeMap {
    @xmlName("Name")
    key: String
    @xmlName("Value")
    value: MessageAttributeValue
}

structure PublishBatchRequestEntry {
    @required
    Id: String

    @required
    Message: String

    Subject: String

    MessageStructure: String

    MessageAttributes: MessageAttributeMap

    MessageDeduplicationId: String

    MessageGroupId: String
}

list PublishBatchRequestEntryList {
    member: PublishBatchRequestEntry
}

structure PublishBatchResultEntry {
    Id: String

    MessageId: String

    SequenceNumber: String
}

list PublishBatchResultEntryList {
    member: PublishBatchResultEntry
}

structure BatchResultErrorEntry {
    Id: String

    Code: String

    Message: String

    SenderFault: Boolean
}

list BatchResultErrorEntryList {
    member: BatchResultErrorEntry
}

// ---- Topics --------------------------------------------------------------------------------------------------------

operation CreateTopic {
    input := {
        @required
        Name: String

        Attributes: AttributeMap

        Tags: TagList

        @unsupported
        DataProtectionPolicy: String
    }
    output := {
        TopicArn: String
    }
    errors: [InvalidParameterException, TopicLimitExceededException, TagLimitExceededException]
}

operation DeleteTopic {
    input := {
        @required
        TopicArn: String
    }
    errors: [InvalidParameterException]
}

operation ListTopics {
    input := {
        NextToken: String
    }
    output := {
        Topics: TopicList

        NextToken: String
    }
    errors: [InvalidParameterException]
}

operation GetTopicAttributes {
    input := {
        @required
        TopicArn: String
    }
    output := {
        Attributes: AttributeMap
    }
    errors: [InvalidParameterException, NotFoundException]
}

operation SetTopicAttributes {
    input := {
        @required
        TopicArn: String

        @required
        AttributeName: String

        AttributeValue: String
    }
    errors: [InvalidParameterException, NotFoundException]
}

operation AddPermission {
    input := {
        @required
        TopicArn: String

        @required
        Label: String

        @required
        AWSAccountId: Strings

        @required
        ActionName: Strings
    }
    errors: [InvalidParameterException, NotFoundException]
}

operation RemovePermission {
    input := {
        @required
        TopicArn: String

        @required
        Label: String
    }
    errors: [InvalidParameterException, NotFoundException]
}

operation TagResource {
    input := {
        @required
        ResourceArn: String

        @required
        Tags: TagList
    }
    output := {}
    errors: [ResourceNotFoundException, TagLimitExceededException, InvalidParameterException]
}

operation UntagResource {
    input := {
        @required
        ResourceArn: String

        @required
        TagKeys: Strings
    }
    output := {}
    errors: [ResourceNotFoundException, InvalidParameterException]
}

operation ListTagsForResource {
    input := {
        @required
        ResourceArn: String
    }
    output := {
        Tags: TagList
    }
    errors: [ResourceNotFoundException]
}

// ---- Subscriptions -------------------------------------------------------------------------------------------------

operation Subscribe {
    input := {
        @required
        TopicArn: String

        @required
        Protocol: String

        Endpoint: String

        Attributes: AttributeMap

        ReturnSubscriptionArn: Boolean
    }
    output := {
        SubscriptionArn: String
    }
    errors: [InvalidParameterException, NotFoundException, FilterPolicyLimitExceededException]
}

operation ConfirmSubscription {
    input := {
        @required
        TopicArn: String

        @required
        Token: String

        AuthenticateOnUnsubscribe: String
    }
    output := {
        SubscriptionArn: String
    }
    errors: [InvalidParameterException, NotFoundException]
}

operation Unsubscribe {
    input := {
        @required
        SubscriptionArn: String
    }
    errors: [InvalidParameterException, NotFoundException, AuthorizationErrorException]
}

operation ListSubscriptions {
    input := {
        NextToken: String
    }
    output := {
        Subscriptions: SubscriptionList

        NextToken: String
    }
    errors: [InvalidParameterException]
}

operation ListSubscriptionsByTopic {
    input := {
        @required
        TopicArn: String

        NextToken: String
    }
    output := {
        Subscriptions: SubscriptionList

        NextToken: String
    }
    errors: [InvalidParameterException, NotFoundException]
}

operation GetSubscriptionAttributes {
    input := {
        @required
        SubscriptionArn: String
    }
    output := {
        Attributes: AttributeMap
    }
    errors: [InvalidParameterException, NotFoundException]
}

operation SetSubscriptionAttributes {
    input := {
        @required
        SubscriptionArn: String

        @required
        AttributeName: String

        AttributeValue: String
    }
    errors: [InvalidParameterException, NotFoundException]
}

// ---- Messages ------------------------------------------------------------------------------------------------------

operation Publish {
    input := {
        TopicArn: String

        TargetArn: String

        @unsupported
        PhoneNumber: String

        @required
        Message: String

        Subject: String

        MessageStructure: String

        MessageAttributes: MessageAttributeMap

        MessageDeduplicationId: String

        MessageGroupId: String
    }
    output := {
        MessageId: String

        SequenceNumber: String
    }
    errors: [
        InvalidParameterException
        InvalidParameterValueException
        NotFoundException
        KMSAccessDeniedException
        KMSDisabledException
        KMSInvalidStateException
        KMSNotFoundException
        KMSThrottlingException
    ]
}

operation PublishBatch {
    input := {
        @required
        TopicArn: String

        @required
        PublishBatchRequestEntries: PublishBatchRequestEntryList
    }
    output := {
        Successful: PublishBatchResultEntryList

        Failed: BatchResultErrorEntryList
    }
    errors: [
        InvalidParameterException
        NotFoundException
        KMSAccessDeniedException
        KMSDisabledException
        KMSInvalidStateException
        KMSNotFoundException
        KMSThrottlingException
    ]
}

// ---- Operations that are refused by name ---------------------------------------------------------------------------

@unsupported(reason: "messages are not inspected")
operation PutDataProtectionPolicy {}

@unsupported(reason: "messages are not inspected")
operation GetDataProtectionPolicy {}

@unsupported(reason: "there are no text messages")
operation CheckIfPhoneNumberIsOptedOut {}

@unsupported(reason: "there are no text messages")
operation CreateSMSSandboxPhoneNumber {}

@unsupported(reason: "there are no text messages")
operation DeleteSMSSandboxPhoneNumber {}

@unsupported(reason: "there are no text messages")
operation GetSMSAttributes {}

@unsupported(reason: "there are no text messages")
operation GetSMSSandboxAccountStatus {}

@unsupported(reason: "there are no text messages")
operation ListOriginationNumbers {}

@unsupported(reason: "there are no text messages")
operation ListPhoneNumbersOptedOut {}

@unsupported(reason: "there are no text messages")
operation ListSMSSandboxPhoneNumbers {}

@unsupported(reason: "there are no text messages")
operation OptInPhoneNumber {}

@unsupported(reason: "there are no text messages")
operation SetSMSAttributes {}

@unsupported(reason: "there are no text messages")
operation VerifySMSSandboxPhoneNumber {}

@unsupported(reason: "there are no mobile push notifications")
operation CreatePlatformApplication {}

@unsupported(reason: "there are no mobile push notifications")
operation CreatePlatformEndpoint {}

@unsupported(reason: "there are no mobile push notifications")
operation DeleteEndpoint {}

@unsupported(reason: "there are no mobile push notifications")
operation DeletePlatformApplication {}

@unsupported(reason: "there are no mobile push notifications")
operation GetEndpointAttributes {}

@unsupported(reason: "there are no mobile push notifications")
operation GetPlatformApplicationAttributes {}

@unsupported(reason: "there are no mobile push notifications")
operation ListEndpointsByPlatformApplication {}

@unsupported(reason: "there are no mobile push notifications")
operation ListPlatformApplications {}

@unsupported(reason: "there are no mobile push notifications")
operation SetEndpointAttributes {}

@unsupported(reason: "there are no mobile push notifications")
operation SetPlatformApplicationAttributes {}

// ---- Errors --------------------------------------------------------------------------------------------------------

@error("client")
@awsQueryError(code: "InvalidParameter", httpResponseCode: 400)
structure InvalidParameterException {
    message: String
}

@error("client")
@awsQueryError(code: "ParameterValueInvalid", httpResponseCode: 400)
structure InvalidParameterValueException {
    message: String
}

@error("client")
@awsQueryError(code: "NotFound", httpResponseCode: 404)
@httpError(404)
structure NotFoundException {
    message: String
}

@error("client")
@awsQueryError(code: "ResourceNotFound", httpResponseCode: 404)
@httpError(404)
structure ResourceNotFoundException {
    message: String
}

@error("client")
@awsQueryError(code: "AuthorizationError", httpResponseCode: 403)
@httpError(403)
structure AuthorizationErrorException {
    message: String
}

@error("client")
@awsQueryError(code: "TopicLimitExceeded", httpResponseCode: 403)
@httpError(403)
structure TopicLimitExceededException {
    message: String
}

@error("client")
@awsQueryError(code: "SubscriptionLimitExceeded", httpResponseCode: 403)
@httpError(403)
structure SubscriptionLimitExceededException {
    message: String
}

@error("client")
@awsQueryError(code: "FilterPolicyLimitExceeded", httpResponseCode: 403)
@httpError(403)
structure FilterPolicyLimitExceededException {
    message: String
}

@error("client")
@awsQueryError(code: "TagLimitExceeded", httpResponseCode: 400)
structure TagLimitExceededException {
    message: String
}

@error("client")
@awsQueryError(code: "EmptyBatchRequest", httpResponseCode: 400)
structure EmptyBatchRequestException {
    message: String
}

@error("client")
@awsQueryError(code: "TooManyEntriesInBatchRequest", httpResponseCode: 400)
structure TooManyEntriesInBatchRequestException {
    message: String
}

@error("client")
@awsQueryError(code: "BatchEntryIdsNotDistinct", httpResponseCode: 400)
structure BatchEntryIdsNotDistinctException {
    message: String
}

@error("client")
@awsQueryError(code: "BatchRequestTooLong", httpResponseCode: 400)
structure BatchRequestTooLongException {
    message: String
}

@error("client")
@awsQueryError(code: "InvalidBatchEntryId", httpResponseCode: 400)
structure InvalidBatchEntryIdException {
    message: String
}

@error("client")
@awsQueryError(code: "KMSAccessDenied", httpResponseCode: 400)
structure KMSAccessDeniedException {
    message: String
}

@error("client")
@awsQueryError(code: "KMSDisabled", httpResponseCode: 400)
structure KMSDisabledException {
    message: String
}

@error("client")
@awsQueryError(code: "KMSInvalidState", httpResponseCode: 400)
structure KMSInvalidStateException {
    message: String
}

@error("client")
@awsQueryError(code: "KMSNotFound", httpResponseCode: 400)
structure KMSNotFoundException {
    message: String
}

@error("client")
@awsQueryError(code: "KMSThrottling", httpResponseCode: 400)
structure KMSThrottlingException {
    message: String
}
