$version: "2.0"

// CloudWatch, API version 2010-08-01, over json and the Query protocol. What constraints cannot say is checked by the
// service.
namespace tidemill.cloudwatch

@awsJson1_0
@awsQuery
@rpcv2Cbor
@signingName("monitoring")
@targetPrefix("GraniteServiceVersion20100801")
@errorNamespace("com.amazonaws.cloudwatch.v2010_08_01")
@xmlNamespace("http://monitoring.amazonaws.com/doc/2010-08-01/")
@hideCollections
@throttlingError("Throttling")
@internalError("InternalServiceFault")
@unsupportedError("InvalidParameterValueException")
service CloudWatch {
    version: "2010-08-01"
    operations: [
        PutMetricData
        GetMetricStatistics
        GetMetricData
        ListMetrics
        PutMetricAlarm
        PutCompositeAlarm
        DescribeAlarms
        DescribeAlarmsForMetric
        DescribeAlarmHistory
        DeleteAlarms
        SetAlarmState
        EnableAlarmActions
        DisableAlarmActions
        TagResource
        UntagResource
        ListTagsForResource
        PutDashboard
        GetDashboard
        ListDashboards
        DeleteDashboards

        PutAnomalyDetector
        DescribeAnomalyDetectors
        DeleteAnomalyDetector
        GetMetricWidgetImage
        PutMetricStream
        GetMetricStream
        ListMetricStreams
        StartMetricStreams
        StopMetricStreams
        DeleteMetricStream
        PutInsightRule
        PutManagedInsightRules
        DescribeInsightRules
        ListManagedInsightRules
        EnableInsightRules
        DisableInsightRules
        DeleteInsightRules
        GetInsightRuleReport
        DescribeAlarmContributors
    ]
}

// ---- Metrics --------------------------------------------------------------------------------------------------------

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

list Doubles {
    member: Double
}

list Timestamps {
    member: Timestamp
}

list Texts {
    member: String
}

structure Dimension {
    @required
    @length(min: 1, max: 255)
    Name: String

    @required
    @length(min: 1, max: 1024)
    Value: String
}

list Dimensions {
    member: Dimension
}

structure StatisticSet {
    @required
    SampleCount: Double

    @required
    Sum: Double

    @required
    Minimum: Double

    @required
    Maximum: Double
}

structure MetricDatum {
    @required
    @length(min: 1, max: 255)
    MetricName: String

    Dimensions: Dimensions

    Timestamp: Timestamp

    Value: Double

    StatisticValues: StatisticSet

    Values: Doubles

    Counts: Doubles

    Unit: StandardUnit

    @range(min: 1)
    StorageResolution: Integer
}

list MetricData {
    member: MetricDatum
}

operation PutMetricData {
    input := {
        @required
        @length(min: 1, max: 255)
        @pattern("[^:].*")
        Namespace: String

        MetricData: MetricData

        @unsupported
        EntityMetricData: Texts

        @unsupported(unless: false)
        StrictEntityValidation: Boolean
    }
    errors: [InvalidParameterValueException, InvalidParameterCombinationException, MissingRequiredParameterException]
}

structure Datapoint {
    Timestamp: Timestamp

    SampleCount: Double

    Average: Double

    Sum: Double

    Minimum: Double

    Maximum: Double

    Unit: String

    ExtendedStatistics: ExtendedValues
}

map ExtendedValues {
    key: String
    value: Double
}

list Datapoints {
    member: Datapoint
}

enum Statistic {
    SampleCount
    Average
    Sum
    Minimum
    Maximum
}

@length(min: 1, max: 5)
list Statistics {
    member: Statistic
}

@length(min: 1, max: 10)
list ExtendedStatistics {
    member: String
}

operation GetMetricStatistics {
    input := {
        @required
        @length(min: 1, max: 255)
        Namespace: String

        @required
        @length(min: 1, max: 255)
        MetricName: String

        Dimensions: Dimensions

        @required
        StartTime: Timestamp

        @required
        EndTime: Timestamp

        @required
        @range(min: 1)
        Period: Integer

        Statistics: Statistics

        ExtendedStatistics: ExtendedStatistics

        Unit: StandardUnit
    }
    output := {
        Label: String

        Datapoints: Datapoints
    }
    errors: [InvalidParameterValueException, InvalidParameterCombinationException, MissingRequiredParameterException]
}

structure Metric {
    @length(min: 1, max: 255)
    Namespace: String

    @length(min: 1, max: 255)
    MetricName: String

    Dimensions: Dimensions
}

list Metrics {
    member: Metric
}

structure MetricStat {
    @required
    Metric: Metric

    @required
    @range(min: 1)
    Period: Integer

    @required
    Stat: String

    Unit: StandardUnit
}

