$version: "2.0"

// AWS Step Functions, API version 2016-11-23. Members that Tidemill knows and refuses are marked @unsupported, or refused
// by the service; docs/step-functions.md lists them.
namespace tidemill.states

@awsJson1_0
@signingName("states")
@targetPrefix("AWSStepFunctions")
@errorNamespace("com.amazonaws.swf.service.v2.model")
service States {
    version: "2016-11-23"
    operations: [
        CreateStateMachine
        DescribeStateMachine
        UpdateStateMachine
        DeleteStateMachine
        ListStateMachines
        ValidateStateMachineDefinition
        TestState
        PublishStateMachineVersion
        DeleteStateMachineVersion
        ListStateMachineVersions
        CreateStateMachineAlias
        DescribeStateMachineAlias
        UpdateStateMachineAlias
        DeleteStateMachineAlias
        ListStateMachineAliases
        StartExecution
        StartSyncExecution
        StopExecution
        RedriveExecution
        DescribeExecution
        DescribeStateMachineForExecution
        ListExecutions
        GetExecutionHistory
        CreateActivity
        DescribeActivity
        DeleteActivity
        ListActivities
        GetActivityTask
        SendTaskSuccess
        SendTaskFailure
        SendTaskHeartbeat
        DescribeMapRun
        UpdateMapRun
        ListMapRuns
        TagResource
        UntagResource
        ListTagsForResource
    ]
}

// ---- Simple shapes -------------------------------------------------------------------------------------------------

@length(max: 256)
@sensitive
string AliasDescription

@length(min: 1, max: 256)
string Arn

@range(min: 0)
long BilledDuration

@range(min: 0)
long BilledMemoryUsed

@length(min: 1, max: 80)
string CharacterRestrictedName

@length(min: 1, max: 64)
@pattern("^[!-~]+$")
string ClientToken

@length(min: 0, max: 262144)
@sensitive
string ConnectorParameters

@length(min: 1, max: 1048576)
@sensitive
string Definition

@length(min: 0, max: 256)
@sensitive
string EvaluationFailureLocation

@range(min: 0)
@sensitive
integer ExceptionHandlerIndex

@length(max: 256)
string Identity

@range(min: 0)
@sensitive
integer InspectionMaxConcurrency

@range(min: 0)
@sensitive
integer InspectionToleratedFailureCount

@range(min: 0, max: 100)
@sensitive
float InspectionToleratedFailurePercentage

@length(min: 1, max: 3096)
string ListExecutionsPageToken

@length(min: 1, max: 2000)
string LongArn

@length(min: 1, max: 80)
string Name

@range(min: 0, max: 1000)
integer PageSize

@length(min: 1, max: 1024)
string PageToken

@range(min: 0)
integer MapIterationFailureCount

@range(min: 0)
integer RetrierRetryCount

@range(min: 0)
@sensitive
integer RetryBackoffIntervalSeconds

@length(min: 0, max: 32768)
@sensitive
string SensitiveCause

@length(max: 262144)
@sensitive
string SensitiveData

@length(max: 1048576)
@sensitive
string SensitiveDataJobInput

@length(min: 0, max: 256)
@sensitive
string SensitiveError

@length(min: 1, max: 80)
string StateName

@length(min: 1, max: 128)
string TagKey

@length(min: 0, max: 256)
string TagValue

@length(min: 1, max: 2048)
string TaskToken

@length(min: 1, max: 80)
@sensitive
string TestStateStateName

@length(min: 0, max: 256)
@pattern("^[[:ascii:]]*$")
string TraceHeader

@range(min: 0)
integer UnsignedInteger

@sensitive
string ValidateStateMachineDefinitionCode

@sensitive
string ValidateStateMachineDefinitionLocation

@range(min: 0, max: 100)
integer ValidateStateMachineDefinitionMaxResult

@sensitive
string ValidateStateMachineDefinitionMessage

@sensitive
string VariableName

@sensitive
string VariableValue

@length(max: 256)
@sensitive
string VersionDescription

@range(min: 0, max: 100)
integer VersionWeight

// ---- Choices -------------------------------------------------------------------------------------------------------

enum EncryptionType {
    AWS_OWNED_KEY
    CUSTOMER_MANAGED_KMS_KEY
}

enum ExecutionRedriveFilter {
    REDRIVEN
    NOT_REDRIVEN
}

enum ExecutionRedriveStatus {
    REDRIVABLE
    NOT_REDRIVABLE
    REDRIVABLE_BY_MAP_RUN
}

enum ExecutionStatus {
    SUCCEEDED
    TIMED_OUT
    PENDING_REDRIVE
    ABORTED
    FAILED
    RUNNING
}

enum IncludedData {
    ALL_DATA
    METADATA_ONLY
}

enum InspectionLevel {
    INFO
    DEBUG
    TRACE
}

