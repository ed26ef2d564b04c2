$version: "2.0"

// Cloud Control API, API version 2021-09-30: resources by the types that stacks have. docs/cloudcontrol.md says what works.
namespace tidemill.cloudcontrol

@awsJson1_0
@signingName("cloudcontrolapi")
@targetPrefix("CloudApiService")
@errorNamespace("com.amazon.cloudapiservice")
@internalError("ServiceInternalErrorException")
@unsupportedError("UnsupportedActionException")
@requestBytesMax(1048576)
service CloudControl {
    version: "2021-09-30"
    operations: [
        CreateResource
        GetResource
        UpdateResource
        DeleteResource
        ListResources
        GetResourceRequestStatus
        ListResourceRequests
        CancelResourceRequest
    ]
}

@length(min: 10, max: 196)
@pattern("[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}(::MODULE){0,1}")
string TypeName

@length(min: 1, max: 1024)
string Identifier

@length(min: 1, max: 128)
@pattern("[-A-Za-z0-9+/=]+")
string ClientToken

@length(min: 1, max: 128)
@pattern("[-A-Za-z0-9+/=]+")
string RequestToken

@length(min: 1, max: 262144)
string Properties

@length(min: 1, max: 262144)
string PatchDocument

@length(min: 1, max: 2048)
string NextToken

@range(min: 1, max: 100)
integer MaxResults

enum Operation {
    CREATE
    DELETE
    UPDATE
}

enum OperationStatus {
    PENDING
    IN_PROGRESS
    SUCCESS
    FAILED
    CANCEL_IN_PROGRESS
    CANCEL_COMPLETE
}

list Operations {
    member: Operation
}

list OperationStatuses {
    member: OperationStatus
}

structure ResourceRequestStatusFilter {
    Operations: Operations

    OperationStatuses: OperationStatuses
}

structure ProgressEvent {
    TypeName: String

    Identifier: String

    RequestToken: String

    Operation: String

    OperationStatus: String

    EventTime: Timestamp

    ResourceModel: String

    StatusMessage: String

    ErrorCode: String

    RetryAfter: Timestamp
}

list ProgressEvents {
    member: ProgressEvent
}

structure ResourceDescription {
    Identifier: String

    Properties: String
}

list ResourceDescriptions {
    member: ResourceDescription
}

operation CreateResource {
    input := {
        @required
        TypeName: TypeName

        @unsupported
        TypeVersionId: String

        @unsupported
        RoleArn: String

        ClientToken: ClientToken

        @required
        DesiredState: Properties
    }
    output := {
        ProgressEvent: ProgressEvent
    }
    errors: [ClientTokenConflictException, InvalidRequestException, ServiceLimitExceededException, TypeNotFoundException, UnsupportedActionException]
}

operation GetResource {
    input := {
        @required
        TypeName: TypeName

        @unsupported
        TypeVersionId: String

        @unsupported
        RoleArn: String

        @required
        Identifier: Identifier
    }
    output := {
        TypeName: String

        ResourceDescription: ResourceDescription
    }
    errors: [GeneralServiceException, ResourceNotFoundException, TypeNotFoundException, UnsupportedActionException]
}

operation UpdateResource {
    input := {
        @required
        TypeName: TypeName

        @unsupported
        TypeVersionId: String

        @unsupported
        RoleArn: String

        ClientToken: ClientToken

        @required
        Identifier: Identifier

        @required
        PatchDocument: PatchDocument
    }
    output := {
        ProgressEvent: ProgressEvent
    }
    errors: [ClientTokenConflictException, ConcurrentOperationException, GeneralServiceException, InvalidRequestException, NotUpdatableException, ResourceNotFoundException, ServiceLimitExceededException, TypeNotFoundException, UnsupportedActionException]
}

operation DeleteResource {
    input := {
        @required
        TypeName: TypeName

        @unsupported
        TypeVersionId: String

        @unsupported
        RoleArn: String

        ClientToken: ClientToken

        @required
        Identifier: Identifier
    }
    output := {
        ProgressEvent: ProgressEvent
    }
    errors: [ClientTokenConflictException, ConcurrentOperationException, GeneralServiceException, ResourceNotFoundException, ServiceLimitExceededException, TypeNotFoundException, UnsupportedActionException]
}

operation ListResources {
    input := {
        @required
        TypeName: TypeName

        @unsupported
        TypeVersionId: String

        @unsupported
        RoleArn: String

        NextToken: NextToken

        MaxResults: MaxResults

        @unsupported
        ResourceModel: Properties
    }
    output := {
        TypeName: String

        ResourceDescriptions: ResourceDescriptions

        NextToken: String
    }
    errors: [GeneralServiceException, InvalidRequestException, TypeNotFoundException, UnsupportedActionException]
}

operation GetResourceRequestStatus {
    input := {
        @required
        RequestToken: RequestToken
    }
    output := {
        ProgressEvent: ProgressEvent
    }
    errors: [RequestTokenNotFoundException]
}

operation ListResourceRequests {
    input := {
        MaxResults: MaxResults

        NextToken: NextToken

        ResourceRequestStatusFilter: ResourceRequestStatusFilter
    }
    output := {
        ResourceRequestStatusSummaries: ProgressEvents

        NextToken: String
    }
    errors: [InvalidRequestException]
}

operation CancelResourceRequest {
    input := {
        @required
        RequestToken: RequestToken
    }
    output := {
        ProgressEvent: ProgressEvent
    }
    errors: [ConcurrentModificationException, RequestTokenNotFoundException]
}

@error("client")
structure ClientTokenConflictException {
    Message: String
}

@error("client")
structure ConcurrentModificationException {
    Message: String
}

@error("client")
structure ConcurrentOperationException {
    Message: String
}

@error("client")
structure GeneralServiceException {
    Message: String
}

@error("client")
structure InvalidRequestException {
    Message: String
}

@error("client")
structure NotUpdatableException {
    Message: String
}

@error("client")
structure RequestTokenNotFoundException {
    Message: String
}

@error("client")
structure ResourceNotFoundException {
    Message: String
}

@error("client")
structure ServiceLimitExceededException {
    Message: String
}

@error("client")
structure ThrottlingException {
    Message: String
}

@error("client")
structure TypeNotFoundException {
    Message: String
}

@error("client")
structure UnsupportedActionException {
    Message: String
}
