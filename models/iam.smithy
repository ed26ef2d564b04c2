$version: "2.0"

// AWS Identity and Access Management, API version 2010-05-08, over the Query protocol. Its messages do not show values
// that violate a constraint: so they are @sensitive. docs/iam.md says what works.
namespace tidemill.iam

@awsQuery
@signingName("iam")
@xmlNamespace("https://iam.amazonaws.com/doc/2010-05-08/")
@throttlingError("Throttling")
@internalError("ServiceFailure")
@unsupportedError("ValidationError")
@validationError("ValidationError")
@hideCollections
service Iam {
    version: "2010-05-08"
    operations: [
        CreateRole
        GetRole
        ListRoles
        UpdateRole
        UpdateRoleDescription
        UpdateAssumeRolePolicy
        DeleteRole
        CreateServiceLinkedRole
        DeleteServiceLinkedRole
        GetServiceLinkedRoleDeletionStatus
        PutRolePolicy
        GetRolePolicy
        DeleteRolePolicy
        ListRolePolicies
        AttachRolePolicy
        DetachRolePolicy
        ListAttachedRolePolicies
        TagRole
        UntagRole
        ListRoleTags
        PutRolePermissionsBoundary
        DeleteRolePermissionsBoundary
        CreatePolicy
        GetPolicy
        ListPolicies
        DeletePolicy
        CreatePolicyVersion
        GetPolicyVersion
        ListPolicyVersions
        SetDefaultPolicyVersion
        DeletePolicyVersion
        ListEntitiesForPolicy
        TagPolicy
        UntagPolicy
        ListPolicyTags
        CreateUser
        GetUser
        ListUsers
        UpdateUser
        DeleteUser
        PutUserPolicy
        GetUserPolicy
        DeleteUserPolicy
        ListUserPolicies
        AttachUserPolicy
        DetachUserPolicy
        ListAttachedUserPolicies
        TagUser
        UntagUser
        ListUserTags
        PutUserPermissionsBoundary
        DeleteUserPermissionsBoundary
        CreateAccessKey
        ListAccessKeys
        UpdateAccessKey
        DeleteAccessKey
        GetAccessKeyLastUsed
        CreateGroup
        GetGroup
        ListGroups
        UpdateGroup
        DeleteGroup
        AddUserToGroup
        RemoveUserFromGroup
        ListGroupsForUser
        PutGroupPolicy
        GetGroupPolicy
        DeleteGroupPolicy
        ListGroupPolicies
        AttachGroupPolicy
        DetachGroupPolicy
        ListAttachedGroupPolicies
        CreateInstanceProfile
        GetInstanceProfile
        ListInstanceProfiles
        ListInstanceProfilesForRole
        DeleteInstanceProfile
        AddRoleToInstanceProfile
        RemoveRoleFromInstanceProfile
        TagInstanceProfile
        UntagInstanceProfile
        ListInstanceProfileTags
        CreateAccountAlias
        DeleteAccountAlias
        ListAccountAliases
        CreateLoginProfile
        GetLoginProfile
        UpdateLoginProfile
        DeleteLoginProfile
        ChangePassword
        GetAccountPasswordPolicy
        UpdateAccountPasswordPolicy
        DeleteAccountPasswordPolicy
        CreateVirtualMFADevice
        DeleteVirtualMFADevice
        ListVirtualMFADevices
        EnableMFADevice
        DeactivateMFADevice
        ListMFADevices
        ResyncMFADevice
        GetMFADevice
        TagMFADevice
        UntagMFADevice
        ListMFADeviceTags
        CreateOpenIDConnectProvider
        GetOpenIDConnectProvider
        ListOpenIDConnectProviders
        DeleteOpenIDConnectProvider
        AddClientIDToOpenIDConnectProvider
        RemoveClientIDFromOpenIDConnectProvider
        UpdateOpenIDConnectProviderThumbprint
        TagOpenIDConnectProvider
        UntagOpenIDConnectProvider
        ListOpenIDConnectProviderTags
        CreateSAMLProvider
        GetSAMLProvider
        ListSAMLProviders
        UpdateSAMLProvider
        DeleteSAMLProvider
        TagSAMLProvider
        UntagSAMLProvider
        ListSAMLProviderTags
        UploadServerCertificate
        GetServerCertificate
        ListServerCertificates
        UpdateServerCertificate
        DeleteServerCertificate
        TagServerCertificate
        UntagServerCertificate
        ListServerCertificateTags
        UploadSigningCertificate
        ListSigningCertificates
        UpdateSigningCertificate
        DeleteSigningCertificate
        UploadSSHPublicKey
        GetSSHPublicKey
        ListSSHPublicKeys
        UpdateSSHPublicKey
        DeleteSSHPublicKey
        CreateServiceSpecificCredential
        ListServiceSpecificCredentials
        UpdateServiceSpecificCredential
        ResetServiceSpecificCredential
        DeleteServiceSpecificCredential
        SimulateCustomPolicy
        SimulatePrincipalPolicy
        GetContextKeysForCustomPolicy
        GetContextKeysForPrincipalPolicy
        ListPoliciesGrantingServiceAccess
        GenerateCredentialReport
        GetCredentialReport
        GenerateServiceLastAccessedDetails
        GetServiceLastAccessedDetails
        GetServiceLastAccessedDetailsWithEntities
        GenerateOrganizationsAccessReport
        GetOrganizationsAccessReport
        GetAccountSummary
        GetAccountAuthorizationDetails
        SetSecurityTokenServicePreferences
        EnableOrganizationsRootCredentialsManagement
        DisableOrganizationsRootCredentialsManagement
        EnableOrganizationsRootSessions
        DisableOrganizationsRootSessions
        ListOrganizationsFeatures
    ]
}

