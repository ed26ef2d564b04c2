$version: "2.0"

// What a data store of HealthLake answers FHIR's clients: the interactions of FHIR R4 below /datastore/<id>/r4, and
// HealthLake's form of $export. FHIR has no model in Smithy; bodies are FHIR's JSON as it is, checked by
// services/healthlake. Errors are OperationOutcomes. docs/healthlake.md lists what works.
namespace tidemill.healthlakefhir

@restJson1
@signingName("healthlake")
@errorNamespace("http://hl7.org/fhir")
@throttlingError("throttled")
@internalError("exception")
@unsupportedError("not-supported")
service HealthLakeFhir {
    version: "4.0.1"
    operations: [
        FhirCapabilities
        FhirCreate
        FhirRead
        FhirVersionRead
        FhirUpdate
        FhirDelete
        FhirHistory
        FhirSearch
        FhirSearchByPost
        FhirBundle
        FhirExport
        FhirDescribeExport
        FhirCancelExport
        FhirPatch
        FhirPatientExport
        FhirGroupExport
        FhirConditionalUpdate
        FhirConditionalDelete
        FhirTypeHistory
        FhirSystemHistory
        FhirSystemSearch
        FhirSystemSearchByPost
        FhirOtherGet
        FhirOtherPost
        FhirOtherPut
        FhirOtherDelete
    ]
}

// All of a request's parameters.
map Parameters {
    key: String
    value: ParameterValues
}

list ParameterValues {
    member: String
}

// Of every interaction.
structure FhirAnswer {
    @httpResponseCode
    Status: Integer

    @httpHeader("Location")
    Location: String

    @httpHeader("Content-Location")
    ContentLocation: String

    @httpHeader("ETag")
    ETag: String

    @httpHeader("Last-Modified")
    LastModified: Timestamp

    @httpPayload
    @mediaType("application/fhir+json")
    Body: Blob
}

@http(method: "GET", uri: "/datastore/{DatastoreId}/r4/metadata")
operation FhirCapabilities {
    input := {
        @required
        @httpLabel
        DatastoreId: String
    }
    output: FhirAnswer
}

@http(method: "POST", uri: "/datastore/{DatastoreId}/r4/{ResourceType}", code: 201)
operation FhirCreate {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @required
        @httpLabel
        ResourceType: String

        @httpHeader("Content-Type")
        ContentType: String

        @httpHeader("Prefer")
        Prefer: String

        @unsupported
        @httpHeader("If-None-Exist")
        IfNoneExist: String

        @httpPayload
        Body: Blob
    }
    output: FhirAnswer
}

@http(method: "GET", uri: "/datastore/{DatastoreId}/r4/{ResourceType}/{ResourceId}")
operation FhirRead {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @required
        @httpLabel
        ResourceType: String

        @required
        @httpLabel
        ResourceId: String

        @httpHeader("If-None-Match")
        IfNoneMatch: String

        @unsupported
        @httpHeader("If-Modified-Since")
        IfModifiedSince: String

        @httpQueryParams
        Parameters: Parameters
    }
    output: FhirAnswer
}

@http(method: "GET", uri: "/datastore/{DatastoreId}/r4/{ResourceType}/{ResourceId}/_history/{VersionId}")
operation FhirVersionRead {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @required
        @httpLabel
        ResourceType: String

        @required
        @httpLabel
        ResourceId: String

        @required
        @httpLabel
        VersionId: String
    }
    output: FhirAnswer
}

@http(method: "PUT", uri: "/datastore/{DatastoreId}/r4/{ResourceType}/{ResourceId}")
operation FhirUpdate {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @required
        @httpLabel
        ResourceType: String

        @required
        @httpLabel
        ResourceId: String

        @httpHeader("Content-Type")
        ContentType: String

        @httpHeader("Prefer")
        Prefer: String

        @httpHeader("If-Match")
        IfMatch: String

        @unsupported
        @httpHeader("If-None-Match")
        IfNoneMatch: String

        @httpPayload
        Body: Blob
    }
    output: FhirAnswer
}

@http(method: "DELETE", uri: "/datastore/{DatastoreId}/r4/{ResourceType}/{ResourceId}", code: 204)
operation FhirDelete {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @required
        @httpLabel
        ResourceType: String

        @required
        @httpLabel
        ResourceId: String

        @httpHeader("If-Match")
        IfMatch: String
    }
    output := {
        @httpHeader("ETag")
        ETag: String
    }
}

@http(method: "GET", uri: "/datastore/{DatastoreId}/r4/{ResourceType}/{ResourceId}/_history")
operation FhirHistory {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @required
        @httpLabel
        ResourceType: String

        @required
        @httpLabel
        ResourceId: String

        @httpQueryParams
        Parameters: Parameters
    }
    output: FhirAnswer
}

