$version: "2.0"

// CloudFormation, API version 2010-05-15, over the Query protocol, which is all that it speaks; docs/cloudformation.md
// says what works.
namespace tidemill.cloudformation

@awsQuery
@signingName("cloudformation")
@xmlNamespace("http://cloudformation.amazonaws.com/doc/2010-05-15/")
@throttlingError("Throttling")
@internalError("InternalFailure")
@unsupportedError("ValidationError")
@validationError("ValidationError")
service CloudFormation {
    version: "2010-05-15"
    operations: [
        CreateStack
        UpdateStack
        DeleteStack
        CancelUpdateStack
        ContinueUpdateRollback
        RollbackStack
        DescribeStacks
        ListStacks
        UpdateTerminationProtection
        SetStackPolicy
        GetStackPolicy
        SignalResource
        DescribeStackEvents
        DescribeStackResource
        DescribeStackResources
        ListStackResources
        GetTemplate
        GetTemplateSummary
        ValidateTemplate
        CreateChangeSet
        DescribeChangeSet
        ExecuteChangeSet
        DeleteChangeSet
        ListChangeSets
        ListExports
        ListImports
        DetectStackDrift
        DetectStackResourceDrift
        DescribeStackDriftDetectionStatus
        DescribeStackResourceDrifts
        CreateStackSet
        UpdateStackSet
        DeleteStackSet
        DescribeStackSet
        ListStackSets
        CreateStackInstances
        UpdateStackInstances
        DeleteStackInstances
        DescribeStackInstance
        ListStackInstances
        DescribeStackSetOperation
        ListStackSetOperations
        ListStackSetOperationResults
        StopStackSetOperation
        ImportStacksToStackSet
        DetectStackSetDrift
        ListStackInstanceResourceDrifts
        ListStackSetAutoDeploymentTargets
        ActivateOrganizationsAccess
        DeactivateOrganizationsAccess
        DescribeOrganizationsAccess
        ActivateType
        DeactivateType
        RegisterType
        DeregisterType
        DescribeType
        DescribeTypeRegistration
        ListTypes
        ListTypeRegistrations
        ListTypeVersions
        SetTypeConfiguration
        SetTypeDefaultVersion
        TestType
        PublishType
        RegisterPublisher
        DescribePublisher
        BatchDescribeTypeConfigurations
        RecordHandlerProgress
        DescribeChangeSetHooks
        ListHookResults
        GetHookResult
        CreateGeneratedTemplate
        UpdateGeneratedTemplate
        DeleteGeneratedTemplate
        DescribeGeneratedTemplate
        GetGeneratedTemplate
        ListGeneratedTemplates
        StartResourceScan
        DescribeResourceScan
        ListResourceScans
        ListResourceScanResources
        ListResourceScanRelatedResources
        CreateStackRefactor
        DescribeStackRefactor
        ExecuteStackRefactor
        ListStackRefactors
        ListStackRefactorActions
        EstimateTemplateCost
        DescribeAccountLimits
        DescribeEvents
    ]
}

// ---- Collections ----------------------------------------------------------------------------------------------------

list Strings {
    member: String
}

@pattern("[a-zA-Z][-a-zA-Z0-9]*")
@length(min: 1, max: 128)
string StackName

@pattern("[a-zA-Z][-a-zA-Z0-9]*|arn:[-a-zA-Z0-9:/._+]*")
@length(min: 1)
string StackNameOrId

@pattern("[a-zA-Z][-a-zA-Z0-9]*|arn:[-a-zA-Z0-9:/]*")
@length(min: 1, max: 1600)
string ChangeSetNameOrId

@pattern("[a-zA-Z][-a-zA-Z0-9]*")
@length(min: 1, max: 128)
string ChangeSetName

@length(min: 1, max: 51200)
string TemplateBody

@length(min: 1, max: 5120)
string TemplateURL

@pattern("[a-zA-Z0-9][-a-zA-Z0-9]*")
@length(min: 1, max: 128)
string ClientRequestToken

@length(min: 20, max: 2048)
string RoleARN

@length(min: 1, max: 1024)
string NextToken

@length(min: 1, max: 1024)
string Description

enum Capability {
    CAPABILITY_IAM
    CAPABILITY_NAMED_IAM
    CAPABILITY_AUTO_EXPAND
}

