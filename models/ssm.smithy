$version: "2.0"

// AWS Systems Manager: its parameter store, over json 1.1. docs/ssm.md says what works.
namespace tidemill.ssm

@awsJson1_1
@signingName("ssm")
@targetPrefix("AmazonSSM")
@internalError("InternalServerError")
service Ssm {
    version: "2014-11-06"
    operations: [
        PutParameter
        GetParameter
        GetParameters
        GetParametersByPath
        GetParameterHistory
        DescribeParameters
        DeleteParameter
        DeleteParameters
        AddTagsToResource
        RemoveTagsFromResource
        ListTagsForResource
        LabelParameterVersion
        UnlabelParameterVersion
    ]
}

@length(min: 1, max: 2048)
string ParameterName

@length(min: 0, max: 1024)
string Description

@length(min: 0, max: 1024)
string AllowedPattern

@length(min: 1, max: 256)
@pattern("([a-zA-Z0-9:/_-]+)")
string KeyId

@sensitive
string ParameterValue

@length(min: 1, max: 100)
string Label

@length(min: 1, max: 10)
list Labels {
    member: Label
}

@range(min: 1, max: 50)
integer MaxResults

@range(min: 1, max: 10)
integer PathMaxResults

enum ParameterType {
    String
    StringList
    SecureString
}

enum ParameterTier {
    Standard
    Advanced
    Intelligent_Tiering
}

enum ResourceType {
    Document
    ManagedInstance
    MaintenanceWindow
    Parameter
    PatchBaseline
    OpsItem
    OpsMetadata
    Automation
    Association
}

@length(min: 1, max: 128)
@pattern("^([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)$")
string TagKey

@length(min: 1, max: 256)
@pattern("^([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)$")
string TagValue

structure Tag {
    @required
    Key: TagKey

    @required
    Value: TagValue
}

@length(min: 0, max: 1000)
list TagList {
    member: Tag
}

list TagKeyList {
    member: TagKey
}

@length(min: 1, max: 10)
list ParameterNames {
    member: ParameterName
}

list Strings {
    member: String
}

structure Parameter {
    Name: String

    Type: String

    Value: String

    Version: Long

    Selector: String

    LastModifiedDate: Timestamp

    ARN: String

    DataType: String
}

list ParameterList {
    member: Parameter
}

structure ParameterMetadata {
    Name: String

    ARN: String

    Type: String

    KeyId: String

    LastModifiedDate: Timestamp

    LastModifiedUser: String

    Description: String

    AllowedPattern: String

    Version: Long

    Tier: String

    Policies: Strings

    DataType: String
}

list ParameterMetadataList {
    member: ParameterMetadata
}

structure ParameterHistory {
    Name: String

    Type: String

    KeyId: String

    LastModifiedDate: Timestamp

    LastModifiedUser: String

    Description: String

    Value: String

    AllowedPattern: String

    Version: Long

    Labels: Strings

    Tier: String

    Policies: Strings

    DataType: String
}

list ParameterHistoryList {
    member: ParameterHistory
}

structure ParameterStringFilter {
    @required
    @length(min: 1, max: 132)
    Key: String

    @length(min: 1, max: 10)
    Option: String

    @length(min: 1, max: 50)
    Values: Strings
}

list ParameterStringFilterList {
    member: ParameterStringFilter
}

operation PutParameter {
    input := {
        @required
        Name: ParameterName

        Description: Description

        @required
        Value: ParameterValue

        Type: ParameterType

        KeyId: KeyId

        Overwrite: Boolean

        AllowedPattern: AllowedPattern

        Tags: TagList

        @unsupported(unless: "Standard")
        Tier: String

        @unsupported
        Policies: String

        @unsupported(unless: "text")
        DataType: String
    }
    output := {
        Version: Long

        Tier: String
    }
    errors: [
        ParameterAlreadyExists
        HierarchyLevelLimitExceededException
        HierarchyTypeMismatchException
        ParameterPatternMismatchException
        InvalidAllowedPatternException
        InvalidKeyId
        ParameterMaxVersionLimitExceeded
        TooManyUpdates
    ]
}

operation GetParameter {
    input := {
        @required
        Name: ParameterName

        WithDecryption: Boolean
    }
    output := {
        Parameter: Parameter
    }
    errors: [ParameterNotFound, ParameterVersionNotFound]
}

operation GetParameters {
    input := {
        @required
        Names: ParameterNames

        WithDecryption: Boolean
    }
    output := {
        Parameters: ParameterList

        InvalidParameters: Strings
    }
}

