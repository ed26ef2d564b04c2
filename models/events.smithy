$version: "2.0"

// Amazon EventBridge, API version 2015-10-07. docs/events.md says what works.
namespace tidemill.events

@awsJson1_1
@signingName("events")
@targetPrefix("AWSEvents")
@errorNamespace("")
@internalError("InternalException")
service Events {
    version: "2015-10-07"
    operations: [
        CreateEventBus
        DescribeEventBus
        ListEventBuses
        UpdateEventBus
        DeleteEventBus
        PutPermission
        RemovePermission
        PutRule
        DescribeRule
        ListRules
        EnableRule
        DisableRule
        DeleteRule
        PutTargets
        RemoveTargets
        ListTargetsByRule
        ListRuleNamesByTarget
        PutEvents
        TestEventPattern
        TagResource
        UntagResource
        ListTagsForResource
        CreateArchive
        DescribeArchive
        ListArchives
        UpdateArchive
        DeleteArchive
        StartReplay
        DescribeReplay
        ListReplays
        CancelReplay
        CreateConnection
        DescribeConnection
        ListConnections
        UpdateConnection
        DeauthorizeConnection
        DeleteConnection
        CreateApiDestination
        DescribeApiDestination
        ListApiDestinations
        UpdateApiDestination
        DeleteApiDestination
        InvokeApiDestination

        CreateEndpoint
        DescribeEndpoint
        ListEndpoints
        UpdateEndpoint
        DeleteEndpoint
        ActivateEventSource
        DeactivateEventSource
        DescribeEventSource
        ListEventSources
        CreatePartnerEventSource
        DescribePartnerEventSource
        ListPartnerEventSources
        ListPartnerEventSourceAccounts
        DeletePartnerEventSource
        PutPartnerEvents
    ]
}

// ---- Names and values -----------------------------------------------------------------------------------------------

@length(min: 1, max: 256)
@pattern("[/\\.\\-_A-Za-z0-9]+")
string EventBusName

@length(min: 1, max: 1600)
@pattern("(arn:aws[\\w-]*:events:[a-z]+-[a-z]+-[\\w-]+:[0-9]{12}:event-bus\\/)?[/\\.\\-_A-Za-z0-9]+")
string EventBusNameOrArn

@length(min: 1, max: 1600)
@pattern("(arn:aws[\\w-]*:events:[a-z]+-[a-z]+-[\\w-]+:[0-9]{12}:event-bus\\/)?[\\.\\-_A-Za-z0-9]+")
string NonPartnerEventBusNameOrArn

@length(min: 1, max: 256)
@pattern("[\\.\\-_A-Za-z0-9]+")
string NonPartnerEventBusName

@length(min: 1, max: 64)
@pattern("[\\.\\-_A-Za-z0-9]+")
string RuleName

@length(min: 1, max: 64)
@pattern("[\\.\\-_A-Za-z0-9]+")
string TargetId

@length(min: 1, max: 48)
@pattern("[\\.\\-_A-Za-z0-9]+")
string ArchiveName

@length(min: 1, max: 64)
@pattern("[\\.\\-_A-Za-z0-9]+")
string ReplayName

@length(min: 1, max: 64)
@pattern("[\\.\\-_A-Za-z0-9]+")
string ConnectionName

@length(min: 1, max: 1600)
string ResourceArn

@length(min: 1, max: 1600)
@pattern("arn:aws([a-z]|\\-)*:events:([a-z]|\\d|\\-)*:([0-9]{12})?:.+\\/.+")
string EventSourceArn

@length(min: 1, max: 1600)
@pattern("arn:aws([a-z]|\\-)*:events:([a-z]|\\d|\\-)*:([0-9]{12})?:connection\\/[\\.\\-_A-Za-z0-9]+\\/[\\-A-Za-z0-9]+")
string ConnectionArn

@length(min: 0, max: 512)
string Description

@length(min: 0, max: 4096)
string EventPattern

@length(min: 0, max: 256)
string ScheduleExpression

@length(min: 1, max: 2048)
string NextToken

@range(min: 1, max: 100)
integer Limit

@length(min: 1, max: 64)
@pattern("[a-zA-Z0-9-_]+")
string StatementId

