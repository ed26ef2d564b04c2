$version: "2.0"

// AWS Key Management Service over json 1.1: symmetric keys and keys for message authentication codes. docs/kms.md says
// what works.
namespace tidemill.kms

@awsJson1_1
@signingName("kms")
@targetPrefix("TrentService")
@internalError("KMSInternalException")
@unsupportedError("UnsupportedOperationException")
@requestBytesMax(1048576)
service Kms {
    version: "2014-11-01"
    operations: [
        CreateKey
        DescribeKey
        ListKeys
        EnableKey
        DisableKey
        ScheduleKeyDeletion
        CancelKeyDeletion
        UpdateKeyDescription
        CreateAlias
        UpdateAlias
        DeleteAlias
        ListAliases
        Encrypt
        Decrypt
        ReEncrypt
        GenerateDataKey
        GenerateDataKeyWithoutPlaintext
        GenerateRandom
        GenerateMac
        VerifyMac
        GetKeyPolicy
        PutKeyPolicy
        ListKeyPolicies
        EnableKeyRotation
        DisableKeyRotation
        GetKeyRotationStatus
        RotateKeyOnDemand
        ListKeyRotations
        TagResource
        UntagResource
        ListResourceTags
        ConnectCustomKeyStore
        CreateCustomKeyStore
        CreateGrant
        DeleteCustomKeyStore
        DeleteImportedKeyMaterial
        DeriveSharedSecret
        DescribeCustomKeyStores
        DisconnectCustomKeyStore
        GenerateDataKeyPair
        GenerateDataKeyPairWithoutPlaintext
        GetParametersForImport
        GetPublicKey
        ImportKeyMaterial
        ListGrants
        ListRetirableGrants
        ReplicateKey
        RetireGrant
        RevokeGrant
        Sign
        UpdateCustomKeyStore
        UpdatePrimaryRegion
        Verify
    ]
}

@length(min: 1, max: 2048)
string KeyIdType

@length(min: 1, max: 256)
@pattern("[a-zA-Z0-9:/_-]+")
string AliasName

@length(min: 0, max: 8192)
string Description

@length(min: 1, max: 131072)
string PolicyText

@length(min: 1, max: 128)
@pattern("[\\w]+")
string PolicyName

@range(min: 1, max: 1000)
integer Limit

@length(min: 1, max: 1024)
string Marker

@range(min: 1, max: 365)
integer PendingWindowInDays

@range(min: 90, max: 2560)
integer RotationPeriodInDays

@range(min: 1, max: 1024)
integer NumberOfBytes

@length(min: 1, max: 4096)
@sensitive
blob Plaintext

@length(min: 1, max: 6144)
blob Ciphertext

// Answers carry what is longer or shorter, too.
@sensitive
blob Opened

enum KeyUsage {
    SIGN_VERIFY
    ENCRYPT_DECRYPT
    GENERATE_VERIFY_MAC
    KEY_AGREEMENT
}

enum KeySpec {
    RSA_2048
    RSA_3072
    RSA_4096
    ECC_NIST_P256
    ECC_NIST_P384
    ECC_NIST_P521
    ECC_SECG_P256K1
    SYMMETRIC_DEFAULT
    HMAC_224
    HMAC_256
    HMAC_384
    HMAC_512
    SM2
    ML_DSA_44
    ML_DSA_65
    ML_DSA_87
    ECC_NIST_EDWARDS25519
}

enum DataKeySpec {
    AES_256
    AES_128
}

enum EncryptionAlgorithm {
    SYMMETRIC_DEFAULT
    RSAES_OAEP_SHA_1
    RSAES_OAEP_SHA_256
    SM2PKE
}

enum MacAlgorithm {
    HMAC_SHA_224
    HMAC_SHA_256
    HMAC_SHA_384
    HMAC_SHA_512
}

map EncryptionContext {
    key: String
    value: String
}

@length(min: 1, max: 128)
string TagKey

@length(min: 0, max: 256)
string TagValue

