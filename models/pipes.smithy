$version: "2.0"

// EventBridge Pipes, API version 2015-10-07. Members that Tidemill knows and refuses are marked @unsupported;
// docs/pipes.md lists them.
namespace tidemill.pipes

@restJson1
@signingName("pipes")
@internalError("InternalException")
service Pipes {
    version: "2015-10-07"
    operations: [
        CreatePipe
        DescribePipe
        UpdatePipe
        DeletePipe
        ListPipes
        StartPipe
        StopPipe
        TagResource
        UntagResource
        ListTagsForResource
    ]
}

// ---- Names ----------------------------------------------------------------------------------------------------------

@length(min: 1, max: 64)
@pattern("[\\.\\-_A-Za-z0-9]+")
string PipeName

@length(min: 1, max: 1600)
@pattern("arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\\-]+):([a-z]{2,4}((-gov)|(-de)|(-iso([a-z]?)))?-[a-z]+(-\\d{1})?)?:(\\d{12})?:(.+)")
string Arn

@length(min: 0, max: 1600)
@pattern("|arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\\-]+):([a-z]{2,4}((-gov)|(-de)|(-iso([a-z]?)))?-[a-z]+(-\\d{1})?)?:(\\d{12})?:(.+)")
string OptionalArn

@length(min: 1, max: 1600)
@pattern("smk://(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]*[a-zA-Z0-9])\\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\\-]*[A-Za-z0-9]):[0-9]{1,5}|arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\\-]+):([a-z]{2,4}((-gov)|(-de)|(-iso([a-z]?)))?-[a-z]+(-\\d{1})?)?:(\\d{12})?:(.+)")
string ArnOrUrl

@length(min: 1, max: 1600)
@pattern("arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\\-]+):([a-z]{2,4}((-gov)|(-de)|(-iso([a-z]?)))?-[a-z]+(-\\d{1})?)?:(\\d{12})?:(.+)|(\\$(\\.[\\w/_-]+(\\[(\\d+|\\*)\\])*)*)")
string ArnOrJsonPath

@length(min: 1, max: 1600)
@pattern("arn:aws([a-z]|\\-)*:([a-zA-Z0-9\\-]+):([a-z]|\\d|\\-)*:([0-9]{12})?:(.+)")
string PipeArn

@length(min: 1, max: 1600)
@pattern("arn:(aws[a-zA-Z-]*)?:iam::\\d{12}:role/?[a-zA-Z0-9+=,.@\\-_/]+")
string RoleArn

@length(min: 1, max: 1600)
@pattern("arn:aws([a-z]|\\-)*:logs:([a-z]{2,4}((-gov)|(-de)|(-iso([a-z]?)))?-[a-z]+(-\\d{1})?):(\\d{12}):log-group:[\\.\\-_/#A-Za-z0-9]{1,512}(:\\*)?")
string CloudwatchLogGroupArn

@length(min: 1, max: 1600)
string ResourceArn

@length(min: 1, max: 2048)
@sensitive
string NextToken

@range(min: 1, max: 100)
integer Limit

@length(min: 0, max: 512)
@sensitive
string PipeDescription

@length(min: 0, max: 4096)
@sensitive
string EventPattern

@length(min: 0, max: 8192)
@sensitive
string InputTemplate

@length(min: 1, max: 256)
@pattern("\\$(\\.[\\w/_-]+(\\[(\\d+|\\*)\\])*)*")
string JsonPath

@length(min: 1, max: 256)
string LogStreamName

@length(min: 0, max: 256)
@sensitive
string KinesisPartitionKey

@length(min: 0, max: 100)
@sensitive
string MessageGroupId

@length(min: 0, max: 100)
@sensitive
string MessageDeduplicationId

@length(min: 1, max: 128)
@sensitive
string EventBridgeDetailType

@length(min: 1, max: 256)
@sensitive
string EventBridgeEventSource

@range(min: 1, max: 10000)
integer BatchSize

@range(min: 0, max: 300)
integer MaximumBatchingWindowInSeconds

@range(min: -1, max: 604800)
integer MaximumRecordAgeInSeconds

@range(min: -1, max: 10000)
integer MaximumRetryAttempts

@range(min: 1, max: 10)
integer ParallelizationFactor

@length(min: 1, max: 128)
string TagKey

@length(min: 0, max: 256)
@sensitive
string TagValue

@length(min: 1, max: 50)
map TagMap {
    key: TagKey
    value: TagValue
}

@length(min: 0, max: 50)
list TagKeyList {
    member: TagKey
}

// ---- States ---------------------------------------------------------------------------------------------------------

enum RequestedPipeState {
    RUNNING
    STOPPED
}

