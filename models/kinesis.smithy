$version: "2.0"

// Amazon Kinesis Data Streams, API version 2013-12-02. docs/kinesis.md says what works.
namespace tidemill.kinesis

@awsJson1_1
@awsCbor1_1
@signingName("kinesis")
@targetPrefix("Kinesis_20131202")
@throttlingError("ProvisionedThroughputExceededException")
@internalError("InternalFailure")
@unsupportedError("InvalidArgumentException")
@requestBytesMax(16777216)
service Kinesis {
    version: "2013-12-02"
    operations: [
        CreateStream
        DeleteStream
        DescribeStream
        DescribeStreamSummary
        ListStreams
        DescribeLimits
        DescribeAccountSettings
        UpdateAccountSettings
        UpdateStreamMode
        UpdateMaxRecordSize
        UpdateStreamWarmThroughput
        IncreaseStreamRetentionPeriod
        DecreaseStreamRetentionPeriod
        EnableEnhancedMonitoring
        DisableEnhancedMonitoring
        StartStreamEncryption
        StopStreamEncryption
        AddTagsToStream
        ListTagsForStream
        RemoveTagsFromStream
        TagResource
        ListTagsForResource
        UntagResource
        PutResourcePolicy
        GetResourcePolicy
        DeleteResourcePolicy
        ListShards
        SplitShard
        MergeShards
        UpdateShardCount
        PutRecord
        PutRecords
        GetShardIterator
        GetRecords
        RegisterStreamConsumer
        DescribeStreamConsumer
        ListStreamConsumers
        DeregisterStreamConsumer
        SubscribeToShard
    ]
}

// ---- Names, numbers and enums ---------------------------------------------------------------------------------------

@length(min: 1, max: 2048)
@pattern("(arn):aws.*:kinesis:.*:\\d{12}:.*stream\\/[a-zA-Z0-9_.-]+\\/consumer\\/[a-zA-Z0-9_.-]+:[0-9]+")
string ConsumerARN

@range(min: 0, max: 1000000)
integer ConsumerCountObject

@length(min: 1, max: 128)
@pattern("[a-zA-Z0-9_.-]+")
string ConsumerName

enum ConsumerStatus {
    CREATING
    DELETING
    ACTIVE
}

@length(min: 0, max: 10485760)
blob Data

@range(min: 1, max: 10000)
integer DescribeStreamInputLimit

enum EncryptionType {
    NONE
    KMS
}

@range(min: 1, max: 10000)
integer GetRecordsInputLimit

@pattern("0|([1-9]\\d{0,38})")
string HashKey

@length(min: 1, max: 2048)
string KeyId

@range(min: 1, max: 10000)
integer ListShardsInputLimit

@range(min: 1, max: 10000)
integer ListStreamConsumersInputLimit

@range(min: 1, max: 10000)
integer ListStreamsInputLimit

@range(min: 1, max: 50)
integer ListTagsForStreamInputLimit

@range(min: 1024, max: 10240)
integer MaxRecordSizeInKiB

enum MetricsName {
    IncomingBytes
    IncomingRecords
    OutgoingBytes
    OutgoingRecords
    WriteProvisionedThroughputExceeded
    ReadProvisionedThroughputExceeded
    IteratorAgeMilliseconds
    ALL
}

@range(min: 0)
long MillisBehindLatest

enum MinimumThroughputBillingCommitmentOutputStatus {
    ENABLED
    DISABLED
    ENABLED_UNTIL_EARLIEST_ALLOWED_END
}

@range(min: 0)
integer NaturalIntegerObject

@length(min: 1, max: 1048576)
string NextToken

@range(min: 0, max: 1000000)
integer OnDemandStreamCountLimitObject

@range(min: 0, max: 1000000)
integer OnDemandStreamCountObject

@length(min: 1, max: 256)
string PartitionKey

@range(min: 1)
integer PositiveIntegerObject

@length(min: 1, max: 2048)
@pattern("arn:aws.*:kinesis:.*:\\d{12}:.*stream/\\S+")
string ResourceARN

enum ScalingType {
    UNIFORM_SCALING
}

@pattern("0|([1-9]\\d{0,128})")
string SequenceNumber

@range(min: 0, max: 1000000)
integer ShardCountObject