@http(method: "GET", uri: "/datastore/{DatastoreId}/r4/{ResourceType}")
operation FhirSearch {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @required
        @httpLabel
        ResourceType: String

        @httpHeader("Prefer")
        Prefer: String

        @httpQueryParams
        Parameters: Parameters
    }
    output: FhirAnswer
}

@http(method: "POST", uri: "/datastore/{DatastoreId}/r4/{ResourceType}/_search")
operation FhirSearchByPost {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @required
        @httpLabel
        ResourceType: String

        @httpHeader("Prefer")
        Prefer: String

        @httpHeader("Content-Type")
        ContentType: String

        @httpQueryParams
        Parameters: Parameters

        @httpPayload
        Body: Blob
    }
    output: FhirAnswer
}

@http(method: "POST", uri: "/datastore/{DatastoreId}/r4")
operation FhirBundle {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @httpHeader("Content-Type")
        ContentType: String

        @httpHeader("Prefer")
        Prefer: String

        @httpPayload
        Body: Blob
    }
    output: FhirAnswer
}

// ---- $export --------------------------------------------------------------------------------------------------------

@http(method: "POST", uri: "/datastore/{DatastoreId}/r4/$export", code: 202)
operation FhirExport {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @httpQueryParams
        Parameters: Parameters

        @httpPayload
        Body: Blob
    }
    output: FhirAnswer
}

@http(method: "GET", uri: "/datastore/{DatastoreId}/r4/export/{JobId}")
operation FhirDescribeExport {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @required
        @httpLabel
        JobId: String
    }
    output: FhirAnswer
}

@http(method: "DELETE", uri: "/datastore/{DatastoreId}/r4/export/{JobId}", code: 202)
operation FhirCancelExport {
    input := {
        @required
        @httpLabel
        DatastoreId: String

        @required
        @httpLabel
        JobId: String
    }
    output: FhirAnswer
}

// ---- What Tidemill lacks --------------------------------------------------------------------------------------------

@unsupported(reason: "resources are updated as a whole, with PUT")
@http(method: "PATCH", uri: "/datastore/{DatastoreId}/r4/{ResourceType}/{ResourceId}")
operation FhirPatch {}

@unsupported(reason: "only whole data stores are exported, with or without _type and _since")
@http(method: "POST", uri: "/datastore/{DatastoreId}/r4/Patient/$export")
operation FhirPatientExport {}

@unsupported(reason: "only whole data stores are exported, with or without _type and _since")
@http(method: "POST", uri: "/datastore/{DatastoreId}/r4/Group/{GroupId}/$export")
operation FhirGroupExport {}

@unsupported(reason: "updates name the resource's id")
@http(method: "PUT", uri: "/datastore/{DatastoreId}/r4/{ResourceType}")
operation FhirConditionalUpdate {}

@unsupported(reason: "deletions name the resource's id")
@http(method: "DELETE", uri: "/datastore/{DatastoreId}/r4/{ResourceType}")
operation FhirConditionalDelete {}

@unsupported(reason: "there is a history of single resources; for changes of a type search by _lastUpdated")
@http(method: "GET", uri: "/datastore/{DatastoreId}/r4/{ResourceType}/_history")
operation FhirTypeHistory {}

@unsupported(reason: "there is a history of single resources; for changes of a type search by _lastUpdated")
@http(method: "GET", uri: "/datastore/{DatastoreId}/r4/_history")
operation FhirSystemHistory {}

@unsupported(reason: "a search names the type of the resources")
@http(method: "GET", uri: "/datastore/{DatastoreId}/r4")
operation FhirSystemSearch {}

@unsupported(reason: "a search names the type of the resources")
@http(method: "POST", uri: "/datastore/{DatastoreId}/r4/_search")
operation FhirSystemSearchByPost {}

@unsupported(reason: "this path means no interaction that a data store has")
@http(method: "GET", uri: "/datastore/{DatastoreId}/r4/{UnknownPath+}")
operation FhirOtherGet {}

@unsupported(reason: "this path means no interaction that a data store has")
@http(method: "POST", uri: "/datastore/{DatastoreId}/r4/{UnknownPath+}")
operation FhirOtherPost {}

@unsupported(reason: "this path means no interaction that a data store has")
@http(method: "PUT", uri: "/datastore/{DatastoreId}/r4/{UnknownPath+}")
operation FhirOtherPut {}

@unsupported(reason: "this path means no interaction that a data store has")
@http(method: "DELETE", uri: "/datastore/{DatastoreId}/r4/{UnknownPath+}")
operation FhirOtherDelete {}