@range(min: 0)
integer RetentionDays

enum RuleState {
    ENABLED
    DISABLED
    ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS
}

structure Tag {
    @required
    @length(min: 1, max: 128)
    Key: String

    @required
    @length(min: 0, max: 256)
    Value: String
}

list Tags {
    member: Tag
}

@length(min: 1, max: 128)
string TagKey

list TagKeys {
    member: TagKey
}

structure DeadLetterConfig {
    @length(min: 1, max: 1600)
    Arn: String
}

// ---- Buses ----------------------------------------------------------------------------------------------------------

structure EventBus {
    Name: String

    Arn: String

    Description: String

    Policy: String

    CreationTime: Timestamp

    LastModifiedTime: Timestamp
}

list EventBuses {
    member: EventBus
}

operation CreateEventBus {
    input := {
        @required
        Name: EventBusName

        @unsupported
        EventSourceName: String

        Description: Description

        @unsupported(unless: "")
        KmsKeyIdentifier: String

        @unsupported
        DeadLetterConfig: Document

        @unsupported
        LogConfig: Document

        Tags: Tags
    }
    output := {
        EventBusArn: String

        Description: String
    }
    errors: [ResourceAlreadyExistsException, ResourceNotFoundException, LimitExceededException]
}

operation DescribeEventBus {
    input := {
        Name: EventBusNameOrArn
    }
    output := {
        Name: String

        Arn: String

        Description: String

        Policy: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp
    }
    errors: [ResourceNotFoundException]
}

operation ListEventBuses {
    input := {
        NamePrefix: EventBusName

        NextToken: NextToken

        Limit: Limit
    }
    output := {
        EventBuses: EventBuses

        NextToken: String
    }
}

operation UpdateEventBus {
    input := {
        Name: EventBusName

        @unsupported(unless: "")
        KmsKeyIdentifier: String

        Description: Description

        @unsupported
        DeadLetterConfig: Document

        @unsupported
        LogConfig: Document
    }
    output := {
        Arn: String

        Name: String

        Description: String
    }
    errors: [ResourceNotFoundException]
}

operation DeleteEventBus {
    input := {
        @required
        Name: EventBusName
    }
    output := {}
}

structure Condition {
    @required
    Type: String

    @required
    Key: String

    @required
    Value: String
}

operation PutPermission {
    input := {
        EventBusName: NonPartnerEventBusName

        @length(min: 1, max: 64)
        @pattern("events:[a-zA-Z]+")
        Action: String

        @length(min: 1, max: 12)
        @pattern("(\\d{12}|\\*)")
        Principal: String

        StatementId: StatementId

        Condition: Condition

        Policy: String
    }
    output := {}
    errors: [ResourceNotFoundException, PolicyLengthExceededException]
}

operation RemovePermission {
    input := {
        StatementId: StatementId

        RemoveAllPermissions: Boolean

        EventBusName: NonPartnerEventBusName
    }
    output := {}
    errors: [ResourceNotFoundException]
}

// ---- Rules ----------------------------------------------------------------------------------------------------------

structure Rule {
    Name: String

    Arn: String

    EventPattern: String

    State: String

    Description: String

    ScheduleExpression: String

    RoleArn: String

    ManagedBy: String

    EventBusName: String
}

list Rules {
    member: Rule
}

list RuleNames {
    member: String
}

operation PutRule {
    input := {
        @required
        Name: RuleName

        ScheduleExpression: ScheduleExpression

        EventPattern: EventPattern

        State: RuleState

        Description: Description

        @length(min: 1, max: 1600)
        RoleArn: String

        Tags: Tags

        EventBusName: EventBusNameOrArn
    }
    output := {
        RuleArn: String
    }
    errors: [InvalidEventPatternException, LimitExceededException, ResourceNotFoundException, ManagedRuleException]
}

operation DescribeRule {
    input := {
        @required
        Name: RuleName

        EventBusName: EventBusNameOrArn
    }
    output := {
        Name: String

        Arn: String

        EventPattern: String

        ScheduleExpression: String

        State: String

        Description: String

        RoleArn: String

        ManagedBy: String

        EventBusName: String

        CreatedBy: String
    }
    errors: [ResourceNotFoundException]
}