// ---- Simple shapes and collections ----------------------------------------------------------------------------------

@sensitive
@length(min: 1, max: 64)
@pattern("[\\w+=,.@-]+")
string RoleName

@sensitive
@length(min: 1, max: 64)
@pattern("[\\w+=,.@-]+")
string UserName

@sensitive
@length(min: 1, max: 128)
@pattern("[\\w+=,.@-]+")
string GroupName

@sensitive
@length(min: 1, max: 128)
@pattern("[\\w+=,.@-]+")
string PolicyName

@sensitive
@length(min: 1, max: 128)
@pattern("[\\w+=,.@-]+")
string InstanceProfileName

@sensitive
@length(min: 1, max: 64)
@pattern("[\\w+=,.@-]+")
string CustomSuffix

@sensitive
@length(min: 1, max: 128)
@pattern("[\\w+=,.@-]+")
string ServiceName

@sensitive
@length(min: 1, max: 512)
@pattern("(/)|(/[!-\\x7F]+/)")
string Path

@sensitive
@length(min: 1, max: 512)
@pattern("/[!-\\x7F]*")
string PathPrefix

@sensitive
@length(min: 1, max: 512)
@pattern("((/[A-Za-z0-9\\.,\\+@=_-]+)*)/")
string PolicyPath

@sensitive
@length(min: 20, max: 2048)
string Arn

@sensitive
@length(min: 1, max: 131072)
string PolicyDocument

@sensitive
@length(min: 0, max: 1000)
string Description

@sensitive
@length(min: 1, max: 5120)
string Marker

@sensitive
@length(min: 1, max: 1000)
string DeletionTaskId

@sensitive
@length(min: 1, max: 128)
string TagKey

@sensitive
@length(min: 0, max: 256)
string TagValue

@sensitive
@length(min: 16, max: 128)
@pattern("[\\w]+")
string AccessKeyId

@sensitive
@pattern("v[1-9][0-9]*(\\.[A-Za-z0-9-]*)?")
string VersionId

@sensitive
@length(min: 3, max: 128)
string ActionName

@sensitive
@length(min: 1, max: 2048)
string ResourceName

@sensitive
@length(min: 5, max: 256)
string ContextKeyName

@sensitive
@length(min: 1, max: 64)
string ResourceHandling

enum ContextKeyType {
    string
    stringList
    numeric
    numericList
    boolean
    booleanList
    ip
    ipList
    binary
    binaryList
    date
    dateList
}

enum EvaluationDecision {
    allowed
    explicitDeny
    implicitDeny
}

@range(min: 3600, max: 43200)
integer MaxSessionDuration

@range(min: 1, max: 1000)
integer MaxItems

enum AccessKeyStatus {
    Active
    Inactive
    Expired
}

enum PolicyScope {
    All
    AWS
    Local
}

enum PolicyUsage {
    PermissionsPolicy
    PermissionsBoundary
}

enum EntityType {
    User
    Role
    Group
    LocalManagedPolicy
    AWSManagedPolicy
}

list NameList {
    member: String
}

@length(min: 0, max: 50)
list TagKeyList {
    member: TagKey
}

@length(min: 0, max: 50)
list TagList {
    member: Tag
}

list AttachedPolicyList {
    member: AttachedPolicy
}

list RoleList {
    member: Role
}

list PolicyList {
    member: Policy
}

list PolicyVersionList {
    member: PolicyVersion
}

list PolicyGroupList {
    member: PolicyGroup
}

list PolicyUserList {
    member: PolicyUser
}

list PolicyRoleList {
    member: PolicyRole
}

list UserList {
    member: User
}

list GroupList {
    member: Group
}

list AccessKeyMetadataList {
    member: AccessKeyMetadata
}

list InstanceProfileList {
    member: InstanceProfile
}

structure Tag {
    @required
    Key: TagKey

    @required
    Value: TagValue
}

structure AttachedPolicy {
    PolicyName: String

    PolicyArn: String
}

structure AttachedPermissionsBoundary {
    PermissionsBoundaryType: String

    PermissionsBoundaryArn: String
}

structure RoleLastUsed {
    LastUsedDate: Timestamp

    Region: String
}

structure Role {
    @required
    Path: String

    @required
    RoleName: String

    @required
    RoleId: String

    @required
    Arn: String

    @required
    CreateDate: Timestamp

    AssumeRolePolicyDocument: String

    Description: String

    MaxSessionDuration: Integer

    PermissionsBoundary: AttachedPermissionsBoundary

    Tags: TagList

    RoleLastUsed: RoleLastUsed
}

structure Policy {
    PolicyName: String

    PolicyId: String

    Arn: String

    Path: String

    DefaultVersionId: String

    AttachmentCount: Integer

    PermissionsBoundaryUsageCount: Integer

    IsAttachable: Boolean

    Description: String

    CreateDate: Timestamp

    UpdateDate: Timestamp

    Tags: TagList
}

structure PolicyVersion {
    Document: String

    VersionId: String

    IsDefaultVersion: Boolean

    CreateDate: Timestamp
}

structure PolicyGroup {
    GroupName: String

    GroupId: String
}

structure PolicyUser {
    UserName: String

    UserId: String
}

structure PolicyRole {
    RoleName: String

    RoleId: String
}