enum PipeState {
    RUNNING
    STOPPED
    CREATING
    UPDATING
    DELETING
    STARTING
    STOPPING
    CREATE_FAILED
    UPDATE_FAILED
    START_FAILED
    STOP_FAILED
    DELETE_FAILED
    CREATE_ROLLBACK_FAILED
    DELETE_ROLLBACK_FAILED
    UPDATE_ROLLBACK_FAILED
}

// ---- Sources --------------------------------------------------------------------------------------------------------

structure Filter {
    Pattern: EventPattern
}

@length(min: 0, max: 5)
list FilterList {
    member: Filter
}

structure FilterCriteria {
    Filters: FilterList
}

structure DeadLetterConfig {
    Arn: Arn
}

enum OnPartialBatchItemFailureStreams {
    AUTOMATIC_BISECT
}

enum DynamoDBStreamStartPosition {
    TRIM_HORIZON
    LATEST
}

enum KinesisStreamStartPosition {
    TRIM_HORIZON
    LATEST
    AT_TIMESTAMP
}

structure PipeSourceDynamoDBStreamParameters {
    BatchSize: BatchSize

    DeadLetterConfig: DeadLetterConfig

    OnPartialBatchItemFailure: OnPartialBatchItemFailureStreams

    MaximumBatchingWindowInSeconds: MaximumBatchingWindowInSeconds

    MaximumRecordAgeInSeconds: MaximumRecordAgeInSeconds

    MaximumRetryAttempts: MaximumRetryAttempts

    ParallelizationFactor: ParallelizationFactor

    @required
    StartingPosition: DynamoDBStreamStartPosition
}

structure PipeSourceKinesisStreamParameters {
    BatchSize: BatchSize

    DeadLetterConfig: DeadLetterConfig

    OnPartialBatchItemFailure: OnPartialBatchItemFailureStreams

    MaximumBatchingWindowInSeconds: MaximumBatchingWindowInSeconds

    MaximumRecordAgeInSeconds: MaximumRecordAgeInSeconds

    MaximumRetryAttempts: MaximumRetryAttempts

    ParallelizationFactor: ParallelizationFactor

    @required
    StartingPosition: KinesisStreamStartPosition

    StartingPositionTimestamp: Timestamp
}

structure UpdatePipeSourceDynamoDBStreamParameters {
    BatchSize: BatchSize

    DeadLetterConfig: DeadLetterConfig

    OnPartialBatchItemFailure: OnPartialBatchItemFailureStreams

    MaximumBatchingWindowInSeconds: MaximumBatchingWindowInSeconds

    MaximumRecordAgeInSeconds: MaximumRecordAgeInSeconds

    MaximumRetryAttempts: MaximumRetryAttempts

    ParallelizationFactor: ParallelizationFactor
}

structure UpdatePipeSourceKinesisStreamParameters {
    BatchSize: BatchSize

    DeadLetterConfig: DeadLetterConfig

    OnPartialBatchItemFailure: OnPartialBatchItemFailureStreams

    MaximumBatchingWindowInSeconds: MaximumBatchingWindowInSeconds

    MaximumRecordAgeInSeconds: MaximumRecordAgeInSeconds

    MaximumRetryAttempts: MaximumRetryAttempts

    ParallelizationFactor: ParallelizationFactor
}

structure PipeSourceSqsQueueParameters {
    BatchSize: BatchSize

    MaximumBatchingWindowInSeconds: MaximumBatchingWindowInSeconds
}

structure PipeSourceParameters {
    FilterCriteria: FilterCriteria

    KinesisStreamParameters: PipeSourceKinesisStreamParameters

    DynamoDBStreamParameters: PipeSourceDynamoDBStreamParameters

    SqsQueueParameters: PipeSourceSqsQueueParameters

    @unsupported
    ActiveMQBrokerParameters: Document

    @unsupported
    RabbitMQBrokerParameters: Document

    @unsupported
    ManagedStreamingKafkaParameters: Document

    @unsupported
    SelfManagedKafkaParameters: Document
}

structure UpdatePipeSourceParameters {
    FilterCriteria: FilterCriteria

    KinesisStreamParameters: UpdatePipeSourceKinesisStreamParameters

    DynamoDBStreamParameters: UpdatePipeSourceDynamoDBStreamParameters

    SqsQueueParameters: PipeSourceSqsQueueParameters

    @unsupported
    ActiveMQBrokerParameters: Document

    @unsupported
    RabbitMQBrokerParameters: Document

    @unsupported
    ManagedStreamingKafkaParameters: Document

    @unsupported
    SelfManagedKafkaParameters: Document
}

// ---- Enrichment and targets -----------------------------------------------------------------------------------------

@sensitive
string PathParameter

list PathParameterList {
    member: PathParameter
}

@length(min: 0, max: 512)
@pattern("[!#$%&'*+-.^_`|~0-9a-zA-Z]+|(\\$(\\.[\\w/_-]+(\\[(\\d+|\\*)\\])*)*)")
string HeaderKey