operation ListRules {
    input := {
        NamePrefix: RuleName

        EventBusName: EventBusNameOrArn

        NextToken: NextToken

        Limit: Limit
    }
    output := {
        Rules: Rules

        NextToken: String
    }
    errors: [ResourceNotFoundException]
}

operation EnableRule {
    input := {
        @required
        Name: RuleName

        EventBusName: EventBusNameOrArn
    }
    output := {}
    errors: [ResourceNotFoundException, ManagedRuleException]
}

operation DisableRule {
    input := {
        @required
        Name: RuleName

        EventBusName: EventBusNameOrArn
    }
    output := {}
    errors: [ResourceNotFoundException, ManagedRuleException]
}

operation DeleteRule {
    input := {
        @required
        Name: RuleName

        EventBusName: EventBusNameOrArn

        Force: Boolean
    }
    output := {}
    errors: [ResourceNotFoundException, ManagedRuleException]
}

// ---- Targets --------------------------------------------------------------------------------------------------------

@length(min: 0, max: 256)
string JsonPath

@length(min: 0, max: 100)
map InputPathsMap {
    key: String
    value: JsonPath
}

structure InputTransformer {
    InputPathsMap: InputPathsMap

    @required
    @length(min: 1, max: 8192)
    InputTemplate: String
}

structure KinesisParameters {
    @required
    PartitionKeyPath: JsonPath
}

structure SqsParameters {
    @length(min: 0, max: 100)
    MessageGroupId: String
}

map HttpValues {
    key: String
    value: String
}

list HttpPathValues {
    member: String
}

structure HttpParameters {
    PathParameterValues: HttpPathValues

    HeaderParameters: HttpValues

    QueryStringParameters: HttpValues
}

structure RetryPolicy {
    @range(min: 0, max: 185)
    MaximumRetryAttempts: Integer

    @range(min: 60, max: 86400)
    MaximumEventAgeInSeconds: Integer
}

structure Target {
    @required
    Id: TargetId

    @required
    @length(min: 1, max: 1600)
    Arn: String

    @length(min: 1, max: 1600)
    RoleArn: String

    @length(min: 0, max: 8192)
    Input: String

    InputPath: JsonPath

    InputTransformer: InputTransformer

    KinesisParameters: KinesisParameters

    @unsupported
    RunCommandParameters: Document

    @unsupported
    EcsParameters: Document

    @unsupported
    BatchParameters: Document

    SqsParameters: SqsParameters

    HttpParameters: HttpParameters

    @unsupported
    RedshiftDataParameters: Document

    @unsupported
    SageMakerPipelineParameters: Document

    DeadLetterConfig: DeadLetterConfig

    RetryPolicy: RetryPolicy

    @unsupported
    AppSyncParameters: Document
}

@length(min: 1, max: 100)
list Targets {
    member: Target
}

list FoundTargets {
    member: Target
}

@length(min: 1, max: 100)
list TargetIds {
    member: TargetId
}

structure TargetFailure {
    TargetId: String

    ErrorCode: String

    ErrorMessage: String
}

list TargetFailures {
    member: TargetFailure
}

operation PutTargets {
    input := {
        @required
        Rule: RuleName

        EventBusName: EventBusNameOrArn

        @required
        Targets: Targets
    }
    output := {
        FailedEntryCount: Integer

        FailedEntries: TargetFailures
    }
    errors: [ResourceNotFoundException, LimitExceededException, ManagedRuleException]
}

operation RemoveTargets {
    input := {
        @required
        Rule: RuleName

        EventBusName: EventBusNameOrArn

        @required
        Ids: TargetIds

        Force: Boolean
    }
    output := {
        FailedEntryCount: Integer

        FailedEntries: TargetFailures
    }
    errors: [ResourceNotFoundException, ManagedRuleException]
}

operation ListTargetsByRule {
    input := {
        @required
        Rule: RuleName

        EventBusName: EventBusNameOrArn

        NextToken: NextToken

        Limit: Limit
    }
    output := {
        Targets: FoundTargets

        NextToken: String
    }
    errors: [ResourceNotFoundException]
}