structure User {
    @required
    Path: String

    @required
    UserName: String

    @required
    UserId: String

    @required
    Arn: String

    @required
    CreateDate: Timestamp

    PermissionsBoundary: AttachedPermissionsBoundary

    Tags: TagList
}

structure Group {
    @required
    Path: String

    @required
    GroupName: String

    @required
    GroupId: String

    @required
    Arn: String

    @required
    CreateDate: Timestamp
}

structure AccessKey {
    @required
    UserName: String

    @required
    AccessKeyId: String

    @required
    Status: String

    @required
    SecretAccessKey: String

    CreateDate: Timestamp
}

structure AccessKeyMetadata {
    UserName: String

    AccessKeyId: String

    Status: String

    CreateDate: Timestamp
}

structure AccessKeyLastUsed {
    LastUsedDate: Timestamp

    @required
    ServiceName: String

    @required
    Region: String
}

structure InstanceProfile {
    @required
    Path: String

    @required
    InstanceProfileName: String

    @required
    InstanceProfileId: String

    @required
    Arn: String

    @required
    CreateDate: Timestamp

    @required
    Roles: RoleList

    Tags: TagList
}

// ---- Roles ----------------------------------------------------------------------------------------------------------

operation CreateRole {
    input := {
        Path: Path

        @required
        RoleName: RoleName

        @required
        AssumeRolePolicyDocument: PolicyDocument

        Description: Description

        MaxSessionDuration: MaxSessionDuration

        PermissionsBoundary: Arn

        Tags: TagList
    }
    output := {
        @required
        Role: Role
    }
    errors: [
        LimitExceededException
        InvalidInputException
        EntityAlreadyExistsException
        MalformedPolicyDocumentException
    ]
}

operation GetRole {
    input := {
        @required
        RoleName: RoleName
    }
    output := {
        @required
        Role: Role
    }
    errors: [NoSuchEntityException]
}

operation ListRoles {
    input := {
        PathPrefix: PathPrefix

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        Roles: RoleList

        IsTruncated: Boolean

        Marker: String
    }
}

operation UpdateRole {
    input := {
        @required
        RoleName: RoleName

        Description: Description

        MaxSessionDuration: MaxSessionDuration
    }
    output := {}
    errors: [NoSuchEntityException, UnmodifiableEntityException]
}

operation UpdateRoleDescription {
    input := {
        @required
        RoleName: RoleName

        @required
        Description: Description
    }
    output := {
        Role: Role
    }
    errors: [NoSuchEntityException, UnmodifiableEntityException]
}

operation UpdateAssumeRolePolicy {
    input := {
        @required
        RoleName: RoleName

        @required
        PolicyDocument: PolicyDocument
    }
    output := {}
    errors: [NoSuchEntityException, MalformedPolicyDocumentException, UnmodifiableEntityException]
}

operation DeleteRole {
    input := {
        @required
        RoleName: RoleName
    }
    output := {}
    errors: [NoSuchEntityException, DeleteConflictException, UnmodifiableEntityException]
}

operation CreateServiceLinkedRole {
    input := {
        @required
        AWSServiceName: ServiceName

        Description: Description

        CustomSuffix: CustomSuffix
    }
    output := {
        Role: Role
    }
    errors: [InvalidInputException, LimitExceededException, NoSuchEntityException]
}

operation DeleteServiceLinkedRole {
    input := {
        @required
        RoleName: RoleName
    }
    output := {
        @required
        DeletionTaskId: String
    }
    errors: [NoSuchEntityException, LimitExceededException]
}

operation GetServiceLinkedRoleDeletionStatus {
    input := {
        @required
        DeletionTaskId: DeletionTaskId
    }
    output := {
        @required
        Status: String
    }
    errors: [NoSuchEntityException, InvalidInputException]
}

operation PutRolePolicy {
    input := {
        @required
        RoleName: RoleName

        @required
        PolicyName: PolicyName

        @required
        PolicyDocument: PolicyDocument
    }
    output := {}
    errors: [
        NoSuchEntityException
        LimitExceededException
        MalformedPolicyDocumentException
        UnmodifiableEntityException
    ]
}

operation GetRolePolicy {
    input := {
        @required
        RoleName: RoleName

        @required
        PolicyName: PolicyName
    }
    output := {
        @required
        RoleName: String

        @required
        PolicyName: String

        @required
        PolicyDocument: String
    }
    errors: [NoSuchEntityException]
}

operation DeleteRolePolicy {
    input := {
        @required
        RoleName: RoleName

        @required
        PolicyName: PolicyName
    }
    output := {}
    errors: [NoSuchEntityException, UnmodifiableEntityException]
}

operation ListRolePolicies {
    input := {
        @required
        RoleName: RoleName

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        PolicyNames: NameList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException]
}

operation AttachRolePolicy {
    input := {
        @required
        RoleName: RoleName

        @required
        PolicyArn: Arn
    }
    output := {}
    errors: [
        NoSuchEntityException
        LimitExceededException
        InvalidInputException
        UnmodifiableEntityException
        PolicyNotAttachableException
    ]
}

operation DetachRolePolicy {
    input := {
        @required
        RoleName: RoleName

        @required
        PolicyArn: Arn
    }
    output := {}
    errors: [NoSuchEntityException, InvalidInputException, UnmodifiableEntityException]
}

operation ListAttachedRolePolicies {
    input := {
        @required
        RoleName: RoleName

        PathPrefix: PathPrefix

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        AttachedPolicies: AttachedPolicyList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException, InvalidInputException]
}

