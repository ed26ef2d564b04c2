$version: "2.0"

// DynamoDB Streams, API version 2012-08-10: how the changes of a table are read.
namespace tidemill.dynamodbstreams

@awsJson1_0
@signingName("dynamodb")
@targetPrefix("DynamoDBStreams_20120810")
@errorNamespace("com.amazonaws.dynamodb.v20120810")
@internalError("InternalServerError")
@requestBytesMax(16777216)
@responseCrc32
@throttlingError("ProvisionedThroughputExceededException")
@hideCollections
service DynamoDBStreams {
    version: "2012-08-10"
    operations: [
        ListStreams
        DescribeStream
        GetShardIterator
        GetRecords
    ]
}

/// Part of an item: its key, or one of its images.
@cppType("lang::dynamodb::Item", header: "lang/dynamodb/value.h", codec: "wire/codecs/dynamodb.h")
map AttributeMap {
    key: String
    value: Document
}

@length(min: 37, max: 1024)
string StreamArn

@length(min: 28, max: 65)
string ShardId

@length(min: 21, max: 40)
string SequenceNumber

enum KeyType {
    HASH
    RANGE
}

enum ShardFilterType {
    CHILD_SHARDS
}

enum ShardIteratorType {
    AFTER_SEQUENCE_NUMBER
    LATEST
    AT_SEQUENCE_NUMBER
    TRIM_HORIZON
}

operation ListStreams {
    input := {
        @length(min: 1, max: 1024)
        TableName: String

        @range(min: 1, max: 100)
        Limit: Integer

        ExclusiveStartStreamArn: StreamArn
    }
    output := {
        Streams: StreamList

        LastEvaluatedStreamArn: String
    }
    errors: [ResourceNotFoundException, InternalServerError]
}

list StreamList {
    member: Stream
}

structure Stream {
    StreamArn: String

    TableName: String

    StreamLabel: String
}

structure ShardFilter {
    Type: ShardFilterType

    ShardId: ShardId
}

operation DescribeStream {
    input := {
        @required
        StreamArn: StreamArn

        @range(min: 1, max: 100)
        Limit: Integer

        ExclusiveStartShardId: ShardId

        ShardFilter: ShardFilter
    }
    output := {
        StreamDescription: StreamDescription
    }
    errors: [ResourceNotFoundException, InternalServerError]
}

structure StreamDescription {
    StreamArn: String

    StreamLabel: String

    StreamStatus: String

    StreamViewType: String

    CreationRequestDateTime: Timestamp

    TableName: String

    KeySchema: KeySchema

    Shards: ShardDescriptionList

    LastEvaluatedShardId: String
}

list KeySchema {
    member: KeySchemaElement
}

structure KeySchemaElement {
    @required
    AttributeName: String

    @required
    KeyType: KeyType
}

list ShardDescriptionList {
    member: Shard
}

structure Shard {
    ShardId: String

    SequenceNumberRange: SequenceNumberRange

    ParentShardId: String
}

structure SequenceNumberRange {
    StartingSequenceNumber: String

    EndingSequenceNumber: String
}

operation GetShardIterator {
    input := {
        @required
        StreamArn: StreamArn

        @required
        ShardId: ShardId

        @required
        ShardIteratorType: ShardIteratorType

        SequenceNumber: SequenceNumber
    }
    output := {
        ShardIterator: String
    }
    errors: [ResourceNotFoundException, InternalServerError, TrimmedDataAccessException]
}

operation GetRecords {
    input := {
        @required
        @length(min: 1, max: 2048)
        ShardIterator: String

        @range(min: 1, max: 1000)
        Limit: Integer
    }
    output := {
        Records: RecordList

        NextShardIterator: String
    }
    errors: [
        ResourceNotFoundException
        LimitExceededException
        InternalServerError
        ExpiredIteratorException
        TrimmedDataAccessException
    ]
}

list RecordList {
    member: Record
}

structure Record {
    eventID: String

    eventName: String

    eventVersion: String

    eventSource: String

    awsRegion: String

    dynamodb: StreamRecord

    userIdentity: Identity
}

structure StreamRecord {
    ApproximateCreationDateTime: Timestamp

    Keys: AttributeMap

    NewImage: AttributeMap

    OldImage: AttributeMap

    SequenceNumber: String

    SizeBytes: Long

    StreamViewType: String
}

structure Identity {
    PrincipalId: String

    Type: String
}

@error("client")
@httpError(400)
structure ResourceNotFoundException {
    message: String
}

@error("client")
@httpError(400)
structure LimitExceededException {
    message: String
}

@error("client")
@httpError(400)
structure ExpiredIteratorException {
    message: String
}

@error("client")
@httpError(400)
structure TrimmedDataAccessException {
    message: String
}

@error("server")
@httpError(500)
structure InternalServerError {
    message: String
}
