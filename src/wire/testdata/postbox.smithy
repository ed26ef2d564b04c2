$version: "2.0"

// A small service of the Query protocol that also speaks json, as SQS does. Only for tests.
namespace tidemill.postbox

@awsJson1_0
@awsQuery
@signingName("postbox")
@targetPrefix("Postbox_20260101")
@errorNamespace("com.amazonaws.postbox")
@xmlNamespace("http://postbox.example.com/doc/2026-01-01/")
@queryPathMember("BoxUrl")
service Postbox {
    version: "2026-01-01"
    operations: [Post, Empty]
}

list Words {
    member: String
}

list Stamps {
    @xmlName("Stamp")
    member: String
}

map Attributes {
    @xmlName("Name")
    key: String
    @xmlName("Value")
    value: String
}

map Plain {
    key: String
    value: Letter
}

structure Letter {
    @required
    Text: String

    Pages: Integer

    Attributes: Attributes
}

list Letters {
    member: Letter
}

operation Post {
    input := {
        @required
        BoxUrl: String

        @xmlFlattened
        @xmlName("Letter")
        Letters: Letters

        Words: Words

        Stamps: Stamps

        @xmlFlattened
        @xmlName("Attribute")
        Attributes: Attributes

        ByName: Plain

        Urgent: Boolean

        Bytes: Blob

        At: Timestamp

        @range(min: 0, max: 10)
        Delay: Long

        @unsupported
        Insured: Boolean
    }
    output := {
        BoxUrl: String

        @xmlFlattened
        @xmlName("Letter")
        Letters: Letters

        Words: Words

        Stamps: Stamps

        Attributes: Attributes

        ByName: Plain

        Urgent: Boolean

        Bytes: Blob

        At: Timestamp

        Delay: Long
    }
    errors: [BoxDoesNotExist]
}

operation Empty {
    input := {
        BoxUrl: String
    }
}

@error("client")
@awsQueryError(code: "AWS.Postbox.NonExistentBox", httpResponseCode: 404)
structure BoxDoesNotExist {
    message: String
}