structure MetricDataQuery {
    @required
    @length(min: 1, max: 255)
    Id: String

    MetricStat: MetricStat

    @length(min: 1, max: 2048)
    Expression: String

    Label: String

    ReturnData: Boolean

    @range(min: 1)
    Period: Integer

    @unsupported
    AccountId: String
}

list MetricDataQueries {
    member: MetricDataQuery
}

enum ScanBy {
    TimestampDescending
    TimestampAscending
}

structure MetricDataResult {
    Id: String

    Label: String

    Timestamps: Timestamps

    Values: Doubles

    StatusCode: String
}

list MetricDataResults {
    member: MetricDataResult
}

list Messages {
    member: MessageData
}

structure MessageData {
    Code: String

    Value: String
}

operation GetMetricData {
    input := {
        @required
        MetricDataQueries: MetricDataQueries

        @required
        StartTime: Timestamp

        @required
        EndTime: Timestamp

        NextToken: String

        ScanBy: ScanBy

        @range(min: 1)
        MaxDatapoints: Integer

        @unsupported
        LabelOptions: Document
    }
    output := {
        MetricDataResults: MetricDataResults

        NextToken: String

        Messages: Messages
    }
    errors: [InvalidNextToken]
}

structure DimensionFilter {
    @required
    @length(min: 1, max: 255)
    Name: String

    @length(min: 1, max: 1024)
    Value: String
}

list DimensionFilters {
    member: DimensionFilter
}

enum RecentlyActive {
    PT3H
}

operation ListMetrics {
    input := {
        @length(min: 1, max: 255)
        Namespace: String

        @length(min: 1, max: 255)
        MetricName: String

        Dimensions: DimensionFilters

        NextToken: String

        RecentlyActive: RecentlyActive

        @unsupported(unless: false)
        IncludeLinkedAccounts: Boolean

        @unsupported
        OwningAccount: String
    }
    output := {
        Metrics: Metrics

        NextToken: String
    }
    errors: [InvalidParameterValueException]
}

// ---- Alarms ---------------------------------------------------------------------------------------------------------

enum ComparisonOperator {
    GreaterThanOrEqualToThreshold
    GreaterThanThreshold
    LessThanThreshold
    LessThanOrEqualToThreshold
    LessThanLowerOrGreaterThanUpperThreshold
    LessThanLowerThreshold
    GreaterThanUpperThreshold
}

enum StateValue {
    INSUFFICIENT_DATA
    ALARM
    OK
}

enum AlarmType {
    CompositeAlarm
    MetricAlarm
}

enum HistoryItemType {
    ConfigurationUpdate
    StateUpdate
    Action
}

@length(min: 0, max: 5)
list Actions {
    member: Action
}

@length(min: 1, max: 1024)
string Action

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

list TagKeys {
    member: TagKey
}

@length(min: 1, max: 128)
string TagKey

@length(min: 0, max: 100)
list AlarmNames {
    member: AlarmName
}

@length(min: 1, max: 255)
string AlarmName

list AlarmTypes {
    member: AlarmType
}

operation PutMetricAlarm {
    input := {
        @required
        AlarmName: AlarmName

        @length(min: 0, max: 1024)
        AlarmDescription: String

        ActionsEnabled: Boolean

        OKActions: Actions

        AlarmActions: Actions

        InsufficientDataActions: Actions

        @length(min: 1, max: 255)
        MetricName: String

        @length(min: 1, max: 255)
        Namespace: String

        Statistic: Statistic

        ExtendedStatistic: String

        Dimensions: Dimensions

        @range(min: 1)
        Period: Integer

        Unit: StandardUnit

        @required
        @range(min: 1)
        EvaluationPeriods: Integer

        @range(min: 1)
        DatapointsToAlarm: Integer

        Threshold: Double

        @required
        ComparisonOperator: ComparisonOperator

        TreatMissingData: String

        @unsupported(unless: "evaluate")
        EvaluateLowSampleCountPercentile: String

        Metrics: MetricDataQueries

        Tags: Tags

        @unsupported
        ThresholdMetricId: String
    }
    errors: [LimitExceededFault]
}

operation PutCompositeAlarm {
    input := {
        @required
        AlarmName: AlarmName

        @length(min: 0, max: 1024)
        AlarmDescription: String

        ActionsEnabled: Boolean

        OKActions: Actions

        AlarmActions: Actions

        InsufficientDataActions: Actions

        @required
        @length(min: 1, max: 10240)
        AlarmRule: String

        Tags: Tags

        @length(min: 1, max: 1600)
        ActionsSuppressor: String

        @range(min: 0)
        ActionsSuppressorWaitPeriod: Integer

        @range(min: 0)
        ActionsSuppressorExtensionPeriod: Integer
    }
    errors: [LimitExceededFault]
}