list Capabilities {
    member: Capability
}

structure Parameter {
    ParameterKey: String

    ParameterValue: String

    UsePreviousValue: Boolean

    ResolvedValue: String
}

@length(max: 200)
list Parameters {
    member: Parameter
}

structure Tag {
    @required
    @length(min: 1, max: 128)
    Key: String

    @required
    @length(min: 1, max: 256)
    Value: String
}

@length(max: 50)
list Tags {
    member: Tag
}

@length(max: 5)
list NotificationARNs {
    member: String
}

structure RollbackTrigger {
    @required
    Arn: String

    @required
    Type: String
}

list RollbackTriggers {
    member: RollbackTrigger
}

structure RollbackConfiguration {
    @unsupported
    RollbackTriggers: RollbackTriggers

    @range(min: 0, max: 180)
    MonitoringTimeInMinutes: Integer
}

enum DeploymentConfigMode {
    STANDARD
}

structure DeploymentConfig {
    Mode: DeploymentConfigMode

    DisableRollback: Boolean
}

enum OnFailure {
    DO_NOTHING
    ROLLBACK
    DELETE
}

// ---- Stacks ---------------------------------------------------------------------------------------------------------

operation CreateStack {
    input := {
        @required
        StackName: StackName

        TemplateBody: TemplateBody

        TemplateURL: TemplateURL

        Parameters: Parameters

        Capabilities: Capabilities

        ResourceTypes: Strings

        RoleARN: RoleARN

        RollbackConfiguration: RollbackConfiguration

        NotificationARNs: NotificationARNs

        Tags: Tags

        @range(min: 1)
        TimeoutInMinutes: Integer

        DisableRollback: Boolean

        OnFailure: OnFailure

        StackPolicyBody: StackPolicyBody

        StackPolicyURL: StackPolicyURL

        ClientRequestToken: ClientRequestToken

        EnableTerminationProtection: Boolean

        RetainExceptOnCreate: Boolean

        DeploymentConfig: DeploymentConfig
    }
    output := {
        StackId: String

        OperationId: String
    }
    errors: [AlreadyExistsException, InsufficientCapabilitiesException, LimitExceededException, TokenAlreadyExistsException, ValidationError]
}

operation UpdateStack {
    input := {
        @required
        StackName: StackNameOrId

        TemplateBody: TemplateBody

        TemplateURL: TemplateURL

        Parameters: Parameters

        Capabilities: Capabilities

        ResourceTypes: Strings

        RoleARN: RoleARN

        RollbackConfiguration: RollbackConfiguration

        NotificationARNs: NotificationARNs

        Tags: Tags

        UsePreviousTemplate: Boolean

        DisableRollback: Boolean

        StackPolicyBody: StackPolicyBody

        StackPolicyURL: StackPolicyURL

        StackPolicyDuringUpdateBody: StackPolicyBody

        StackPolicyDuringUpdateURL: StackPolicyURL

        ClientRequestToken: ClientRequestToken

        RetainExceptOnCreate: Boolean

        DeploymentConfig: DeploymentConfig
    }
    output := {
        StackId: String

        OperationId: String
    }
    errors: [InsufficientCapabilitiesException, TokenAlreadyExistsException, ValidationError]
}

enum DeletionMode {
    STANDARD
    FORCE_DELETE_STACK
}

operation DeleteStack {
    input := {
        @required
        StackName: StackNameOrId

        RetainResources: Strings

        RoleARN: RoleARN

        ClientRequestToken: ClientRequestToken

        DeletionMode: DeletionMode

        DeploymentConfig: DeploymentConfig
    }
    output := {}
    errors: [TokenAlreadyExistsException, ValidationError]
}

operation CancelUpdateStack {
    input := {
        @required
        StackName: StackNameOrId

        ClientRequestToken: ClientRequestToken
    }
    output := {}
    errors: [TokenAlreadyExistsException, ValidationError]
}

operation ContinueUpdateRollback {
    input := {
        @required
        StackName: StackNameOrId

        RoleARN: RoleARN

        ResourcesToSkip: Strings

        ClientRequestToken: ClientRequestToken
    }
    output := {}
    errors: [TokenAlreadyExistsException, ValidationError]
}

