$version: "2.0"

// DynamoDB, API version 2012-08-10. Every member that AWS knows stands here, so that what is not supported is refused by
// its name and never ignored. Enum values stand in the order in which AWS lists them in its messages.
namespace tidemill.dynamodb

@awsJson1_0
@signingName("dynamodb")
@targetPrefix("DynamoDB_20120810")
@errorNamespace("com.amazonaws.dynamodb.v20120810")
@internalError("InternalServerError")
@requestBytesMax(16777216)
@responseCrc32
@throttlingError("ProvisionedThroughputExceededException")
@hideCollections
@terseConstraints
service DynamoDB {
    version: "2012-08-10"
    operations: [
        CreateTable
        DescribeTable
        UpdateTable
        DeleteTable
        ListTables
        PutItem
        GetItem
        UpdateItem
        DeleteItem
        Query
        Scan
        BatchWriteItem
        BatchGetItem
        ExecuteStatement
        BatchExecuteStatement
        TransactWriteItems
        TransactGetItems
        ExecuteTransaction
        TagResource
        UntagResource
        ListTagsOfResource
        DescribeLimits
        DescribeEndpoints
        UpdateTimeToLive
        DescribeTimeToLive
        PutResourcePolicy
        GetResourcePolicy
        DeleteResourcePolicy
        CreateBackup
        DescribeBackup
        DeleteBackup
        ListBackups
        RestoreTableFromBackup
        RestoreTableToPointInTime
        UpdateContinuousBackups
        DescribeContinuousBackups
        ImportTable
        DescribeImport
        ListImports
        ExportTableToPointInTime
        DescribeExport
        ListExports
        EnableKinesisStreamingDestination
        DisableKinesisStreamingDestination
        UpdateKinesisStreamingDestination
        DescribeKinesisStreamingDestination
        UpdateContributorInsights
        DescribeContributorInsights
        ListContributorInsights
        CreateGlobalTable
        DescribeGlobalTable
        ListGlobalTables
        UpdateGlobalTable
        DescribeGlobalTableSettings
        UpdateGlobalTableSettings
        DescribeTableReplicaAutoScaling
        UpdateTableReplicaAutoScaling
        SearchVectors
    ]
}

// ---- Items: written by hand, because they go from JSON to stored bytes without a tree in between ----

/// A whole item, or the attributes of one that an operation returns.
@cppType("lang::dynamodb::Item", header: "lang/dynamodb/value.h", codec: "wire/codecs/dynamodb.h")
map Item {
    key: String
    value: Document
}

/// The values that expressions name with ":x".
@cppType("lang::dynamodb::Item", header: "lang/dynamodb/value.h", codec: "wire/codecs/dynamodb.h")
map ExpressionAttributeValueMap {
    key: String
    value: Document
}

list ItemList {
    member: Item
}

/// The items that a Query or Scan found: their text is ready when the answer is written.
@cppType("lang::dynamodb::ItemPage", header: "lang/dynamodb/item_page.h", codec: "wire/codecs/dynamodb.h")
list ItemPage {
    member: Item
}

@length(max: 65535)
string AttributeName

map ExpressionAttributeNameMap {
    key: String
    value: AttributeName
}

/// A value as {"S":"…"}.
@cppType("lang::dynamodb::Value", header: "lang/dynamodb/value.h", codec: "wire/codecs/dynamodb.h")
map AttributeValue {
    key: String
    value: Document
}

// ---- Parameters from before there were expressions ----

list AttributeValueList {
    member: AttributeValue
}

enum ComparisonOperator {
    IN
    NULL
    BETWEEN
    LT
    NOT_CONTAINS
    EQ
    GT
    NOT_NULL
    NE
    LE
    BEGINS_WITH
    GE
    CONTAINS
}

enum ConditionalOperator {
    OR
    AND
}

structure Condition {
    AttributeValueList: AttributeValueList

    @required
    ComparisonOperator: ComparisonOperator
}

map FilterConditionMap {
    key: AttributeName
    value: Condition
}

structure ExpectedAttributeValue {
    Value: AttributeValue

    Exists: Boolean

    ComparisonOperator: ComparisonOperator

    AttributeValueList: AttributeValueList
}

map ExpectedAttributeMap {
    key: AttributeName
    value: ExpectedAttributeValue
}

enum AttributeAction {
    ADD
    DELETE
    PUT
}

structure AttributeValueUpdate {
    Value: AttributeValue

    Action: AttributeAction
}

map AttributeUpdates {
    key: AttributeName
    value: AttributeValueUpdate
}

@length(min: 1)
list AttributeNameList {
    member: AttributeName
}

// ---- Simple shapes ----

/// A table's name, or its ARN.
@length(min: 3, max: 255)
@pattern("[a-zA-Z0-9_.-]+")
@orArn(1024)
string TableArn

@range(min: 1)
integer PositiveInteger

@range(min: 1)
long PositiveLong

enum KeyType {
    HASH
    RANGE
}

enum ScalarAttributeType {
    B
    N
    S
}

enum BillingMode {
    PROVISIONED
    PAY_PER_REQUEST
}

enum TableClass {
    STANDARD
    STANDARD_INFREQUENT_ACCESS
}

enum SSEType {
    AES256
    KMS
}

enum StreamViewType {
    NEW_IMAGE
    OLD_IMAGE
    NEW_AND_OLD_IMAGES
    KEYS_ONLY
}

enum ReturnValue {
    ALL_NEW
    UPDATED_OLD
    ALL_OLD
    NONE
    UPDATED_NEW
}

enum ReturnValuesOnConditionCheckFailure {
    ALL_OLD
    NONE
}

enum ReturnConsumedCapacity {
    INDEXES
    TOTAL
    NONE
}

enum ReturnItemCollectionMetrics {
    SIZE
    NONE
}

enum Select {
    SPECIFIC_ATTRIBUTES
    COUNT
    ALL_ATTRIBUTES
    ALL_PROJECTED_ATTRIBUTES
}

// ---- Tables ----

structure AttributeDefinition {
    @required
    @length(min: 1, max: 255)
    AttributeName: String

    @required
    AttributeType: ScalarAttributeType
}

list AttributeDefinitions {
    member: AttributeDefinition
}

structure KeySchemaElement {
    @required
    @length(min: 1, max: 255)
    AttributeName: String

    @required
    KeyType: KeyType
}

@length(min: 1, max: 2)
list KeySchema {
    member: KeySchemaElement
}

/// Up to four attributes of each kind, which the operations check, because AWS words it so.
@length(min: 1)
list GlobalIndexKeySchema {
    member: KeySchemaElement
}

structure ProvisionedThroughput {
    @required
    ReadCapacityUnits: PositiveLong

    @required
    WriteCapacityUnits: PositiveLong
}

structure OnDemandThroughput {
    MaxReadRequestUnits: Long

    MaxWriteRequestUnits: Long
}

structure StreamSpecification {
    @required
    StreamEnabled: Boolean

    StreamViewType: StreamViewType
}