enum ShardFilterType {
    AFTER_SHARD_ID
    AT_TRIM_HORIZON
    FROM_TRIM_HORIZON
    AT_LATEST
    AT_TIMESTAMP
    FROM_TIMESTAMP
}

@length(min: 1, max: 128)
@pattern("[a-zA-Z0-9_.-]+")
string ShardId

@length(min: 1, max: 512)
string ShardIterator

enum ShardIteratorType {
    AT_SEQUENCE_NUMBER
    AFTER_SEQUENCE_NUMBER
    TRIM_HORIZON
    LATEST
    AT_TIMESTAMP
}

@length(min: 1, max: 2048)
@pattern("arn:aws.*:kinesis:.*:\\d{12}:stream/\\S+")
string StreamARN

@length(min: 1, max: 24)
@pattern("[a-z0-9]{20}-[a-z0-9]{3}")
string StreamId

enum StreamMode {
    PROVISIONED
    ON_DEMAND
}

@length(min: 1, max: 128)
@pattern("[a-zA-Z0-9_.-]+")
string StreamName

enum StreamStatus {
    CREATING
    DELETING
    ACTIVE
    UPDATING
}

@length(min: 1, max: 128)
string TagKey

@length(min: 0, max: 256)
string TagValue

// ---- Collections ----------------------------------------------------------------------------------------------------

list ChildShardList {
    member: ChildShard
}

list ConsumerList {
    member: Consumer
}

list EnhancedMonitoringList {
    member: EnhancedMetrics
}

@length(min: 1, max: 7)
list MetricsNameList {
    member: MetricsName
}

@length(min: 1, max: 500)
list PutRecordsRequestEntryList {
    member: PutRecordsRequestEntry
}

@length(min: 1, max: 500)
list PutRecordsResultEntryList {
    member: PutRecordsResultEntry
}

list RecordList {
    member: Record
}

list ShardIdList {
    member: ShardId
}

list ShardList {
    member: Shard
}

list StreamNameList {
    member: StreamName
}

list StreamSummaryList {
    member: StreamSummary
}

@length(min: 1, max: 50)
list TagKeyList {
    member: TagKey
}

@length(min: 0, max: 200)
list TagList {
    member: Tag
}

@length(min: 1, max: 200)
map TagMap {
    key: TagKey
    value: TagValue
}

// ---- Structures -----------------------------------------------------------------------------------------------------

structure ChildShard {
    @required
    ShardId: ShardId

    @required
    ParentShards: ShardIdList

    @required
    HashKeyRange: HashKeyRange
}

structure Consumer {
    @required
    ConsumerName: ConsumerName

    @required
    ConsumerARN: ConsumerARN

    @required
    ConsumerStatus: ConsumerStatus

    @required
    ConsumerCreationTimestamp: Timestamp
}

structure ConsumerDescription {
    @required
    ConsumerName: ConsumerName

    @required
    ConsumerARN: ConsumerARN

    @required
    ConsumerStatus: ConsumerStatus

    @required
    ConsumerCreationTimestamp: Timestamp

    @required
    StreamARN: StreamARN
}

structure EnhancedMetrics {
    ShardLevelMetrics: MetricsNameList
}

structure EnhancedMonitoringOutput {
    StreamName: StreamName

    CurrentShardLevelMetrics: MetricsNameList

    DesiredShardLevelMetrics: MetricsNameList

    StreamARN: StreamARN
}

structure HashKeyRange {
    @required
    StartingHashKey: HashKey

    @required
    EndingHashKey: HashKey
}

structure MinimumThroughputBillingCommitmentOutput {
    @required
    Status: MinimumThroughputBillingCommitmentOutputStatus

    StartedAt: Timestamp

    EndedAt: Timestamp

    EarliestAllowedEndAt: Timestamp
}

structure PutRecordsRequestEntry {
    @required
    Data: Data

    ExplicitHashKey: HashKey

    @required
    PartitionKey: PartitionKey
}

structure PutRecordsResultEntry {
    SequenceNumber: SequenceNumber

    ShardId: ShardId

    ErrorCode: String

    ErrorMessage: String
}

structure Record {
    @required
    SequenceNumber: SequenceNumber

    ApproximateArrivalTimestamp: Timestamp

    @required
    Data: Data

    @required
    PartitionKey: PartitionKey

    EncryptionType: EncryptionType
}

structure SequenceNumberRange {
    @required
    StartingSequenceNumber: SequenceNumber

    EndingSequenceNumber: SequenceNumber
}