operation RollbackStack {
    input := {
        @required
        StackName: StackNameOrId

        RoleARN: RoleARN

        ClientRequestToken: ClientRequestToken

        RetainExceptOnCreate: Boolean
    }
    output := {
        StackId: String

        OperationId: String
    }
    errors: [TokenAlreadyExistsException, ValidationError]
}

structure Output {
    OutputKey: String

    OutputValue: String

    Description: String

    ExportName: String
}

list Outputs {
    member: Output
}

structure StackDriftInformation {
    @required
    StackDriftStatus: String

    LastCheckTimestamp: Timestamp
}

structure Stack {
    StackId: String

    StackName: String

    ChangeSetId: String

    Description: String

    Parameters: Parameters

    CreationTime: Timestamp

    DeletionTime: Timestamp

    LastUpdatedTime: Timestamp

    RollbackConfiguration: RollbackConfiguration

    StackStatus: String

    StackStatusReason: String

    DisableRollback: Boolean

    NotificationARNs: NotificationARNs

    TimeoutInMinutes: Integer

    Capabilities: Capabilities

    Outputs: Outputs

    RoleARN: RoleARN

    Tags: Tags

    EnableTerminationProtection: Boolean

    ParentId: String

    RootId: String

    DriftInformation: StackDriftInformation

    RetainExceptOnCreate: Boolean
}

list Stacks {
    member: Stack
}

operation DescribeStacks {
    input := {
        StackName: StackNameOrId

        NextToken: NextToken
    }
    output := {
        Stacks: Stacks

        NextToken: String
    }
    errors: [ValidationError]
}

enum StackStatus {
    CREATE_IN_PROGRESS
    CREATE_FAILED
    CREATE_COMPLETE
    ROLLBACK_IN_PROGRESS
    ROLLBACK_FAILED
    ROLLBACK_COMPLETE
    DELETE_IN_PROGRESS
    DELETE_FAILED
    DELETE_COMPLETE
    UPDATE_IN_PROGRESS
    UPDATE_COMPLETE_CLEANUP_IN_PROGRESS
    UPDATE_COMPLETE
    UPDATE_FAILED
    UPDATE_ROLLBACK_IN_PROGRESS
    UPDATE_ROLLBACK_FAILED
    UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS
    UPDATE_ROLLBACK_COMPLETE
    REVIEW_IN_PROGRESS
    IMPORT_IN_PROGRESS
    IMPORT_COMPLETE
    IMPORT_ROLLBACK_IN_PROGRESS
    IMPORT_ROLLBACK_FAILED
    IMPORT_ROLLBACK_COMPLETE
}

list StackStatusFilter {
    member: StackStatus
}

structure StackSummary {
    StackId: String

    StackName: String

    TemplateDescription: String

    CreationTime: Timestamp

    LastUpdatedTime: Timestamp

    DeletionTime: Timestamp

    StackStatus: String

    StackStatusReason: String

    ParentId: String

    RootId: String

    DriftInformation: StackDriftInformation
}

list StackSummaries {
    member: StackSummary
}

operation ListStacks {
    input := {
        NextToken: NextToken

        StackStatusFilter: StackStatusFilter
    }
    output := {
        StackSummaries: StackSummaries

        NextToken: String
    }
    errors: [ValidationError]
}

operation UpdateTerminationProtection {
    input := {
        @required
        EnableTerminationProtection: Boolean

        @required
        StackName: StackNameOrId
    }
    output := {
        StackId: String
    }
    errors: [ValidationError]
}

@length(min: 1, max: 16384)
string StackPolicyBody

@length(min: 1, max: 5120)
string StackPolicyURL

operation SetStackPolicy {
    input := {
        @required
        StackName: StackNameOrId

        StackPolicyBody: StackPolicyBody

        StackPolicyURL: StackPolicyURL
    }
    output := {}
    errors: [ValidationError]
}

@length(min: 1, max: 64)
string ResourceSignalUniqueId

enum ResourceSignalStatus {
    SUCCESS
    FAILURE
}

operation SignalResource {
    input := {
        @required
        StackName: StackNameOrId

        @required
        LogicalResourceId: String

        @required
        UniqueId: ResourceSignalUniqueId

        @required
        Status: ResourceSignalStatus
    }
    output := {}
    errors: [ValidationError]
}