@length(min: 0, max: 512)
@sensitive
string HeaderValue

map HeaderParametersMap {
    key: HeaderKey
    value: HeaderValue
}

@length(min: 0, max: 512)
string QueryStringKey

@length(min: 0, max: 512)
@sensitive
string QueryStringValue

map QueryStringParametersMap {
    key: QueryStringKey
    value: QueryStringValue
}

// Of enrichments and of targets.
structure PipeHttpParameters {
    PathParameterValues: PathParameterList

    HeaderParameters: HeaderParametersMap

    QueryStringParameters: QueryStringParametersMap
}

structure PipeEnrichmentParameters {
    InputTemplate: InputTemplate

    HttpParameters: PipeHttpParameters
}

enum PipeTargetInvocationType {
    REQUEST_RESPONSE
    FIRE_AND_FORGET
}

structure PipeTargetLambdaFunctionParameters {
    InvocationType: PipeTargetInvocationType
}

structure PipeTargetStateMachineParameters {
    InvocationType: PipeTargetInvocationType
}

structure PipeTargetKinesisStreamParameters {
    @required
    PartitionKey: KinesisPartitionKey
}

structure PipeTargetSqsQueueParameters {
    MessageGroupId: MessageGroupId

    MessageDeduplicationId: MessageDeduplicationId
}

@length(min: 0, max: 10)
list EventBridgeEventResourceList {
    member: ArnOrJsonPath
}

structure PipeTargetEventBridgeEventBusParameters {
    @unsupported
    EndpointId: String

    DetailType: EventBridgeDetailType

    Source: EventBridgeEventSource

    Resources: EventBridgeEventResourceList

    Time: JsonPath
}

structure PipeTargetCloudWatchLogsParameters {
    LogStreamName: LogStreamName

    Timestamp: JsonPath
}

structure PipeTargetParameters {
    InputTemplate: InputTemplate

    LambdaFunctionParameters: PipeTargetLambdaFunctionParameters

    StepFunctionStateMachineParameters: PipeTargetStateMachineParameters

    KinesisStreamParameters: PipeTargetKinesisStreamParameters

    @unsupported
    EcsTaskParameters: Document

    @unsupported
    BatchJobParameters: Document

    SqsQueueParameters: PipeTargetSqsQueueParameters

    HttpParameters: PipeHttpParameters

    @unsupported
    RedshiftDataParameters: Document

    @unsupported
    SageMakerPipelineParameters: Document

    EventBridgeEventBusParameters: PipeTargetEventBridgeEventBusParameters

    CloudWatchLogsParameters: PipeTargetCloudWatchLogsParameters

    @unsupported
    TimestreamParameters: Document
}

// ---- Logs -----------------------------------------------------------------------------------------------------------

enum LogLevel {
    OFF
    ERROR
    INFO
    TRACE
}

enum IncludeExecutionDataOption {
    ALL
}

list IncludeExecutionData {
    member: IncludeExecutionDataOption
}

structure CloudwatchLogsLogDestinationParameters {
    @required
    LogGroupArn: CloudwatchLogGroupArn
}

structure PipeLogConfigurationParameters {
    @unsupported
    S3LogDestination: Document

    @unsupported
    FirehoseLogDestination: Document

    CloudwatchLogsLogDestination: CloudwatchLogsLogDestinationParameters

    @required
    Level: LogLevel

    IncludeExecutionData: IncludeExecutionData
}

// ---- Pipes ----------------------------------------------------------------------------------------------------------

@http(method: "POST", uri: "/v1/pipes/{Name}")
operation CreatePipe {
    input := {
        @required
        @httpLabel
        Name: PipeName

        Description: PipeDescription

        DesiredState: RequestedPipeState

        @required
        Source: ArnOrUrl

        SourceParameters: PipeSourceParameters

        Enrichment: OptionalArn

        EnrichmentParameters: PipeEnrichmentParameters

        @required
        Target: Arn

        TargetParameters: PipeTargetParameters

        @required
        RoleArn: RoleArn

        Tags: TagMap

        LogConfiguration: PipeLogConfigurationParameters

        @unsupported(unless: "")
        KmsKeyIdentifier: String
    }
    output := {
        Arn: String

        Name: String

        DesiredState: String

        CurrentState: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp
    }
    errors: [ValidationException, NotFoundException, ConflictException, ServiceQuotaExceededException]
}