operation ListRuleNamesByTarget {
    input := {
        @required
        @length(min: 1, max: 1600)
        TargetArn: String

        EventBusName: EventBusNameOrArn

        NextToken: NextToken

        Limit: Limit
    }
    output := {
        RuleNames: RuleNames

        NextToken: String
    }
    errors: [ResourceNotFoundException]
}

// ---- Events ---------------------------------------------------------------------------------------------------------

@length(min: 0, max: 2048)
string EventResource

list EventResources {
    member: EventResource
}

structure PutEventsRequestEntry {
    Time: Timestamp

    Source: String

    Resources: EventResources

    DetailType: String

    Detail: String

    EventBusName: NonPartnerEventBusNameOrArn

    /// Given to functions; other targets have no place for it.
    @length(min: 1, max: 500)
    TraceHeader: String
}

@length(min: 1, max: 10)
list PutEventsEntries {
    member: PutEventsRequestEntry
}

structure PutEventsResultEntry {
    EventId: String

    ErrorCode: String

    ErrorMessage: String
}

list PutEventsResults {
    member: PutEventsResultEntry
}

operation PutEvents {
    input := {
        @required
        Entries: PutEventsEntries

        @unsupported
        EndpointId: String
    }
    output := {
        FailedEntryCount: Integer

        Entries: PutEventsResults
    }
}

operation TestEventPattern {
    input := {
        @required
        EventPattern: EventPattern

        @required
        Event: String
    }
    output := {
        Result: Boolean
    }
    errors: [InvalidEventPatternException]
}

// ---- Tags -----------------------------------------------------------------------------------------------------------

operation TagResource {
    input := {
        @required
        ResourceARN: ResourceArn

        @required
        Tags: Tags
    }
    output := {}
    errors: [ResourceNotFoundException]
}

operation UntagResource {
    input := {
        @required
        ResourceARN: ResourceArn

        @required
        TagKeys: TagKeys
    }
    output := {}
    errors: [ResourceNotFoundException]
}

operation ListTagsForResource {
    input := {
        @required
        ResourceARN: ResourceArn
    }
    output := {
        Tags: Tags
    }
    errors: [ResourceNotFoundException]
}

// ---- Archives and replays -------------------------------------------------------------------------------------------

enum ArchiveState {
    ENABLED
    DISABLED
    CREATING
    UPDATING
    CREATE_FAILED
    UPDATE_FAILED
}

structure Archive {
    ArchiveName: String

    EventSourceArn: String

    State: String

    StateReason: String

    RetentionDays: Integer

    SizeBytes: Long

    EventCount: Long

    CreationTime: Timestamp
}

list Archives {
    member: Archive
}

operation CreateArchive {
    input := {
        @required
        ArchiveName: ArchiveName

        @required
        EventSourceArn: EventSourceArn

        Description: Description

        EventPattern: EventPattern

        RetentionDays: RetentionDays

        @unsupported(unless: "")
        KmsKeyIdentifier: String
    }
    output := {
        ArchiveArn: String

        State: String

        StateReason: String

        CreationTime: Timestamp
    }
    errors: [ResourceAlreadyExistsException, ResourceNotFoundException, LimitExceededException, InvalidEventPatternException]
}

operation DescribeArchive {
    input := {
        @required
        ArchiveName: ArchiveName
    }
    output := {
        ArchiveArn: String

        ArchiveName: String

        EventSourceArn: String

        Description: String

        EventPattern: String

        State: String

        StateReason: String

        RetentionDays: Integer

        SizeBytes: Long

        EventCount: Long

        CreationTime: Timestamp
    }
    errors: [ResourceNotFoundException]
}

operation ListArchives {
    input := {
        NamePrefix: ArchiveName

        EventSourceArn: EventSourceArn

        State: ArchiveState

        NextToken: NextToken

        Limit: Limit
    }
    output := {
        Archives: Archives

        NextToken: String
    }
}

operation UpdateArchive {
    input := {
        @required
        ArchiveName: ArchiveName

        Description: Description

        EventPattern: EventPattern

        RetentionDays: RetentionDays

        @unsupported(unless: "")
        KmsKeyIdentifier: String
    }
    output := {
        ArchiveArn: String

        State: String

        StateReason: String

        CreationTime: Timestamp
    }
    errors: [ResourceNotFoundException, InvalidEventPatternException]
}