enum MockResponseValidationMode {
    STRICT
    PRESENT
    NONE
}

enum LogLevel {
    ALL
    ERROR
    FATAL
    OFF
}

enum StateMachineStatus {
    ACTIVE
    DELETING
}

enum StateMachineType {
    STANDARD
    EXPRESS
}

enum SyncExecutionStatus {
    SUCCEEDED
    FAILED
    TIMED_OUT
}

enum TestExecutionStatus {
    SUCCEEDED
    FAILED
    RETRIABLE
    CAUGHT_ERROR
}

enum ValidateStateMachineDefinitionResultCode {
    OK
    FAIL
}

enum ValidateStateMachineDefinitionSeverity {
    ERROR
    WARNING
}

// ---- Structures and lists ------------------------------------------------------------------------------------------

structure CloudWatchLogsLogGroup {
    logGroupArn: Arn
}

structure LogDestination {
    cloudWatchLogsLogGroup: CloudWatchLogsLogGroup
}

list LogDestinationList {
    member: LogDestination
}

structure LoggingConfiguration {
    level: LogLevel

    includeExecutionData: Boolean

    destinations: LogDestinationList
}

structure Tag {
    key: TagKey

    value: TagValue
}

list TagList {
    member: Tag
}

structure TracingConfiguration {
    enabled: Boolean
}

structure EncryptionConfiguration {
    @unsupported
    kmsKeyId: Document

    @unsupported
    kmsDataKeyReusePeriodSeconds: Document

    @required
    type: EncryptionType
}

list VariableNameList {
    member: VariableName
}

map VariableReferences {
    key: StateName
    value: VariableNameList
}

structure StateMachineListItem {
    @required
    stateMachineArn: Arn

    @required
    name: Name

    @required
    type: StateMachineType

    @required
    creationDate: Timestamp
}

list StateMachineList {
    member: StateMachineListItem
}

structure ValidateStateMachineDefinitionDiagnostic {
    @required
    severity: ValidateStateMachineDefinitionSeverity

    @required
    code: ValidateStateMachineDefinitionCode

    @required
    message: ValidateStateMachineDefinitionMessage

    location: ValidateStateMachineDefinitionLocation
}

list ValidateStateMachineDefinitionDiagnosticList {
    member: ValidateStateMachineDefinitionDiagnostic
}

structure MockErrorOutput {
    error: SensitiveError

    cause: SensitiveCause
}

structure MockInput {
    result: SensitiveData

    errorOutput: MockErrorOutput

    fieldValidationMode: MockResponseValidationMode
}

structure TestStateConfiguration {
    retrierRetryCount: RetrierRetryCount

    errorCausedByState: TestStateStateName

    mapIterationFailureCount: MapIterationFailureCount

    mapItemReaderData: SensitiveData
}

structure InspectionDataRequest {
    protocol: String

    method: String

    url: String

    headers: String

    body: String
}

structure InspectionDataResponse {
    protocol: String

    statusCode: String

    statusMessage: String

    headers: String

    body: String
}

structure InspectionErrorDetails {
    catchIndex: ExceptionHandlerIndex

    retryIndex: ExceptionHandlerIndex

    retryBackoffIntervalSeconds: RetryBackoffIntervalSeconds
}

structure InspectionData {
    input: SensitiveData

    afterArguments: SensitiveData

    afterInputPath: SensitiveData

    afterParameters: SensitiveData

    result: SensitiveData

    afterResultSelector: SensitiveData

    afterResultPath: SensitiveData

    request: InspectionDataRequest

    response: InspectionDataResponse

    variables: SensitiveData

    errorDetails: InspectionErrorDetails

    afterItemsPath: SensitiveData

    afterItemSelector: SensitiveData

    afterItemBatcher: SensitiveData

    afterItemsPointer: SensitiveData

    toleratedFailureCount: InspectionToleratedFailureCount

    toleratedFailurePercentage: InspectionToleratedFailurePercentage

    maxConcurrency: InspectionMaxConcurrency
}

structure StateMachineVersionListItem {
    @required
    stateMachineVersionArn: LongArn

    @required
    creationDate: Timestamp
}

list StateMachineVersionList {
    member: StateMachineVersionListItem
}

structure RoutingConfigurationListItem {
    @required
    stateMachineVersionArn: Arn

    @required
    weight: VersionWeight
}

@length(min: 1, max: 2)
list RoutingConfigurationList {
    member: RoutingConfigurationListItem
}

structure StateMachineAliasListItem {
    @required
    stateMachineAliasArn: LongArn

    @required
    creationDate: Timestamp
}

list StateMachineAliasList {
    member: StateMachineAliasListItem
}

structure CloudWatchEventsExecutionDataDetails {
    included: Boolean
}