operation GetStackPolicy {
    input := {
        @required
        StackName: StackNameOrId
    }
    output := {
        StackPolicyBody: String
    }
    errors: [ValidationError]
}

// ---- Events and resources -------------------------------------------------------------------------------------------

structure StackEvent {
    StackId: String

    EventId: String

    StackName: String

    LogicalResourceId: String

    PhysicalResourceId: String

    ResourceType: String

    Timestamp: Timestamp

    ResourceStatus: String

    ResourceStatusReason: String

    ResourceProperties: String

    ClientRequestToken: String
}

list StackEvents {
    member: StackEvent
}

operation DescribeStackEvents {
    input := {
        StackName: StackNameOrId

        NextToken: NextToken
    }
    output := {
        StackEvents: StackEvents

        NextToken: String
    }
    errors: [ValidationError]
}

structure StackResourceDriftInformation {
    @required
    StackResourceDriftStatus: String
}

structure StackResource {
    StackName: String

    StackId: String

    LogicalResourceId: String

    PhysicalResourceId: String

    ResourceType: String

    Timestamp: Timestamp

    ResourceStatus: String

    ResourceStatusReason: String

    Description: String

    DriftInformation: StackResourceDriftInformation
}

list StackResources {
    member: StackResource
}

structure StackResourceDetail {
    StackName: String

    StackId: String

    LogicalResourceId: String

    PhysicalResourceId: String

    ResourceType: String

    LastUpdatedTimestamp: Timestamp

    ResourceStatus: String

    ResourceStatusReason: String

    Description: String

    Metadata: String

    DriftInformation: StackResourceDriftInformation
}

structure StackResourceSummary {
    LogicalResourceId: String

    PhysicalResourceId: String

    ResourceType: String

    LastUpdatedTimestamp: Timestamp

    ResourceStatus: String

    ResourceStatusReason: String

    DriftInformation: StackResourceDriftInformation
}

list StackResourceSummaries {
    member: StackResourceSummary
}

operation DescribeStackResource {
    input := {
        @required
        StackName: StackNameOrId

        @required
        LogicalResourceId: String
    }
    output := {
        StackResourceDetail: StackResourceDetail
    }
    errors: [ValidationError]
}

operation DescribeStackResources {
    input := {
        StackName: StackNameOrId

        LogicalResourceId: String

        PhysicalResourceId: String
    }
    output := {
        StackResources: StackResources
    }
    errors: [ValidationError]
}

operation ListStackResources {
    input := {
        @required
        StackName: StackNameOrId

        NextToken: NextToken
    }
    output := {
        StackResourceSummaries: StackResourceSummaries

        NextToken: String
    }
    errors: [ValidationError]
}

// ---- Templates ------------------------------------------------------------------------------------------------------

enum TemplateStage {
    Original
    Processed
}

list StageList {
    member: TemplateStage
}

operation GetTemplate {
    input := {
        StackName: StackNameOrId

        ChangeSetName: ChangeSetNameOrId

        TemplateStage: TemplateStage
    }
    output := {
        TemplateBody: String

        StagesAvailable: StageList
    }
    errors: [ChangeSetNotFoundException, ValidationError]
}

structure ParameterConstraints {
    AllowedValues: Strings
}

structure ParameterDeclaration {
    ParameterKey: String

    DefaultValue: String

    ParameterType: String

    NoEcho: Boolean

    Description: String

    ParameterConstraints: ParameterConstraints
}

list ParameterDeclarations {
    member: ParameterDeclaration
}

structure ResourceIdentifierSummary {
    ResourceType: String

    LogicalResourceIds: Strings

    ResourceIdentifiers: Strings
}

list ResourceIdentifierSummaries {
    member: ResourceIdentifierSummary
}

structure TemplateSummaryConfig {
    TreatUnrecognizedResourceTypesAsWarnings: Boolean
}

structure Warnings {
    UnrecognizedResourceTypes: Strings
}

operation GetTemplateSummary {
    input := {
        TemplateBody: TemplateBody

        TemplateURL: TemplateURL

        StackName: StackNameOrId

        @unsupported
        StackSetName: String

        @unsupported
        CallAs: String

        TemplateSummaryConfig: TemplateSummaryConfig
    }
    output := {
        Parameters: ParameterDeclarations

        Description: String

        Capabilities: Capabilities

        CapabilitiesReason: String

        ResourceTypes: Strings

        Version: String

        Metadata: String

        DeclaredTransforms: Strings

        ResourceIdentifierSummaries: ResourceIdentifierSummaries

        Warnings: Warnings
    }
    errors: [ValidationError]
}