structure Tag {
    @required
    TagKey: TagKey

    @required
    TagValue: TagValue
}

list TagList {
    member: Tag
}

list TagKeyList {
    member: TagKey
}

list Strings {
    member: String
}

structure KeyMetadata {
    AWSAccountId: String

    KeyId: String

    Arn: String

    CreationDate: Timestamp

    Enabled: Boolean

    Description: String

    KeyUsage: String

    KeyState: String

    DeletionDate: Timestamp

    Origin: String

    KeyManager: String

    CustomerMasterKeySpec: String

    KeySpec: String

    EncryptionAlgorithms: Strings

    MultiRegion: Boolean

    MacAlgorithms: Strings

    CurrentKeyMaterialId: String
}

structure KeyListEntry {
    KeyId: String

    KeyArn: String
}

list KeyList {
    member: KeyListEntry
}

structure AliasListEntry {
    AliasName: String

    AliasArn: String

    TargetKeyId: String

    CreationDate: Timestamp

    LastUpdatedDate: Timestamp
}

list AliasList {
    member: AliasListEntry
}

structure RotationsListEntry {
    KeyId: String

    KeyMaterialId: String

    KeyMaterialState: String

    RotationDate: Timestamp

    RotationType: String
}

list RotationsList {
    member: RotationsListEntry
}

// ---- Keys ----------------------------------------------------------------------------------------------------------

operation CreateKey {
    input := {
        Policy: PolicyText

        Description: Description

        KeyUsage: KeyUsage

        CustomerMasterKeySpec: KeySpec

        KeySpec: KeySpec

        @unsupported(unless: "AWS_KMS")
        Origin: String

        @unsupported
        CustomKeyStoreId: String

        BypassPolicyLockoutSafetyCheck: Boolean

        Tags: TagList

        @unsupported(unless: false)
        MultiRegion: Boolean

        @unsupported
        XksKeyId: String
    }
    output := {
        KeyMetadata: KeyMetadata
    }
    errors: [MalformedPolicyDocumentException, UnsupportedOperationException, TagException, KeyUnavailableException]
}

operation DescribeKey {
    input := {
        @required
        KeyId: KeyIdType

        @unsupported
        GrantTokens: Strings
    }
    output := {
        KeyMetadata: KeyMetadata
    }
    errors: [NotFoundException, InvalidArnException]
}

operation ListKeys {
    input := {
        Limit: Limit

        Marker: Marker
    }
    output := {
        Keys: KeyList

        NextMarker: String

        Truncated: Boolean
    }
    errors: [InvalidMarkerException]
}

operation EnableKey {
    input := {
        @required
        KeyId: KeyIdType
    }
    output := {}
    errors: [NotFoundException, InvalidArnException, KMSInvalidStateException]
}

operation DisableKey {
    input := {
        @required
        KeyId: KeyIdType
    }
    output := {}
    errors: [NotFoundException, InvalidArnException, KMSInvalidStateException]
}

operation ScheduleKeyDeletion {
    input := {
        @required
        KeyId: KeyIdType

        PendingWindowInDays: PendingWindowInDays
    }
    output := {
        KeyId: String

        DeletionDate: Timestamp

        KeyState: String

        PendingWindowInDays: Integer
    }
    errors: [NotFoundException, InvalidArnException, KMSInvalidStateException]
}

operation CancelKeyDeletion {
    input := {
        @required
        KeyId: KeyIdType
    }
    output := {
        KeyId: String
    }
    errors: [NotFoundException, InvalidArnException, KMSInvalidStateException]
}

operation UpdateKeyDescription {
    input := {
        @required
        KeyId: KeyIdType

        @required
        Description: Description
    }
    output := {}
    errors: [NotFoundException, InvalidArnException, KMSInvalidStateException]
}

// ---- Aliases -------------------------------------------------------------------------------------------------------

operation CreateAlias {
    input := {
        @required
        AliasName: AliasName

        @required
        TargetKeyId: KeyIdType
    }
    output := {}
    errors: [AlreadyExistsException, NotFoundException, InvalidAliasNameException, LimitExceededException]
}