structure BillingDetails {
    billedMemoryUsedInMB: BilledMemoryUsed

    billedDurationInMilliseconds: BilledDuration
}

structure ExecutionListItem {
    @required
    executionArn: Arn

    @required
    stateMachineArn: Arn

    @required
    name: Name

    @required
    status: ExecutionStatus

    @required
    startDate: Timestamp

    stopDate: Timestamp

    mapRunArn: LongArn

    itemCount: UnsignedInteger

    stateMachineVersionArn: Arn

    stateMachineAliasArn: Arn

    redriveCount: Integer

    redriveDate: Timestamp
}

list ExecutionList {
    member: ExecutionListItem
}

structure ActivityFailedEventDetails {
    error: SensitiveError

    cause: SensitiveCause
}

structure ActivityScheduleFailedEventDetails {
    error: SensitiveError

    cause: SensitiveCause
}

structure HistoryEventExecutionDataDetails {
    truncated: Boolean
}

structure ActivityScheduledEventDetails {
    @required
    resource: Arn

    input: SensitiveData

    inputDetails: HistoryEventExecutionDataDetails

    timeoutInSeconds: Long

    heartbeatInSeconds: Long
}

structure ActivityStartedEventDetails {
    workerName: Identity
}

structure ActivitySucceededEventDetails {
    output: SensitiveData

    outputDetails: HistoryEventExecutionDataDetails
}

structure ActivityTimedOutEventDetails {
    error: SensitiveError

    cause: SensitiveCause
}

structure TaskFailedEventDetails {
    @required
    resourceType: Name

    @required
    resource: Name

    error: SensitiveError

    cause: SensitiveCause
}

structure TaskCredentials {
    roleArn: LongArn
}

structure TaskScheduledEventDetails {
    @required
    resourceType: Name

    @required
    resource: Name

    @required
    region: Name

    @required
    parameters: ConnectorParameters

    timeoutInSeconds: Long

    heartbeatInSeconds: Long

    taskCredentials: TaskCredentials
}

structure TaskStartFailedEventDetails {
    @required
    resourceType: Name

    @required
    resource: Name

    error: SensitiveError

    cause: SensitiveCause
}

structure TaskStartedEventDetails {
    @required
    resourceType: Name

    @required
    resource: Name
}

structure TaskSubmitFailedEventDetails {
    @required
    resourceType: Name

    @required
    resource: Name

    error: SensitiveError

    cause: SensitiveCause
}

structure TaskSubmittedEventDetails {
    @required
    resourceType: Name

    @required
    resource: Name

    output: SensitiveData

    outputDetails: HistoryEventExecutionDataDetails
}

structure TaskSucceededEventDetails {
    @required
    resourceType: Name

    @required
    resource: Name

    output: SensitiveData

    outputDetails: HistoryEventExecutionDataDetails
}

structure TaskTimedOutEventDetails {
    @required
    resourceType: Name

    @required
    resource: Name

    error: SensitiveError

    cause: SensitiveCause
}

structure ExecutionFailedEventDetails {
    error: SensitiveError

    cause: SensitiveCause
}

structure ExecutionStartedEventDetails {
    input: SensitiveData

    inputDetails: HistoryEventExecutionDataDetails

    roleArn: Arn

    stateMachineAliasArn: Arn

    stateMachineVersionArn: Arn
}

structure ExecutionSucceededEventDetails {
    output: SensitiveData

    outputDetails: HistoryEventExecutionDataDetails
}

structure ExecutionAbortedEventDetails {
    error: SensitiveError

    cause: SensitiveCause
}

structure ExecutionTimedOutEventDetails {
    error: SensitiveError

    cause: SensitiveCause
}

structure ExecutionRedrivenEventDetails {
    redriveCount: Integer
}

structure MapStateStartedEventDetails {
    length: UnsignedInteger
}

structure MapIterationEventDetails {
    name: Name

    index: UnsignedInteger
}

structure LambdaFunctionFailedEventDetails {
    error: SensitiveError

    cause: SensitiveCause
}

structure LambdaFunctionScheduleFailedEventDetails {
    error: SensitiveError

    cause: SensitiveCause
}

structure LambdaFunctionScheduledEventDetails {
    @required
    resource: Arn

    input: SensitiveData

    inputDetails: HistoryEventExecutionDataDetails

    timeoutInSeconds: Long

    taskCredentials: TaskCredentials
}

structure LambdaFunctionStartFailedEventDetails {
    error: SensitiveError

    cause: SensitiveCause
}

structure LambdaFunctionSucceededEventDetails {
    output: SensitiveData

    outputDetails: HistoryEventExecutionDataDetails
}

structure LambdaFunctionTimedOutEventDetails {
    error: SensitiveError

    cause: SensitiveCause
}

