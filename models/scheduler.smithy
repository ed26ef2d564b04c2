$version: "2.0"

// EventBridge Scheduler, API version 2021-06-30. Members that Tidemill knows and refuses are marked @unsupported;
// docs/scheduler.md lists them.
namespace tidemill.scheduler

@restJson1
@signingName("scheduler")
@internalError("InternalServerException")
service Scheduler {
    version: "2021-06-30"
    operations: [
        CreateSchedule
        GetSchedule
        UpdateSchedule
        DeleteSchedule
        ListSchedules
        CreateScheduleGroup
        GetScheduleGroup
        DeleteScheduleGroup
        ListScheduleGroups
        TagResource
        UntagResource
        ListTagsForResource
    ]
}

// ---- Names ----------------------------------------------------------------------------------------------------------

@length(min: 1, max: 64)
@pattern("^[0-9a-zA-Z-_.]+$")
string Name

@length(min: 1, max: 64)
@pattern("^[a-zA-Z][0-9a-zA-Z-_]*$")
string NamePrefix

@length(min: 1, max: 64)
@pattern("^[a-zA-Z0-9-_]+$")
string ClientToken

@length(min: 1, max: 2048)
string NextToken

@range(min: 1, max: 100)
integer MaxResults

@length(min: 1, max: 256)
string ScheduleExpression

@length(min: 1, max: 50)
string ScheduleExpressionTimezone

@length(min: 0, max: 512)
string Description

@length(min: 1, max: 1600)
string TargetArn

@length(min: 1, max: 1600)
@pattern("^arn:aws(-[a-z]+)?:iam::\\d{12}:role\\/[\\w+=,.@\\/-]+$")
string RoleArn

@length(min: 1, max: 1600)
@pattern("^arn:aws(-[a-z]+)?:sqs:[a-z0-9\\-]+:\\d{12}:[a-zA-Z0-9\\-_]+$")
string DeadLetterArn

@length(min: 1, max: 1011)
@pattern("^arn:aws(-[a-z]+)?:scheduler:[a-z0-9\\-]+:\\d{12}:schedule-group\\/[0-9a-zA-Z-_.]+$")
string TagResourceArn

@length(min: 1)
string TargetInput

@length(min: 1, max: 128)
string DetailType

@length(min: 1, max: 256)
string Source

@length(min: 1, max: 256)
string TargetPartitionKey

@length(min: 1, max: 128)
string MessageGroupId

@range(min: 1, max: 1440)
integer MaximumWindowInMinutes

@range(min: 60, max: 86400)
integer MaximumEventAgeInSeconds

@range(min: 0, max: 185)
integer MaximumRetryAttempts

@length(min: 1, max: 128)
string TagKey

@length(min: 1, max: 256)
string TagValue

// ---- Parts of a schedule --------------------------------------------------------------------------------------------

enum ScheduleState {
    ENABLED
    DISABLED
}

enum ScheduleGroupState {
    ACTIVE
    DELETING
}

enum FlexibleTimeWindowMode {
    OFF
    FLEXIBLE
}

enum ActionAfterCompletion {
    NONE
    DELETE
}

structure FlexibleTimeWindow {
    @required
    Mode: FlexibleTimeWindowMode

    MaximumWindowInMinutes: MaximumWindowInMinutes
}

structure RetryPolicy {
    MaximumEventAgeInSeconds: MaximumEventAgeInSeconds

    MaximumRetryAttempts: MaximumRetryAttempts
}

structure DeadLetterConfig {
    Arn: DeadLetterArn
}

structure EventBridgeParameters {
    @required
    DetailType: DetailType

    @required
    Source: Source
}

structure KinesisParameters {
    @required
    PartitionKey: TargetPartitionKey
}

structure SqsParameters {
    MessageGroupId: MessageGroupId
}

structure Target {
    @required
    Arn: TargetArn

    @required
    RoleArn: RoleArn

    DeadLetterConfig: DeadLetterConfig

    RetryPolicy: RetryPolicy

    Input: TargetInput

    EventBridgeParameters: EventBridgeParameters

    KinesisParameters: KinesisParameters

    SqsParameters: SqsParameters

    @unsupported
    EcsParameters: Document

    @unsupported
    SageMakerPipelineParameters: Document
}

structure Tag {
    @required
    Key: TagKey

    @required
    Value: TagValue
}

@length(min: 0, max: 200)
list TagList {
    member: Tag
}

@length(min: 0, max: 200)
list TagKeyList {
    member: TagKey
}

// ---- Schedules ------------------------------------------------------------------------------------------------------

@http(method: "POST", uri: "/schedules/{Name}")
operation CreateSchedule {
    input := {
        @required
        @httpLabel
        Name: Name

        GroupName: Name

        @required
        ScheduleExpression: ScheduleExpression

        StartDate: Timestamp

        EndDate: Timestamp

        Description: Description

        ScheduleExpressionTimezone: ScheduleExpressionTimezone

        State: ScheduleState

        @unsupported
        KmsKeyArn: String

        @required
        Target: Target

        @required
        FlexibleTimeWindow: FlexibleTimeWindow

        ClientToken: ClientToken

        ActionAfterCompletion: ActionAfterCompletion
    }
    output := {
        ScheduleArn: String
    }
    errors: [ServiceQuotaExceededException, ValidationException, ConflictException, ResourceNotFoundException]
}