@http(method: "PUT", uri: "/v1/pipes/{Name}")
operation UpdatePipe {
    input := {
        @required
        @httpLabel
        Name: PipeName

        Description: PipeDescription

        DesiredState: RequestedPipeState

        SourceParameters: UpdatePipeSourceParameters

        Enrichment: OptionalArn

        EnrichmentParameters: PipeEnrichmentParameters

        Target: Arn

        TargetParameters: PipeTargetParameters

        @required
        RoleArn: RoleArn

        LogConfiguration: PipeLogConfigurationParameters

        @unsupported(unless: "")
        KmsKeyIdentifier: String
    }
    output := {
        Arn: String

        Name: String

        DesiredState: String

        CurrentState: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp
    }
    errors: [ValidationException, NotFoundException, ConflictException]
}

@http(method: "GET", uri: "/v1/pipes/{Name}")
operation DescribePipe {
    input := {
        @required
        @httpLabel
        Name: PipeName
    }
    output := {
        Arn: String

        Name: String

        Description: String

        DesiredState: String

        CurrentState: String

        StateReason: String

        Source: String

        SourceParameters: PipeSourceParameters

        Enrichment: String

        EnrichmentParameters: PipeEnrichmentParameters

        Target: String

        TargetParameters: PipeTargetParameters

        RoleArn: String

        Tags: TagMap

        CreationTime: Timestamp

        LastModifiedTime: Timestamp

        LogConfiguration: PipeLogConfigurationParameters
    }
    errors: [ValidationException, NotFoundException]
}

@http(method: "DELETE", uri: "/v1/pipes/{Name}")
operation DeletePipe {
    input := {
        @required
        @httpLabel
        Name: PipeName
    }
    output := {
        Arn: String

        Name: String

        DesiredState: String

        CurrentState: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp
    }
    errors: [ValidationException, NotFoundException, ConflictException]
}

@http(method: "POST", uri: "/v1/pipes/{Name}/start")
operation StartPipe {
    input := {
        @required
        @httpLabel
        Name: PipeName
    }
    output := {
        Arn: String

        Name: String

        DesiredState: String

        CurrentState: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp
    }
    errors: [ValidationException, NotFoundException, ConflictException]
}

@http(method: "POST", uri: "/v1/pipes/{Name}/stop")
operation StopPipe {
    input := {
        @required
        @httpLabel
        Name: PipeName
    }
    output := {
        Arn: String

        Name: String

        DesiredState: String

        CurrentState: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp
    }
    errors: [ValidationException, NotFoundException, ConflictException]
}

structure Pipe {
    Name: String

    Arn: String

    DesiredState: String

    CurrentState: String

    StateReason: String

    CreationTime: Timestamp

    LastModifiedTime: Timestamp

    Source: String

    Target: String

    Enrichment: String
}

list PipeList {
    member: Pipe
}

@http(method: "GET", uri: "/v1/pipes")
operation ListPipes {
    input := {
        @httpQuery("NamePrefix")
        NamePrefix: PipeName

        @httpQuery("DesiredState")
        DesiredState: RequestedPipeState

        @httpQuery("CurrentState")
        CurrentState: PipeState

        @httpQuery("SourcePrefix")
        SourcePrefix: ResourceArn

        @httpQuery("TargetPrefix")
        TargetPrefix: ResourceArn

        @httpQuery("NextToken")
        NextToken: NextToken

        @httpQuery("Limit")
        Limit: Limit
    }
    output := {
        Pipes: PipeList

        NextToken: String
    }
    errors: [ValidationException]
}

// ---- Tags -----------------------------------------------------------------------------------------------------------

@http(method: "POST", uri: "/tags/{resourceArn}")
operation TagResource {
    input := {
        @required
        @httpLabel
        resourceArn: PipeArn

        @required
        tags: TagMap
    }
    output := {}
    errors: [ValidationException, NotFoundException]
}

@http(method: "DELETE", uri: "/tags/{resourceArn}")
operation UntagResource {
    input := {
        @required
        @httpLabel
        resourceArn: PipeArn

        @required
        @httpQuery("tagKeys")
        tagKeys: TagKeyList
    }
    output := {}
    errors: [ValidationException, NotFoundException]
}

@http(method: "GET", uri: "/tags/{resourceArn}")
operation ListTagsForResource {
    input := {
        @required
        @httpLabel
        resourceArn: PipeArn
    }
    output := {
        tags: TagMap
    }
    errors: [ValidationException, NotFoundException]
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

structure ValidationExceptionField {
    @required
    name: String

    @required
    message: String
}

list ValidationExceptionFieldList {
    member: ValidationExceptionField
}

@error("client")
@httpError(400)
structure ValidationException {
    message: String

    fieldList: ValidationExceptionFieldList
}

@error("client")
@httpError(404)
structure NotFoundException {
    message: String
}

@error("client")
@httpError(409)
structure ConflictException {
    message: String

    resourceId: String

    resourceType: String
}

@error("client")
@httpError(402)
structure ServiceQuotaExceededException {
    message: String
}

@error("client")
@httpError(429)
structure ThrottlingException {
    message: String
}

@error("server")
@httpError(500)
structure InternalException {
    message: String
}