structure StateEnteredEventDetails {
    @required
    name: Name

    input: SensitiveData

    inputDetails: HistoryEventExecutionDataDetails
}

map AssignedVariables {
    key: VariableName
    value: VariableValue
}

structure AssignedVariablesDetails {
    truncated: Boolean
}

structure StateExitedEventDetails {
    @required
    name: Name

    output: SensitiveData

    outputDetails: HistoryEventExecutionDataDetails

    assignedVariables: AssignedVariables

    assignedVariablesDetails: AssignedVariablesDetails
}

structure MapRunStartedEventDetails {
    mapRunArn: LongArn
}

structure MapRunFailedEventDetails {
    error: SensitiveError

    cause: SensitiveCause
}

structure MapRunRedrivenEventDetails {
    mapRunArn: LongArn

    redriveCount: Integer
}

structure EvaluationFailedEventDetails {
    error: SensitiveError

    cause: SensitiveCause

    location: EvaluationFailureLocation

    @required
    state: StateName
}

structure HistoryEvent {
    @required
    timestamp: Timestamp

    @required
    type: String

    @required
    id: Long

    previousEventId: Long

    activityFailedEventDetails: ActivityFailedEventDetails

    activityScheduleFailedEventDetails: ActivityScheduleFailedEventDetails

    activityScheduledEventDetails: ActivityScheduledEventDetails

    activityStartedEventDetails: ActivityStartedEventDetails

    activitySucceededEventDetails: ActivitySucceededEventDetails

    activityTimedOutEventDetails: ActivityTimedOutEventDetails

    taskFailedEventDetails: TaskFailedEventDetails

    taskScheduledEventDetails: TaskScheduledEventDetails

    taskStartFailedEventDetails: TaskStartFailedEventDetails

    taskStartedEventDetails: TaskStartedEventDetails

    taskSubmitFailedEventDetails: TaskSubmitFailedEventDetails

    taskSubmittedEventDetails: TaskSubmittedEventDetails

    taskSucceededEventDetails: TaskSucceededEventDetails

    taskTimedOutEventDetails: TaskTimedOutEventDetails

    executionFailedEventDetails: ExecutionFailedEventDetails

    executionStartedEventDetails: ExecutionStartedEventDetails

    executionSucceededEventDetails: ExecutionSucceededEventDetails

    executionAbortedEventDetails: ExecutionAbortedEventDetails

    executionTimedOutEventDetails: ExecutionTimedOutEventDetails

    executionRedrivenEventDetails: ExecutionRedrivenEventDetails

    mapStateStartedEventDetails: MapStateStartedEventDetails

    mapIterationStartedEventDetails: MapIterationEventDetails

    mapIterationSucceededEventDetails: MapIterationEventDetails

    mapIterationFailedEventDetails: MapIterationEventDetails

    mapIterationAbortedEventDetails: MapIterationEventDetails

    lambdaFunctionFailedEventDetails: LambdaFunctionFailedEventDetails

    lambdaFunctionScheduleFailedEventDetails: LambdaFunctionScheduleFailedEventDetails

    lambdaFunctionScheduledEventDetails: LambdaFunctionScheduledEventDetails

    lambdaFunctionStartFailedEventDetails: LambdaFunctionStartFailedEventDetails

    lambdaFunctionSucceededEventDetails: LambdaFunctionSucceededEventDetails

    lambdaFunctionTimedOutEventDetails: LambdaFunctionTimedOutEventDetails

    stateEnteredEventDetails: StateEnteredEventDetails

    stateExitedEventDetails: StateExitedEventDetails

    mapRunStartedEventDetails: MapRunStartedEventDetails

    mapRunFailedEventDetails: MapRunFailedEventDetails

    mapRunRedrivenEventDetails: MapRunRedrivenEventDetails

    evaluationFailedEventDetails: EvaluationFailedEventDetails
}

list HistoryEventList {
    member: HistoryEvent
}

structure ActivityListItem {
    @required
    activityArn: Arn

    @required
    name: Name

    @required
    creationDate: Timestamp
}

list ActivityList {
    member: ActivityListItem
}

list TagKeyList {
    member: TagKey
}

// ---- State machines ------------------------------------------------------------------------------------------------

operation CreateStateMachine {
    input := {
        @required
        name: Name

        @required
        definition: Definition

        @required
        roleArn: Arn

        type: StateMachineType

        loggingConfiguration: LoggingConfiguration

        tags: TagList

        tracingConfiguration: TracingConfiguration

        publish: Boolean

        versionDescription: VersionDescription

        encryptionConfiguration: EncryptionConfiguration
    }

    output := {
        @required
        stateMachineArn: Arn

        @required
        creationDate: Timestamp

        stateMachineVersionArn: Arn
    }

    errors: [
        InvalidArn
        InvalidDefinition
        InvalidName
        InvalidLoggingConfiguration
        InvalidTracingConfiguration
        StateMachineAlreadyExists
        StateMachineDeleting
        StateMachineLimitExceeded
        StateMachineTypeNotSupported
        TooManyTags
        ValidationException
        ConflictException
        InvalidEncryptionConfiguration
    ]
}