operation TagRole {
    input := {
        @required
        RoleName: RoleName

        @required
        Tags: TagList
    }
    output := {}
    errors: [NoSuchEntityException, LimitExceededException, InvalidInputException]
}

operation UntagRole {
    input := {
        @required
        RoleName: RoleName

        @required
        TagKeys: TagKeyList
    }
    output := {}
    errors: [NoSuchEntityException]
}

operation ListRoleTags {
    input := {
        @required
        RoleName: RoleName

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        Tags: TagList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException]
}

operation PutRolePermissionsBoundary {
    input := {
        @required
        RoleName: RoleName

        @required
        PermissionsBoundary: Arn
    }
    output := {}
    errors: [NoSuchEntityException, InvalidInputException, UnmodifiableEntityException, PolicyNotAttachableException]
}

operation DeleteRolePermissionsBoundary {
    input := {
        @required
        RoleName: RoleName
    }
    output := {}
    errors: [NoSuchEntityException, UnmodifiableEntityException]
}

// ---- Managed policies -----------------------------------------------------------------------------------------------

operation CreatePolicy {
    input := {
        @required
        PolicyName: PolicyName

        Path: PolicyPath

        @required
        PolicyDocument: PolicyDocument

        Description: Description

        Tags: TagList
    }
    output := {
        Policy: Policy
    }
    errors: [
        LimitExceededException
        InvalidInputException
        EntityAlreadyExistsException
        MalformedPolicyDocumentException
    ]
}

operation GetPolicy {
    input := {
        @required
        PolicyArn: Arn
    }
    output := {
        Policy: Policy
    }
    errors: [NoSuchEntityException, InvalidInputException]
}

operation ListPolicies {
    input := {
        Scope: PolicyScope

        OnlyAttached: Boolean

        PathPrefix: PolicyPath

        PolicyUsageFilter: PolicyUsage

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        Policies: PolicyList

        IsTruncated: Boolean

        Marker: String
    }
}

operation DeletePolicy {
    input := {
        @required
        PolicyArn: Arn
    }
    output := {}
    errors: [NoSuchEntityException, DeleteConflictException, InvalidInputException]
}

operation CreatePolicyVersion {
    input := {
        @required
        PolicyArn: Arn

        @required
        PolicyDocument: PolicyDocument

        SetAsDefault: Boolean
    }
    output := {
        PolicyVersion: PolicyVersion
    }
    errors: [NoSuchEntityException, LimitExceededException, MalformedPolicyDocumentException, InvalidInputException]
}

operation GetPolicyVersion {
    input := {
        @required
        PolicyArn: Arn

        @required
        VersionId: VersionId
    }
    output := {
        PolicyVersion: PolicyVersion
    }
    errors: [NoSuchEntityException, InvalidInputException]
}

operation ListPolicyVersions {
    input := {
        @required
        PolicyArn: Arn

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        Versions: PolicyVersionList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException, InvalidInputException]
}

operation SetDefaultPolicyVersion {
    input := {
        @required
        PolicyArn: Arn

        @required
        VersionId: VersionId
    }
    output := {}
    errors: [NoSuchEntityException, InvalidInputException]
}

operation DeletePolicyVersion {
    input := {
        @required
        PolicyArn: Arn

        @required
        VersionId: VersionId
    }
    output := {}
    errors: [NoSuchEntityException, DeleteConflictException, InvalidInputException]
}

operation ListEntitiesForPolicy {
    input := {
        @required
        PolicyArn: Arn

        EntityFilter: EntityType

        PathPrefix: PathPrefix

        PolicyUsageFilter: PolicyUsage

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        PolicyGroups: PolicyGroupList

        PolicyUsers: PolicyUserList

        PolicyRoles: PolicyRoleList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException, InvalidInputException]
}

operation TagPolicy {
    input := {
        @required
        PolicyArn: Arn

        @required
        Tags: TagList
    }
    output := {}
    errors: [NoSuchEntityException, LimitExceededException, InvalidInputException]
}

operation UntagPolicy {
    input := {
        @required
        PolicyArn: Arn

        @required
        TagKeys: TagKeyList
    }
    output := {}
    errors: [NoSuchEntityException]
}

operation ListPolicyTags {
    input := {
        @required
        PolicyArn: Arn

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        Tags: TagList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException]
}

// ---- Users and their access keys ------------------------------------------------------------------------------------

operation CreateUser {
    input := {
        Path: Path

        @required
        UserName: UserName

        PermissionsBoundary: Arn

        Tags: TagList
    }
    output := {
        User: User
    }
    errors: [LimitExceededException, InvalidInputException, EntityAlreadyExistsException, NoSuchEntityException]
}

operation GetUser {
    input := {
        UserName: UserName
    }
    output := {
        @required
        User: User
    }
    errors: [NoSuchEntityException]
}

operation ListUsers {
    input := {
        PathPrefix: PathPrefix

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        Users: UserList

        IsTruncated: Boolean

        Marker: String
    }
}

operation UpdateUser {
    input := {
        @required
        UserName: UserName

        NewPath: Path

        NewUserName: UserName
    }
    output := {}
    errors: [NoSuchEntityException, EntityAlreadyExistsException, LimitExceededException]
}

operation DeleteUser {
    input := {
        @required
        UserName: UserName
    }
    output := {}
    errors: [NoSuchEntityException, DeleteConflictException]
}