structure SSESpecification {
    Enabled: Boolean

    SSEType: SSEType

    KMSMasterKeyId: String
}

structure Tag {
    @required
    @length(min: 1, max: 128)
    Key: String

    @required
    @length(min: 0, max: 256)
    Value: String
}

list TagList {
    member: Tag
}

list TagKeyList {
    member: TagKey
}

@length(min: 1, max: 128)
string TagKey

// ---- Indexes ----

@length(min: 3, max: 255)
@pattern("[a-zA-Z0-9_.-]+")
string IndexName

enum ProjectionType {
    ALL
    INCLUDE
    KEYS_ONLY
}

@length(min: 1, max: 255)
string NonKeyAttributeName

@length(min: 1, max: 20)
list NonKeyAttributeNameList {
    member: NonKeyAttributeName
}

structure Projection {
    ProjectionType: ProjectionType

    NonKeyAttributes: NonKeyAttributeNameList
}

structure LocalSecondaryIndex {
    @required
    IndexName: IndexName

    @required
    KeySchema: KeySchema

    @required
    Projection: Projection
}

list LocalSecondaryIndexList {
    member: LocalSecondaryIndex
}

structure GlobalSecondaryIndex {
    @required
    IndexName: IndexName

    @required
    KeySchema: GlobalIndexKeySchema

    @required
    Projection: Projection

    ProvisionedThroughput: ProvisionedThroughput

    OnDemandThroughput: OnDemandThroughput

    WarmThroughput: WarmThroughput
}

list GlobalSecondaryIndexList {
    member: GlobalSecondaryIndex
}

structure UpdateGlobalSecondaryIndexAction {
    @required
    IndexName: IndexName

    ProvisionedThroughput: ProvisionedThroughput

    OnDemandThroughput: OnDemandThroughput

    WarmThroughput: WarmThroughput
}

structure DeleteGlobalSecondaryIndexAction {
    @required
    IndexName: IndexName
}

/// Exactly one of the three, which the operation checks itself, because AWS words it so.
structure GlobalSecondaryIndexUpdate {
    Update: UpdateGlobalSecondaryIndexAction

    Create: GlobalSecondaryIndex

    Delete: DeleteGlobalSecondaryIndexAction
}

list GlobalSecondaryIndexUpdateList {
    member: GlobalSecondaryIndexUpdate
}

structure LocalSecondaryIndexDescription {
    IndexName: String

    KeySchema: KeySchema

    Projection: Projection

    IndexSizeBytes: Long

    ItemCount: Long

    IndexArn: String
}

list LocalSecondaryIndexDescriptionList {
    member: LocalSecondaryIndexDescription
}

structure GlobalSecondaryIndexDescription {
    IndexName: String

    KeySchema: KeySchema

    Projection: Projection

    IndexStatus: String

    Backfilling: Boolean

    ProvisionedThroughput: ProvisionedThroughputDescription

    IndexSizeBytes: Long

    ItemCount: Long

    IndexArn: String

    OnDemandThroughput: OnDemandThroughput

    WarmThroughput: WarmThroughputDescription
}

list GlobalSecondaryIndexDescriptionList {
    member: GlobalSecondaryIndexDescription
}

operation CreateTable {
    input := {
        @required
        AttributeDefinitions: AttributeDefinitions

        /// Required; the operation checks that itself, because AWS words it so.
        TableName: TableArn

        @required
        KeySchema: KeySchema

        GlobalSecondaryIndexes: GlobalSecondaryIndexList

        LocalSecondaryIndexes: LocalSecondaryIndexList

        BillingMode: BillingMode

        ProvisionedThroughput: ProvisionedThroughput

        StreamSpecification: StreamSpecification

        SSESpecification: SSESpecification

        Tags: TagList

        TableClass: TableClass

        DeletionProtectionEnabled: Boolean

        WarmThroughput: WarmThroughput

        ResourcePolicy: PolicyDocument

        OnDemandThroughput: OnDemandThroughput

        @unsupported
        GlobalTableSourceArn: String

        @unsupported
        GlobalTableSettingsReplicationMode: String

        @unsupported
        VectorIndexes: Document
    }
    output := {
        TableDescription: TableDescription
    }
    errors: [ResourceInUseException, LimitExceededException, InternalServerError]
}

operation DescribeTable {
    input := {
        @required
        TableName: TableArn
    }
    output := {
        Table: TableDescription
    }
    errors: [ResourceNotFoundException, InternalServerError]
}

operation UpdateTable {
    input := {
        AttributeDefinitions: AttributeDefinitions

        @required
        TableName: TableArn

        BillingMode: BillingMode

        ProvisionedThroughput: ProvisionedThroughput

        GlobalSecondaryIndexUpdates: GlobalSecondaryIndexUpdateList

        StreamSpecification: StreamSpecification

        SSESpecification: SSESpecification

        ReplicaUpdates: ReplicationGroupUpdateList

        TableClass: TableClass

        DeletionProtectionEnabled: Boolean

        @unsupported(unless: "EVENTUAL")
        MultiRegionConsistency: String

        @unsupported
        GlobalTableWitnessUpdates: Document

        OnDemandThroughput: OnDemandThroughput

        WarmThroughput: WarmThroughput

        @unsupported
        GlobalTableSettingsReplicationMode: String

        @unsupported
        VectorIndexUpdates: Document
    }
    output := {
        TableDescription: TableDescription
    }
    errors: [ResourceInUseException, ResourceNotFoundException, LimitExceededException, InternalServerError]
}

operation DeleteTable {
    input := {
        @required
        TableName: TableArn
    }
    output := {
        TableDescription: TableDescription
    }
    errors: [ResourceInUseException, ResourceNotFoundException, LimitExceededException, InternalServerError]
}

operation ListTables {
    input := {
        @length(min: 3, max: 255)
        @pattern("[a-zA-Z0-9_.-]+")
        ExclusiveStartTableName: String

        @range(min: 1, max: 100)
        Limit: Integer
    }
    output := {
        TableNames: TableNameList

        LastEvaluatedTableName: String
    }
    errors: [InternalServerError]
}

list TableNameList {
    member: String
}

structure TableDescription {
    AttributeDefinitions: AttributeDefinitions

    TableName: String

    KeySchema: KeySchema

    TableStatus: String

    CreationDateTime: Timestamp

    ProvisionedThroughput: ProvisionedThroughputDescription

    TableSizeBytes: Long

    ItemCount: Long

    TableArn: String

    TableId: String

    BillingModeSummary: BillingModeSummary

    LocalSecondaryIndexes: LocalSecondaryIndexDescriptionList

    GlobalSecondaryIndexes: GlobalSecondaryIndexDescriptionList

    StreamSpecification: StreamSpecification

    LatestStreamLabel: String

    LatestStreamArn: String

    GlobalTableVersion: String

    Replicas: ReplicaDescriptionList

    GlobalTableSettingsReplicationMode: String

    SSEDescription: SSEDescription

    TableClassSummary: TableClassSummary

    DeletionProtectionEnabled: Boolean

    OnDemandThroughput: OnDemandThroughput

    RestoreSummary: RestoreSummary

    WarmThroughput: WarmThroughputDescription
}