operation DescribeStateMachine {
    input := {
        @required
        stateMachineArn: Arn

        includedData: IncludedData
    }

    output := {
        @required
        stateMachineArn: Arn

        @required
        name: Name

        status: StateMachineStatus

        @required
        definition: Definition

        @required
        roleArn: Arn

        @required
        type: StateMachineType

        @required
        creationDate: Timestamp

        loggingConfiguration: LoggingConfiguration

        tracingConfiguration: TracingConfiguration

        label: String

        revisionId: String

        description: VersionDescription

        encryptionConfiguration: EncryptionConfiguration

        variableReferences: VariableReferences
    }

    errors: [
        InvalidArn
        StateMachineDoesNotExist
    ]
}

operation UpdateStateMachine {
    input := {
        @required
        stateMachineArn: Arn

        definition: Definition

        roleArn: Arn

        loggingConfiguration: LoggingConfiguration

        tracingConfiguration: TracingConfiguration

        publish: Boolean

        versionDescription: VersionDescription

        encryptionConfiguration: EncryptionConfiguration
    }

    output := {
        @required
        updateDate: Timestamp

        revisionId: String

        stateMachineVersionArn: Arn
    }

    errors: [
        InvalidArn
        InvalidDefinition
        InvalidLoggingConfiguration
        InvalidTracingConfiguration
        MissingRequiredParameter
        StateMachineDeleting
        StateMachineDoesNotExist
        ServiceQuotaExceededException
        ConflictException
        ValidationException
        InvalidEncryptionConfiguration
    ]
}

operation DeleteStateMachine {
    input := {
        @required
        stateMachineArn: Arn
    }

    output := {}

    errors: [
        InvalidArn
        ValidationException
    ]
}

operation ListStateMachines {
    input := {
        maxResults: PageSize

        nextToken: PageToken
    }

    output := {
        @required
        stateMachines: StateMachineList

        nextToken: PageToken
    }

    errors: [
        InvalidToken
    ]
}

operation ValidateStateMachineDefinition {
    input := {
        @required
        definition: Definition

        type: StateMachineType

        severity: ValidateStateMachineDefinitionSeverity

        maxResults: ValidateStateMachineDefinitionMaxResult
    }

    output := {
        @required
        result: ValidateStateMachineDefinitionResultCode

        @required
        diagnostics: ValidateStateMachineDefinitionDiagnosticList

        truncated: Boolean
    }

    errors: [
        ValidationException
    ]
}

operation TestState {
    input := {
        @required
        definition: Definition

        roleArn: Arn

        input: SensitiveData

        inspectionLevel: InspectionLevel

        revealSecrets: Boolean

        variables: SensitiveData

        stateName: TestStateStateName

        mock: MockInput

        context: SensitiveData

        stateConfiguration: TestStateConfiguration
    }

    output := {
        output: SensitiveData

        error: SensitiveError

        cause: SensitiveCause

        inspectionData: InspectionData

        nextState: StateName

        status: TestExecutionStatus
    }

    errors: [
        InvalidArn
        InvalidDefinition
        InvalidExecutionInput
        ValidationException
    ]
}

// ---- Versions and aliases ------------------------------------------------------------------------------------------

operation PublishStateMachineVersion {
    input := {
        @required
        stateMachineArn: Arn

        revisionId: String

        description: VersionDescription
    }

    output := {
        @required
        creationDate: Timestamp

        @required
        stateMachineVersionArn: Arn
    }

    errors: [
        ValidationException
        StateMachineDeleting
        StateMachineDoesNotExist
        ServiceQuotaExceededException
        ConflictException
        InvalidArn
    ]
}

operation DeleteStateMachineVersion {
    input := {
        @required
        stateMachineVersionArn: LongArn
    }

    output := {}

    errors: [
        ValidationException
        InvalidArn
        ConflictException
    ]
}

operation ListStateMachineVersions {
    input := {
        @required
        stateMachineArn: Arn

        nextToken: PageToken

        maxResults: PageSize
    }

    output := {
        @required
        stateMachineVersions: StateMachineVersionList

        nextToken: PageToken
    }

    errors: [
        ValidationException
        InvalidArn
        InvalidToken
    ]
}

operation CreateStateMachineAlias {
    input := {
        description: AliasDescription

        @required
        name: CharacterRestrictedName

        @required
        routingConfiguration: RoutingConfigurationList
    }

    output := {
        @required
        stateMachineAliasArn: Arn

        @required
        creationDate: Timestamp
    }

    errors: [
        InvalidArn
        InvalidName
        ValidationException
        StateMachineDeleting
        ResourceNotFound
        ConflictException
        ServiceQuotaExceededException
    ]
}