operation PutUserPolicy {
    input := {
        @required
        UserName: UserName

        @required
        PolicyName: PolicyName

        @required
        PolicyDocument: PolicyDocument
    }
    output := {}
    errors: [
        NoSuchEntityException
        LimitExceededException
        MalformedPolicyDocumentException
        UnmodifiableEntityException
    ]
}

operation GetUserPolicy {
    input := {
        @required
        UserName: UserName

        @required
        PolicyName: PolicyName
    }
    output := {
        @required
        UserName: String

        @required
        PolicyName: String

        @required
        PolicyDocument: String
    }
    errors: [NoSuchEntityException]
}

operation DeleteUserPolicy {
    input := {
        @required
        UserName: UserName

        @required
        PolicyName: PolicyName
    }
    output := {}
    errors: [NoSuchEntityException, UnmodifiableEntityException]
}

operation ListUserPolicies {
    input := {
        @required
        UserName: UserName

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        PolicyNames: NameList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException]
}

operation AttachUserPolicy {
    input := {
        @required
        UserName: UserName

        @required
        PolicyArn: Arn
    }
    output := {}
    errors: [
        NoSuchEntityException
        LimitExceededException
        InvalidInputException
        UnmodifiableEntityException
        PolicyNotAttachableException
    ]
}

operation DetachUserPolicy {
    input := {
        @required
        UserName: UserName

        @required
        PolicyArn: Arn
    }
    output := {}
    errors: [NoSuchEntityException, InvalidInputException, UnmodifiableEntityException]
}

operation ListAttachedUserPolicies {
    input := {
        @required
        UserName: UserName

        PathPrefix: PathPrefix

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        AttachedPolicies: AttachedPolicyList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException, InvalidInputException]
}

operation TagUser {
    input := {
        @required
        UserName: UserName

        @required
        Tags: TagList
    }
    output := {}
    errors: [NoSuchEntityException, LimitExceededException, InvalidInputException]
}

operation UntagUser {
    input := {
        @required
        UserName: UserName

        @required
        TagKeys: TagKeyList
    }
    output := {}
    errors: [NoSuchEntityException]
}

operation ListUserTags {
    input := {
        @required
        UserName: UserName

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        Tags: TagList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException]
}

operation PutUserPermissionsBoundary {
    input := {
        @required
        UserName: UserName

        @required
        PermissionsBoundary: Arn
    }
    output := {}
    errors: [NoSuchEntityException, InvalidInputException, UnmodifiableEntityException, PolicyNotAttachableException]
}

operation DeleteUserPermissionsBoundary {
    input := {
        @required
        UserName: UserName
    }
    output := {}
    errors: [NoSuchEntityException, UnmodifiableEntityException]
}

operation CreateAccessKey {
    input := {
        UserName: UserName
    }
    output := {
        @required
        AccessKey: AccessKey
    }
    errors: [NoSuchEntityException, LimitExceededException]
}

operation ListAccessKeys {
    input := {
        UserName: UserName

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        AccessKeyMetadata: AccessKeyMetadataList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException]
}

operation UpdateAccessKey {
    input := {
        UserName: UserName

        @required
        AccessKeyId: AccessKeyId

        @required
        Status: AccessKeyStatus
    }
    output := {}
    errors: [NoSuchEntityException]
}

operation DeleteAccessKey {
    input := {
        UserName: UserName

        @required
        AccessKeyId: AccessKeyId
    }
    output := {}
    errors: [NoSuchEntityException]
}

operation GetAccessKeyLastUsed {
    input := {
        @required
        AccessKeyId: AccessKeyId
    }
    output := {
        UserName: String

        AccessKeyLastUsed: AccessKeyLastUsed
    }
}

// ---- Groups ---------------------------------------------------------------------------------------------------------

operation CreateGroup {
    input := {
        Path: Path

        @required
        GroupName: GroupName
    }
    output := {
        @required
        Group: Group
    }
    errors: [LimitExceededException, EntityAlreadyExistsException, NoSuchEntityException]
}

operation GetGroup {
    input := {
        @required
        GroupName: GroupName

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        Group: Group

        @required
        Users: UserList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException]
}

operation ListGroups {
    input := {
        PathPrefix: PathPrefix

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        Groups: GroupList

        IsTruncated: Boolean

        Marker: String
    }
}

operation UpdateGroup {
    input := {
        @required
        GroupName: GroupName

        NewPath: Path

        NewGroupName: GroupName
    }
    output := {}
    errors: [NoSuchEntityException, EntityAlreadyExistsException, LimitExceededException]
}

operation DeleteGroup {
    input := {
        @required
        GroupName: GroupName
    }
    output := {}
    errors: [NoSuchEntityException, DeleteConflictException]
}

operation AddUserToGroup {
    input := {
        @required
        GroupName: GroupName

        @required
        UserName: UserName
    }
    output := {}
    errors: [NoSuchEntityException, LimitExceededException]
}

operation RemoveUserFromGroup {
    input := {
        @required
        GroupName: GroupName

        @required
        UserName: UserName
    }
    output := {}
    errors: [NoSuchEntityException]
}

operation ListGroupsForUser {
    input := {
        @required
        UserName: UserName

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        Groups: GroupList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException]
}

operation PutGroupPolicy {
    input := {
        @required
        GroupName: GroupName

        @required
        PolicyName: PolicyName

        @required
        PolicyDocument: PolicyDocument
    }
    output := {}
    errors: [
        NoSuchEntityException
        LimitExceededException
        MalformedPolicyDocumentException
        UnmodifiableEntityException
    ]
}