// ---- Replicas ----

@length(min: 1)
list ReplicationGroupUpdateList {
    member: ReplicationGroupUpdate
}

/// One of the three; the operation checks that itself, because AWS words it so.
structure ReplicationGroupUpdate {
    Create: CreateReplicationGroupMemberAction

    Update: UpdateReplicationGroupMemberAction

    Delete: DeleteReplicationGroupMemberAction
}

structure CreateReplicationGroupMemberAction {
    @required
    RegionName: String

    KMSMasterKeyId: String

    ProvisionedThroughputOverride: ProvisionedThroughputOverride

    OnDemandThroughputOverride: OnDemandThroughputOverride

    @unsupported
    GlobalSecondaryIndexes: Document

    TableClassOverride: TableClass
}

structure UpdateReplicationGroupMemberAction {
    @required
    RegionName: String

    KMSMasterKeyId: String

    ProvisionedThroughputOverride: ProvisionedThroughputOverride

    OnDemandThroughputOverride: OnDemandThroughputOverride

    @unsupported
    GlobalSecondaryIndexes: Document

    TableClassOverride: TableClass
}

structure DeleteReplicationGroupMemberAction {
    @required
    RegionName: String
}

structure ProvisionedThroughputOverride {
    ReadCapacityUnits: PositiveLong
}

structure OnDemandThroughputOverride {
    MaxReadRequestUnits: Long
}

list ReplicaDescriptionList {
    member: ReplicaDescription
}

structure ReplicaDescription {
    RegionName: String

    ReplicaStatus: String

    KMSMasterKeyId: String

    OnDemandThroughputOverride: OnDemandThroughputOverride

    WarmThroughput: WarmThroughputDescription

    GlobalSecondaryIndexes: ReplicaGlobalSecondaryIndexDescriptionList

    ReplicaTableClassSummary: TableClassSummary
}

list ReplicaGlobalSecondaryIndexDescriptionList {
    member: ReplicaGlobalSecondaryIndexDescription
}

structure ReplicaGlobalSecondaryIndexDescription {
    IndexName: String

    WarmThroughput: WarmThroughputDescription
}

structure ProvisionedThroughputDescription {
    LastIncreaseDateTime: Timestamp

    LastDecreaseDateTime: Timestamp

    NumberOfDecreasesToday: Long

    ReadCapacityUnits: Long

    WriteCapacityUnits: Long
}

structure BillingModeSummary {
    BillingMode: String

    LastUpdateToPayPerRequestDateTime: Timestamp
}

structure SSEDescription {
    Status: String

    SSEType: String

    KMSMasterKeyArn: String
}

structure TableClassSummary {
    TableClass: String

    LastUpdateDateTime: Timestamp
}

operation TagResource {
    input := {
        @required
        @length(min: 1, max: 1283)
        ResourceArn: String

        @required
        Tags: TagList
    }
    errors: [ResourceNotFoundException, ResourceInUseException, LimitExceededException, InternalServerError]
}

operation UntagResource {
    input := {
        @required
        @length(min: 1, max: 1283)
        ResourceArn: String

        @required
        TagKeys: TagKeyList
    }
    errors: [ResourceNotFoundException, ResourceInUseException, LimitExceededException, InternalServerError]
}

operation ListTagsOfResource {
    input := {
        @required
        @length(min: 1, max: 1283)
        ResourceArn: String

        NextToken: String
    }
    output := {
        Tags: TagList

        NextToken: String
    }
    errors: [ResourceNotFoundException, InternalServerError]
}

operation DescribeLimits {
    input := {}
    output := {
        AccountMaxReadCapacityUnits: Long

        AccountMaxWriteCapacityUnits: Long

        TableMaxReadCapacityUnits: Long

        TableMaxWriteCapacityUnits: Long
    }
    errors: [InternalServerError]
}

operation DescribeEndpoints {
    input := {}
    output := {
        @required
        Endpoints: Endpoints
    }
}

list Endpoints {
    member: Endpoint
}

structure Endpoint {
    @required
    Address: String

    @required
    CachePeriodInMinutes: Long
}

// ---- Single items ----

structure Capacity {
    ReadCapacityUnits: Double

    WriteCapacityUnits: Double

    CapacityUnits: Double
}

structure ConsumedCapacity {
    TableName: String

    CapacityUnits: Double

    ReadCapacityUnits: Double

    WriteCapacityUnits: Double

    Table: Capacity

    LocalSecondaryIndexes: SecondaryIndexesCapacityMap

    GlobalSecondaryIndexes: SecondaryIndexesCapacityMap
}

map SecondaryIndexesCapacityMap {
    key: String
    value: Capacity
}

/// Of a table with local indexes: the key of a collection (all items of one partition key) and how large it is about.
structure ItemCollectionMetrics {
    ItemCollectionKey: Item

    SizeEstimateRangeGB: ItemCollectionSizeEstimateRange
}

list ItemCollectionSizeEstimateRange {
    member: Double
}

list ItemCollectionMetricsMultiple {
    member: ItemCollectionMetrics
}

map ItemCollectionMetricsPerTable {
    key: String
    value: ItemCollectionMetricsMultiple
}

list ConsumedCapacityMultiple {
    member: ConsumedCapacity
}

@prefixedValueErrors
operation PutItem {
    input := {
        @required
        TableName: TableArn

        @required
        Item: Item

        Expected: ExpectedAttributeMap

        ReturnValues: ReturnValue

        ReturnConsumedCapacity: ReturnConsumedCapacity

        ReturnItemCollectionMetrics: ReturnItemCollectionMetrics

        ConditionalOperator: ConditionalOperator

        ConditionExpression: String

        ExpressionAttributeNames: ExpressionAttributeNameMap

        ExpressionAttributeValues: ExpressionAttributeValueMap

        ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure
    }
    output := {
        Attributes: Item

        ConsumedCapacity: ConsumedCapacity

        ItemCollectionMetrics: ItemCollectionMetrics
    }
    errors: [
        ConditionalCheckFailedException
        ProvisionedThroughputExceededException
        ResourceNotFoundException
        ItemCollectionSizeLimitExceededException
        TransactionConflictException
        RequestLimitExceeded
        InternalServerError
    ]
}

@prefixedValueErrors
operation GetItem {
    input := {
        @required
        TableName: TableArn

        @required
        Key: Item

        AttributesToGet: AttributeNameList

        ConsistentRead: Boolean

        ReturnConsumedCapacity: ReturnConsumedCapacity

        ProjectionExpression: String

        ExpressionAttributeNames: ExpressionAttributeNameMap
    }
    output := {
        Item: Item

        ConsumedCapacity: ConsumedCapacity
    }
    errors: [
        ProvisionedThroughputExceededException
        ResourceNotFoundException
        RequestLimitExceeded
        InternalServerError
    ]
}