structure TemplateParameter {
    ParameterKey: String

    DefaultValue: String

    NoEcho: Boolean

    Description: String
}

list TemplateParameters {
    member: TemplateParameter
}

operation ValidateTemplate {
    input := {
        TemplateBody: TemplateBody

        TemplateURL: TemplateURL
    }
    output := {
        Parameters: TemplateParameters

        Description: String

        Capabilities: Capabilities

        CapabilitiesReason: String

        DeclaredTransforms: Strings
    }
    errors: [ValidationError]
}

// ---- Change sets ----------------------------------------------------------------------------------------------------

enum ChangeSetType {
    CREATE
    UPDATE
    IMPORT
}

enum OnStackFailure {
    DO_NOTHING
    ROLLBACK
    DELETE
}

operation CreateChangeSet {
    input := {
        @required
        StackName: StackNameOrId

        UsePreviousTemplate: Boolean

        TemplateBody: TemplateBody

        TemplateURL: TemplateURL

        Parameters: Parameters

        Capabilities: Capabilities

        ResourceTypes: Strings

        RoleARN: RoleARN

        RollbackConfiguration: RollbackConfiguration

        NotificationARNs: NotificationARNs

        Tags: Tags

        @required
        ChangeSetName: ChangeSetName

        ClientToken: ClientRequestToken

        Description: Description

        ChangeSetType: ChangeSetType

        ResourcesToImport: ResourcesToImport

        IncludeNestedStacks: Boolean

        OnStackFailure: OnStackFailure

        ImportExistingResources: Boolean

        DeploymentConfig: DeploymentConfig

        DeploymentMode: DeploymentConfigMode
    }
    output := {
        Id: String

        StackId: String
    }
    errors: [AlreadyExistsException, InsufficientCapabilitiesException, LimitExceededException, ValidationError]
}

map ResourceIdentifierProperties {
    key: String
    value: String
}

structure ResourceToImport {
    @required
    ResourceType: String

    @required
    LogicalResourceId: String

    @required
    ResourceIdentifier: ResourceIdentifierProperties
}

@length(max: 200)
list ResourcesToImport {
    member: ResourceToImport
}

structure ResourceTargetDefinition {
    Attribute: String

    Name: String

    RequiresRecreation: String

    Path: String

    BeforeValue: String

    AfterValue: String

    AttributeChangeType: String
}

structure ResourceChangeDetail {
    Target: ResourceTargetDefinition

    Evaluation: String

    ChangeSource: String

    CausingEntity: String
}

list ResourceChangeDetails {
    member: ResourceChangeDetail
}

structure ResourceChange {
    PolicyAction: String

    Action: String

    LogicalResourceId: String

    PhysicalResourceId: String

    ResourceType: String

    Replacement: String

    Scope: Strings

    Details: ResourceChangeDetails

    ChangeSetId: String

    BeforeContext: String

    AfterContext: String
}

structure Change {
    Type: String

    HookInvocationCount: Integer

    ResourceChange: ResourceChange
}

list Changes {
    member: Change
}

operation DescribeChangeSet {
    input := {
        @required
        ChangeSetName: ChangeSetNameOrId

        StackName: StackNameOrId

        NextToken: NextToken

        IncludePropertyValues: Boolean
    }
    output := {
        ChangeSetName: String

        ChangeSetId: String

        StackId: String

        StackName: String

        Description: String

        Parameters: Parameters

        CreationTime: Timestamp

        ExecutionStatus: String

        Status: String

        StatusReason: String

        NotificationARNs: NotificationARNs

        RollbackConfiguration: RollbackConfiguration

        Capabilities: Capabilities

        Tags: Tags

        Changes: Changes

        NextToken: String

        IncludeNestedStacks: Boolean

        ParentChangeSetId: String

        RootChangeSetId: String

        OnStackFailure: OnStackFailure

        ImportExistingResources: Boolean
    }
    errors: [ChangeSetNotFoundException, ValidationError]
}