operation GetGroupPolicy {
    input := {
        @required
        GroupName: GroupName

        @required
        PolicyName: PolicyName
    }
    output := {
        @required
        GroupName: String

        @required
        PolicyName: String

        @required
        PolicyDocument: String
    }
    errors: [NoSuchEntityException]
}

operation DeleteGroupPolicy {
    input := {
        @required
        GroupName: GroupName

        @required
        PolicyName: PolicyName
    }
    output := {}
    errors: [NoSuchEntityException, UnmodifiableEntityException]
}

operation ListGroupPolicies {
    input := {
        @required
        GroupName: GroupName

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        PolicyNames: NameList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException]
}

operation AttachGroupPolicy {
    input := {
        @required
        GroupName: GroupName

        @required
        PolicyArn: Arn
    }
    output := {}
    errors: [
        NoSuchEntityException
        LimitExceededException
        InvalidInputException
        UnmodifiableEntityException
        PolicyNotAttachableException
    ]
}

operation DetachGroupPolicy {
    input := {
        @required
        GroupName: GroupName

        @required
        PolicyArn: Arn
    }
    output := {}
    errors: [NoSuchEntityException, InvalidInputException, UnmodifiableEntityException]
}

operation ListAttachedGroupPolicies {
    input := {
        @required
        GroupName: GroupName

        PathPrefix: PathPrefix

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        AttachedPolicies: AttachedPolicyList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException, InvalidInputException]
}

// ---- Instance profiles ----------------------------------------------------------------------------------------------

operation CreateInstanceProfile {
    input := {
        @required
        InstanceProfileName: InstanceProfileName

        Path: Path

        Tags: TagList
    }
    output := {
        @required
        InstanceProfile: InstanceProfile
    }
    errors: [EntityAlreadyExistsException, LimitExceededException, InvalidInputException]
}

operation GetInstanceProfile {
    input := {
        @required
        InstanceProfileName: InstanceProfileName
    }
    output := {
        @required
        InstanceProfile: InstanceProfile
    }
    errors: [NoSuchEntityException]
}

operation ListInstanceProfiles {
    input := {
        PathPrefix: PathPrefix

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        InstanceProfiles: InstanceProfileList

        IsTruncated: Boolean

        Marker: String
    }
}

operation ListInstanceProfilesForRole {
    input := {
        @required
        RoleName: RoleName

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        InstanceProfiles: InstanceProfileList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException]
}

operation DeleteInstanceProfile {
    input := {
        @required
        InstanceProfileName: InstanceProfileName
    }
    output := {}
    errors: [NoSuchEntityException, DeleteConflictException]
}

operation AddRoleToInstanceProfile {
    input := {
        @required
        InstanceProfileName: InstanceProfileName

        @required
        RoleName: RoleName
    }
    output := {}
    errors: [NoSuchEntityException, EntityAlreadyExistsException, LimitExceededException, UnmodifiableEntityException]
}

operation RemoveRoleFromInstanceProfile {
    input := {
        @required
        InstanceProfileName: InstanceProfileName

        @required
        RoleName: RoleName
    }
    output := {}
    errors: [NoSuchEntityException, UnmodifiableEntityException]
}

operation TagInstanceProfile {
    input := {
        @required
        InstanceProfileName: InstanceProfileName

        @required
        Tags: TagList
    }
    output := {}
    errors: [NoSuchEntityException, LimitExceededException, InvalidInputException]
}

operation UntagInstanceProfile {
    input := {
        @required
        InstanceProfileName: InstanceProfileName

        @required
        TagKeys: TagKeyList
    }
    output := {}
    errors: [NoSuchEntityException]
}

operation ListInstanceProfileTags {
    input := {
        @required
        InstanceProfileName: InstanceProfileName

        Marker: Marker

        MaxItems: MaxItems
    }
    output := {
        @required
        Tags: TagList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException]
}

// ---- Simulation of policies -------------------------------------------------------------------------------------------

list PolicyDocumentList {
    member: PolicyDocument
}

list ActionNameList {
    member: ActionName
}

list ResourceNameList {
    member: ResourceName
}

list ContextEntryList {
    member: ContextEntry
}

list EvaluationResultList {
    member: EvaluationResult
}

list StatementList {
    member: Statement
}

list ResourceSpecificResultList {
    member: ResourceSpecificResult
}

// What each kind of policy says: "IAM Policy", "Resource Policy".
map EvaluationDetails {
    key: String
    value: EvaluationDecision
}

structure ContextEntry {
    ContextKeyName: ContextKeyName

    ContextKeyValues: NameList

    ContextKeyType: ContextKeyType
}

structure Position {
    Line: Integer

    Column: Integer
}

structure Statement {
    SourcePolicyId: String

    SourcePolicyType: String

    StartPosition: Position

    EndPosition: Position
}

structure OrganizationsDecisionDetail {
    AllowedByOrganizations: Boolean
}

structure PermissionsBoundaryDecisionDetail {
    AllowedByPermissionsBoundary: Boolean
}

structure ResourceSpecificResult {
    @required
    EvalResourceName: String

    @required
    EvalResourceDecision: EvaluationDecision

    MatchedStatements: StatementList

    MissingContextValues: NameList

    EvalDecisionDetails: EvaluationDetails

    PermissionsBoundaryDecisionDetail: PermissionsBoundaryDecisionDetail
}