operation DeleteArchive {
    input := {
        @required
        ArchiveName: ArchiveName
    }
    output := {}
    errors: [ResourceNotFoundException]
}

enum ReplayState {
    STARTING
    RUNNING
    CANCELLING
    COMPLETED
    CANCELLED
    FAILED
}

@length(min: 1, max: 1600)
string DestinationArn

list FilterArns {
    member: DestinationArn
}

structure ReplayDestination {
    @required
    Arn: DestinationArn

    FilterArns: FilterArns
}

structure Replay {
    ReplayName: String

    EventSourceArn: String

    State: String

    StateReason: String

    EventStartTime: Timestamp

    EventEndTime: Timestamp

    EventLastReplayedTime: Timestamp

    ReplayStartTime: Timestamp

    ReplayEndTime: Timestamp
}

list Replays {
    member: Replay
}

operation StartReplay {
    input := {
        @required
        ReplayName: ReplayName

        Description: Description

        @required
        EventSourceArn: EventSourceArn

        @required
        EventStartTime: Timestamp

        @required
        EventEndTime: Timestamp

        @required
        Destination: ReplayDestination
    }
    output := {
        ReplayArn: String

        State: String

        StateReason: String

        ReplayStartTime: Timestamp
    }
    errors: [ResourceAlreadyExistsException, ResourceNotFoundException, LimitExceededException]
}

operation DescribeReplay {
    input := {
        @required
        ReplayName: ReplayName
    }
    output := {
        ReplayName: String

        ReplayArn: String

        Description: String

        State: String

        StateReason: String

        EventSourceArn: String

        Destination: ReplayDestination

        EventStartTime: Timestamp

        EventEndTime: Timestamp

        EventLastReplayedTime: Timestamp

        ReplayStartTime: Timestamp

        ReplayEndTime: Timestamp
    }
    errors: [ResourceNotFoundException]
}

operation ListReplays {
    input := {
        NamePrefix: ReplayName

        State: ReplayState

        EventSourceArn: EventSourceArn

        NextToken: NextToken

        Limit: Limit
    }
    output := {
        Replays: Replays

        NextToken: String
    }
}

operation CancelReplay {
    input := {
        @required
        ReplayName: ReplayName
    }
    output := {
        ReplayArn: String

        State: String

        StateReason: String
    }
    errors: [ResourceNotFoundException, IllegalStatusException]
}

// ---- Connections and API destinations -------------------------------------------------------------------------------

enum ConnectionState {
    CREATING
    UPDATING
    DELETING
    AUTHORIZED
    DEAUTHORIZED
    AUTHORIZING
    DEAUTHORIZING
    ACTIVE
    FAILED_CONNECTIVITY
}

enum AuthorizationType {
    BASIC
    OAUTH_CLIENT_CREDENTIALS
    API_KEY
}

@length(min: 1, max: 512)
string AuthName

@sensitive
@length(min: 1, max: 512)
string AuthSecret

@sensitive
string ParameterValue

structure HttpParameter {
    @length(min: 0, max: 512)
    Key: String

    Value: ParameterValue

    IsValueSecret: Boolean
}

@length(min: 0, max: 100)
list HttpParameterList {
    member: HttpParameter
}

structure ConnectionHttpParameters {
    HeaderParameters: HttpParameterList

    QueryStringParameters: HttpParameterList

    BodyParameters: HttpParameterList
}

structure BasicAuthParameters {
    @required
    Username: AuthName

    @required
    Password: AuthSecret
}

structure ApiKeyAuthParameters {
    @required
    ApiKeyName: AuthName

    @required
    ApiKeyValue: AuthSecret
}

structure OAuthClientParameters {
    @required
    ClientID: AuthName

    @required
    ClientSecret: AuthSecret
}

enum OAuthHttpMethod {
    GET
    POST
    PUT
}