@prefixedValueErrors
operation UpdateItem {
    input := {
        ReturnConsumedCapacity: ReturnConsumedCapacity

        @required
        TableName: TableArn

        ReturnValues: ReturnValue

        ConditionalOperator: ConditionalOperator

        @required
        Key: Item

        AttributeUpdates: AttributeUpdates

        Expected: ExpectedAttributeMap

        ReturnItemCollectionMetrics: ReturnItemCollectionMetrics

        UpdateExpression: String

        ConditionExpression: String

        ExpressionAttributeNames: ExpressionAttributeNameMap

        ExpressionAttributeValues: ExpressionAttributeValueMap

        ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure
    }
    output := {
        Attributes: Item

        ConsumedCapacity: ConsumedCapacity

        ItemCollectionMetrics: ItemCollectionMetrics
    }
    errors: [
        ConditionalCheckFailedException
        ProvisionedThroughputExceededException
        ResourceNotFoundException
        ItemCollectionSizeLimitExceededException
        TransactionConflictException
        RequestLimitExceeded
        InternalServerError
    ]
}

@prefixedValueErrors
operation DeleteItem {
    input := {
        @required
        TableName: TableArn

        @required
        Key: Item

        Expected: ExpectedAttributeMap

        ConditionalOperator: ConditionalOperator

        ReturnValues: ReturnValue

        ReturnConsumedCapacity: ReturnConsumedCapacity

        ReturnItemCollectionMetrics: ReturnItemCollectionMetrics

        ConditionExpression: String

        ExpressionAttributeNames: ExpressionAttributeNameMap

        ExpressionAttributeValues: ExpressionAttributeValueMap

        ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure
    }
    output := {
        Attributes: Item

        ConsumedCapacity: ConsumedCapacity

        ItemCollectionMetrics: ItemCollectionMetrics
    }
    errors: [
        ConditionalCheckFailedException
        ProvisionedThroughputExceededException
        ResourceNotFoundException
        ItemCollectionSizeLimitExceededException
        TransactionConflictException
        RequestLimitExceeded
        InternalServerError
    ]
}

// ---- Many items ----

@prefixedValueErrors
operation Query {
    input := {
        @required
        TableName: TableArn

        IndexName: IndexName

        Select: Select

        AttributesToGet: AttributeNameList

        Limit: PositiveInteger

        ConsistentRead: Boolean

        KeyConditions: FilterConditionMap

        QueryFilter: FilterConditionMap

        ConditionalOperator: ConditionalOperator

        ScanIndexForward: Boolean

        ExclusiveStartKey: Item

        ReturnConsumedCapacity: ReturnConsumedCapacity

        ProjectionExpression: String

        FilterExpression: String

        KeyConditionExpression: String

        ExpressionAttributeNames: ExpressionAttributeNameMap

        ExpressionAttributeValues: ExpressionAttributeValueMap
    }
    output := {
        Items: ItemPage

        Count: Integer

        ScannedCount: Integer

        LastEvaluatedKey: Item

        ConsumedCapacity: ConsumedCapacity
    }
    errors: [
        ProvisionedThroughputExceededException
        ResourceNotFoundException
        RequestLimitExceeded
        InternalServerError
    ]
}

operation Scan {
    input := {
        @required
        TableName: TableArn

        IndexName: IndexName

        AttributesToGet: AttributeNameList

        Limit: PositiveInteger

        Select: Select

        ScanFilter: FilterConditionMap

        ConditionalOperator: ConditionalOperator

        ExclusiveStartKey: Item

        ReturnConsumedCapacity: ReturnConsumedCapacity

        @range(min: 1, max: 1000000)
        TotalSegments: Integer

        @range(min: 0, max: 999999)
        Segment: Integer

        ProjectionExpression: String

        FilterExpression: String

        ExpressionAttributeNames: ExpressionAttributeNameMap

        ExpressionAttributeValues: ExpressionAttributeValueMap

        ConsistentRead: Boolean
    }
    output := {
        Items: ItemPage

        Count: Integer

        ScannedCount: Integer

        LastEvaluatedKey: Item

        ConsumedCapacity: ConsumedCapacity
    }
    errors: [
        ProvisionedThroughputExceededException
        ResourceNotFoundException
        RequestLimitExceeded
        InternalServerError
    ]
}

structure PutRequest {
    @required
    Item: Item
}

structure DeleteRequest {
    @required
    Key: Item
}

/// Exactly one of the two, which the operation checks itself, because AWS words it so.
structure WriteRequest {
    PutRequest: PutRequest

    DeleteRequest: DeleteRequest
}

@length(min: 1, max: 25)
list WriteRequests {
    member: WriteRequest
}

@length(min: 1, max: 25)
map BatchWriteItemRequestMap {
    key: TableArn
    value: WriteRequests
}

operation BatchWriteItem {
    input := {
        @required
        RequestItems: BatchWriteItemRequestMap

        ReturnConsumedCapacity: ReturnConsumedCapacity

        ReturnItemCollectionMetrics: ReturnItemCollectionMetrics
    }
    output := {
        UnprocessedItems: BatchWriteItemRequestMap

        ItemCollectionMetrics: ItemCollectionMetricsPerTable

        ConsumedCapacity: ConsumedCapacityMultiple
    }
    errors: [
        ProvisionedThroughputExceededException
        ResourceNotFoundException
        ItemCollectionSizeLimitExceededException
        RequestLimitExceeded
        InternalServerError
    ]
}

/// A key, with its spelling: of two keys that differ in that alone BatchGetItem reads the item once.
@cppType("lang::dynamodb::SpelledItem", header: "lang/dynamodb/value.h", codec: "wire/codecs/dynamodb.h")
map SpelledKey {
    key: String
    value: Document
}

@length(min: 1, max: 100)
list KeyList {
    member: SpelledKey
}

structure KeysAndAttributes {
    @required
    Keys: KeyList

    AttributesToGet: AttributeNameList

    ConsistentRead: Boolean

    ProjectionExpression: String

    ExpressionAttributeNames: ExpressionAttributeNameMap
}

@length(min: 1, max: 100)
map BatchGetRequestMap {
    key: TableArn
    value: KeysAndAttributes
}

map BatchGetResponseMap {
    key: TableArn
    value: ItemList
}

operation BatchGetItem {
    input := {
        @required
        RequestItems: BatchGetRequestMap

        ReturnConsumedCapacity: ReturnConsumedCapacity
    }
    output := {
        Responses: BatchGetResponseMap

        UnprocessedKeys: BatchGetRequestMap

        ConsumedCapacity: ConsumedCapacityMultiple
    }
    errors: [
        ProvisionedThroughputExceededException
        ResourceNotFoundException
        RequestLimitExceeded
        InternalServerError
    ]
}

// ---- Errors ----

@error("client")
@httpError(400)
structure ConditionalCheckFailedException {
    message: String

    Item: Item
}

@error("client")
@httpError(400)
structure ResourceNotFoundException {
    message: String
}

@error("client")
@httpError(400)
structure ResourceInUseException {
    message: String
}