operation ExecuteChangeSet {
    input := {
        @required
        ChangeSetName: ChangeSetNameOrId

        StackName: StackNameOrId

        ClientRequestToken: ClientRequestToken

        DisableRollback: Boolean

        RetainExceptOnCreate: Boolean
    }
    output := {}
    errors: [ChangeSetNotFoundException, InvalidChangeSetStatusException, InsufficientCapabilitiesException, ValidationError]
}

operation DeleteChangeSet {
    input := {
        @required
        ChangeSetName: ChangeSetNameOrId

        StackName: StackNameOrId
    }
    output := {}
    errors: [InvalidChangeSetStatusException, ValidationError]
}

structure ChangeSetSummary {
    StackId: String

    StackName: String

    ChangeSetId: String

    ChangeSetName: String

    ExecutionStatus: String

    Status: String

    StatusReason: String

    CreationTime: Timestamp

    Description: String

    IncludeNestedStacks: Boolean

    ParentChangeSetId: String

    RootChangeSetId: String

    ImportExistingResources: Boolean
}

list ChangeSetSummaries {
    member: ChangeSetSummary
}

operation ListChangeSets {
    input := {
        @required
        StackName: StackNameOrId

        NextToken: NextToken
    }
    output := {
        Summaries: ChangeSetSummaries

        NextToken: String
    }
    errors: [ValidationError]
}

// ---- Exports --------------------------------------------------------------------------------------------------------

structure Export {
    ExportingStackId: String

    Name: String

    Value: String
}

list Exports {
    member: Export
}

operation ListExports {
    input := {
        NextToken: NextToken
    }
    output := {
        Exports: Exports

        NextToken: String
    }
    errors: [ValidationError]
}

operation ListImports {
    input := {
        @required
        ExportName: String

        NextToken: NextToken
    }
    output := {
        Imports: Strings

        NextToken: String
    }
    errors: [ValidationError]
}

// ---- What is not there ----------------------------------------------------------------------------------------------

@unsupported(reason: "there is no drift detection")
operation DetectStackDrift {}

@unsupported(reason: "there is no drift detection")
operation DetectStackResourceDrift {}

@unsupported(reason: "there is no drift detection")
operation DescribeStackDriftDetectionStatus {}

@unsupported(reason: "there is no drift detection")
operation DescribeStackResourceDrifts {}

@unsupported(reason: "there are no stack sets")
operation CreateStackSet {}

@unsupported(reason: "there are no stack sets")
operation UpdateStackSet {}

@unsupported(reason: "there are no stack sets")
operation DeleteStackSet {}

@unsupported(reason: "there are no stack sets")
operation DescribeStackSet {}

@unsupported(reason: "there are no stack sets")
operation ListStackSets {}

@unsupported(reason: "there are no stack sets")
operation CreateStackInstances {}

@unsupported(reason: "there are no stack sets")
operation UpdateStackInstances {}

@unsupported(reason: "there are no stack sets")
operation DeleteStackInstances {}

@unsupported(reason: "there are no stack sets")
operation DescribeStackInstance {}

@unsupported(reason: "there are no stack sets")
operation ListStackInstances {}

@unsupported(reason: "there are no stack sets")
operation DescribeStackSetOperation {}

@unsupported(reason: "there are no stack sets")
operation ListStackSetOperations {}

@unsupported(reason: "there are no stack sets")
operation ListStackSetOperationResults {}

@unsupported(reason: "there are no stack sets")
operation StopStackSetOperation {}

@unsupported(reason: "there are no stack sets")
operation ImportStacksToStackSet {}

@unsupported(reason: "there are no stack sets")
operation DetectStackSetDrift {}

@unsupported(reason: "there are no stack sets")
operation ListStackInstanceResourceDrifts {}

@unsupported(reason: "there are no stack sets")
operation ListStackSetAutoDeploymentTargets {}

@unsupported(reason: "there are no stack sets")
operation ActivateOrganizationsAccess {}

@unsupported(reason: "there are no stack sets")
operation DeactivateOrganizationsAccess {}

@unsupported(reason: "there are no stack sets")
operation DescribeOrganizationsAccess {}

@unsupported(reason: "there is no registry of types")
operation ActivateType {}

@unsupported(reason: "there is no registry of types")
operation DeactivateType {}