structure EvaluationResult {
    @required
    EvalActionName: String

    EvalResourceName: String

    @required
    EvalDecision: EvaluationDecision

    MatchedStatements: StatementList

    MissingContextValues: NameList

    OrganizationsDecisionDetail: OrganizationsDecisionDetail

    PermissionsBoundaryDecisionDetail: PermissionsBoundaryDecisionDetail

    EvalDecisionDetails: EvaluationDetails

    ResourceSpecificResults: ResourceSpecificResultList
}

operation SimulateCustomPolicy {
    input := {
        @required
        PolicyInputList: PolicyDocumentList

        PermissionsBoundaryPolicyInputList: PolicyDocumentList

        @required
        ActionNames: ActionNameList

        ResourceArns: ResourceNameList

        ResourcePolicy: PolicyDocument

        ResourceOwner: ResourceName

        CallerArn: ResourceName

        ContextEntries: ContextEntryList

        ResourceHandlingOption: ResourceHandling

        MaxItems: MaxItems

        Marker: Marker
    }
    output := {
        EvaluationResults: EvaluationResultList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [InvalidInputException, PolicyEvaluationException]
}

operation SimulatePrincipalPolicy {
    input := {
        @required
        PolicySourceArn: Arn

        PolicyInputList: PolicyDocumentList

        PermissionsBoundaryPolicyInputList: PolicyDocumentList

        @required
        ActionNames: ActionNameList

        ResourceArns: ResourceNameList

        ResourcePolicy: PolicyDocument

        ResourceOwner: ResourceName

        CallerArn: ResourceName

        ContextEntries: ContextEntryList

        ResourceHandlingOption: ResourceHandling

        MaxItems: MaxItems

        Marker: Marker
    }
    output := {
        EvaluationResults: EvaluationResultList

        IsTruncated: Boolean

        Marker: String
    }
    errors: [NoSuchEntityException, InvalidInputException, PolicyEvaluationException]
}

operation GetContextKeysForCustomPolicy {
    input := {
        @required
        PolicyInputList: PolicyDocumentList
    }
    output := {
        ContextKeyNames: NameList
    }
    errors: [InvalidInputException]
}

operation GetContextKeysForPrincipalPolicy {
    input := {
        @required
        PolicySourceArn: Arn

        PolicyInputList: PolicyDocumentList
    }
    output := {
        ContextKeyNames: NameList
    }
    errors: [NoSuchEntityException, InvalidInputException]
}

// ---- What AWS has and Tidemill lacks --------------------------------------------------------------------------------

@unsupported(reason: "accounts have no aliases")
operation CreateAccountAlias {}

@unsupported(reason: "accounts have no aliases")
operation DeleteAccountAlias {}

@unsupported(reason: "accounts have no aliases")
operation ListAccountAliases {}

@unsupported(reason: "nobody signs in with a password")
operation CreateLoginProfile {}

@unsupported(reason: "nobody signs in with a password")
operation GetLoginProfile {}

@unsupported(reason: "nobody signs in with a password")
operation UpdateLoginProfile {}

@unsupported(reason: "nobody signs in with a password")
operation DeleteLoginProfile {}

@unsupported(reason: "nobody signs in with a password")
operation ChangePassword {}

@unsupported(reason: "nobody signs in with a password")
operation GetAccountPasswordPolicy {}

@unsupported(reason: "nobody signs in with a password")
operation UpdateAccountPasswordPolicy {}

@unsupported(reason: "nobody signs in with a password")
operation DeleteAccountPasswordPolicy {}

@unsupported(reason: "there are no devices for a second factor")
operation CreateVirtualMFADevice {}

@unsupported(reason: "there are no devices for a second factor")
operation DeleteVirtualMFADevice {}

@unsupported(reason: "there are no devices for a second factor")
operation ListVirtualMFADevices {}

@unsupported(reason: "there are no devices for a second factor")
operation EnableMFADevice {}

@unsupported(reason: "there are no devices for a second factor")
operation DeactivateMFADevice {}

@unsupported(reason: "there are no devices for a second factor")
operation ListMFADevices {}

@unsupported(reason: "there are no devices for a second factor")
operation ResyncMFADevice {}

@unsupported(reason: "there are no devices for a second factor")
operation GetMFADevice {}

@unsupported(reason: "there are no devices for a second factor")
operation TagMFADevice {}

@unsupported(reason: "there are no devices for a second factor")
operation UntagMFADevice {}

@unsupported(reason: "there are no devices for a second factor")
operation ListMFADeviceTags {}

@unsupported(reason: "there are no identity providers")
operation CreateOpenIDConnectProvider {}

@unsupported(reason: "there are no identity providers")
operation GetOpenIDConnectProvider {}

@unsupported(reason: "there are no identity providers")
operation ListOpenIDConnectProviders {}

@unsupported(reason: "there are no identity providers")
operation DeleteOpenIDConnectProvider {}

@unsupported(reason: "there are no identity providers")
operation AddClientIDToOpenIDConnectProvider {}

@unsupported(reason: "there are no identity providers")
operation RemoveClientIDFromOpenIDConnectProvider {}

@unsupported(reason: "there are no identity providers")
operation UpdateOpenIDConnectProviderThumbprint {}

@unsupported(reason: "there are no identity providers")
operation TagOpenIDConnectProvider {}

@unsupported(reason: "there are no identity providers")
operation UntagOpenIDConnectProvider {}

@unsupported(reason: "there are no identity providers")
operation ListOpenIDConnectProviderTags {}

@unsupported(reason: "there are no identity providers")
operation CreateSAMLProvider {}

@unsupported(reason: "there are no identity providers")
operation GetSAMLProvider {}

@unsupported(reason: "there are no identity providers")
operation ListSAMLProviders {}

@unsupported(reason: "there are no identity providers")
operation UpdateSAMLProvider {}

@unsupported(reason: "there are no identity providers")
operation DeleteSAMLProvider {}

@unsupported(reason: "there are no identity providers")
operation TagSAMLProvider {}

@unsupported(reason: "there are no identity providers")
operation UntagSAMLProvider {}

@unsupported(reason: "there are no identity providers")
operation ListSAMLProviderTags {}

@unsupported(reason: "there are no certificates")
operation UploadServerCertificate {}

@unsupported(reason: "there are no certificates")
operation GetServerCertificate {}

@unsupported(reason: "there are no certificates")
operation ListServerCertificates {}

@unsupported(reason: "there are no certificates")
operation UpdateServerCertificate {}

@unsupported(reason: "there are no certificates")
operation DeleteServerCertificate {}

@unsupported(reason: "there are no certificates")
operation TagServerCertificate {}

@unsupported(reason: "there are no certificates")
operation UntagServerCertificate {}

@unsupported(reason: "there are no certificates")
operation ListServerCertificateTags {}

@unsupported(reason: "there are no certificates")
operation UploadSigningCertificate {}

@unsupported(reason: "there are no certificates")
operation ListSigningCertificates {}

@unsupported(reason: "there are no certificates")
operation UpdateSigningCertificate {}

@unsupported(reason: "there are no certificates")
operation DeleteSigningCertificate {}

@unsupported(reason: "there are no SSH keys")
operation UploadSSHPublicKey {}

@unsupported(reason: "there are no SSH keys")
operation GetSSHPublicKey {}

@unsupported(reason: "there are no SSH keys")
operation ListSSHPublicKeys {}

@unsupported(reason: "there are no SSH keys")
operation UpdateSSHPublicKey {}

@unsupported(reason: "there are no SSH keys")
operation DeleteSSHPublicKey {}

@unsupported(reason: "there are no credentials of single services")
operation CreateServiceSpecificCredential {}

@unsupported(reason: "there are no credentials of single services")
operation ListServiceSpecificCredentials {}

@unsupported(reason: "there are no credentials of single services")
operation UpdateServiceSpecificCredential {}

@unsupported(reason: "there are no credentials of single services")
operation ResetServiceSpecificCredential {}

@unsupported(reason: "there are no credentials of single services")
operation DeleteServiceSpecificCredential {}

@unsupported(reason: "what a policy grants is not told service by service")
operation ListPoliciesGrantingServiceAccess {}

@unsupported(reason: "there are no reports")
operation GenerateCredentialReport {}

@unsupported(reason: "there are no reports")
operation GetCredentialReport {}

@unsupported(reason: "there are no reports")
operation GenerateServiceLastAccessedDetails {}

@unsupported(reason: "there are no reports")
operation GetServiceLastAccessedDetails {}

@unsupported(reason: "there are no reports")
operation GetServiceLastAccessedDetailsWithEntities {}

@unsupported(reason: "there are no reports")
operation GenerateOrganizationsAccessReport {}

@unsupported(reason: "there are no reports")
operation GetOrganizationsAccessReport {}

@unsupported(reason: "there are no reports")
operation GetAccountSummary {}

@unsupported(reason: "there are no reports")
operation GetAccountAuthorizationDetails {}

@unsupported(reason: "there is one server and no tokens of regions")
operation SetSecurityTokenServicePreferences {}

@unsupported(reason: "there are no organizations")
operation EnableOrganizationsRootCredentialsManagement {}

@unsupported(reason: "there are no organizations")
operation DisableOrganizationsRootCredentialsManagement {}

@unsupported(reason: "there are no organizations")
operation EnableOrganizationsRootSessions {}

@unsupported(reason: "there are no organizations")
operation DisableOrganizationsRootSessions {}

@unsupported(reason: "there are no organizations")
operation ListOrganizationsFeatures {}

// ---- Errors --------------------------------------------------------------------------------------------------------

@error("client")
@awsQueryError(code: "ValidationError", httpResponseCode: 400)
structure ValidationErrorException {
    message: String
}

@error("client")
@awsQueryError(code: "NoSuchEntity", httpResponseCode: 404)
@httpError(404)
structure NoSuchEntityException {
    message: String
}

@error("client")
@awsQueryError(code: "EntityAlreadyExists", httpResponseCode: 409)
@httpError(409)
structure EntityAlreadyExistsException {
    message: String
}

@error("client")
@awsQueryError(code: "DeleteConflict", httpResponseCode: 409)
@httpError(409)
structure DeleteConflictException {
    message: String
}

@error("client")
@awsQueryError(code: "LimitExceeded", httpResponseCode: 409)
@httpError(409)
structure LimitExceededException {
    message: String
}

@error("client")
@awsQueryError(code: "InvalidInput", httpResponseCode: 400)
structure InvalidInputException {
    message: String
}

@error("client")
@awsQueryError(code: "MalformedPolicyDocument", httpResponseCode: 400)
structure MalformedPolicyDocumentException {
    message: String
}

@error("client")
@awsQueryError(code: "UnmodifiableEntity", httpResponseCode: 400)
structure UnmodifiableEntityException {
    message: String
}

@error("server")
@awsQueryError(code: "PolicyEvaluation", httpResponseCode: 500)
@httpError(500)
structure PolicyEvaluationException {
    message: String
}

@error("client")
@awsQueryError(code: "PolicyNotAttachable", httpResponseCode: 400)
structure PolicyNotAttachableException {
    message: String
}