@error("client")
@httpError(400)
structure LimitExceededException {
    message: String
}

@error("client")
@httpError(400)
structure ProvisionedThroughputExceededException {
    message: String

    ThrottlingReasons: ThrottlingReasonList
}

@error("client")
@httpError(400)
structure ThrottlingException {
    message: String

    throttlingReasons: ThrottlingReasonList
}

list ThrottlingReasonList {
    member: ThrottlingReason
}

/// Which of a resource's limits was reached: "TableWriteProvisionedThroughputExceeded" and the ARN.
structure ThrottlingReason {
    reason: String

    resource: String
}

@error("client")
@httpError(400)
structure RequestLimitExceeded {
    message: String
}

@error("client")
@httpError(400)
structure ItemCollectionSizeLimitExceededException {
    message: String
}

@error("client")
@httpError(400)
structure TransactionConflictException {
    message: String
}

@error("server")
@httpError(500)
structure InternalServerError {
    message: String
}

// ---- PartiQL ----

/// What the question marks of a statement stand for, in their order.
list PreparedStatementParameters {
    member: AttributeValue
}

@length(min: 1, max: 8192)
string PartiQLStatement

@length(min: 1, max: 32768)
string PartiQLNextToken

@prefixedValueErrors
operation ExecuteStatement {
    input := {
        @required
        Statement: PartiQLStatement

        Parameters: PreparedStatementParameters

        ConsistentRead: Boolean

        NextToken: PartiQLNextToken

        ReturnConsumedCapacity: ReturnConsumedCapacity

        Limit: PositiveInteger

        ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure
    }
    output := {
        Items: ItemList

        NextToken: String

        ConsumedCapacity: ConsumedCapacity

        LastEvaluatedKey: Item
    }
    errors: [
        ConditionalCheckFailedException
        ProvisionedThroughputExceededException
        ResourceNotFoundException
        ItemCollectionSizeLimitExceededException
        TransactionConflictException
        RequestLimitExceeded
        InternalServerError
        DuplicateItemException
    ]
}

structure BatchStatementRequest {
    @required
    Statement: PartiQLStatement

    Parameters: PreparedStatementParameters

    ConsistentRead: Boolean

    ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure
}

@length(min: 1, max: 25)
list PartiQLBatchRequest {
    member: BatchStatementRequest
}

structure BatchStatementError {
    Code: String

    Message: String

    Item: Item
}

structure BatchStatementResponse {
    Error: BatchStatementError

    TableName: String

    Item: Item
}

list PartiQLBatchResponse {
    member: BatchStatementResponse
}

operation BatchExecuteStatement {
    input := {
        @required
        Statements: PartiQLBatchRequest

        ReturnConsumedCapacity: ReturnConsumedCapacity
    }
    output := {
        Responses: PartiQLBatchResponse

        ConsumedCapacity: ConsumedCapacityMultiple
    }
    errors: [
        RequestLimitExceeded
        InternalServerError
    ]
}

@error("client")
@httpError(400)
structure DuplicateItemException {
    message: String
}

// ---- Transactions ----

@length(min: 1, max: 36)
string ClientRequestToken

structure ConditionCheck {
    @required
    Key: Item

    @required
    TableName: TableArn

    @required
    ConditionExpression: String

    ExpressionAttributeNames: ExpressionAttributeNameMap

    ExpressionAttributeValues: ExpressionAttributeValueMap

    ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure
}

structure Put {
    @required
    Item: Item

    @required
    TableName: TableArn

    ConditionExpression: String

    ExpressionAttributeNames: ExpressionAttributeNameMap

    ExpressionAttributeValues: ExpressionAttributeValueMap

    ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure
}

structure Delete {
    @required
    Key: Item

    @required
    TableName: TableArn

    ConditionExpression: String

    ExpressionAttributeNames: ExpressionAttributeNameMap

    ExpressionAttributeValues: ExpressionAttributeValueMap

    ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure
}

structure Update {
    @required
    Key: Item

    @required
    UpdateExpression: String

    @required
    TableName: TableArn

    ConditionExpression: String

    ExpressionAttributeNames: ExpressionAttributeNameMap

    ExpressionAttributeValues: ExpressionAttributeValueMap

    ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure
}

/// Exactly one of the four, which the operation checks itself, because AWS words it so.
structure TransactWriteItem {
    ConditionCheck: ConditionCheck

    Put: Put

    Delete: Delete

    Update: Update
}

@length(min: 1, max: 100)
list TransactWriteItemList {
    member: TransactWriteItem
}

operation TransactWriteItems {
    input := {
        @required
        TransactItems: TransactWriteItemList

        ClientRequestToken: ClientRequestToken

        ReturnConsumedCapacity: ReturnConsumedCapacity

        ReturnItemCollectionMetrics: ReturnItemCollectionMetrics
    }
    output := {
        ConsumedCapacity: ConsumedCapacityMultiple

        ItemCollectionMetrics: ItemCollectionMetricsPerTable
    }
    errors: [
        ResourceNotFoundException
        TransactionCanceledException
        TransactionInProgressException
        IdempotentParameterMismatchException
        ProvisionedThroughputExceededException
        RequestLimitExceeded
        InternalServerError
    ]
}

structure Get {
    @required
    Key: Item

    @required
    TableName: TableArn

    ProjectionExpression: String

    ExpressionAttributeNames: ExpressionAttributeNameMap
}

structure TransactGetItem {
    @required
    Get: Get
}

@length(min: 1, max: 100)
list TransactGetItemList {
    member: TransactGetItem
}

structure ItemResponse {
    Item: Item
}

list ItemResponseList {
    member: ItemResponse
}

operation TransactGetItems {
    input := {
        @required
        TransactItems: TransactGetItemList

        ReturnConsumedCapacity: ReturnConsumedCapacity
    }
    output := {
        ConsumedCapacity: ConsumedCapacityMultiple

        Responses: ItemResponseList
    }
    errors: [
        ResourceNotFoundException
        TransactionCanceledException
        ProvisionedThroughputExceededException
        RequestLimitExceeded
        InternalServerError
    ]
}

structure ParameterizedStatement {
    @required
    Statement: PartiQLStatement

    Parameters: PreparedStatementParameters

    ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure
}

@length(min: 1, max: 100)
list ParameterizedStatements {
    member: ParameterizedStatement
}

operation ExecuteTransaction {
    input := {
        @required
        TransactStatements: ParameterizedStatements

        ClientRequestToken: ClientRequestToken

        ReturnConsumedCapacity: ReturnConsumedCapacity
    }
    output := {
        Responses: ItemResponseList

        ConsumedCapacity: ConsumedCapacityMultiple
    }
    errors: [
        ResourceNotFoundException
        TransactionCanceledException
        TransactionInProgressException
        IdempotentParameterMismatchException
        ProvisionedThroughputExceededException
        RequestLimitExceeded
        InternalServerError
    ]
}

structure CancellationReason {
    Code: String

    Item: Item

    Message: String
}

list CancellationReasonList {
    member: CancellationReason
}

