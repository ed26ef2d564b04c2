$version: "2.0"

// HealthLake, API version 2017-07-01: data stores, export jobs and tags. What FHIR's own clients ask stands in
// healthlakefhir.smithy. Members that Tidemill knows and refuses are marked @unsupported; docs/healthlake.md lists them.
namespace tidemill.healthlake

@awsJson1_0
@signingName("healthlake")
@targetPrefix("HealthLake")
@errorNamespace("com.amazonaws.healthlake")
@internalError("InternalServerException")
service HealthLake {
    version: "2017-07-01"
    operations: [
        CreateFHIRDatastore
        DescribeFHIRDatastore
        ListFHIRDatastores
        DeleteFHIRDatastore
        StartFHIRExportJob
        DescribeFHIRExportJob
        ListFHIRExportJobs
        StartFHIRImportJob
        DescribeFHIRImportJob
        ListFHIRImportJobs
        TagResource
        UntagResource
        ListTagsForResource
    ]
}

// ---- Names ----------------------------------------------------------------------------------------------------------

@length(min: 1, max: 32)
@pattern("^([\\p{L}\\p{Z}\\p{N}_.:/=+\\-%@]*)$")
string DatastoreId

@length(min: 1, max: 256)
@pattern("^([\\p{L}\\p{Z}\\p{N}_.:/=+\\-%@]*)$")
string DatastoreName

@length(min: 1, max: 64)
@pattern("^[a-zA-Z0-9-]+$")
string ClientTokenString

@length(min: 1, max: 32)
@pattern("^([\\p{L}\\p{Z}\\p{N}_.:/=+\\-%@]*)$")
string JobId

@length(min: 1, max: 64)
@pattern("^([\\p{L}\\p{Z}\\p{N}_.:/=+\\-%@]*)$")
string JobName

@length(max: 1024)
@pattern("s3://[a-z0-9][\\.\\-a-z0-9]{1,61}[a-z0-9](/.*)?")
string S3Uri

@length(min: 1, max: 400)
@pattern("(arn:aws((-us-gov)|(-iso)|(-iso-b)|(-cn))?:kms:)?([a-z]{2}-[a-z]+(-[a-z]+)?-\\d:)?(\\d{12}:)?(((key/)?[a-zA-Z0-9-_]+)|(alias/[a-zA-Z0-9:/_-]+))")
string EncryptionKeyID

@length(min: 20, max: 2048)
@pattern("arn:aws(-[^:]+)?:iam::[0-9]{12}:role/.+")
string IamRoleArn

@length(min: 1, max: 1011)
@pattern("^arn:aws((-us-gov)|(-iso)|(-iso-b)|(-cn))?:healthlake:[a-z0-9-]+:\\d{12}:datastore\\/fhir\\/.{32}")
string AmazonResourceName

@length(min: 0, max: 8192)
@pattern("[\\x00-\\x7f]*")
string NextToken

@range(min: 1, max: 500)
integer MaxResultsInteger

@length(min: 1, max: 128)
@pattern("^([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)$")
string TagKey

@length(min: 0, max: 256)
@pattern("^([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)$")
string TagValue

// ---- Data stores ----------------------------------------------------------------------------------------------------

enum FHIRVersion {
    R4
}

enum DatastoreStatus {
    CREATING
    ACTIVE
    DELETING
    DELETED
}

enum PreloadDataType {
    SYNTHEA
}

enum CmkType {
    CUSTOMER_MANAGED_KMS_KEY
    AWS_OWNED_KMS_KEY
}

structure KmsEncryptionConfig {
    @required
    CmkType: CmkType

    @unsupported
    KmsKeyId: EncryptionKeyID
}

structure SseConfiguration {
    @required
    KmsEncryptionConfig: KmsEncryptionConfig
}

structure Tag {
    @required
    Key: TagKey

    @required
    Value: TagValue
}

@length(min: 0, max: 200)
list TagList {
    member: Tag
}

@length(min: 0, max: 200)
list TagKeyList {
    member: TagKey
}

structure DatastoreFilter {
    DatastoreName: DatastoreName
    DatastoreStatus: DatastoreStatus
    CreatedBefore: Timestamp
    CreatedAfter: Timestamp
}

structure DatastoreProperties {
    @required
    DatastoreId: String

    @required
    DatastoreArn: String

    DatastoreName: String

    @required
    DatastoreStatus: String

    CreatedAt: Timestamp

    @required
    DatastoreTypeVersion: String

    @required
    DatastoreEndpoint: String

    SseConfiguration: SseConfiguration
}

list DatastorePropertiesList {
    member: DatastoreProperties
}

structure DatastoreAnswer {
    @required
    DatastoreId: String

    @required
    DatastoreArn: String

    @required
    DatastoreStatus: String

    @required
    DatastoreEndpoint: String
}