structure Shard {
    @required
    ShardId: ShardId

    ParentShardId: ShardId

    AdjacentParentShardId: ShardId

    @required
    HashKeyRange: HashKeyRange

    @required
    SequenceNumberRange: SequenceNumberRange
}

structure ShardFilter {
    @required
    Type: ShardFilterType

    ShardId: ShardId

    Timestamp: Timestamp
}

structure StreamDescription {
    @required
    StreamName: StreamName

    @required
    StreamARN: StreamARN

    @required
    StreamStatus: StreamStatus

    StreamModeDetails: StreamModeDetails

    @required
    Shards: ShardList

    @required
    HasMoreShards: Boolean

    @required
    RetentionPeriodHours: Integer

    @required
    StreamCreationTimestamp: Timestamp

    @required
    EnhancedMonitoring: EnhancedMonitoringList

    EncryptionType: EncryptionType

    KeyId: KeyId
}

structure StreamDescriptionSummary {
    @required
    StreamName: StreamName

    @required
    StreamARN: StreamARN

    StreamId: StreamId

    @required
    StreamStatus: StreamStatus

    StreamModeDetails: StreamModeDetails

    @required
    RetentionPeriodHours: Integer

    @required
    StreamCreationTimestamp: Timestamp

    @required
    EnhancedMonitoring: EnhancedMonitoringList

    EncryptionType: EncryptionType

    KeyId: KeyId

    @required
    OpenShardCount: ShardCountObject

    ConsumerCount: ConsumerCountObject

    WarmThroughput: WarmThroughputObject

    MaxRecordSizeInKiB: MaxRecordSizeInKiB
}

structure StreamModeDetails {
    @required
    StreamMode: StreamMode
}

structure StreamSummary {
    @required
    StreamName: StreamName

    @required
    StreamARN: StreamARN

    @required
    StreamStatus: StreamStatus

    StreamModeDetails: StreamModeDetails

    StreamCreationTimestamp: Timestamp
}

structure Tag {
    @required
    Key: TagKey

    Value: TagValue
}

structure WarmThroughputObject {
    TargetMiBps: NaturalIntegerObject

    CurrentMiBps: NaturalIntegerObject
}

// ---- Operations -----------------------------------------------------------------------------------------------------

operation CreateStream {
    input := {
        @required
        StreamName: StreamName

        ShardCount: PositiveIntegerObject

        StreamModeDetails: StreamModeDetails

        Tags: TagMap

        @unsupported
        WarmThroughputMiBps: NaturalIntegerObject

        MaxRecordSizeInKiB: MaxRecordSizeInKiB
    }
    errors: [ResourceInUseException, LimitExceededException, InvalidArgumentException, ValidationException]
}