@error("client")
@httpError(400)
structure TransactionCanceledException {
    Message: String

    CancellationReasons: CancellationReasonList
}

@error("client")
@httpError(400)
structure TransactionInProgressException {
    Message: String
}

@error("client")
@httpError(400)
structure IdempotentParameterMismatchException {
    Message: String
}

// ---- Settings of a table with operations of their own ----

structure WarmThroughput {
    ReadUnitsPerSecond: PositiveLong

    WriteUnitsPerSecond: PositiveLong
}

structure WarmThroughputDescription {
    ReadUnitsPerSecond: Long

    WriteUnitsPerSecond: Long

    Status: String
}

structure TimeToLiveSpecification {
    @required
    Enabled: Boolean

    @required
    @length(min: 1, max: 255)
    AttributeName: String
}

operation UpdateTimeToLive {
    input := {
        @required
        TableName: TableArn

        @required
        TimeToLiveSpecification: TimeToLiveSpecification
    }
    output := {
        TimeToLiveSpecification: TimeToLiveSpecification
    }
    errors: [ResourceInUseException, ResourceNotFoundException, LimitExceededException, InternalServerError]
}

structure TimeToLiveDescription {
    TimeToLiveStatus: String

    AttributeName: String
}

operation DescribeTimeToLive {
    input := {
        @required
        TableName: TableArn
    }
    output := {
        TimeToLiveDescription: TimeToLiveDescription
    }
    errors: [ResourceNotFoundException, InternalServerError]
}

/// JSON. Its size and form are checked by the operation, which words it as AWS does.
string PolicyDocument

@length(min: 1, max: 1283)
string ResourceArnString

@length(min: 1, max: 255)
string PolicyRevisionId

operation PutResourcePolicy {
    input := {
        @required
        ResourceArn: ResourceArnString

        @required
        Policy: PolicyDocument

        ExpectedRevisionId: PolicyRevisionId

        ConfirmRemoveSelfResourceAccess: Boolean
    }
    output := {
        RevisionId: String
    }
    errors: [
        ResourceNotFoundException
        InternalServerError
        LimitExceededException
        PolicyNotFoundException
        ResourceInUseException
    ]
}

operation GetResourcePolicy {
    input := {
        @required
        ResourceArn: ResourceArnString
    }
    output := {
        Policy: String

        RevisionId: String
    }
    errors: [ResourceNotFoundException, InternalServerError, PolicyNotFoundException]
}

operation DeleteResourcePolicy {
    input := {
        @required
        ResourceArn: ResourceArnString

        ExpectedRevisionId: PolicyRevisionId
    }
    output := {
        RevisionId: String
    }
    errors: [
        ResourceNotFoundException
        InternalServerError
        PolicyNotFoundException
        ResourceInUseException
        LimitExceededException
    ]
}

@error("client")
@httpError(400)
structure PolicyNotFoundException {
    message: String
}

// ---- Backups and point-in-time recovery ----

@length(min: 3, max: 255)
@pattern("[a-zA-Z0-9_.-]+")
string BackupName

@length(min: 37, max: 1024)
string BackupArn

@length(min: 3, max: 255)
@pattern("[a-zA-Z0-9_.-]+")
string TargetTableName

enum BackupTypeFilter {
    USER
    SYSTEM
    AWS_BACKUP
    ALL
}

structure BackupDetails {
    BackupArn: String

    BackupName: String

    BackupSizeBytes: Long

    BackupStatus: String

    BackupType: String

    BackupCreationDateTime: Timestamp

    BackupExpiryDateTime: Timestamp
}

structure SourceTableDetails {
    TableName: String

    TableId: String

    TableArn: String

    TableSizeBytes: Long

    KeySchema: KeySchema

    TableCreationDateTime: Timestamp

    ProvisionedThroughput: ProvisionedThroughput

    OnDemandThroughput: OnDemandThroughput

    ItemCount: Long

    BillingMode: String
}

structure LocalSecondaryIndexInfo {
    IndexName: String

    KeySchema: KeySchema

    Projection: Projection
}

list LocalSecondaryIndexInfos {
    member: LocalSecondaryIndexInfo
}

structure GlobalSecondaryIndexInfo {
    IndexName: String

    KeySchema: KeySchema

    Projection: Projection

    ProvisionedThroughput: ProvisionedThroughput

    OnDemandThroughput: OnDemandThroughput
}

list GlobalSecondaryIndexInfos {
    member: GlobalSecondaryIndexInfo
}

structure SourceTableFeatureDetails {
    LocalSecondaryIndexes: LocalSecondaryIndexInfos

    GlobalSecondaryIndexes: GlobalSecondaryIndexInfos

    StreamDescription: StreamSpecification

    TimeToLiveDescription: TimeToLiveDescription

    SSEDescription: SSEDescription
}

structure BackupDescription {
    BackupDetails: BackupDetails

    SourceTableDetails: SourceTableDetails

    SourceTableFeatureDetails: SourceTableFeatureDetails
}

structure BackupSummary {
    TableName: String

    TableId: String

    TableArn: String

    BackupArn: String

    BackupName: String

    BackupCreationDateTime: Timestamp

    BackupExpiryDateTime: Timestamp

    BackupStatus: String

    BackupType: String

    BackupSizeBytes: Long
}

list BackupSummaries {
    member: BackupSummary
}

operation CreateBackup {
    input := {
        @required
        TableName: TableArn

        @required
        BackupName: BackupName
    }
    output := {
        BackupDetails: BackupDetails
    }
    errors: [
        TableNotFoundException
        TableInUseException
        ContinuousBackupsUnavailableException
        BackupInUseException
        LimitExceededException
        InternalServerError
    ]
}

operation DescribeBackup {
    input := {
        @required
        BackupArn: BackupArn
    }
    output := {
        BackupDescription: BackupDescription
    }
    errors: [BackupNotFoundException, InternalServerError]
}

operation DeleteBackup {
    input := {
        @required
        BackupArn: BackupArn
    }
    output := {
        BackupDescription: BackupDescription
    }
    errors: [BackupNotFoundException, BackupInUseException, LimitExceededException, InternalServerError]
}

operation ListBackups {
    input := {
        TableName: TableArn

        @range(min: 1, max: 100)
        Limit: Integer

        TimeRangeLowerBound: Timestamp

        TimeRangeUpperBound: Timestamp

        ExclusiveStartBackupArn: BackupArn

        BackupType: BackupTypeFilter
    }
    output := {
        BackupSummaries: BackupSummaries

        LastEvaluatedBackupArn: String
    }
    errors: [InternalServerError]
}

operation RestoreTableFromBackup {
    input := {
        @required
        TargetTableName: TargetTableName

        @required
        BackupArn: BackupArn

        BillingModeOverride: BillingMode

        GlobalSecondaryIndexOverride: GlobalSecondaryIndexList

        LocalSecondaryIndexOverride: LocalSecondaryIndexList
        ProvisionedThroughputOverride: ProvisionedThroughput

        OnDemandThroughputOverride: OnDemandThroughput

        SSESpecificationOverride: SSESpecification
    }
    output := {
        TableDescription: TableDescription
    }
    errors: [
        TableAlreadyExistsException
        TableInUseException
        BackupNotFoundException
        BackupInUseException
        LimitExceededException
        InternalServerError
    ]
}