operation UpdateAlias {
    input := {
        @required
        AliasName: AliasName

        @required
        TargetKeyId: KeyIdType
    }
    output := {}
    errors: [NotFoundException, LimitExceededException, KMSInvalidStateException]
}

operation DeleteAlias {
    input := {
        @required
        AliasName: AliasName
    }
    output := {}
    errors: [NotFoundException]
}

operation ListAliases {
    input := {
        KeyId: KeyIdType

        Limit: Limit

        Marker: Marker
    }
    output := {
        Aliases: AliasList

        NextMarker: String

        Truncated: Boolean
    }
    errors: [InvalidMarkerException, InvalidArnException, NotFoundException]
}

// ---- Use of keys ---------------------------------------------------------------------------------------------------

operation Encrypt {
    input := {
        @required
        KeyId: KeyIdType

        @required
        Plaintext: Plaintext

        EncryptionContext: EncryptionContext

        @unsupported
        GrantTokens: Strings

        EncryptionAlgorithm: EncryptionAlgorithm

        DryRun: Boolean
    }
    output := {
        CiphertextBlob: Ciphertext

        KeyId: String

        EncryptionAlgorithm: String
    }
    errors: [NotFoundException, DisabledException, InvalidKeyUsageException, KMSInvalidStateException, DryRunOperationException]
}

operation Decrypt {
    input := {
        @required
        CiphertextBlob: Ciphertext

        EncryptionContext: EncryptionContext

        @unsupported
        GrantTokens: Strings

        KeyId: KeyIdType

        EncryptionAlgorithm: EncryptionAlgorithm

        @unsupported
        Recipient: Document

        DryRun: Boolean
    }
    output := {
        KeyId: String

        Plaintext: Opened

        EncryptionAlgorithm: String

        KeyMaterialId: String
    }
    errors: [NotFoundException, DisabledException, InvalidCiphertextException, IncorrectKeyException, AccessDeniedException]
}

operation ReEncrypt {
    input := {
        @required
        CiphertextBlob: Ciphertext

        SourceEncryptionContext: EncryptionContext

        SourceKeyId: KeyIdType

        @required
        DestinationKeyId: KeyIdType

        DestinationEncryptionContext: EncryptionContext

        SourceEncryptionAlgorithm: EncryptionAlgorithm

        DestinationEncryptionAlgorithm: EncryptionAlgorithm

        @unsupported
        GrantTokens: Strings

        DryRun: Boolean
    }
    output := {
        CiphertextBlob: Ciphertext

        SourceKeyId: String

        KeyId: String

        SourceEncryptionAlgorithm: String

        DestinationEncryptionAlgorithm: String

        SourceKeyMaterialId: String

        DestinationKeyMaterialId: String
    }
    errors: [NotFoundException, DisabledException, InvalidCiphertextException, IncorrectKeyException, AccessDeniedException]
}

operation GenerateDataKey {
    input := {
        @required
        KeyId: KeyIdType

        EncryptionContext: EncryptionContext

        NumberOfBytes: NumberOfBytes

        KeySpec: DataKeySpec

        @unsupported
        GrantTokens: Strings

        @unsupported
        Recipient: Document

        DryRun: Boolean
    }
    output := {
        CiphertextBlob: Ciphertext

        Plaintext: Opened

        KeyId: String

        KeyMaterialId: String
    }
    errors: [NotFoundException, DisabledException, InvalidKeyUsageException, KMSInvalidStateException]
}

operation GenerateDataKeyWithoutPlaintext {
    input := {
        @required
        KeyId: KeyIdType

        EncryptionContext: EncryptionContext

        KeySpec: DataKeySpec

        NumberOfBytes: NumberOfBytes

        @unsupported
        GrantTokens: Strings

        DryRun: Boolean
    }
    output := {
        CiphertextBlob: Ciphertext

        KeyId: String

        KeyMaterialId: String
    }
    errors: [NotFoundException, DisabledException, InvalidKeyUsageException, KMSInvalidStateException]
}