operation DescribeStateMachineAlias {
    input := {
        @required
        stateMachineAliasArn: Arn
    }

    output := {
        stateMachineAliasArn: Arn

        name: Name

        description: AliasDescription

        routingConfiguration: RoutingConfigurationList

        creationDate: Timestamp

        updateDate: Timestamp
    }

    errors: [
        ValidationException
        InvalidArn
        ResourceNotFound
    ]
}

operation UpdateStateMachineAlias {
    input := {
        @required
        stateMachineAliasArn: Arn

        description: AliasDescription

        routingConfiguration: RoutingConfigurationList
    }

    output := {
        @required
        updateDate: Timestamp
    }

    errors: [
        ValidationException
        InvalidArn
        ResourceNotFound
        ConflictException
        StateMachineDeleting
    ]
}

operation DeleteStateMachineAlias {
    input := {
        @required
        stateMachineAliasArn: Arn
    }

    output := {}

    errors: [
        ValidationException
        InvalidArn
        ResourceNotFound
        ConflictException
    ]
}

operation ListStateMachineAliases {
    input := {
        @required
        stateMachineArn: Arn

        nextToken: PageToken

        maxResults: PageSize
    }

    output := {
        @required
        stateMachineAliases: StateMachineAliasList

        nextToken: PageToken
    }

    errors: [
        InvalidArn
        InvalidToken
        ResourceNotFound
        StateMachineDoesNotExist
        StateMachineDeleting
    ]
}

// ---- Executions ----------------------------------------------------------------------------------------------------

operation StartExecution {
    input := {
        @required
        stateMachineArn: Arn

        name: Name

        input: SensitiveData

        traceHeader: TraceHeader
    }

    output := {
        @required
        executionArn: Arn

        @required
        startDate: Timestamp
    }

    errors: [
        ExecutionLimitExceeded
        ExecutionAlreadyExists
        InvalidArn
        InvalidExecutionInput
        InvalidName
        StateMachineDoesNotExist
        StateMachineDeleting
        ValidationException
    ]
}

operation StartSyncExecution {
    input := {
        @required
        stateMachineArn: Arn

        name: Name

        input: SensitiveData

        traceHeader: TraceHeader

        includedData: IncludedData
    }

    output := {
        @required
        executionArn: Arn

        stateMachineArn: Arn

        name: Name

        @required
        startDate: Timestamp

        @required
        stopDate: Timestamp

        @required
        status: SyncExecutionStatus

        error: SensitiveError

        cause: SensitiveCause

        input: SensitiveData

        inputDetails: CloudWatchEventsExecutionDataDetails

        output: SensitiveData

        outputDetails: CloudWatchEventsExecutionDataDetails

        traceHeader: TraceHeader

        billingDetails: BillingDetails
    }

    errors: [
        InvalidArn
        InvalidExecutionInput
        InvalidName
        StateMachineDoesNotExist
        StateMachineDeleting
        StateMachineTypeNotSupported
    ]
}

operation StopExecution {
    input := {
        @required
        executionArn: Arn

        error: SensitiveError

        cause: SensitiveCause
    }

    output := {
        @required
        stopDate: Timestamp
    }

    errors: [
        ExecutionDoesNotExist
        InvalidArn
        ValidationException
    ]
}

operation RedriveExecution {
    input := {
        @required
        executionArn: Arn

        clientToken: ClientToken
    }

    output := {
        @required
        redriveDate: Timestamp
    }

    errors: [
        ExecutionDoesNotExist
        ExecutionNotRedrivable
        ExecutionLimitExceeded
        InvalidArn
        ValidationException
    ]
}

operation DescribeExecution {
    input := {
        @required
        executionArn: Arn

        includedData: IncludedData
    }

    output := {
        @required
        executionArn: Arn

        @required
        stateMachineArn: Arn

        name: Name

        @required
        status: ExecutionStatus

        @required
        startDate: Timestamp

        stopDate: Timestamp

        input: SensitiveData

        inputDetails: CloudWatchEventsExecutionDataDetails

        output: SensitiveData

        outputDetails: CloudWatchEventsExecutionDataDetails

        traceHeader: TraceHeader

        mapRunArn: LongArn

        error: SensitiveError

        cause: SensitiveCause

        stateMachineVersionArn: Arn

        stateMachineAliasArn: Arn

        redriveCount: Integer

        redriveDate: Timestamp

        redriveStatus: ExecutionRedriveStatus

        redriveStatusReason: SensitiveData
    }

    errors: [
        ExecutionDoesNotExist
        InvalidArn
    ]
}