operation RestoreTableToPointInTime {
    input := {
        SourceTableArn: TableArn

        SourceTableName: TargetTableName

        @required
        TargetTableName: TargetTableName

        UseLatestRestorableTime: Boolean

        RestoreDateTime: Timestamp

        BillingModeOverride: BillingMode

        GlobalSecondaryIndexOverride: GlobalSecondaryIndexList

        LocalSecondaryIndexOverride: LocalSecondaryIndexList
        ProvisionedThroughputOverride: ProvisionedThroughput

        OnDemandThroughputOverride: OnDemandThroughput

        SSESpecificationOverride: SSESpecification
    }
    output := {
        TableDescription: TableDescription
    }
    errors: [
        TableAlreadyExistsException
        TableNotFoundException
        TableInUseException
        LimitExceededException
        InvalidRestoreTimeException
        PointInTimeRecoveryUnavailableException
        InternalServerError
    ]
}

structure RestoreSummary {
    SourceBackupArn: String

    SourceTableArn: String

    RestoreDateTime: Timestamp

    RestoreInProgress: Boolean
}

structure PointInTimeRecoverySpecification {
    @required
    PointInTimeRecoveryEnabled: Boolean

    @range(min: 1, max: 35)
    RecoveryPeriodInDays: Integer
}

structure PointInTimeRecoveryDescription {
    PointInTimeRecoveryStatus: String

    RecoveryPeriodInDays: Integer

    EarliestRestorableDateTime: Timestamp

    LatestRestorableDateTime: Timestamp
}

structure ContinuousBackupsDescription {
    ContinuousBackupsStatus: String

    PointInTimeRecoveryDescription: PointInTimeRecoveryDescription
}

operation UpdateContinuousBackups {
    input := {
        @required
        TableName: TableArn

        @required
        PointInTimeRecoverySpecification: PointInTimeRecoverySpecification
    }
    output := {
        ContinuousBackupsDescription: ContinuousBackupsDescription
    }
    errors: [TableNotFoundException, ContinuousBackupsUnavailableException, InternalServerError]
}

operation DescribeContinuousBackups {
    input := {
        @required
        TableName: TableArn
    }
    output := {
        ContinuousBackupsDescription: ContinuousBackupsDescription
    }
    errors: [TableNotFoundException, InternalServerError]
}

@error("client")
@httpError(400)
structure TableNotFoundException {
    message: String
}

@error("client")
@httpError(400)
structure TableAlreadyExistsException {
    message: String
}

@error("client")
@httpError(400)
structure TableInUseException {
    message: String
}

@error("client")
@httpError(400)
structure BackupNotFoundException {
    message: String
}

@error("client")
@httpError(400)
structure BackupInUseException {
    message: String
}

@error("client")
@httpError(400)
structure ContinuousBackupsUnavailableException {
    message: String
}

@error("client")
@httpError(400)
structure InvalidRestoreTimeException {
    message: String
}

@error("client")
@httpError(400)
structure PointInTimeRecoveryUnavailableException {
    message: String
}

// ---- Streaming to Kinesis -------------------------------------------------------------------------------------------

@length(min: 37, max: 1024)
string KinesisStreamArn

enum ApproximateCreationDateTimePrecision {
    MILLISECOND
    MICROSECOND
}

structure EnableKinesisStreamingConfiguration {
    ApproximateCreationDateTimePrecision: ApproximateCreationDateTimePrecision
}

structure UpdateKinesisStreamingConfiguration {
    ApproximateCreationDateTimePrecision: ApproximateCreationDateTimePrecision
}

structure KinesisDataStreamDestination {
    StreamArn: String

    DestinationStatus: String

    DestinationStatusDescription: String

    ApproximateCreationDateTimePrecision: String
}

list KinesisDataStreamDestinations {
    member: KinesisDataStreamDestination
}

operation EnableKinesisStreamingDestination {
    input := {
        @required
        TableName: TableArn

        @required
        StreamArn: KinesisStreamArn

        EnableKinesisStreamingConfiguration: EnableKinesisStreamingConfiguration
    }
    output := {
        TableName: String

        StreamArn: String

        DestinationStatus: String

        EnableKinesisStreamingConfiguration: EnableKinesisStreamingConfiguration
    }
    errors: [ResourceNotFoundException, ResourceInUseException, LimitExceededException, InternalServerError]
}

operation DisableKinesisStreamingDestination {
    input := {
        @required
        TableName: TableArn

        @required
        StreamArn: KinesisStreamArn

        EnableKinesisStreamingConfiguration: EnableKinesisStreamingConfiguration
    }
    output := {
        TableName: String

        StreamArn: String

        DestinationStatus: String

        EnableKinesisStreamingConfiguration: EnableKinesisStreamingConfiguration
    }
    errors: [ResourceNotFoundException, ResourceInUseException, LimitExceededException, InternalServerError]
}

operation UpdateKinesisStreamingDestination {
    input := {
        @required
        TableName: TableArn

        @required
        StreamArn: KinesisStreamArn

        UpdateKinesisStreamingConfiguration: UpdateKinesisStreamingConfiguration
    }
    output := {
        TableName: String

        StreamArn: String

        DestinationStatus: String

        UpdateKinesisStreamingConfiguration: UpdateKinesisStreamingConfiguration
    }
    errors: [ResourceNotFoundException, ResourceInUseException, LimitExceededException, InternalServerError]
}

operation DescribeKinesisStreamingDestination {
    input := {
        @required
        TableName: TableArn
    }
    output := {
        TableName: String

        KinesisDataStreamDestinations: KinesisDataStreamDestinations
    }
    errors: [ResourceNotFoundException, InternalServerError]
}

// ---- Tables to S3 and from it ----------------------------------------------------------------------------------------

@pattern("[^\\$]+")
string TransferClientToken

@length(max: 255)
@pattern("[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+")
string S3Bucket

@pattern("[0-9]{12}")
string S3BucketOwner

@length(min: 1, max: 1024)
string S3Prefix

enum S3SseAlgorithm {
    AES256
    KMS
}

enum ExportFormat {
    DYNAMODB_JSON
    ION
}

enum ExportType {
    FULL_EXPORT
    INCREMENTAL_EXPORT
}

enum ExportViewType {
    NEW_IMAGE
    NEW_AND_OLD_IMAGES
}

structure IncrementalExportSpecification {
    ExportFromTime: Timestamp

    ExportToTime: Timestamp

    ExportViewType: ExportViewType
}