structure MetricAlarm {
    AlarmName: String

    AlarmArn: String

    AlarmDescription: String

    AlarmConfigurationUpdatedTimestamp: Timestamp

    ActionsEnabled: Boolean

    OKActions: Texts

    AlarmActions: Texts

    InsufficientDataActions: Texts

    StateValue: String

    StateReason: String

    StateReasonData: String

    StateUpdatedTimestamp: Timestamp

    MetricName: String

    Namespace: String

    Statistic: String

    ExtendedStatistic: String

    Dimensions: Dimensions

    Period: Integer

    Unit: String

    EvaluationPeriods: Integer

    DatapointsToAlarm: Integer

    Threshold: Double

    ComparisonOperator: String

    TreatMissingData: String

    Metrics: MetricDataQueries

    StateTransitionedTimestamp: Timestamp
}

list MetricAlarms {
    member: MetricAlarm
}

enum ActionsSuppressedBy {
    WaitPeriod
    ExtensionPeriod
    Alarm
}

structure CompositeAlarm {
    ActionsEnabled: Boolean

    AlarmActions: Texts

    AlarmArn: String

    AlarmConfigurationUpdatedTimestamp: Timestamp

    AlarmDescription: String

    AlarmName: String

    AlarmRule: String

    InsufficientDataActions: Texts

    OKActions: Texts

    StateReason: String

    StateReasonData: String

    StateUpdatedTimestamp: Timestamp

    StateValue: String

    StateTransitionedTimestamp: Timestamp

    ActionsSuppressedBy: String

    ActionsSuppressedReason: String

    ActionsSuppressor: String

    ActionsSuppressorWaitPeriod: Integer

    ActionsSuppressorExtensionPeriod: Integer
}

list CompositeAlarms {
    member: CompositeAlarm
}

operation DescribeAlarms {
    input := {
        AlarmNames: AlarmNames

        @length(min: 1, max: 255)
        AlarmNamePrefix: String

        AlarmTypes: AlarmTypes

        @length(min: 1, max: 255)
        ChildrenOfAlarmName: String

        @length(min: 1, max: 255)
        ParentsOfAlarmName: String

        StateValue: StateValue

        @length(min: 1, max: 1024)
        ActionPrefix: String

        @range(min: 1, max: 100)
        MaxRecords: Integer

        NextToken: String
    }
    output := {
        CompositeAlarms: CompositeAlarms

        MetricAlarms: MetricAlarms

        NextToken: String
    }
    errors: [InvalidNextToken]
}

operation DescribeAlarmsForMetric {
    input := {
        @required
        @length(min: 1, max: 255)
        MetricName: String

        @required
        @length(min: 1, max: 255)
        Namespace: String

        Statistic: Statistic

        ExtendedStatistic: String

        Dimensions: Dimensions

        @range(min: 1)
        Period: Integer

        Unit: StandardUnit
    }
    output := {
        MetricAlarms: MetricAlarms
    }
}

structure AlarmHistoryItem {
    AlarmName: String

    AlarmType: String

    Timestamp: Timestamp

    HistoryItemType: String

    HistorySummary: String

    HistoryData: String
}

list AlarmHistoryItems {
    member: AlarmHistoryItem
}

operation DescribeAlarmHistory {
    input := {
        AlarmName: AlarmName

        @unsupported
        AlarmContributorId: String

        AlarmTypes: AlarmTypes

        HistoryItemType: HistoryItemType

        StartDate: Timestamp

        EndDate: Timestamp

        @range(min: 1, max: 100)
        MaxRecords: Integer

        NextToken: String

        ScanBy: ScanBy
    }
    output := {
        AlarmHistoryItems: AlarmHistoryItems

        NextToken: String
    }
    errors: [InvalidNextToken]
}

operation DeleteAlarms {
    input := {
        @required
        AlarmNames: AlarmNames
    }
    errors: [ResourceNotFound]
}

operation SetAlarmState {
    input := {
        @required
        AlarmName: AlarmName

        @required
        StateValue: StateValue

        @required
        @length(min: 0, max: 1023)
        StateReason: String

        @length(min: 0, max: 4000)
        StateReasonData: String
    }
    errors: [ResourceNotFound, InvalidFormatFault]
}

operation EnableAlarmActions {
    input := {
        @required
        AlarmNames: AlarmNames
    }
}

operation DisableAlarmActions {
    input := {
        @required
        AlarmNames: AlarmNames
    }
}

operation TagResource {
    input := {
        @required
        @length(min: 1, max: 1024)
        ResourceARN: String

        @required
        Tags: Tags
    }
    output := {}
    errors: [InvalidParameterValueException, ResourceNotFoundException]
}

operation UntagResource {
    input := {
        @required
        @length(min: 1, max: 1024)
        ResourceARN: String

        @required
        TagKeys: TagKeys
    }
    output := {}
    errors: [InvalidParameterValueException, ResourceNotFoundException]
}