operation DeleteStream {
    input := {
        StreamName: StreamName

        EnforceConsumerDeletion: Boolean

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    errors: [ResourceNotFoundException, LimitExceededException, ResourceInUseException, InvalidArgumentException]
}

operation DescribeStream {
    input := {
        StreamName: StreamName

        Limit: DescribeStreamInputLimit

        ExclusiveStartShardId: ShardId

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        @required
        StreamDescription: StreamDescription
    }
    errors: [ResourceNotFoundException, LimitExceededException, InvalidArgumentException]
}

operation DescribeStreamSummary {
    input := {
        StreamName: StreamName

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        @required
        StreamDescriptionSummary: StreamDescriptionSummary
    }
    errors: [ResourceNotFoundException, LimitExceededException, InvalidArgumentException]
}

operation ListStreams {
    input := {
        Limit: ListStreamsInputLimit

        ExclusiveStartStreamName: StreamName

        NextToken: NextToken
    }
    output := {
        @required
        StreamNames: StreamNameList

        @required
        HasMoreStreams: Boolean

        NextToken: NextToken

        StreamSummaries: StreamSummaryList
    }
    errors: [LimitExceededException, ExpiredNextTokenException, InvalidArgumentException]
}

operation DescribeLimits {
    input := {}
    output := {
        @required
        ShardLimit: ShardCountObject

        @required
        OpenShardCount: ShardCountObject

        @required
        OnDemandStreamCount: OnDemandStreamCountObject

        @required
        OnDemandStreamCountLimit: OnDemandStreamCountLimitObject
    }
    errors: [LimitExceededException]
}

operation DescribeAccountSettings {
    input := {}
    output := {
        MinimumThroughputBillingCommitment: MinimumThroughputBillingCommitmentOutput
    }
    errors: [LimitExceededException]
}

@unsupported(reason: "there is no billing that one could commit to")
operation UpdateAccountSettings {}

operation UpdateStreamMode {
    input := {
        @required
        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId

        @required
        StreamModeDetails: StreamModeDetails

        @unsupported
        WarmThroughputMiBps: NaturalIntegerObject
    }
    errors: [
        InvalidArgumentException
        LimitExceededException
        ResourceInUseException
        ResourceNotFoundException
        ValidationException
    ]
}

operation UpdateMaxRecordSize {
    input := {
        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId

        @required
        MaxRecordSizeInKiB: MaxRecordSizeInKiB
    }
    errors: [
        ResourceInUseException
        ResourceNotFoundException
        LimitExceededException
        InvalidArgumentException
        ValidationException
    ]
}

@unsupported(reason: "an account without a billing commitment has no warm throughput")
operation UpdateStreamWarmThroughput {}

operation IncreaseStreamRetentionPeriod {
    input := {
        StreamName: StreamName

        @required
        RetentionPeriodHours: Integer

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    errors: [ResourceInUseException, ResourceNotFoundException, LimitExceededException, InvalidArgumentException]
}

operation DecreaseStreamRetentionPeriod {
    input := {
        StreamName: StreamName

        @required
        RetentionPeriodHours: Integer

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    errors: [ResourceInUseException, ResourceNotFoundException, LimitExceededException, InvalidArgumentException]
}

operation EnableEnhancedMonitoring {
    input := {
        StreamName: StreamName

        @required
        ShardLevelMetrics: MetricsNameList

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    output: EnhancedMonitoringOutput
    errors: [InvalidArgumentException, LimitExceededException, ResourceInUseException, ResourceNotFoundException]
}

operation DisableEnhancedMonitoring {
    input := {
        StreamName: StreamName

        @required
        ShardLevelMetrics: MetricsNameList

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    output: EnhancedMonitoringOutput
    errors: [InvalidArgumentException, LimitExceededException, ResourceInUseException, ResourceNotFoundException]
}

operation StartStreamEncryption {
    input := {
        StreamName: StreamName

        @required
        EncryptionType: EncryptionType

        @required
        KeyId: KeyId

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    errors: [
        InvalidArgumentException
        LimitExceededException
        ResourceInUseException
        ResourceNotFoundException
        KMSAccessDeniedException
        KMSDisabledException
        KMSInvalidStateException
        KMSNotFoundException
        KMSThrottlingException
    ]
}

operation StopStreamEncryption {
    input := {
        StreamName: StreamName

        @required
        EncryptionType: EncryptionType

        @required
        KeyId: KeyId

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    errors: [
        InvalidArgumentException
        LimitExceededException
        ResourceInUseException
        ResourceNotFoundException
    ]
}

operation AddTagsToStream {
    input := {
        StreamName: StreamName

        @required
        Tags: TagMap

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    errors: [ResourceNotFoundException, ResourceInUseException, InvalidArgumentException, LimitExceededException]
}

operation ListTagsForStream {
    input := {
        StreamName: StreamName

        ExclusiveStartTagKey: TagKey

        Limit: ListTagsForStreamInputLimit

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        @required
        Tags: TagList

        @required
        HasMoreTags: Boolean
    }
    errors: [ResourceNotFoundException, InvalidArgumentException, LimitExceededException]
}

operation RemoveTagsFromStream {
    input := {
        StreamName: StreamName

        @required
        TagKeys: TagKeyList

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    errors: [ResourceNotFoundException, ResourceInUseException, InvalidArgumentException, LimitExceededException]
}

operation TagResource {
    input := {
        @required
        Tags: TagMap

        @required
        ResourceARN: ResourceARN

        @unsupported
        StreamId: StreamId
    }
    errors: [ResourceNotFoundException, ResourceInUseException, InvalidArgumentException, LimitExceededException]
}

operation ListTagsForResource {
    input := {
        @required
        ResourceARN: ResourceARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        Tags: TagList
    }
    errors: [ResourceNotFoundException, ResourceInUseException, InvalidArgumentException, LimitExceededException]
}

operation UntagResource {
    input := {
        @required
        TagKeys: TagKeyList

        @required
        ResourceARN: ResourceARN

        @unsupported
        StreamId: StreamId
    }
    errors: [ResourceNotFoundException, ResourceInUseException, InvalidArgumentException, LimitExceededException]
}

operation PutResourcePolicy {
    input := {
        @required
        ResourceARN: ResourceARN

        @unsupported
        StreamId: StreamId

        @required
        Policy: String
    }
    errors: [ResourceNotFoundException, LimitExceededException, InvalidArgumentException, ResourceInUseException]
}

operation GetResourcePolicy {
    input := {
        @required
        ResourceARN: ResourceARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        @required
        Policy: String
    }
    errors: [ResourceNotFoundException, LimitExceededException, InvalidArgumentException, ResourceInUseException]
}

operation DeleteResourcePolicy {
    input := {
        @required
        ResourceARN: ResourceARN

        @unsupported
        StreamId: StreamId
    }
    errors: [ResourceNotFoundException, LimitExceededException, InvalidArgumentException, ResourceInUseException]
}

operation ListShards {
    input := {
        StreamName: StreamName

        NextToken: NextToken

        ExclusiveStartShardId: ShardId

        MaxResults: ListShardsInputLimit

        StreamCreationTimestamp: Timestamp

        ShardFilter: ShardFilter

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        Shards: ShardList

        NextToken: NextToken
    }
    errors: [
        ResourceNotFoundException
        InvalidArgumentException
        LimitExceededException
        ExpiredNextTokenException
        ResourceInUseException
    ]
}

operation SplitShard {
    input := {
        StreamName: StreamName

        @required
        ShardToSplit: ShardId

        @required
        NewStartingHashKey: HashKey

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    errors: [
        ResourceNotFoundException
        ResourceInUseException
        InvalidArgumentException
        LimitExceededException
        ValidationException
    ]
}

operation MergeShards {
    input := {
        StreamName: StreamName

        @required
        ShardToMerge: ShardId

        @required
        AdjacentShardToMerge: ShardId

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    errors: [
        ResourceNotFoundException
        ResourceInUseException
        InvalidArgumentException
        LimitExceededException
        ValidationException
    ]
}

operation UpdateShardCount {
    input := {
        StreamName: StreamName

        @required
        TargetShardCount: PositiveIntegerObject

        @required
        ScalingType: ScalingType

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        StreamName: StreamName

        CurrentShardCount: PositiveIntegerObject

        TargetShardCount: PositiveIntegerObject

        StreamARN: StreamARN
    }
    errors: [
        InvalidArgumentException
        LimitExceededException
        ResourceInUseException
        ResourceNotFoundException
        ValidationException
    ]
}

operation PutRecord {
    input := {
        StreamName: StreamName

        @required
        Data: Data

        @required
        PartitionKey: PartitionKey

        ExplicitHashKey: HashKey

        SequenceNumberForOrdering: SequenceNumber

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        @required
        ShardId: ShardId

        @required
        SequenceNumber: SequenceNumber

        EncryptionType: EncryptionType
    }
    errors: [
        KMSAccessDeniedException
        KMSDisabledException
        KMSInvalidStateException
        KMSNotFoundException
        KMSThrottlingException
        ResourceNotFoundException
        InvalidArgumentException
        ProvisionedThroughputExceededException
        InternalFailureException
    ]
}

operation PutRecords {
    input := {
        @required
        Records: PutRecordsRequestEntryList

        StreamName: StreamName

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        FailedRecordCount: PositiveIntegerObject

        @required
        Records: PutRecordsResultEntryList

        EncryptionType: EncryptionType
    }
    errors: [
        KMSAccessDeniedException
        KMSDisabledException
        KMSInvalidStateException
        KMSNotFoundException
        KMSThrottlingException
        ResourceNotFoundException
        InvalidArgumentException
        ProvisionedThroughputExceededException
        InternalFailureException
    ]
}

operation GetShardIterator {
    input := {
        StreamName: StreamName

        @required
        ShardId: ShardId

        @required
        ShardIteratorType: ShardIteratorType

        StartingSequenceNumber: SequenceNumber

        Timestamp: Timestamp

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        ShardIterator: ShardIterator
    }
    errors: [
        ResourceNotFoundException
        InvalidArgumentException
        ProvisionedThroughputExceededException
        InternalFailureException
    ]
}

operation GetRecords {
    input := {
        @required
        ShardIterator: ShardIterator

        Limit: GetRecordsInputLimit

        StreamARN: StreamARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        @required
        Records: RecordList

        NextShardIterator: ShardIterator

        MillisBehindLatest: MillisBehindLatest

        ChildShards: ChildShardList
    }
    errors: [
        KMSAccessDeniedException
        KMSDisabledException
        KMSInvalidStateException
        KMSNotFoundException
        KMSThrottlingException
        ResourceNotFoundException
        InvalidArgumentException
        ProvisionedThroughputExceededException
        ExpiredIteratorException
        InternalFailureException
    ]
}

operation RegisterStreamConsumer {
    input := {
        @required
        StreamARN: StreamARN

        @required
        ConsumerName: ConsumerName

        @unsupported
        StreamId: StreamId

        Tags: TagMap
    }
    output := {
        @required
        Consumer: Consumer
    }
    errors: [InvalidArgumentException, LimitExceededException, ResourceInUseException, ResourceNotFoundException]
}

operation DescribeStreamConsumer {
    input := {
        StreamARN: StreamARN

        ConsumerName: ConsumerName

        ConsumerARN: ConsumerARN

        @unsupported
        StreamId: StreamId
    }
    output := {
        @required
        ConsumerDescription: ConsumerDescription
    }
    errors: [LimitExceededException, ResourceNotFoundException, InvalidArgumentException]
}

operation ListStreamConsumers {
    input := {
        @required
        StreamARN: StreamARN

        NextToken: NextToken

        MaxResults: ListStreamConsumersInputLimit

        StreamCreationTimestamp: Timestamp

        @unsupported
        StreamId: StreamId
    }
    output := {
        Consumers: ConsumerList

        NextToken: NextToken
    }
    errors: [
        ResourceNotFoundException
        InvalidArgumentException
        LimitExceededException
        ExpiredNextTokenException
        ResourceInUseException
    ]
}

operation DeregisterStreamConsumer {
    input := {
        StreamARN: StreamARN

        ConsumerName: ConsumerName

        ConsumerARN: ConsumerARN

        @unsupported
        StreamId: StreamId
    }
    errors: [LimitExceededException, ResourceNotFoundException, InvalidArgumentException]
}

structure StartingPosition {
    @required
    Type: ShardIteratorType

    SequenceNumber: SequenceNumber

    Timestamp: Timestamp
}

structure SubscribeToShardEvent {
    @required
    Records: RecordList

    /// AWS's model requires it, and AWS leaves it out at the end of a shard.
    ContinuationSequenceNumber: SequenceNumber

    @required
    MillisBehindLatest: MillisBehindLatest

    ChildShards: ChildShardList
}

@streaming
union SubscribeToShardEventStream {
    SubscribeToShardEvent: SubscribeToShardEvent

    ResourceNotFoundException: ResourceNotFoundException

    ResourceInUseException: ResourceInUseException

    InternalFailureException: InternalFailureException
}

operation SubscribeToShard {
    input := {
        @required
        ConsumerARN: ConsumerARN

        @unsupported
        StreamId: StreamId

        @required
        ShardId: ShardId

        @required
        StartingPosition: StartingPosition
    }
    output := {
        EventStream: SubscribeToShardEventStream
    }
    errors: [ResourceNotFoundException, InvalidArgumentException, ResourceInUseException, LimitExceededException]
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

@error("client")
structure ExpiredIteratorException {
    message: String
}

@error("client")
structure ExpiredNextTokenException {
    message: String
}

@error("server")
@httpError(500)
structure InternalFailureException {
    message: String
}

@error("client")
structure InvalidArgumentException {
    message: String
}

@error("client")
structure LimitExceededException {
    message: String
}

@error("client")
structure ProvisionedThroughputExceededException {
    message: String
}

@error("client")
structure ResourceInUseException {
    message: String
}

@error("client")
structure ResourceNotFoundException {
    message: String
}

@error("client")
structure ValidationException {
    message: String
}

@error("client")
structure KMSAccessDeniedException {
    message: String
}

@error("client")
structure KMSDisabledException {
    message: String
}

@error("client")
structure KMSInvalidStateException {
    message: String
}

@error("client")
structure KMSNotFoundException {
    message: String
}

@error("client")
structure KMSThrottlingException {
    message: String
}