structure ExportDescription {
    ExportArn: String

    ExportStatus: String

    StartTime: Timestamp

    EndTime: Timestamp

    ExportManifest: String

    TableArn: String

    TableId: String

    ExportTime: Timestamp

    ClientToken: String

    S3Bucket: String

    S3BucketOwner: String

    S3Prefix: String

    S3SseAlgorithm: String

    FailureCode: String

    FailureMessage: String

    ExportFormat: String

    BilledSizeBytes: Long

    ItemCount: Long

    ExportType: String

    IncrementalExportSpecification: IncrementalExportSpecification
}

structure ExportSummary {
    ExportArn: String

    ExportStatus: String

    ExportType: String
}

list ExportSummaries {
    member: ExportSummary
}

operation ExportTableToPointInTime {
    input := {
        @required
        TableArn: TableArn

        ExportTime: Timestamp

        ClientToken: TransferClientToken

        @required
        S3Bucket: S3Bucket

        S3BucketOwner: S3BucketOwner

        S3Prefix: S3Prefix

        S3SseAlgorithm: S3SseAlgorithm

        @unsupported
        S3SseKmsKeyId: String

        ExportFormat: ExportFormat

        ExportType: ExportType

        IncrementalExportSpecification: IncrementalExportSpecification
    }
    output := {
        ExportDescription: ExportDescription
    }
    errors: [
        TableNotFoundException
        PointInTimeRecoveryUnavailableException
        LimitExceededException
        InvalidExportTimeException
        ExportConflictException
        InternalServerError
    ]
}

@length(min: 37, max: 1024)
string TransferArn

operation DescribeExport {
    input := {
        @required
        ExportArn: TransferArn
    }
    output := {
        ExportDescription: ExportDescription
    }
    errors: [ExportNotFoundException, LimitExceededException, InternalServerError]
}

operation ListExports {
    input := {
        TableArn: TableArn

        @range(min: 1, max: 25)
        MaxResults: Integer

        NextToken: String
    }
    output := {
        ExportSummaries: ExportSummaries

        NextToken: String
    }
    errors: [LimitExceededException, InternalServerError]
}

structure S3BucketSource {
    S3BucketOwner: S3BucketOwner

    @required
    S3Bucket: S3Bucket

    @length(max: 1024)
    S3KeyPrefix: String
}

enum InputFormat {
    DYNAMODB_JSON
    ION
    CSV
}

enum InputCompressionType {
    GZIP
    ZSTD
    NONE
}

@length(min: 1, max: 65536)
@pattern("[\\x20-\\x21\\x23-\\x2B\\x2D-\\x7E]*")
string CsvHeader

@length(min: 1, max: 255)
list CsvHeaderList {
    member: CsvHeader
}

structure CsvOptions {
    @length(min: 1, max: 1)
    @pattern("[,;:|\\t ]")
    Delimiter: String

    HeaderList: CsvHeaderList
}

structure InputFormatOptions {
    Csv: CsvOptions
}

structure TableCreationParameters {
    @required
    @length(min: 3, max: 255)
    @pattern("[a-zA-Z0-9_.-]+")
    TableName: String

    @required
    AttributeDefinitions: AttributeDefinitions

    @required
    KeySchema: KeySchema

    BillingMode: BillingMode

    ProvisionedThroughput: ProvisionedThroughput

    OnDemandThroughput: OnDemandThroughput

    SSESpecification: SSESpecification

    GlobalSecondaryIndexes: GlobalSecondaryIndexList
}

structure ImportTableDescription {
    ImportArn: String

    ImportStatus: String

    TableArn: String

    TableId: String

    ClientToken: String

    S3BucketSource: S3BucketSource

    ErrorCount: Long

    CloudWatchLogGroupArn: String

    InputFormat: String

    InputFormatOptions: InputFormatOptions

    InputCompressionType: String

    TableCreationParameters: TableCreationParameters

    StartTime: Timestamp

    EndTime: Timestamp

    ProcessedSizeBytes: Long

    ProcessedItemCount: Long

    ImportedItemCount: Long

    FailureCode: String

    FailureMessage: String
}

structure ImportSummary {
    ImportArn: String

    ImportStatus: String

    TableArn: String

    S3BucketSource: S3BucketSource

    CloudWatchLogGroupArn: String

    InputFormat: String

    StartTime: Timestamp

    EndTime: Timestamp
}

list ImportSummaryList {
    member: ImportSummary
}

operation ImportTable {
    input := {
        @required
        ClientToken: TransferClientToken

        @required
        S3BucketSource: S3BucketSource

        @required
        InputFormat: InputFormat

        InputFormatOptions: InputFormatOptions

        InputCompressionType: InputCompressionType

        @required
        TableCreationParameters: TableCreationParameters
    }
    output := {
        @required
        ImportTableDescription: ImportTableDescription
    }
    errors: [ResourceInUseException, LimitExceededException, ImportConflictException]
}

operation DescribeImport {
    input := {
        @required
        ImportArn: TransferArn
    }
    output := {
        @required
        ImportTableDescription: ImportTableDescription
    }
    errors: [ImportNotFoundException]
}

operation ListImports {
    input := {
        TableArn: TableArn

        @range(min: 1, max: 25)
        PageSize: Integer

        @length(min: 112, max: 1024)
        @pattern("([0-9a-f]{16})+")
        NextToken: String
    }
    output := {
        ImportSummaryList: ImportSummaryList

        NextToken: String
    }
    errors: [LimitExceededException]
}

@error("client")
@httpError(400)
structure InvalidExportTimeException {
    message: String
}

@error("client")
@httpError(400)
structure ExportConflictException {
    message: String
}

@error("client")
@httpError(400)
structure ExportNotFoundException {
    message: String
}

@error("client")
@httpError(400)
structure ImportConflictException {
    message: String
}

@error("client")
@httpError(400)
structure ImportNotFoundException {
    message: String
}

// ---- Operations that are refused by name ----

@unsupported(reason: "nothing counts how often keys are used")
operation UpdateContributorInsights {}

@unsupported(reason: "nothing counts how often keys are used")
operation DescribeContributorInsights {}

@unsupported(reason: "nothing counts how often keys are used")
operation ListContributorInsights {}

@unsupported(reason: "global tables are of version 2019.11.21; UpdateTable makes replicas")
operation CreateGlobalTable {}

@unsupported(reason: "global tables are of version 2019.11.21; UpdateTable makes replicas")
operation DescribeGlobalTable {}

@unsupported(reason: "global tables are of version 2019.11.21; UpdateTable makes replicas")
operation ListGlobalTables {}

@unsupported(reason: "global tables are of version 2019.11.21; UpdateTable makes replicas")
operation UpdateGlobalTable {}

@unsupported(reason: "global tables are of version 2019.11.21; UpdateTable makes replicas")
operation DescribeGlobalTableSettings {}

@unsupported(reason: "global tables are of version 2019.11.21; UpdateTable makes replicas")
operation UpdateGlobalTableSettings {}

@unsupported(reason: "tables do not scale by themselves")
operation DescribeTableReplicaAutoScaling {}

@unsupported(reason: "tables do not scale by themselves")
operation UpdateTableReplicaAutoScaling {}

@unsupported(reason: "there are no vector indexes")
operation SearchVectors {}