operation ListTagsForResource {
    input := {
        @required
        @length(min: 1, max: 1024)
        ResourceARN: String
    }
    output := {
        Tags: Tags
    }
    errors: [InvalidParameterValueException, ResourceNotFoundException]
}

// ---- Dashboards -----------------------------------------------------------------------------------------------------

structure DashboardValidationMessage {
    DataPath: String

    Message: String
}

list DashboardValidationMessages {
    member: DashboardValidationMessage
}

structure DashboardEntry {
    DashboardName: String

    DashboardArn: String

    LastModified: Timestamp

    Size: Long
}

list DashboardEntries {
    member: DashboardEntry
}

operation PutDashboard {
    input := {
        @required
        DashboardName: String

        @required
        DashboardBody: String
    }
    output := {
        DashboardValidationMessages: DashboardValidationMessages
    }
    errors: [DashboardInvalidInputError]
}

operation GetDashboard {
    input := {
        @required
        DashboardName: String
    }
    output := {
        DashboardArn: String

        DashboardBody: String

        DashboardName: String
    }
    errors: [InvalidParameterValueException, DashboardNotFoundError]
}

operation ListDashboards {
    input := {
        DashboardNamePrefix: String

        NextToken: String
    }
    output := {
        DashboardEntries: DashboardEntries

        NextToken: String
    }
    errors: [InvalidParameterValueException]
}

operation DeleteDashboards {
    input := {
        @required
        DashboardNames: Texts
    }
    output := {}
    errors: [InvalidParameterValueException, DashboardNotFoundError]
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

@error("client")
@awsQueryError(code: "InvalidParameterValue", httpResponseCode: 400)
structure InvalidParameterValueException {
    message: String
}

@error("client")
@awsQueryError(code: "InvalidParameterCombination", httpResponseCode: 400)
structure InvalidParameterCombinationException {
    message: String
}

@error("client")
@awsQueryError(code: "MissingParameter", httpResponseCode: 400)
structure MissingRequiredParameterException {
    message: String
}

@error("client")
@awsQueryError(code: "InvalidNextToken", httpResponseCode: 400)
structure InvalidNextToken {
    message: String
}

@error("client")
@awsQueryError(code: "LimitExceeded", httpResponseCode: 400)
structure LimitExceededFault {
    message: String
}

@error("client")
@awsQueryError(code: "ResourceNotFound", httpResponseCode: 404)
structure ResourceNotFound {
    message: String
}

@error("client")
@awsQueryError(code: "ResourceNotFoundException", httpResponseCode: 404)
@httpError(404)
structure ResourceNotFoundException {
    message: String
}

@error("client")
@awsQueryError(code: "ResourceNotFound", httpResponseCode: 404)
@httpError(404)
structure DashboardNotFoundError {
    message: String
}

@error("client")
@awsQueryError(code: "InvalidParameterInput", httpResponseCode: 400)
structure DashboardInvalidInputError {
    message: String

    dashboardValidationMessages: DashboardValidationMessages
}

@error("client")
@awsQueryError(code: "InvalidFormat", httpResponseCode: 400)
structure InvalidFormatFault {
    message: String
}

// ---- What Tidemill lacks --------------------------------------------------------------------------------------------

@unsupported(reason: "there are no anomaly detectors")
operation PutAnomalyDetector {}

@unsupported(reason: "there are no anomaly detectors")
operation DescribeAnomalyDetectors {}

@unsupported(reason: "there are no anomaly detectors")
operation DeleteAnomalyDetector {}

@unsupported(reason: "nothing draws")
operation GetMetricWidgetImage {}

@unsupported(reason: "there are no metric streams")
operation PutMetricStream {}

@unsupported(reason: "there are no metric streams")
operation GetMetricStream {}

@unsupported(reason: "there are no metric streams")
operation ListMetricStreams {}

@unsupported(reason: "there are no metric streams")
operation StartMetricStreams {}

@unsupported(reason: "there are no metric streams")
operation StopMetricStreams {}

@unsupported(reason: "there are no metric streams")
operation DeleteMetricStream {}

@unsupported(reason: "there are no insight rules")
operation PutInsightRule {}

@unsupported(reason: "there are no insight rules")
operation PutManagedInsightRules {}

@unsupported(reason: "there are no insight rules")
operation DescribeInsightRules {}

@unsupported(reason: "there are no insight rules")
operation ListManagedInsightRules {}

@unsupported(reason: "there are no insight rules")
operation EnableInsightRules {}

@unsupported(reason: "there are no insight rules")
operation DisableInsightRules {}

@unsupported(reason: "there are no insight rules")
operation DeleteInsightRules {}

@unsupported(reason: "there are no insight rules")
operation GetInsightRuleReport {}

@unsupported(reason: "alarms watch one metric")
operation DescribeAlarmContributors {}