structure OAuthParameters {
    @required
    ClientParameters: OAuthClientParameters

    @required
    @length(min: 1, max: 2048)
    AuthorizationEndpoint: String

    @required
    HttpMethod: OAuthHttpMethod

    OAuthHttpParameters: ConnectionHttpParameters
}

structure AuthParameters {
    BasicAuthParameters: BasicAuthParameters

    OAuthParameters: OAuthParameters

    ApiKeyAuthParameters: ApiKeyAuthParameters

    InvocationHttpParameters: ConnectionHttpParameters

    @unsupported
    ConnectivityParameters: Document
}

structure BasicAuthShown {
    Username: String
}

structure ApiKeyAuthShown {
    ApiKeyName: String
}

structure OAuthClientShown {
    ClientID: String
}

structure OAuthShown {
    ClientParameters: OAuthClientShown

    AuthorizationEndpoint: String

    HttpMethod: String

    OAuthHttpParameters: ConnectionHttpParameters
}

/// Without the secrets.
structure AuthParametersShown {
    BasicAuthParameters: BasicAuthShown

    OAuthParameters: OAuthShown

    ApiKeyAuthParameters: ApiKeyAuthShown

    InvocationHttpParameters: ConnectionHttpParameters
}

structure Connection {
    ConnectionArn: String

    Name: String

    ConnectionState: String

    AuthorizationType: String

    CreationTime: Timestamp

    LastModifiedTime: Timestamp

    LastAuthorizedTime: Timestamp
}

list Connections {
    member: Connection
}

operation CreateConnection {
    input := {
        @required
        Name: ConnectionName

        Description: Description

        @required
        AuthorizationType: AuthorizationType

        @required
        AuthParameters: AuthParameters

        @unsupported
        InvocationConnectivityParameters: Document

        @unsupported(unless: "")
        KmsKeyIdentifier: String
    }
    output := {
        ConnectionArn: String

        ConnectionState: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp
    }
    errors: [ResourceAlreadyExistsException, LimitExceededException]
}

operation DescribeConnection {
    input := {
        @required
        Name: ConnectionName
    }
    output := {
        ConnectionArn: String

        Name: String

        Description: String

        ConnectionState: String

        StateReason: String

        AuthorizationType: String

        AuthParameters: AuthParametersShown

        CreationTime: Timestamp

        LastModifiedTime: Timestamp

        LastAuthorizedTime: Timestamp
    }
    errors: [ResourceNotFoundException]
}

operation ListConnections {
    input := {
        NamePrefix: ConnectionName

        ConnectionState: ConnectionState

        NextToken: NextToken

        Limit: Limit
    }
    output := {
        Connections: Connections

        NextToken: String
    }
}

operation UpdateConnection {
    input := {
        @required
        Name: ConnectionName

        Description: Description

        AuthorizationType: AuthorizationType

        AuthParameters: AuthParameters

        @unsupported
        InvocationConnectivityParameters: Document

        @unsupported(unless: "")
        KmsKeyIdentifier: String
    }
    output := {
        ConnectionArn: String

        ConnectionState: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp

        LastAuthorizedTime: Timestamp
    }
    errors: [ResourceNotFoundException]
}

operation DeauthorizeConnection {
    input := {
        @required
        Name: ConnectionName
    }
    output := {
        ConnectionArn: String

        ConnectionState: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp

        LastAuthorizedTime: Timestamp
    }
    errors: [ResourceNotFoundException]
}

operation DeleteConnection {
    input := {
        @required
        Name: ConnectionName
    }
    output := {
        ConnectionArn: String

        ConnectionState: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp

        LastAuthorizedTime: Timestamp
    }
    errors: [ResourceNotFoundException]
}

@length(min: 1, max: 2048)
string Endpoint

enum HttpMethod {
    POST
    GET
    HEAD
    OPTIONS
    PUT
    PATCH
    DELETE
}

@range(min: 1)
integer RateLimit

structure ApiDestination {
    ApiDestinationArn: String

    Name: String

    ApiDestinationState: String

    ConnectionArn: String

    InvocationEndpoint: String

    HttpMethod: String

    InvocationRateLimitPerSecond: Integer

    CreationTime: Timestamp

    LastModifiedTime: Timestamp
}

list ApiDestinations {
    member: ApiDestination
}