operation DescribeStateMachineForExecution {
    input := {
        @required
        executionArn: Arn

        includedData: IncludedData
    }

    output := {
        @required
        stateMachineArn: Arn

        @required
        name: Name

        @required
        definition: Definition

        @required
        roleArn: Arn

        @required
        updateDate: Timestamp

        loggingConfiguration: LoggingConfiguration

        tracingConfiguration: TracingConfiguration

        mapRunArn: LongArn

        label: String

        revisionId: String

        encryptionConfiguration: EncryptionConfiguration

        variableReferences: VariableReferences
    }

    errors: [
        ExecutionDoesNotExist
        InvalidArn
    ]
}

operation ListExecutions {
    input := {
        stateMachineArn: Arn

        statusFilter: ExecutionStatus

        maxResults: PageSize

        nextToken: ListExecutionsPageToken

        mapRunArn: LongArn

        redriveFilter: ExecutionRedriveFilter
    }

    output := {
        @required
        executions: ExecutionList

        nextToken: ListExecutionsPageToken
    }

    errors: [
        InvalidArn
        InvalidToken
        StateMachineDoesNotExist
        StateMachineTypeNotSupported
        ValidationException
        ResourceNotFound
    ]
}

operation GetExecutionHistory {
    input := {
        @required
        executionArn: Arn

        maxResults: PageSize

        reverseOrder: Boolean

        nextToken: PageToken

        includeExecutionData: Boolean
    }

    output := {
        @required
        events: HistoryEventList

        nextToken: PageToken
    }

    errors: [
        ExecutionDoesNotExist
        InvalidArn
        InvalidToken
    ]
}

// ---- Activities and tasks ------------------------------------------------------------------------------------------

operation CreateActivity {
    input := {
        @required
        name: Name

        tags: TagList

        encryptionConfiguration: EncryptionConfiguration
    }

    output := {
        @required
        activityArn: Arn

        @required
        creationDate: Timestamp
    }

    errors: [
        ActivityLimitExceeded
        ActivityAlreadyExists
        InvalidName
        TooManyTags
        InvalidEncryptionConfiguration
    ]
}

operation DescribeActivity {
    input := {
        @required
        activityArn: Arn
    }

    output := {
        @required
        activityArn: Arn

        @required
        name: Name

        @required
        creationDate: Timestamp

        encryptionConfiguration: EncryptionConfiguration
    }

    errors: [
        ActivityDoesNotExist
        InvalidArn
    ]
}

operation DeleteActivity {
    input := {
        @required
        activityArn: Arn
    }

    output := {}

    errors: [
        InvalidArn
    ]
}

operation ListActivities {
    input := {
        maxResults: PageSize

        nextToken: PageToken
    }

    output := {
        @required
        activities: ActivityList

        nextToken: PageToken
    }

    errors: [
        InvalidToken
    ]
}

@endsWithClient
operation GetActivityTask {
    input := {
        @required
        activityArn: Arn

        workerName: Name
    }

    output := {
        taskToken: TaskToken

        input: SensitiveDataJobInput
    }

    errors: [
        ActivityDoesNotExist
        ActivityWorkerLimitExceeded
        InvalidArn
    ]
}

operation SendTaskSuccess {
    input := {
        @required
        taskToken: TaskToken

        @required
        output: SensitiveData
    }

    output := {}

    errors: [
        TaskDoesNotExist
        InvalidOutput
        InvalidToken
        TaskTimedOut
    ]
}

operation SendTaskFailure {
    input := {
        @required
        taskToken: TaskToken

        error: SensitiveError

        cause: SensitiveCause
    }

    output := {}

    errors: [
        TaskDoesNotExist
        InvalidToken
        TaskTimedOut
    ]
}

operation SendTaskHeartbeat {
    input := {
        @required
        taskToken: TaskToken
    }

    output := {}

    errors: [
        TaskDoesNotExist
        InvalidToken
        TaskTimedOut
    ]
}

// ---- Map runs ------------------------------------------------------------------------------------------------------

@range(min: 0)
integer MaxConcurrency

@range(min: 0, max: 100)
float ToleratedFailurePercentage

@range(min: 0)
long ToleratedFailureCount

enum MapRunStatus {
    RUNNING
    SUCCEEDED
    FAILED
    ABORTED
}

structure MapRunItemCounts {
    @required
    pending: Long

    @required
    running: Long

    @required
    succeeded: Long

    @required
    failed: Long

    @required
    timedOut: Long

    @required
    aborted: Long

    @required
    total: Long

    @required
    resultsWritten: Long

    failuresNotRedrivable: Long

    pendingRedrive: Long
}

structure MapRunExecutionCounts {
    @required
    pending: Long

    @required
    running: Long

    @required
    succeeded: Long

    @required
    failed: Long

    @required
    timedOut: Long

    @required
    aborted: Long

    @required
    total: Long

    @required
    resultsWritten: Long

    failuresNotRedrivable: Long

    pendingRedrive: Long
}