@http(method: "PUT", uri: "/schedules/{Name}")
operation UpdateSchedule {
    input := {
        @required
        @httpLabel
        Name: Name

        GroupName: Name

        @required
        ScheduleExpression: ScheduleExpression

        StartDate: Timestamp

        EndDate: Timestamp

        Description: Description

        ScheduleExpressionTimezone: ScheduleExpressionTimezone

        State: ScheduleState

        @unsupported
        KmsKeyArn: String

        @required
        Target: Target

        @required
        FlexibleTimeWindow: FlexibleTimeWindow

        ClientToken: ClientToken

        ActionAfterCompletion: ActionAfterCompletion
    }
    output := {
        ScheduleArn: String
    }
    errors: [ValidationException, ConflictException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/schedules/{Name}")
operation GetSchedule {
    input := {
        @httpQuery("groupName")
        GroupName: Name

        @required
        @httpLabel
        Name: Name
    }
    output := {
        Arn: String

        GroupName: String

        Name: String

        ScheduleExpression: String

        StartDate: Timestamp

        EndDate: Timestamp

        Description: String

        ScheduleExpressionTimezone: String

        State: String

        CreationDate: Timestamp

        LastModificationDate: Timestamp

        Target: Target

        FlexibleTimeWindow: FlexibleTimeWindow

        ActionAfterCompletion: String
    }
    errors: [ValidationException, ResourceNotFoundException]
}

@http(method: "DELETE", uri: "/schedules/{Name}")
operation DeleteSchedule {
    input := {
        @required
        @httpLabel
        Name: Name

        @httpQuery("groupName")
        GroupName: Name

        @httpQuery("clientToken")
        ClientToken: ClientToken
    }
    output := {}
    errors: [ValidationException, ConflictException, ResourceNotFoundException]
}

structure TargetSummary {
    @required
    Arn: String
}

structure ScheduleSummary {
    Arn: String

    Name: String

    GroupName: String

    State: String

    CreationDate: Timestamp

    LastModificationDate: Timestamp

    Target: TargetSummary
}

list ScheduleList {
    member: ScheduleSummary
}

@http(method: "GET", uri: "/schedules")
operation ListSchedules {
    input := {
        @httpQuery("ScheduleGroup")
        GroupName: Name

        @httpQuery("NamePrefix")
        NamePrefix: NamePrefix

        @httpQuery("State")
        State: ScheduleState

        @httpQuery("NextToken")
        NextToken: NextToken

        @httpQuery("MaxResults")
        MaxResults: MaxResults
    }
    output := {
        NextToken: String

        @required
        Schedules: ScheduleList
    }
    errors: [ValidationException, ResourceNotFoundException]
}

// ---- Groups ---------------------------------------------------------------------------------------------------------

@http(method: "POST", uri: "/schedule-groups/{Name}")
operation CreateScheduleGroup {
    input := {
        @required
        @httpLabel
        Name: Name

        Tags: TagList

        ClientToken: ClientToken
    }
    output := {
        ScheduleGroupArn: String
    }
    errors: [ServiceQuotaExceededException, ValidationException, ConflictException]
}

@http(method: "GET", uri: "/schedule-groups/{Name}")
operation GetScheduleGroup {
    input := {
        @required
        @httpLabel
        Name: Name
    }
    output := {
        Arn: String

        Name: String

        State: String

        CreationDate: Timestamp

        LastModificationDate: Timestamp
    }
    errors: [ValidationException, ResourceNotFoundException]
}

@http(method: "DELETE", uri: "/schedule-groups/{Name}")
operation DeleteScheduleGroup {
    input := {
        @required
        @httpLabel
        Name: Name

        @httpQuery("clientToken")
        ClientToken: ClientToken
    }
    output := {}
    errors: [ValidationException, ConflictException, ResourceNotFoundException]
}

structure ScheduleGroupSummary {
    Arn: String

    Name: String

    State: String

    CreationDate: Timestamp

    LastModificationDate: Timestamp
}

list ScheduleGroupList {
    member: ScheduleGroupSummary
}

@http(method: "GET", uri: "/schedule-groups")
operation ListScheduleGroups {
    input := {
        @httpQuery("NamePrefix")
        NamePrefix: NamePrefix

        @httpQuery("NextToken")
        NextToken: NextToken

        @httpQuery("MaxResults")
        MaxResults: MaxResults
    }
    output := {
        NextToken: String

        @required
        ScheduleGroups: ScheduleGroupList
    }
    errors: [ValidationException]
}

// ---- Tags -----------------------------------------------------------------------------------------------------------

@http(method: "POST", uri: "/tags/{ResourceArn}")
operation TagResource {
    input := {
        @required
        @httpLabel
        ResourceArn: TagResourceArn

        @required
        Tags: TagList
    }
    output := {}
    errors: [ValidationException, ConflictException, ResourceNotFoundException]
}

@http(method: "DELETE", uri: "/tags/{ResourceArn}")
operation UntagResource {
    input := {
        @required
        @httpLabel
        ResourceArn: TagResourceArn

        @required
        @httpQuery("TagKeys")
        TagKeys: TagKeyList
    }
    output := {}
    errors: [ValidationException, ConflictException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/tags/{ResourceArn}")
operation ListTagsForResource {
    input := {
        @required
        @httpLabel
        ResourceArn: TagResourceArn
    }
    output := {
        Tags: TagList
    }
    errors: [ValidationException, ResourceNotFoundException]
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

@error("client")
@httpError(400)
structure ValidationException {
    Message: String
}

@error("client")
@httpError(404)
structure ResourceNotFoundException {
    Message: String
}

@error("client")
@httpError(409)
structure ConflictException {
    Message: String
}

@error("client")
@httpError(402)
structure ServiceQuotaExceededException {
    Message: String
}

@error("client")
@httpError(429)
structure ThrottlingException {
    Message: String
}

@error("server")
@httpError(500)
structure InternalServerException {
    Message: String
}