operation GenerateRandom {
    input := {
        NumberOfBytes: NumberOfBytes

        @unsupported
        CustomKeyStoreId: String

        @unsupported
        Recipient: Document
    }
    output := {
        Plaintext: Opened
    }
}

operation GenerateMac {
    input := {
        @required
        Message: Plaintext

        @required
        KeyId: KeyIdType

        @required
        MacAlgorithm: MacAlgorithm

        @unsupported
        GrantTokens: Strings

        DryRun: Boolean
    }
    output := {
        Mac: Ciphertext

        MacAlgorithm: String

        KeyId: String
    }
    errors: [NotFoundException, DisabledException, InvalidKeyUsageException, KMSInvalidStateException]
}

operation VerifyMac {
    input := {
        @required
        Message: Plaintext

        @required
        KeyId: KeyIdType

        @required
        MacAlgorithm: MacAlgorithm

        @required
        Mac: Ciphertext

        @unsupported
        GrantTokens: Strings

        DryRun: Boolean
    }
    output := {
        KeyId: String

        MacValid: Boolean

        MacAlgorithm: String
    }
    errors: [NotFoundException, DisabledException, InvalidKeyUsageException, KMSInvalidStateException, KMSInvalidMacException]
}

// ---- Policies ------------------------------------------------------------------------------------------------------

operation GetKeyPolicy {
    input := {
        @required
        KeyId: KeyIdType

        PolicyName: PolicyName
    }
    output := {
        Policy: String

        PolicyName: String
    }
    errors: [NotFoundException, InvalidArnException]
}

operation PutKeyPolicy {
    input := {
        @required
        KeyId: KeyIdType

        PolicyName: PolicyName

        @required
        Policy: PolicyText

        BypassPolicyLockoutSafetyCheck: Boolean
    }
    output := {}
    errors: [NotFoundException, InvalidArnException, MalformedPolicyDocumentException, KMSInvalidStateException]
}

operation ListKeyPolicies {
    input := {
        @required
        KeyId: KeyIdType

        Limit: Limit

        Marker: Marker
    }
    output := {
        PolicyNames: Strings

        NextMarker: String

        Truncated: Boolean
    }
    errors: [NotFoundException, InvalidArnException]
}

// ---- Rotation ------------------------------------------------------------------------------------------------------

operation EnableKeyRotation {
    input := {
        @required
        KeyId: KeyIdType

        RotationPeriodInDays: RotationPeriodInDays
    }
    output := {}
    errors: [NotFoundException, DisabledException, InvalidArnException, KMSInvalidStateException]
}

operation DisableKeyRotation {
    input := {
        @required
        KeyId: KeyIdType
    }
    output := {}
    errors: [NotFoundException, DisabledException, InvalidArnException, KMSInvalidStateException]
}

operation GetKeyRotationStatus {
    input := {
        @required
        KeyId: KeyIdType
    }
    output := {
        KeyRotationEnabled: Boolean

        KeyId: String

        RotationPeriodInDays: Integer

        NextRotationDate: Timestamp
    }
    errors: [NotFoundException, InvalidArnException, KMSInvalidStateException]
}

operation RotateKeyOnDemand {
    input := {
        @required
        KeyId: KeyIdType
    }
    output := {
        KeyId: String
    }
    errors: [NotFoundException, DisabledException, InvalidArnException, KMSInvalidStateException, LimitExceededException]
}

operation ListKeyRotations {
    input := {
        @required
        KeyId: KeyIdType

        IncludeKeyMaterial: String

        Limit: Limit

        Marker: Marker
    }
    output := {
        Rotations: RotationsList

        NextMarker: String

        Truncated: Boolean
    }
    errors: [NotFoundException, InvalidArnException, InvalidMarkerException]
}

// ---- Tags ----------------------------------------------------------------------------------------------------------

operation TagResource {
    input := {
        @required
        KeyId: KeyIdType

        @required
        Tags: TagList
    }
    output := {}
    errors: [NotFoundException, InvalidArnException, KMSInvalidStateException, TagException]
}

