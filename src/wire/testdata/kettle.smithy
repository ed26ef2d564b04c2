$version: "2.0"

// A small service of the json protocol that has something of everything the generator knows. Only for tests.
namespace tidemill.kettle

@awsJson1_0
@signingName("kettle")
@targetPrefix("Kettle_20260101")
@errorNamespace("com.amazonaws.kettle.v20260101")
@throttlingError("TooHotException")
@requestBytesMax(4096)
@responseCrc32
service Kettle {
    version: "2026-01-01"
    operations: [Brew, Pour, Rinse, Descale]
}

@length(min: 3, max: 8)
@pattern("[a-zA-Z0-9_.-]+")
string Name

@pattern("[a-z]+(-[a-z]+)?")
string Slug

enum Kind {
    GREEN
    BLACK
    NULL
}

@range(min: 1, max: 100)
integer Amount

@length(min: 1, max: 4)
string Word

@length(min: 1, max: 2)
list Words {
    member: Word
}

list Amounts {
    member: Amount
}

@length(max: 2)
map Labels {
    key: Word
    value: Word
}

structure Leaf {
    @required
    LeafName: Name

    Kind: Kind

    Children: Leaves
}

@length(min: 1, max: 3)
list Leaves {
    member: Leaf
}

map LeavesByName {
    key: String
    value: Leaves
}

map Cups {
    key: String
    value: Cup
}

structure Cup {
    @required
    Leaves: Leaves
}

operation Brew {
    input := {
        @required
        TableName: Name

        @required
        Amount: Amount

        Kind: Kind

        Slug: Slug

        Words: Words

        Amounts: Amounts

        Labels: Labels

        Leaf: Leaf

        Leaves: Leaves

        ByName: LeavesByName

        Cups: Cups

        Big: Long

        @range(min: 0)
        Ratio: Double

        Hot: Boolean

        @length(min: 2, max: 4)
        Bytes: Blob

        At: Timestamp

        @timestampFormat("date-time")
        Until: Timestamp

        Anything: Document

        @sensitive
        @length(max: 4)
        Secret: String

        @jsonName("odd-name")
        Odd: String

        @unsupported
        Milk: Document

        @unsupported(unless: 1)
        Sugars: Integer

        namespace: String
    }
    output := {
        @required
        TableName: Name

        Hot: Boolean

        Big: Long

        Ratio: Double

        Bytes: Blob

        At: Timestamp

        @timestampFormat("date-time")
        Until: Timestamp

        Anything: Document

        Leaves: Leaves

        ByName: LeavesByName

        @jsonName("odd-name")
        Odd: String
    }
    errors: [NoWaterException, BoiledOverException]
}

operation Pour {
    input := {}
    output := {}
}

operation Rinse {
}

@unsupported(reason: "there is no vinegar")
operation Descale {}

@error("client")
@httpError(400)
structure NoWaterException {
    message: String

    Leaf: Leaf
}

@error("server")
structure BoiledOverException {
    Message: String
}