operation CreateFHIRDatastore {
    input := {
        DatastoreName: DatastoreName

        @required
        DatastoreTypeVersion: FHIRVersion

        SseConfiguration: SseConfiguration

        @unsupported
        PreloadDataConfig: Document

        ClientToken: ClientTokenString

        Tags: TagList

        @unsupported
        IdentityProviderConfiguration: Document

        @unsupported
        NlpConfiguration: Document

        @unsupported
        AnalyticsConfiguration: Document

        @unsupported
        ProfileConfiguration: Document
    }
    output: DatastoreAnswer
    errors: [ValidationException, ThrottlingException, AccessDeniedException, InternalServerException]
}

operation DescribeFHIRDatastore {
    input := {
        @required
        DatastoreId: DatastoreId
    }
    output := {
        @required
        DatastoreProperties: DatastoreProperties
    }
    errors: [ValidationException, ResourceNotFoundException, ThrottlingException, InternalServerException]
}

operation ListFHIRDatastores {
    input := {
        Filter: DatastoreFilter
        NextToken: NextToken
        MaxResults: MaxResultsInteger
    }
    output := {
        @required
        DatastorePropertiesList: DatastorePropertiesList

        NextToken: String
    }
    errors: [ValidationException, ThrottlingException, InternalServerException]
}

operation DeleteFHIRDatastore {
    input := {
        @required
        DatastoreId: DatastoreId
    }
    output: DatastoreAnswer
    errors: [AccessDeniedException, ConflictException, ValidationException, ResourceNotFoundException, ThrottlingException, InternalServerException]
}

// ---- Export jobs ----------------------------------------------------------------------------------------------------

enum JobStatus {
    SUBMITTED
    QUEUED
    IN_PROGRESS
    COMPLETED_WITH_ERRORS
    COMPLETED
    FAILED
    CANCEL_SUBMITTED
    CANCEL_IN_PROGRESS
    CANCEL_COMPLETED
    CANCEL_FAILED
}

structure S3Configuration {
    @required
    S3Uri: S3Uri

    @required
    KmsKeyId: EncryptionKeyID
}

union OutputDataConfig {
    S3Configuration: S3Configuration
}

structure ExportJobProperties {
    @required
    JobId: String

    JobName: String

    @required
    JobStatus: String

    @required
    SubmitTime: Timestamp

    EndTime: Timestamp

    @required
    DatastoreId: String

    @required
    OutputDataConfig: OutputDataConfig

    DataAccessRoleArn: String

    Message: String
}

list ExportJobPropertiesList {
    member: ExportJobProperties
}

operation StartFHIRExportJob {
    input := {
        JobName: JobName

        @required
        OutputDataConfig: OutputDataConfig

        @required
        DatastoreId: DatastoreId

        @required
        DataAccessRoleArn: IamRoleArn

        ClientToken: ClientTokenString
    }
    output := {
        @required
        JobId: String

        @required
        JobStatus: String

        DatastoreId: String
    }
    errors: [ValidationException, ThrottlingException, AccessDeniedException, ResourceNotFoundException, InternalServerException]
}

operation DescribeFHIRExportJob {
    input := {
        @required
        DatastoreId: DatastoreId

        @required
        JobId: JobId
    }
    output := {
        @required
        ExportJobProperties: ExportJobProperties
    }
    errors: [ValidationException, ResourceNotFoundException, ThrottlingException, InternalServerException]
}

operation ListFHIRExportJobs {
    input := {
        @required
        DatastoreId: DatastoreId

        NextToken: NextToken
        MaxResults: MaxResultsInteger
        JobName: JobName
        JobStatus: JobStatus
        SubmittedBefore: Timestamp
        SubmittedAfter: Timestamp
    }
    output := {
        @required
        ExportJobPropertiesList: ExportJobPropertiesList

        NextToken: String
    }
    errors: [ValidationException, ResourceNotFoundException, AccessDeniedException, ThrottlingException, InternalServerException]
}

@unsupported(reason: "there are no import jobs; send resources as a Bundle")
operation StartFHIRImportJob {}

@unsupported(reason: "there are no import jobs")
operation DescribeFHIRImportJob {}

@unsupported(reason: "there are no import jobs")
operation ListFHIRImportJobs {}

// ---- Tags -----------------------------------------------------------------------------------------------------------

operation TagResource {
    input := {
        @required
        ResourceARN: AmazonResourceName

        @required
        Tags: TagList
    }
    output := {}
    errors: [ValidationException, ResourceNotFoundException]
}

operation UntagResource {
    input := {
        @required
        ResourceARN: AmazonResourceName

        @required
        TagKeys: TagKeyList
    }
    output := {}
    errors: [ValidationException, ResourceNotFoundException]
}

operation ListTagsForResource {
    input := {
        @required
        ResourceARN: AmazonResourceName
    }
    output := {
        Tags: TagList
    }
    errors: [ValidationException, ResourceNotFoundException]
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

@error("client")
@httpError(400)
structure ValidationException {
    Message: String
}

@error("client")
@httpError(400)
structure ResourceNotFoundException {
    Message: String
}

@error("client")
@httpError(400)
structure ConflictException {
    Message: String
}

@error("client")
@httpError(400)
structure AccessDeniedException {
    Message: String
}

@error("client")
@httpError(400)
structure ThrottlingException {
    Message: String
}

@error("server")
@httpError(500)
structure InternalServerException {
    Message: String
}
