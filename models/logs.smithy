$version: "2.0"

// CloudWatch Logs, API version 2014-03-28. Times are numbers: milliseconds since 1970.
namespace tidemill.logs

@awsJson1_1
@signingName("logs")
@targetPrefix("Logs_20140328")
@errorNamespace("")
@hideCollections
@throttlingError("ThrottlingException")
@internalError("ServiceUnavailableException")
@validationError("InvalidParameterException")
@unsupportedError("InvalidParameterException")
service Logs {
    version: "2014-03-28"
    operations: [
        CreateLogGroup
        DeleteLogGroup
        DescribeLogGroups
        ListLogGroups
        PutRetentionPolicy
        DeleteRetentionPolicy
        TagLogGroup
        UntagLogGroup
        ListTagsLogGroup
        TagResource
        UntagResource
        ListTagsForResource
        CreateLogStream
        DeleteLogStream
        DescribeLogStreams
        PutLogEvents
        GetLogEvents
        FilterLogEvents
        StartLiveTail
        TestMetricFilter
        PutMetricFilter
        DescribeMetricFilters
        DeleteMetricFilter
        PutSubscriptionFilter
        DescribeSubscriptionFilters
        DeleteSubscriptionFilter
        CreateExportTask
        CancelExportTask
        DescribeExportTasks
        StartQuery
        StopQuery
        GetQueryResults
        DescribeQueries
        GetLogRecord
        PutQueryDefinition
        DescribeQueryDefinitions
        DeleteQueryDefinition
        PutResourcePolicy
        DescribeResourcePolicies
        DeleteResourcePolicy

        PutDestination
        PutDestinationPolicy
        DescribeDestinations
        DeleteDestination
        GetLogGroupFields
        GetLogObject
        GetLogFields
        CreateScheduledQuery
        UpdateScheduledQuery
        DeleteScheduledQuery
        GetScheduledQuery
        GetScheduledQueryHistory
        ListScheduledQueries
        CreateImportTask
        CancelImportTask
        DescribeImportTasks
        DescribeImportTaskBatches
        AssociateKmsKey
        DisassociateKmsKey
        PutAccountPolicy
        DescribeAccountPolicies
        DeleteAccountPolicy
        PutDataProtectionPolicy
        GetDataProtectionPolicy
        DeleteDataProtectionPolicy
        PutIndexPolicy
        DescribeIndexPolicies
        DeleteIndexPolicy
        DescribeFieldIndexes
        PutTransformer
        GetTransformer
        DeleteTransformer
        TestTransformer
        PutIntegration
        GetIntegration
        ListIntegrations
        DeleteIntegration
        ListLogGroupsForQuery
        ListAggregateLogGroupSummaries
        PutLogGroupDeletionProtection
        PutBearerTokenAuthentication
        CreateLogAnomalyDetector
        UpdateLogAnomalyDetector
        GetLogAnomalyDetector
        ListLogAnomalyDetectors
        DeleteLogAnomalyDetector
        ListAnomalies
        UpdateAnomaly
        CreateDelivery
        GetDelivery
        DescribeDeliveries
        DeleteDelivery
        PutDeliverySource
        GetDeliverySource
        DescribeDeliverySources
        DeleteDeliverySource
        PutDeliveryDestination
        GetDeliveryDestination
        DescribeDeliveryDestinations
        DeleteDeliveryDestination
        PutDeliveryDestinationPolicy
        GetDeliveryDestinationPolicy
        DeleteDeliveryDestinationPolicy
        UpdateDeliveryConfiguration
        DescribeConfigurationTemplates
    ]
}

// ---- Names and values -----------------------------------------------------------------------------------------------

@length(min: 1, max: 512)
@pattern("[\\.\\-_/#A-Za-z0-9]+")
string LogGroupName

@length(min: 0, max: 512)
@pattern("[\\.\\-_/#A-Za-z0-9]*")
string LogGroupNamePattern

@sensitive
@length(min: 1, max: 2048)
@pattern("[\\w#+=/:,.@-]*")
string LogGroupIdentifier

