$version: "2.0"

// AWS Secrets Manager over json 1.1. docs/secretsmanager.md says what works.
namespace tidemill.secretsmanager

@awsJson1_1
@signingName("secretsmanager")
@targetPrefix("secretsmanager")
@internalError("InternalServiceError")
@unsupportedError("InvalidRequestException")
@requestBytesMax(1048576)
service SecretsManager {
    version: "2017-10-17"
    operations: [
        CreateSecret
        DescribeSecret
        GetSecretValue
        BatchGetSecretValue
        PutSecretValue
        UpdateSecret
        UpdateSecretVersionStage
        ListSecrets
        ListSecretVersionIds
        DeleteSecret
        RestoreSecret
        TagResource
        UntagResource
        GetResourcePolicy
        PutResourcePolicy
        DeleteResourcePolicy
        GetRandomPassword
        CancelRotateSecret
        RemoveRegionsFromReplication
        ReplicateSecretToRegions
        RotateSecret
        StopReplicationToReplica
        ValidateResourcePolicy
    ]
}

@length(min: 1, max: 2048)
string SecretId

@length(min: 1, max: 512)
string SecretName

@length(min: 32, max: 64)
string VersionId

@length(min: 1, max: 256)
string VersionStage

@length(min: 0, max: 2048)
string Description

@length(min: 0, max: 2048)
string KmsKeyId

@length(min: 0, max: 65536)
@sensitive
string SecretString

@length(min: 0, max: 65536)
@sensitive
blob SecretBinary

@length(min: 1, max: 20480)
string PolicyText

@range(min: 1, max: 100)
integer MaxResults

@range(min: 1, max: 20)
integer BatchMaxResults

@length(min: 1, max: 4096)
string NextToken

@range(min: 1, max: 4096)
long PasswordLength

@length(min: 0, max: 4096)
string ExcludeCharacters

@sensitive
string RandomPassword

@length(min: 1, max: 20)
list VersionStages {
    member: VersionStage
}

list Strings {
    member: String
}

map VersionIdsToStages {
    key: String
    value: Strings
}

@length(min: 1, max: 128)
string TagKey

@length(min: 0, max: 256)
string TagValue

structure Tag {
    Key: TagKey

    Value: TagValue
}

list TagList {
    member: Tag
}

list TagKeyList {
    member: TagKey
}

@length(min: 0, max: 512)
@pattern("\\!?[a-zA-Z0-9 :_@\\/\\+\\=\\.\\-\\!]*")
string FilterValue

@length(min: 1, max: 10)
list FilterValues {
    member: FilterValue
}

structure Filter {
    Key: String

    Values: FilterValues
}

@length(min: 0, max: 10)
list Filters {
    member: Filter
}

@length(min: 1, max: 20)
list SecretIds {
    member: SecretId
}

structure SecretListEntry {
    ARN: String

    Name: String

    Description: String

    KmsKeyId: String

    LastChangedDate: Timestamp

    DeletedDate: Timestamp

    Tags: TagList

    SecretVersionsToStages: VersionIdsToStages

    CreatedDate: Timestamp
}

list SecretList {
    member: SecretListEntry
}

structure SecretVersionsListEntry {
    VersionId: String

    VersionStages: Strings

    CreatedDate: Timestamp
}

list SecretVersionsList {
    member: SecretVersionsListEntry
}

structure SecretValueEntry {
    ARN: String

    Name: String

    VersionId: String

    SecretBinary: SecretBinary

    SecretString: SecretString

    VersionStages: Strings

    CreatedDate: Timestamp
}

list SecretValues {
    member: SecretValueEntry
}

structure ApiError {
    SecretId: String

    ErrorCode: String

    Message: String
}

list ApiErrors {
    member: ApiError
}

operation CreateSecret {
    input := {
        @required
        Name: SecretName

        ClientRequestToken: VersionId

        Description: Description

        KmsKeyId: KmsKeyId

        SecretBinary: SecretBinary

        SecretString: SecretString

        Tags: TagList

        @unsupported
        AddReplicaRegions: Document

        @unsupported(unless: false)
        ForceOverwriteReplicaSecret: Boolean

        @unsupported
        Type: String
    }
    output := {
        ARN: String

        Name: String

        VersionId: String
    }
    errors: [InvalidParameterException, InvalidRequestException, EncryptionFailure, ResourceExistsException]
}

operation DescribeSecret {
    input := {
        @required
        SecretId: SecretId
    }
    output := {
        ARN: String

        Name: String

        Description: String

        KmsKeyId: String

        LastChangedDate: Timestamp

        DeletedDate: Timestamp

        Tags: TagList

        VersionIdsToStages: VersionIdsToStages

        CreatedDate: Timestamp
    }
    errors: [ResourceNotFoundException]
}

operation GetSecretValue {
    input := {
        @required
        SecretId: SecretId

        VersionId: VersionId

        VersionStage: VersionStage
    }
    output := {
        ARN: String

        Name: String

        VersionId: String

        SecretBinary: SecretBinary

        SecretString: SecretString

        VersionStages: Strings

        CreatedDate: Timestamp
    }
    errors: [ResourceNotFoundException, InvalidRequestException, DecryptionFailure]
}

operation BatchGetSecretValue {
    input := {
        SecretIdList: SecretIds

        Filters: Filters

        MaxResults: BatchMaxResults

        NextToken: NextToken
    }
    output := {
        SecretValues: SecretValues

        NextToken: String

        Errors: ApiErrors
    }
    errors: [InvalidParameterException, InvalidNextTokenException, DecryptionFailure]
}