structure MapRunListItem {
    @required
    executionArn: Arn

    @required
    mapRunArn: MapRunArn

    @required
    stateMachineArn: Arn

    @required
    startDate: Timestamp

    stopDate: Timestamp
}

list MapRunList {
    member: MapRunListItem
}

@length(min: 1, max: 2000)
string MapRunArn

operation DescribeMapRun {
    input := {
        @required
        mapRunArn: MapRunArn
    }

    output := {
        @required
        mapRunArn: MapRunArn

        @required
        executionArn: Arn

        @required
        status: MapRunStatus

        @required
        startDate: Timestamp

        stopDate: Timestamp

        @required
        maxConcurrency: MaxConcurrency

        @required
        toleratedFailurePercentage: ToleratedFailurePercentage

        @required
        toleratedFailureCount: ToleratedFailureCount

        @required
        itemCounts: MapRunItemCounts

        @required
        executionCounts: MapRunExecutionCounts

        redriveCount: Integer

        redriveDate: Timestamp
    }

    errors: [
        ResourceNotFound
        InvalidArn
    ]
}

operation UpdateMapRun {
    input := {
        @required
        mapRunArn: MapRunArn

        maxConcurrency: MaxConcurrency

        toleratedFailurePercentage: ToleratedFailurePercentage

        toleratedFailureCount: ToleratedFailureCount
    }

    output := {}

    errors: [
        ResourceNotFound
        InvalidArn
        ValidationException
    ]
}

operation ListMapRuns {
    input := {
        @required
        executionArn: Arn

        maxResults: PageSize

        nextToken: PageToken
    }

    output := {
        @required
        mapRuns: MapRunList

        nextToken: PageToken
    }

    errors: [
        ExecutionDoesNotExist
        InvalidArn
        InvalidToken
    ]
}

// ---- Tags ----------------------------------------------------------------------------------------------------------

operation TagResource {
    input := {
        @required
        resourceArn: Arn

        @required
        tags: TagList
    }

    output := {}

    errors: [
        InvalidArn
        ResourceNotFound
        TooManyTags
    ]
}

operation UntagResource {
    input := {
        @required
        resourceArn: Arn

        @required
        tagKeys: TagKeyList
    }

    output := {}

    errors: [
        InvalidArn
        ResourceNotFound
    ]
}

operation ListTagsForResource {
    input := {
        @required
        resourceArn: Arn
    }

    output := {
        tags: TagList
    }

    errors: [
        InvalidArn
        ResourceNotFound
    ]
}

// ---- Errors --------------------------------------------------------------------------------------------------------

@error("client")
structure ActivityAlreadyExists {
    message: String
}

@error("client")
structure ActivityDoesNotExist {
    message: String
}

@error("client")
structure ActivityLimitExceeded {
    message: String
}

@error("client")
structure ActivityWorkerLimitExceeded {
    message: String
}

@error("client")
structure ConflictException {
    message: String
}

@error("client")
structure ExecutionAlreadyExists {
    message: String
}

@error("client")
structure ExecutionDoesNotExist {
    message: String
}

@error("client")
structure ExecutionLimitExceeded {
    message: String
}

@error("client")
structure ExecutionNotRedrivable {
    message: String
}

@error("client")
structure InvalidArn {
    message: String
}

@error("client")
structure InvalidDefinition {
    message: String
}

@error("client")
structure InvalidEncryptionConfiguration {
    message: String
}

@error("client")
structure InvalidExecutionInput {
    message: String
}

@error("client")
structure InvalidLoggingConfiguration {
    message: String
}

@error("client")
structure InvalidName {
    message: String
}

@error("client")
structure InvalidOutput {
    message: String
}

@error("client")
structure InvalidToken {
    message: String
}

@error("client")
structure InvalidTracingConfiguration {
    message: String
}

@error("client")
structure MissingRequiredParameter {
    message: String
}

@error("client")
structure ResourceNotFound {
    message: String

    resourceName: Arn
}

@error("client")
structure ServiceQuotaExceededException {
    message: String
}

@error("client")
structure StateMachineAlreadyExists {
    message: String
}

@error("client")
structure StateMachineDeleting {
    message: String
}

@error("client")
structure StateMachineDoesNotExist {
    message: String
}

@error("client")
structure StateMachineLimitExceeded {
    message: String
}

@error("client")
structure StateMachineTypeNotSupported {
    message: String
}

@error("client")
structure TaskDoesNotExist {
    message: String
}

@error("client")
structure TaskTimedOut {
    message: String
}

@error("client")
structure TooManyTags {
    message: String

    resourceName: Arn
}

@error("client")
structure ValidationException {
    message: String

    reason: String
}