operation CreateApiDestination {
    input := {
        @required
        Name: ConnectionName

        Description: Description

        @required
        ConnectionArn: ConnectionArn

        @required
        InvocationEndpoint: Endpoint

        @required
        HttpMethod: HttpMethod

        InvocationRateLimitPerSecond: RateLimit
    }
    output := {
        ApiDestinationArn: String

        ApiDestinationState: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp
    }
    errors: [ResourceAlreadyExistsException, ResourceNotFoundException, LimitExceededException]
}

operation DescribeApiDestination {
    input := {
        @required
        Name: ConnectionName
    }
    output := {
        ApiDestinationArn: String

        Name: String

        Description: String

        ApiDestinationState: String

        ConnectionArn: String

        InvocationEndpoint: String

        HttpMethod: String

        InvocationRateLimitPerSecond: Integer

        CreationTime: Timestamp

        LastModifiedTime: Timestamp
    }
    errors: [ResourceNotFoundException]
}

operation ListApiDestinations {
    input := {
        NamePrefix: ConnectionName

        ConnectionArn: ConnectionArn

        NextToken: NextToken

        Limit: Limit
    }
    output := {
        ApiDestinations: ApiDestinations

        NextToken: String
    }
}

operation UpdateApiDestination {
    input := {
        @required
        Name: ConnectionName

        Description: Description

        ConnectionArn: ConnectionArn

        InvocationEndpoint: Endpoint

        HttpMethod: HttpMethod

        InvocationRateLimitPerSecond: RateLimit
    }
    output := {
        ApiDestinationArn: String

        ApiDestinationState: String

        CreationTime: Timestamp

        LastModifiedTime: Timestamp
    }
    errors: [ResourceNotFoundException]
}

operation DeleteApiDestination {
    input := {
        @required
        Name: ConnectionName
    }
    output := {}
    errors: [ResourceNotFoundException]
}

/// Ours, named as the permission for it: one call of an API destination, with what authorizes it and no faster than it says.
operation InvokeApiDestination {
    input := {
        @required
        ApiDestinationArn: String

        @required
        Body: String

        HttpParameters: HttpParameters
    }
    output := {
        /// Of the endpoint's answer, whatever it was.
        @required
        StatusCode: Integer

        @required
        Body: String
    }
    errors: [ResourceNotFoundException]
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

@error("client")
structure ValidationException {
    message: String
}

@error("client")
structure ResourceNotFoundException {
    message: String
}

@error("client")
structure ResourceAlreadyExistsException {
    message: String
}

@error("client")
structure LimitExceededException {
    message: String
}

@error("client")
structure InvalidEventPatternException {
    message: String
}

@error("client")
structure ManagedRuleException {
    message: String
}

@error("client")
structure PolicyLengthExceededException {
    message: String
}

@error("client")
structure IllegalStatusException {
    message: String
}

// ---- What Tidemill lacks --------------------------------------------------------------------------------------------

@unsupported(reason: "there are no global endpoints")
operation CreateEndpoint {}

@unsupported(reason: "there are no global endpoints")
operation DescribeEndpoint {}

@unsupported(reason: "there are no global endpoints")
operation ListEndpoints {}

@unsupported(reason: "there are no global endpoints")
operation UpdateEndpoint {}

@unsupported(reason: "there are no global endpoints")
operation DeleteEndpoint {}

@unsupported(reason: "there are no partners")
operation ActivateEventSource {}

@unsupported(reason: "there are no partners")
operation DeactivateEventSource {}

@unsupported(reason: "there are no partners")
operation DescribeEventSource {}

@unsupported(reason: "there are no partners")
operation ListEventSources {}

@unsupported(reason: "there are no partners")
operation CreatePartnerEventSource {}

@unsupported(reason: "there are no partners")
operation DescribePartnerEventSource {}

@unsupported(reason: "there are no partners")
operation ListPartnerEventSources {}

@unsupported(reason: "there are no partners")
operation ListPartnerEventSourceAccounts {}

@unsupported(reason: "there are no partners")
operation DeletePartnerEventSource {}

@unsupported(reason: "there are no partners")
operation PutPartnerEvents {}