operation PutSecretValue {
    input := {
        @required
        SecretId: SecretId

        ClientRequestToken: VersionId

        SecretBinary: SecretBinary

        SecretString: SecretString

        VersionStages: VersionStages

        @unsupported
        RotationToken: String
    }
    output := {
        ARN: String

        Name: String

        VersionId: String

        VersionStages: Strings
    }
    errors: [InvalidParameterException, InvalidRequestException, LimitExceededException, EncryptionFailure, ResourceExistsException, ResourceNotFoundException]
}

operation UpdateSecret {
    input := {
        @required
        SecretId: SecretId

        ClientRequestToken: VersionId

        Description: Description

        KmsKeyId: KmsKeyId

        SecretBinary: SecretBinary

        SecretString: SecretString

        @unsupported
        Type: String
    }
    output := {
        ARN: String

        Name: String

        VersionId: String
    }
    errors: [InvalidParameterException, InvalidRequestException, LimitExceededException, EncryptionFailure, ResourceExistsException, ResourceNotFoundException]
}

operation UpdateSecretVersionStage {
    input := {
        @required
        SecretId: SecretId

        @required
        VersionStage: VersionStage

        RemoveFromVersionId: VersionId

        MoveToVersionId: VersionId
    }
    output := {
        ARN: String

        Name: String
    }
    errors: [InvalidParameterException, InvalidRequestException, LimitExceededException, ResourceNotFoundException]
}

operation ListSecrets {
    input := {
        IncludePlannedDeletion: Boolean

        MaxResults: MaxResults

        NextToken: NextToken

        Filters: Filters

        @unsupported(unless: "asc")
        SortOrder: String

        @unsupported(unless: "name")
        SortBy: String
    }
    output := {
        SecretList: SecretList

        NextToken: String
    }
    errors: [InvalidParameterException, InvalidNextTokenException]
}

operation ListSecretVersionIds {
    input := {
        @required
        SecretId: SecretId

        MaxResults: MaxResults

        NextToken: NextToken

        IncludeDeprecated: Boolean
    }
    output := {
        Versions: SecretVersionsList

        NextToken: String

        ARN: String

        Name: String
    }
    errors: [InvalidNextTokenException, ResourceNotFoundException]
}

operation DeleteSecret {
    input := {
        @required
        SecretId: SecretId

        RecoveryWindowInDays: Long

        ForceDeleteWithoutRecovery: Boolean
    }
    output := {
        ARN: String

        Name: String

        DeletionDate: Timestamp
    }
    errors: [ResourceNotFoundException, InvalidParameterException, InvalidRequestException]
}

operation RestoreSecret {
    input := {
        @required
        SecretId: SecretId
    }
    output := {
        ARN: String

        Name: String
    }
    errors: [ResourceNotFoundException]
}

operation TagResource {
    input := {
        @required
        SecretId: SecretId

        @required
        Tags: TagList
    }
    output := {}
    errors: [ResourceNotFoundException, InvalidParameterException, InvalidRequestException]
}

operation UntagResource {
    input := {
        @required
        SecretId: SecretId

        @required
        TagKeys: TagKeyList
    }
    output := {}
    errors: [ResourceNotFoundException, InvalidRequestException]
}

operation GetResourcePolicy {
    input := {
        @required
        SecretId: SecretId
    }
    output := {
        ARN: String

        Name: String

        ResourcePolicy: String
    }
    errors: [ResourceNotFoundException, InvalidRequestException]
}

operation PutResourcePolicy {
    input := {
        @required
        SecretId: SecretId

        @required
        ResourcePolicy: PolicyText

        @unsupported(unless: false)
        BlockPublicPolicy: Boolean
    }
    output := {
        ARN: String

        Name: String
    }
    errors: [ResourceNotFoundException, MalformedPolicyDocumentException, InvalidRequestException]
}

operation DeleteResourcePolicy {
    input := {
        @required
        SecretId: SecretId
    }
    output := {
        ARN: String

        Name: String
    }
    errors: [ResourceNotFoundException, InvalidRequestException]
}

operation GetRandomPassword {
    input := {
        PasswordLength: PasswordLength

        ExcludeCharacters: ExcludeCharacters

        ExcludeNumbers: Boolean

        ExcludePunctuation: Boolean

        ExcludeUppercase: Boolean

        ExcludeLowercase: Boolean

        IncludeSpace: Boolean

        RequireEachIncludedType: Boolean
    }
    output := {
        RandomPassword: RandomPassword
    }
    errors: [InvalidParameterException]
}

@unsupported(reason: "secrets are not rotated by functions; put new values by PutSecretValue")
operation CancelRotateSecret {}

@unsupported(reason: "secrets are of one region")
operation RemoveRegionsFromReplication {}

@unsupported(reason: "secrets are of one region")
operation ReplicateSecretToRegions {}

@unsupported(reason: "secrets are not rotated by functions; put new values by PutSecretValue")
operation RotateSecret {}

@unsupported(reason: "secrets are of one region")
operation StopReplicationToReplica {}

@unsupported(reason: "policies are kept and not judged")
operation ValidateResourcePolicy {}

// ---- Errors --------------------------------------------------------------------------------------------------------

@error("client")
structure ResourceNotFoundException {
    message: String
}

@error("client")
structure InvalidParameterException {
    message: String
}

@error("client")
structure InvalidRequestException {
    message: String
}

@error("client")
structure InvalidNextTokenException {
    message: String
}

@error("client")
structure LimitExceededException {
    message: String
}

@error("client")
structure EncryptionFailure {
    message: String
}

@error("client")
structure DecryptionFailure {
    message: String
}

@error("client")
structure ResourceExistsException {
    message: String
}

@error("client")
structure MalformedPolicyDocumentException {
    message: String
}

@error("client")
structure ValidationException {
    message: String
}
