$version: "2.0"

// A small service of the rest-xml protocol, as S3 is: it is signed for as s3, so that virtual hosts mean it. Only for tests.
namespace tidemill.attic

@restXml
@signingName("s3")
@xmlNamespace("http://attic.example.com/doc/2026-01-01/")
@throttlingError("SlowDown")
@internalError("InternalError")
@validationError("InvalidArgument")
@unsupportedError("NotImplemented")
@requestBytesMax(4096)
service Attic {
    version: "2026-01-01"
    operations: [ListBoxes, ListThings, ListThingsV2, PutThing, CopyThing, PutPart, GetThing, HeadThing, DeleteThings,
        BeginParts, PutLabels, GetPlace, GetAcl]
}

enum Size {
    SMALL
    BIG
}

@length(min: 1, max: 8)
string ThingName

@streaming
@requiresLength
blob Content

list Strings {
    member: String
}

map Notes {
    key: String
    value: String
}

structure Owner {
    @xmlAttribute
    @xmlName("xsi:type")
    Type: String

    ID: String
}

structure Box {
    Name: String
    Created: Timestamp
}

list Boxes {
    @xmlName("Box")
    member: Box
}

@http(method: "GET", uri: "/")
operation ListBoxes {
    output := @xmlName("ListAllBoxesResult") {
        Boxes: Boxes

        @xmlNamespace(prefix: "xsi", uri: "http://www.w3.org/2001/XMLSchema-instance")
        Owner: Owner
    }
}

@http(method: "GET", uri: "/{Box}")
operation ListThings {
    input := {
        @required
        @httpLabel
        Box: String

        @httpQuery("max-keys")
        MaxKeys: Integer

        @unsupported(unless: "url")
        @httpQuery("encoding-type")
        EncodingType: String
    }
    output := @xmlName("ListResult") {
        @xmlFlattened
        @xmlName("Contents")
        Things: Strings
        IsTruncated: Boolean
    }
}

@http(method: "GET", uri: "/{Box}?list-type=2")
operation ListThingsV2 {
    input := {
        @required
        @httpLabel
        Box: String
    }
    output := {
        KeyCount: Integer
    }
}

@http(method: "PUT", uri: "/{Box}/{Thing+}?x-id=PutThing")
operation PutThing {
    input := {
        @required
        @httpLabel
        Box: String

        @required
        @httpLabel
        Thing: ThingName

        @httpHeader("x-amz-size")
        Size: Size

        @httpHeader("Content-Encoding")
        ContentEncoding: String

        @httpPrefixHeaders("x-amz-meta-")
        Notes: Notes

        @httpPayload
        Content: Content

        @unsupported(unless: "private")
        @httpHeader("x-amz-acl")
        Acl: String
    }
    output := {
        @httpHeader("ETag")
        ETag: String

        @httpHeader("x-amz-part-names")
        PartNames: Strings
    }
}

@http(method: "PUT", uri: "/{Box}/{Thing+}?x-id=CopyThing")
operation CopyThing {
    input := {
        @required
        @httpLabel
        Box: String

        @required
        @httpLabel
        Thing: String

        @required
        @httpHeader("x-amz-copy-source")
        CopySource: String
    }
    output := {
        @httpPayload
        @xmlName("CopyThingResult")
        Result: Box
    }
}

@http(method: "PUT", uri: "/{Box}/{Thing+}?partNumber&uploadId&x-id=PutPart")
operation PutPart {
    input := {
        @required
        @httpLabel
        Box: String

        @required
        @httpLabel
        Thing: String

        @required
        @httpQuery("partNumber")
        PartNumber: Integer

        @httpPayload
        Content: Content
    }
}

@http(method: "GET", uri: "/{Box}/{Thing+}")
operation GetThing {
    input := {
        @required
        @httpLabel
        Box: String

        @required
        @httpLabel
        Thing: String

        @httpHeader("x-amz-wanted")
        Wanted: Strings
    }
    output := {
        @httpPayload
        Content: Content

        @httpHeader("Content-Type")
        ContentType: String

        @httpHeader("Last-Modified")
        LastModified: Timestamp

        @timestampFormat("date-time")
        @httpHeader("x-amz-until")
        Until: Timestamp

        @httpPrefixHeaders("x-amz-meta-")
        Notes: Notes
    }
}

@http(method: "HEAD", uri: "/{Box}/{Thing+}")
operation HeadThing {
    input := {
        @required
        @httpLabel
        Box: String

        @required
        @httpLabel
        Thing: String
    }
    output := {
        @httpHeader("Content-Length")
        ContentLength: Long
    }
}

structure ThingId {
    @required
    Key: ThingName

    Size: Size

    @unsupported
    VersionId: String
}

list ThingIds {
    member: ThingId
}

structure Delete {
    @required
    @xmlFlattened
    @xmlName("Object")
    Objects: ThingIds

    Quiet: Boolean

    @xmlNamespace(prefix: "xsi", uri: "http://www.w3.org/2001/XMLSchema-instance")
    Owner: Owner

    Due: Timestamp
}

@http(method: "POST", uri: "/{Box}?delete")
operation DeleteThings {
    input := {
        @required
        @httpLabel
        Box: ThingName

        @required
        @httpPayload
        @xmlName("Delete")
        Delete: Delete
    }
    output := @xmlName("DeleteResult") {
        @xmlFlattened
        Deleted: ThingIds
    }
}

@http(method: "POST", uri: "/{Box}/{Thing+}?uploads")
operation BeginParts {
    input := {
        @required
        @httpLabel
        Box: String

        @required
        @httpLabel
        Thing: String
    }
    output := @xmlName("InitiateResult") {
        UploadId: String
    }
}

structure Label {
    @required
    Key: String

    @required
    Value: String
}

list Labels {
    @xmlName("Tag")
    member: Label
}

structure Labelling {
    @required
    TagSet: Labels
}

@http(method: "PUT", uri: "/{Box}?tagging", code: 204)
operation PutLabels {
    input := {
        @required
        @httpLabel
        Box: String

        @required
        @httpPayload
        @xmlName("Tagging")
        Tagging: Labelling
    }
}

@http(method: "GET", uri: "/{Box}?location")
@s3UnwrappedXmlOutput
operation GetPlace {
    input := {
        @required
        @httpLabel
        Box: String
    }
    output := {
        LocationConstraint: String
    }
}

@unsupported(reason: "nobody else lives here")
@http(method: "GET", uri: "/{Box}?acl")
operation GetAcl {}

@error("client")
@httpError(404)
structure NoSuchThing {
    Message: String

    Key: String
}