@length(min: 1, max: 512)
@pattern("[^:*]*")
string LogStreamName

@length(min: 1, max: 1011)
@pattern("[\\w+=/:,.@*-]*")
string ResourceArn

@length(min: 1, max: 128)
string TagKey

@length(min: 0, max: 256)
string TagValue

@length(min: 1, max: 50)
map Tags {
    key: TagKey
    value: TagValue
}

@length(min: 0, max: 50)
list TagKeys {
    member: TagKey
}

@length(min: 1)
list TagKeysOfGroup {
    member: TagKey
}

@length(min: 1)
string NextToken

@range(min: 0)
long Time

@length(min: 0, max: 1024)
string FilterPattern

list Texts {
    member: String
}

enum LogGroupClass {
    STANDARD
    INFREQUENT_ACCESS
    DELIVERY
}

enum OrderBy {
    LogStreamName
    LastEventTime
}

// ---- Groups ---------------------------------------------------------------------------------------------------------

structure LogGroup {
    logGroupName: String

    creationTime: Long

    retentionInDays: Integer

    metricFilterCount: Integer

    arn: String

    storedBytes: Long

    logGroupClass: String

    logGroupArn: String
}

list LogGroups {
    member: LogGroup
}

operation CreateLogGroup {
    input := {
        @required
        logGroupName: LogGroupName

        @unsupported
        kmsKeyId: String

        tags: Tags

        @unsupported(unless: "STANDARD")
        logGroupClass: LogGroupClass

        @unsupported(unless: false)
        deletionProtectionEnabled: Boolean
    }
    errors: [InvalidParameterException, ResourceAlreadyExistsException, LimitExceededException]
}