@unsupported(reason: "there is no registry of types")
operation RegisterType {}

@unsupported(reason: "there is no registry of types")
operation DeregisterType {}

@unsupported(reason: "there is no registry of types")
operation DescribeType {}

@unsupported(reason: "there is no registry of types")
operation DescribeTypeRegistration {}

@unsupported(reason: "there is no registry of types")
operation ListTypes {}

@unsupported(reason: "there is no registry of types")
operation ListTypeRegistrations {}

@unsupported(reason: "there is no registry of types")
operation ListTypeVersions {}

@unsupported(reason: "there is no registry of types")
operation SetTypeConfiguration {}

@unsupported(reason: "there is no registry of types")
operation SetTypeDefaultVersion {}

@unsupported(reason: "there is no registry of types")
operation TestType {}

@unsupported(reason: "there is no registry of types")
operation PublishType {}

@unsupported(reason: "there is no registry of types")
operation RegisterPublisher {}

@unsupported(reason: "there is no registry of types")
operation DescribePublisher {}

@unsupported(reason: "there is no registry of types")
operation BatchDescribeTypeConfigurations {}

@unsupported(reason: "there is no registry of types")
operation RecordHandlerProgress {}

@unsupported(reason: "there are no hooks")
operation DescribeChangeSetHooks {}

@unsupported(reason: "there are no hooks")
operation ListHookResults {}

@unsupported(reason: "there are no hooks")
operation GetHookResult {}

@unsupported(reason: "there are no generated templates")
operation CreateGeneratedTemplate {}

@unsupported(reason: "there are no generated templates")
operation UpdateGeneratedTemplate {}

@unsupported(reason: "there are no generated templates")
operation DeleteGeneratedTemplate {}

@unsupported(reason: "there are no generated templates")
operation DescribeGeneratedTemplate {}

@unsupported(reason: "there are no generated templates")
operation GetGeneratedTemplate {}

@unsupported(reason: "there are no generated templates")
operation ListGeneratedTemplates {}

@unsupported(reason: "there are no generated templates")
operation StartResourceScan {}

@unsupported(reason: "there are no generated templates")
operation DescribeResourceScan {}

@unsupported(reason: "there are no generated templates")
operation ListResourceScans {}

@unsupported(reason: "there are no generated templates")
operation ListResourceScanResources {}

@unsupported(reason: "there are no generated templates")
operation ListResourceScanRelatedResources {}

@unsupported(reason: "stacks cannot be refactored")
operation CreateStackRefactor {}

@unsupported(reason: "stacks cannot be refactored")
operation DescribeStackRefactor {}

@unsupported(reason: "stacks cannot be refactored")
operation ExecuteStackRefactor {}

@unsupported(reason: "stacks cannot be refactored")
operation ListStackRefactors {}

@unsupported(reason: "stacks cannot be refactored")
operation ListStackRefactorActions {}

@unsupported(reason: "nothing here costs anything")
operation EstimateTemplateCost {}

@unsupported(reason: "limits are in docs/limits.md")
operation DescribeAccountLimits {}

@unsupported(reason: "events are told by DescribeStackEvents")
operation DescribeEvents {}

// ---- Errors ---------------------------------------------------------------------------------------------------------

@error("client")
@awsQueryError(code: "ValidationError", httpResponseCode: 400)
structure ValidationError {
    message: String
}

@error("client")
@awsQueryError(code: "AlreadyExistsException", httpResponseCode: 400)
structure AlreadyExistsException {
    message: String
}

@error("client")
@awsQueryError(code: "InsufficientCapabilitiesException", httpResponseCode: 400)
structure InsufficientCapabilitiesException {
    message: String
}

@error("client")
@awsQueryError(code: "LimitExceededException", httpResponseCode: 400)
structure LimitExceededException {
    message: String
}

@error("client")
@awsQueryError(code: "TokenAlreadyExistsException", httpResponseCode: 400)
structure TokenAlreadyExistsException {
    message: String
}

@error("client")
@awsQueryError(code: "ChangeSetNotFound", httpResponseCode: 404)
@httpError(404)
structure ChangeSetNotFoundException {
    message: String
}

@error("client")
@awsQueryError(code: "InvalidChangeSetStatus", httpResponseCode: 400)
structure InvalidChangeSetStatusException {
    message: String
}