operation GetParametersByPath {
    input := {
        @required
        Path: ParameterName

        Recursive: Boolean

        ParameterFilters: ParameterStringFilterList

        WithDecryption: Boolean

        MaxResults: PathMaxResults

        NextToken: String
    }
    output := {
        Parameters: ParameterList

        NextToken: String
    }
    errors: [InvalidFilterKey, InvalidFilterOption, InvalidFilterValue, InvalidNextToken]
}

operation GetParameterHistory {
    input := {
        @required
        Name: ParameterName

        WithDecryption: Boolean

        MaxResults: MaxResults

        NextToken: String
    }
    output := {
        Parameters: ParameterHistoryList

        NextToken: String
    }
    errors: [ParameterNotFound, InvalidNextToken]
}

operation DescribeParameters {
    input := {
        @unsupported
        Filters: Document

        ParameterFilters: ParameterStringFilterList

        MaxResults: MaxResults

        NextToken: String

        @unsupported(unless: false)
        Shared: Boolean
    }
    output := {
        Parameters: ParameterMetadataList

        NextToken: String
    }
    errors: [InvalidFilterKey, InvalidFilterOption, InvalidFilterValue, InvalidNextToken]
}

operation DeleteParameter {
    input := {
        @required
        Name: ParameterName
    }
    output := {}
    errors: [ParameterNotFound]
}

operation DeleteParameters {
    input := {
        @required
        Names: ParameterNames
    }
    output := {
        DeletedParameters: Strings

        InvalidParameters: Strings
    }
}

operation AddTagsToResource {
    input := {
        @required
        ResourceType: ResourceType

        @required
        ResourceId: String

        @required
        Tags: TagList
    }
    output := {}
    errors: [InvalidResourceType, InvalidResourceId, TooManyTagsError]
}

operation RemoveTagsFromResource {
    input := {
        @required
        ResourceType: ResourceType

        @required
        ResourceId: String

        @required
        TagKeys: TagKeyList
    }
    output := {}
    errors: [InvalidResourceType, InvalidResourceId]
}

operation ListTagsForResource {
    input := {
        @required
        ResourceType: ResourceType

        @required
        ResourceId: String
    }
    output := {
        TagList: TagList
    }
    errors: [InvalidResourceType, InvalidResourceId]
}

operation LabelParameterVersion {
    input := {
        @required
        Name: ParameterName

        ParameterVersion: Long

        @required
        Labels: Labels
    }
    output := {
        InvalidLabels: Strings

        ParameterVersion: Long
    }
    errors: [ParameterNotFound, ParameterVersionNotFound, ParameterVersionLabelLimitExceeded]
}

operation UnlabelParameterVersion {
    input := {
        @required
        Name: ParameterName

        @required
        ParameterVersion: Long

        @required
        Labels: Labels
    }
    output := {
        RemovedLabels: Strings

        InvalidLabels: Strings
    }
    errors: [ParameterNotFound, ParameterVersionNotFound]
}

// ---- Errors --------------------------------------------------------------------------------------------------------

@error("client")
structure ParameterNotFound {
    message: String
}

@error("client")
structure HierarchyTypeMismatchException {
    message: String
}

@error("client")
structure InvalidKeyId {
    message: String
}

@error("client")
structure TooManyUpdates {
    message: String
}

@error("client")
structure ParameterMaxVersionLimitExceeded {
    message: String
}

@error("client")
structure ParameterVersionLabelLimitExceeded {
    message: String
}

@error("client")
structure ParameterVersionNotFound {
    message: String
}

@error("client")
structure ParameterAlreadyExists {
    message: String
}

@error("client")
structure HierarchyLevelLimitExceededException {
    message: String
}

@error("client")
structure ParameterPatternMismatchException {
    message: String
}

@error("client")
structure InvalidAllowedPatternException {
    message: String
}

@error("client")
structure InvalidFilterKey {
    message: String
}

@error("client")
structure InvalidFilterOption {
    message: String
}

@error("client")
structure InvalidFilterValue {
    message: String
}

@error("client")
structure InvalidNextToken {
    message: String
}

@error("client")
structure InvalidResourceType {
    message: String
}

@error("client")
structure InvalidResourceId {
    message: String
}

@error("client")
structure TooManyTagsError {
    message: String
}

@error("client")
structure ValidationException {
    message: String
}

@error("client")
structure AccessDeniedException {
    message: String
}