operation UntagResource {
    input := {
        @required
        KeyId: KeyIdType

        @required
        TagKeys: TagKeyList
    }
    output := {}
    errors: [NotFoundException, InvalidArnException, KMSInvalidStateException, TagException]
}

operation ListResourceTags {
    input := {
        @required
        KeyId: KeyIdType

        Limit: Limit

        Marker: Marker
    }
    output := {
        Tags: TagList

        NextMarker: String

        Truncated: Boolean
    }
    errors: [NotFoundException, InvalidArnException, InvalidMarkerException]
}

// ---- What is not there ---------------------------------------------------------------------------------------------

@unsupported(reason: "there are no custom key stores")
operation ConnectCustomKeyStore {}

@unsupported(reason: "there are no custom key stores")
operation CreateCustomKeyStore {}

@unsupported(reason: "there are no grants; give access by key policies and those of IAM")
operation CreateGrant {}

@unsupported(reason: "there are no custom key stores")
operation DeleteCustomKeyStore {}

@unsupported(reason: "keys are made here, and material is not imported")
operation DeleteImportedKeyMaterial {}

@unsupported(reason: "there are no asymmetric keys")
operation DeriveSharedSecret {}

@unsupported(reason: "there are no custom key stores")
operation DescribeCustomKeyStores {}

@unsupported(reason: "there are no custom key stores")
operation DisconnectCustomKeyStore {}

@unsupported(reason: "there are no asymmetric keys")
operation GenerateDataKeyPair {}

@unsupported(reason: "there are no asymmetric keys")
operation GenerateDataKeyPairWithoutPlaintext {}

@unsupported(reason: "keys are made here, and material is not imported")
operation GetParametersForImport {}

@unsupported(reason: "there are no asymmetric keys")
operation GetPublicKey {}

@unsupported(reason: "keys are made here, and material is not imported")
operation ImportKeyMaterial {}

@unsupported(reason: "there are no grants")
operation ListGrants {}

@unsupported(reason: "there are no grants")
operation ListRetirableGrants {}

@unsupported(reason: "keys are of one region")
operation ReplicateKey {}

@unsupported(reason: "there are no grants")
operation RetireGrant {}

@unsupported(reason: "there are no grants")
operation RevokeGrant {}

@unsupported(reason: "there are no asymmetric keys")
operation Sign {}

@unsupported(reason: "there are no custom key stores")
operation UpdateCustomKeyStore {}

@unsupported(reason: "keys are of one region")
operation UpdatePrimaryRegion {}

@unsupported(reason: "there are no asymmetric keys")
operation Verify {}

// ---- Errors --------------------------------------------------------------------------------------------------------

@error("client")
structure NotFoundException {
    message: String
}

@error("client")
structure InvalidArnException {
    message: String
}

@error("client")
structure InvalidMarkerException {
    message: String
}

@error("client")
structure AlreadyExistsException {
    message: String
}

@error("client")
structure InvalidAliasNameException {
    message: String
}

@error("client")
structure LimitExceededException {
    message: String
}

@error("client")
structure DisabledException {
    message: String
}

@error("client")
structure KMSInvalidStateException {
    message: String
}

@error("client")
structure InvalidKeyUsageException {
    message: String
}

@error("client")
structure InvalidCiphertextException {
    message: String
}

@error("client")
structure IncorrectKeyException {
    message: String
}

@error("client")
structure KMSInvalidMacException {
    message: String
}

@error("client")
structure MalformedPolicyDocumentException {
    message: String
}

@error("client")
structure UnsupportedOperationException {
    message: String
}

@error("client")
structure TagException {
    message: String
}

@error("client")
structure DryRunOperationException {
    message: String
}

@error("client")
structure AccessDeniedException {
    message: String
}

@error("client")
structure NotAuthorizedException {
    message: String
}

@error("client")
structure ValidationException {
    message: String
}

@error("server")
@httpError(500)
structure KeyUnavailableException {
    message: String
}