operation DeleteLogGroup {
    input := {
        @required
        logGroupName: LogGroupName
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

operation DescribeLogGroups {
    input := {
        @unsupported
        accountIdentifiers: Texts

        logGroupNamePrefix: LogGroupName

        logGroupNamePattern: LogGroupNamePattern

        nextToken: NextToken

        @range(min: 1, max: 50)
        limit: Integer

        @unsupported(unless: false)
        includeLinkedAccounts: Boolean

        logGroupClass: LogGroupClass

        @unsupported
        logGroupIdentifiers: Texts
    }
    output := {
        logGroups: LogGroups

        nextToken: String
    }
    errors: [InvalidParameterException]
}

structure LogGroupSummary {
    logGroupName: String

    logGroupArn: String

    logGroupClass: String
}

list LogGroupSummaries {
    member: LogGroupSummary
}

operation ListLogGroups {
    input := {
        @length(min: 3, max: 129)
        logGroupNamePattern: String

        logGroupClass: LogGroupClass

        @unsupported(unless: false)
        includeLinkedAccounts: Boolean

        @unsupported
        accountIdentifiers: Texts

        nextToken: NextToken

        @range(min: 1, max: 1000)
        limit: Integer

        @unsupported
        dataSources: Texts

        @unsupported
        fieldIndexNames: Texts
    }
    output := {
        logGroups: LogGroupSummaries

        nextToken: String
    }
    errors: [InvalidParameterException]
}

operation PutRetentionPolicy {
    input := {
        @required
        logGroupName: LogGroupName

        @required
        retentionInDays: Integer
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

operation DeleteRetentionPolicy {
    input := {
        @required
        logGroupName: LogGroupName
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

// ---- Tags -----------------------------------------------------------------------------------------------------------

operation TagLogGroup {
    input := {
        @required
        logGroupName: LogGroupName

        @required
        tags: Tags
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

operation UntagLogGroup {
    input := {
        @required
        logGroupName: LogGroupName

        @required
        tags: TagKeysOfGroup
    }
    errors: [ResourceNotFoundException]
}

operation ListTagsLogGroup {
    input := {
        @required
        logGroupName: LogGroupName
    }
    output := {
        tags: Tags
    }
    errors: [ResourceNotFoundException]
}

operation TagResource {
    input := {
        @required
        resourceArn: ResourceArn

        @required
        tags: Tags
    }
    errors: [InvalidParameterException, ResourceNotFoundException, TooManyTagsException]
}

operation UntagResource {
    input := {
        @required
        resourceArn: ResourceArn

        @required
        tagKeys: TagKeys
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

operation ListTagsForResource {
    input := {
        @required
        resourceArn: ResourceArn
    }
    output := {
        tags: Tags
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

// ---- Streams --------------------------------------------------------------------------------------------------------

structure LogStream {
    logStreamName: String

    creationTime: Long

    firstEventTimestamp: Long

    lastEventTimestamp: Long

    lastIngestionTime: Long

    uploadSequenceToken: String

    arn: String

    storedBytes: Long
}

list LogStreams {
    member: LogStream
}

operation CreateLogStream {
    input := {
        @required
        logGroupName: LogGroupName

        @required
        logStreamName: LogStreamName
    }
    errors: [InvalidParameterException, ResourceAlreadyExistsException, ResourceNotFoundException]
}

operation DeleteLogStream {
    input := {
        @required
        logGroupName: LogGroupName

        @required
        logStreamName: LogStreamName
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

operation DescribeLogStreams {
    input := {
        logGroupName: LogGroupName

        logGroupIdentifier: LogGroupIdentifier

        logStreamNamePrefix: LogStreamName

        orderBy: OrderBy

        descending: Boolean

        nextToken: NextToken

        @range(min: 1, max: 50)
        limit: Integer
    }
    output := {
        logStreams: LogStreams

        nextToken: String
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

// ---- Events ---------------------------------------------------------------------------------------------------------

structure InputLogEvent {
    @required
    timestamp: Time

    @required
    @length(min: 1)
    message: String
}

@length(min: 1, max: 10000)
list InputLogEvents {
    member: InputLogEvent
}

structure RejectedLogEventsInfo {
    tooNewLogEventStartIndex: Integer

    tooOldLogEventEndIndex: Integer

    expiredLogEventEndIndex: Integer
}

operation PutLogEvents {
    input := {
        @required
        logGroupName: LogGroupName

        @required
        logStreamName: LogStreamName

        @required
        logEvents: InputLogEvents

        @documentation("Ignored, as on AWS.")
        @length(min: 1)
        sequenceToken: String

        @unsupported
        entity: Document
    }
    output := {
        nextSequenceToken: String

        rejectedLogEventsInfo: RejectedLogEventsInfo
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

structure OutputLogEvent {
    timestamp: Long

    message: String

    ingestionTime: Long
}

list OutputLogEvents {
    member: OutputLogEvent
}

operation GetLogEvents {
    input := {
        logGroupName: LogGroupName

        logGroupIdentifier: LogGroupIdentifier

        @required
        logStreamName: LogStreamName

        startTime: Time

        endTime: Time

        nextToken: NextToken

        @range(min: 1, max: 10000)
        limit: Integer

        startFromHead: Boolean

        @unsupported(unless: false)
        unmask: Boolean
    }
    output := {
        events: OutputLogEvents

        nextForwardToken: String

        nextBackwardToken: String
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

structure FilteredLogEvent {
    logStreamName: String

    timestamp: Long

    message: String

    ingestionTime: Long

    eventId: String
}

list FilteredLogEvents {
    member: FilteredLogEvent
}

structure SearchedLogStream {
    logStreamName: String

    searchedCompletely: Boolean
}

list SearchedLogStreams {
    member: SearchedLogStream
}

@length(min: 1, max: 100)
list InputLogStreamNames {
    member: LogStreamName
}

operation FilterLogEvents {
    input := {
        logGroupName: LogGroupName

        logGroupIdentifier: LogGroupIdentifier

        logStreamNames: InputLogStreamNames

        logStreamNamePrefix: LogStreamName

        startTime: Time

        endTime: Time

        filterPattern: FilterPattern

        nextToken: NextToken

        @range(min: 1, max: 10000)
        limit: Integer

        @documentation("Streams are always interleaved, as on AWS.")
        interleaved: Boolean

        @unsupported(unless: false)
        unmask: Boolean
    }
    output := {
        events: FilteredLogEvents

        searchedLogStreams: SearchedLogStreams

        nextToken: String
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

// ---- Live tail ------------------------------------------------------------------------------------------------------

@length(min: 1, max: 10)
list LiveTailGroups {
    member: LogGroupIdentifier
}

structure LiveTailSessionStart {
    requestId: String

    sessionId: String

    logGroupIdentifiers: Texts

    logStreamNames: Texts

    logStreamNamePrefixes: Texts

    logEventFilterPattern: String
}

structure LiveTailSessionMetadata {
    sampled: Boolean
}

structure LiveTailSessionLogEvent {
    logStreamName: String

    logGroupIdentifier: String

    message: String

    timestamp: Long

    ingestionTime: Long
}

list LiveTailSessionResults {
    member: LiveTailSessionLogEvent
}

structure LiveTailSessionUpdate {
    sessionMetadata: LiveTailSessionMetadata

    sessionResults: LiveTailSessionResults
}

@streaming
union StartLiveTailResponseStream {
    sessionStart: LiveTailSessionStart

    sessionUpdate: LiveTailSessionUpdate

    SessionTimeoutException: SessionTimeoutException
}

operation StartLiveTail {
    input := {
        @required
        logGroupIdentifiers: LiveTailGroups

        logStreamNames: InputLogStreamNames

        logStreamNamePrefixes: InputLogStreamNames

        logEventFilterPattern: FilterPattern
    }
    output := {
        responseStream: StartLiveTailResponseStream
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

// ---- Trying a pattern -----------------------------------------------------------------------------------------------

@length(min: 1, max: 50)
list TestEventMessages {
    member: String
}

map ExtractedValues {
    key: String
    value: String
}

structure MetricFilterMatchRecord {
    eventNumber: Long

    eventMessage: String

    extractedValues: ExtractedValues
}

list MetricFilterMatches {
    member: MetricFilterMatchRecord
}

operation TestMetricFilter {
    input := {
        @required
        filterPattern: FilterPattern

        @required
        logEventMessages: TestEventMessages
    }
    output := {
        matches: MetricFilterMatches
    }
    errors: [InvalidParameterException]
}

// ---- Metric filters -------------------------------------------------------------------------------------------------

@length(min: 1, max: 512)
@pattern("[^:*]*")
string FilterName

@length(max: 255)
@pattern("[^:*$]*")
string MetricName

@length(max: 255)
@pattern("[^:*$]*")
string MetricNamespace

@length(max: 100)
string MetricValue

@length(max: 255)
string DimensionText

map MetricDimensions {
    key: DimensionText
    value: DimensionText
}

enum StandardUnit {
    Seconds
    Microseconds
    Milliseconds
    Bytes
    Kilobytes
    Megabytes
    Gigabytes
    Terabytes
    Bits
    Kilobits
    Megabits
    Gigabits
    Terabits
    Percent
    Count
    Bytes_Second = "Bytes/Second"
    Kilobytes_Second = "Kilobytes/Second"
    Megabytes_Second = "Megabytes/Second"
    Gigabytes_Second = "Gigabytes/Second"
    Terabytes_Second = "Terabytes/Second"
    Bits_Second = "Bits/Second"
    Kilobits_Second = "Kilobits/Second"
    Megabits_Second = "Megabits/Second"
    Gigabits_Second = "Gigabits/Second"
    Terabits_Second = "Terabits/Second"
    Count_Second = "Count/Second"
    None
}

structure MetricTransformation {
    @required
    metricName: MetricName

    @required
    metricNamespace: MetricNamespace

    @required
    metricValue: MetricValue

    defaultValue: Double

    dimensions: MetricDimensions

    unit: StandardUnit
}

@length(min: 1, max: 1)
list MetricTransformations {
    member: MetricTransformation
}

structure MetricFilter {
    filterName: String

    filterPattern: String

    metricTransformations: MetricTransformations

    creationTime: Long

    logGroupName: String

    applyOnTransformedLogs: Boolean
}

list MetricFilters {
    member: MetricFilter
}

operation PutMetricFilter {
    input := {
        @required
        logGroupName: LogGroupName

        @required
        filterName: FilterName

        @required
        filterPattern: FilterPattern

        @required
        metricTransformations: MetricTransformations

        @unsupported(unless: false)
        applyOnTransformedLogs: Boolean

        @unsupported
        fieldSelectionCriteria: String

        @unsupported
        emitSystemFieldDimensions: Texts
    }
    output := {}
    errors: [InvalidParameterException, ResourceNotFoundException, LimitExceededException]
}

@range(min: 1, max: 50)
integer MetricFiltersLimit

operation DescribeMetricFilters {
    input := {
        logGroupName: LogGroupName

        filterNamePrefix: FilterName

        nextToken: String

        limit: MetricFiltersLimit

        metricName: MetricName

        metricNamespace: MetricNamespace
    }
    output := {
        metricFilters: MetricFilters

        nextToken: String
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

operation DeleteMetricFilter {
    input := {
        @required
        logGroupName: LogGroupName

        @required
        filterName: FilterName
    }
    output := {}
    errors: [InvalidParameterException, ResourceNotFoundException]
}

// ---- Subscription filters -------------------------------------------------------------------------------------------

@length(min: 1)
string DestinationArn

@length(min: 1)
string RoleArn

enum Distribution {
    Random
    ByLogStream
}

structure SubscriptionFilter {
    filterName: String

    logGroupName: String

    filterPattern: String

    destinationArn: String

    roleArn: String

    distribution: String

    applyOnTransformedLogs: Boolean

    creationTime: Long
}

list SubscriptionFilters {
    member: SubscriptionFilter
}

operation PutSubscriptionFilter {
    input := {
        @required
        logGroupName: LogGroupName

        @required
        filterName: FilterName

        @required
        filterPattern: FilterPattern

        @required
        destinationArn: DestinationArn

        roleArn: RoleArn

        distribution: Distribution

        @unsupported(unless: false)
        applyOnTransformedLogs: Boolean

        @unsupported
        fieldSelectionCriteria: String

        @unsupported
        emitSystemFields: Texts
    }
    errors: [InvalidParameterException, ResourceNotFoundException, LimitExceededException]
}

operation DescribeSubscriptionFilters {
    input := {
        @required
        logGroupName: LogGroupName

        filterNamePrefix: FilterName

        nextToken: NextToken

        @range(min: 1, max: 50)
        limit: Integer
    }
    output := {
        subscriptionFilters: SubscriptionFilters

        nextToken: String
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

operation DeleteSubscriptionFilter {
    input := {
        @required
        logGroupName: LogGroupName

        @required
        filterName: FilterName
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

// ---- Exports --------------------------------------------------------------------------------------------------------

@length(min: 1, max: 512)
string ExportTaskId

enum ExportTaskStatusCode {
    CANCELLED
    COMPLETED
    FAILED
    PENDING
    PENDING_CANCEL
    RUNNING
}

structure ExportTaskStatus {
    code: String

    message: String
}

structure ExportTaskExecutionInfo {
    creationTime: Long

    completionTime: Long
}

structure ExportTask {
    taskId: String

    taskName: String

    logGroupName: String

    from: Long

    to: Long

    destination: String

    destinationPrefix: String

    status: ExportTaskStatus

    executionInfo: ExportTaskExecutionInfo
}

list ExportTasks {
    member: ExportTask
}

operation CreateExportTask {
    input := {
        @length(min: 1, max: 512)
        taskName: String

        @required
        logGroupName: LogGroupName

        logStreamNamePrefix: LogStreamName

        @required
        from: Time

        @required
        to: Time

        @required
        @length(min: 1, max: 512)
        destination: String

        destinationPrefix: String
    }
    output := {
        taskId: String
    }
    errors: [
        InvalidParameterException
        ResourceNotFoundException
        ResourceAlreadyExistsException
        LimitExceededException
        AccessDeniedException
    ]
}

operation CancelExportTask {
    input := {
        @required
        taskId: ExportTaskId
    }
    errors: [InvalidParameterException, ResourceNotFoundException, InvalidOperationException]
}

operation DescribeExportTasks {
    input := {
        taskId: ExportTaskId

        statusCode: ExportTaskStatusCode

        nextToken: NextToken

        @range(min: 1, max: 50)
        limit: Integer
    }
    output := {
        exportTasks: ExportTasks

        nextToken: String
    }
    errors: [InvalidParameterException]
}

// ---- Queries --------------------------------------------------------------------------------------------------------

enum QueryLanguage {
    CWLI
    SQL
    PPL
}

enum QueryStatus {
    Scheduled
    Running
    Complete
    Failed
    Cancelled
    Timeout
    Unknown
}

@length(min: 0, max: 10000)
string QueryString

@length(min: 0, max: 256)
string QueryId

@range(min: 1, max: 1000)
integer QueryListMaxResults

list LogGroupNames {
    member: LogGroupName
}

list LogGroupIdentifiers {
    member: LogGroupIdentifier
}

operation StartQuery {
    input := {
        queryLanguage: QueryLanguage

        logGroupName: LogGroupName

        logGroupNames: LogGroupNames

        logGroupIdentifiers: LogGroupIdentifiers

        @required
        startTime: Time

        @required
        endTime: Time

        @required
        queryString: QueryString

        @range(min: 1, max: 10000)
        limit: Integer
    }
    output := {
        queryId: String
    }
    errors: [
        MalformedQueryException
        InvalidParameterException
        ResourceNotFoundException
        LimitExceededException
    ]
}

operation StopQuery {
    input := {
        @required
        queryId: QueryId
    }
    output := {
        success: Boolean
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

structure ResultField {
    field: String

    value: String
}

list ResultRow {
    member: ResultField
}

list ResultRows {
    member: ResultRow
}

structure QueryStatistics {
    recordsMatched: Double

    recordsScanned: Double

    estimatedRecordsSkipped: Double

    bytesScanned: Double

    estimatedBytesSkipped: Double

    logGroupsScanned: Double
}

operation GetQueryResults {
    input := {
        @required
        queryId: QueryId
    }
    output := {
        queryLanguage: String

        results: ResultRows

        statistics: QueryStatistics

        status: String
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

structure QueryInfo {
    queryLanguage: String

    queryId: String

    queryString: String

    status: String

    createTime: Long

    logGroupName: String
}

list QueryInfoList {
    member: QueryInfo
}

operation DescribeQueries {
    input := {
        logGroupName: LogGroupName

        status: QueryStatus

        maxResults: QueryListMaxResults

        nextToken: NextToken

        queryLanguage: QueryLanguage
    }
    output := {
        queries: QueryInfoList

        nextToken: String
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

map LogRecord {
    key: String
    value: String
}

operation GetLogRecord {
    input := {
        @required
        logRecordPointer: String

        @unsupported(unless: false)
        unmask: Boolean
    }
    output := {
        logRecord: LogRecord
    }
    errors: [InvalidParameterException, ResourceNotFoundException, LimitExceededException]
}

structure QueryDefinition {
    queryLanguage: String

    queryDefinitionId: String

    name: String

    queryString: String

    lastModified: Long

    logGroupNames: Texts
}

list QueryDefinitions {
    member: QueryDefinition
}

operation PutQueryDefinition {
    input := {
        queryLanguage: QueryLanguage

        @required
        @length(min: 1, max: 255)
        name: String

        queryDefinitionId: QueryId

        logGroupNames: LogGroupNames

        @required
        @length(min: 1, max: 10000)
        queryString: String

        @length(min: 36, max: 128)
        @pattern("\\S{36,128}")
        clientToken: String

        @unsupported
        parameters: Texts
    }
    output := {
        queryDefinitionId: String
    }
    errors: [InvalidParameterException, ResourceNotFoundException, LimitExceededException]
}

operation DescribeQueryDefinitions {
    input := {
        queryLanguage: QueryLanguage

        @length(min: 1, max: 255)
        queryDefinitionNamePrefix: String

        maxResults: QueryListMaxResults

        nextToken: NextToken
    }
    output := {
        queryDefinitions: QueryDefinitions

        nextToken: String
    }
    errors: [InvalidParameterException]
}

operation DeleteQueryDefinition {
    input := {
        @required
        queryDefinitionId: QueryId
    }
    output := {
        success: Boolean
    }
    errors: [InvalidParameterException, ResourceNotFoundException]
}

// ---- Resource policies ----------------------------------------------------------------------------------------------

enum PolicyScope {
    ACCOUNT
    RESOURCE
}

structure ResourcePolicy {
    policyName: String

    policyDocument: String

    lastUpdatedTime: Long

    policyScope: String

    resourceArn: String

    revisionId: String
}

list ResourcePolicies {
    member: ResourcePolicy
}

operation PutResourcePolicy {
    input := {
        policyName: String

        @length(min: 1, max: 5120)
        policyDocument: String

        @unsupported
        resourceArn: String

        @unsupported
        expectedRevisionId: String
    }
    output := {
        resourcePolicy: ResourcePolicy

        revisionId: String
    }
    errors: [InvalidParameterException, LimitExceededException]
}

operation DescribeResourcePolicies {
    input := {
        nextToken: NextToken

        @range(min: 1, max: 50)
        limit: Integer

        @unsupported
        resourceArn: String

        policyScope: PolicyScope
    }
    output := {
        resourcePolicies: ResourcePolicies

        nextToken: String
    }
    errors: [InvalidParameterException]
}

operation DeleteResourcePolicy {
    input := {
        policyName: String

        @unsupported
        resourceArn: String

        @unsupported
        expectedRevisionId: String
    }
    output := {}
    errors: [InvalidParameterException, ResourceNotFoundException]
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

@error("client")
structure InvalidParameterException {
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
structure SessionTimeoutException {
    message: String
}

@error("client")
structure AccessDeniedException {
    message: String
}

@error("client")
structure InvalidOperationException {
    message: String
}

structure QueryCompileErrorLocation {
    startCharOffset: Integer

    endCharOffset: Integer
}

structure QueryCompileError {
    location: QueryCompileErrorLocation

    message: String
}

@error("client")
structure MalformedQueryException {
    message: String

    queryCompileError: QueryCompileError
}

@error("client")
structure TooManyTagsException {
    message: String

    resourceName: String
}

// ---- What Tidemill lacks --------------------------------------------------------------------------------------------

@unsupported(reason: "subscriptions reach the account's own functions and data streams")
operation PutDestination {}

@unsupported(reason: "subscriptions reach the account's own functions and data streams")
operation PutDestinationPolicy {}

@unsupported(reason: "subscriptions reach the account's own functions and data streams")
operation DescribeDestinations {}

@unsupported(reason: "subscriptions reach the account's own functions and data streams")
operation DeleteDestination {}

@unsupported(reason: "queries show what groups hold")
operation GetLogGroupFields {}

@unsupported(reason: "queries show what groups hold")
operation GetLogObject {}

@unsupported(reason: "queries show what groups hold")
operation GetLogFields {}

@unsupported(reason: "queries are not run by schedule")
operation CreateScheduledQuery {}

@unsupported(reason: "queries are not run by schedule")
operation UpdateScheduledQuery {}

@unsupported(reason: "queries are not run by schedule")
operation DeleteScheduledQuery {}

@unsupported(reason: "queries are not run by schedule")
operation GetScheduledQuery {}

@unsupported(reason: "queries are not run by schedule")
operation GetScheduledQueryHistory {}

@unsupported(reason: "queries are not run by schedule")
operation ListScheduledQueries {}

@unsupported(reason: "queries show what groups hold")
operation ListLogGroupsForQuery {}

@unsupported(reason: "queries show what groups hold")
operation ListAggregateLogGroupSummaries {}

@unsupported(reason: "groups are not imported")
operation CreateImportTask {}

@unsupported(reason: "groups are not imported")
operation CancelImportTask {}

@unsupported(reason: "groups are not imported")
operation DescribeImportTasks {}

@unsupported(reason: "groups are not imported")
operation DescribeImportTaskBatches {}

@unsupported(reason: "there is no KMS")
operation AssociateKmsKey {}

@unsupported(reason: "there is no KMS")
operation DisassociateKmsKey {}

@unsupported(reason: "nobody is authenticated yet")
operation PutBearerTokenAuthentication {}

@unsupported(reason: "there are no account policies")
operation PutAccountPolicy {}

@unsupported(reason: "there are no account policies")
operation DescribeAccountPolicies {}

@unsupported(reason: "there are no account policies")
operation DeleteAccountPolicy {}

@unsupported(reason: "data is not masked")
operation PutDataProtectionPolicy {}

@unsupported(reason: "data is not masked")
operation GetDataProtectionPolicy {}

@unsupported(reason: "data is not masked")
operation DeleteDataProtectionPolicy {}

@unsupported(reason: "there are no field indexes")
operation PutIndexPolicy {}

@unsupported(reason: "there are no field indexes")
operation DescribeIndexPolicies {}

@unsupported(reason: "there are no field indexes")
operation DeleteIndexPolicy {}

@unsupported(reason: "there are no field indexes")
operation DescribeFieldIndexes {}

@unsupported(reason: "events are not transformed")
operation PutTransformer {}

@unsupported(reason: "events are not transformed")
operation GetTransformer {}

@unsupported(reason: "events are not transformed")
operation DeleteTransformer {}

@unsupported(reason: "events are not transformed")
operation TestTransformer {}

@unsupported(reason: "there is no OpenSearch")
operation PutIntegration {}

@unsupported(reason: "there is no OpenSearch")
operation GetIntegration {}

@unsupported(reason: "there is no OpenSearch")
operation ListIntegrations {}

@unsupported(reason: "there is no OpenSearch")
operation DeleteIntegration {}

@unsupported(reason: "groups are not protected from deletion")
operation PutLogGroupDeletionProtection {}

@unsupported(reason: "anomalies are not detected")
operation CreateLogAnomalyDetector {}

@unsupported(reason: "anomalies are not detected")
operation UpdateLogAnomalyDetector {}

@unsupported(reason: "anomalies are not detected")
operation GetLogAnomalyDetector {}

@unsupported(reason: "anomalies are not detected")
operation ListLogAnomalyDetectors {}

@unsupported(reason: "anomalies are not detected")
operation DeleteLogAnomalyDetector {}

@unsupported(reason: "anomalies are not detected")
operation ListAnomalies {}

@unsupported(reason: "anomalies are not detected")
operation UpdateAnomaly {}

@unsupported(reason: "logs of other services are not delivered")
operation CreateDelivery {}

@unsupported(reason: "logs of other services are not delivered")
operation GetDelivery {}

@unsupported(reason: "logs of other services are not delivered")
operation DescribeDeliveries {}

@unsupported(reason: "logs of other services are not delivered")
operation DeleteDelivery {}

@unsupported(reason: "logs of other services are not delivered")
operation PutDeliverySource {}

@unsupported(reason: "logs of other services are not delivered")
operation GetDeliverySource {}

@unsupported(reason: "logs of other services are not delivered")
operation DescribeDeliverySources {}

@unsupported(reason: "logs of other services are not delivered")
operation DeleteDeliverySource {}

@unsupported(reason: "logs of other services are not delivered")
operation PutDeliveryDestination {}

@unsupported(reason: "logs of other services are not delivered")
operation GetDeliveryDestination {}

@unsupported(reason: "logs of other services are not delivered")
operation DescribeDeliveryDestinations {}

@unsupported(reason: "logs of other services are not delivered")
operation DeleteDeliveryDestination {}

@unsupported(reason: "logs of other services are not delivered")
operation PutDeliveryDestinationPolicy {}

@unsupported(reason: "logs of other services are not delivered")
operation GetDeliveryDestinationPolicy {}

@unsupported(reason: "logs of other services are not delivered")
operation DeleteDeliveryDestinationPolicy {}

@unsupported(reason: "logs of other services are not delivered")
operation UpdateDeliveryConfiguration {}

@unsupported(reason: "logs of other services are not delivered")
operation DescribeConfigurationTemplates {}
