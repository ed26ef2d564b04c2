$version: "2.0"

// AWS Lambda, API version 2015-03-31: functions, their invocation, and the mappings that feed them from streams.
// Members that Tidemill knows and refuses are marked @unsupported; docs/lambda.md lists them.
namespace tidemill.lambda

@restJson1
@signingName("lambda")
@throttlingError("TooManyRequestsException")
@internalError("ServiceException")
@unsupportedError("InvalidParameterValueException")
@requestBytesMax(104857600)
service Lambda {
    version: "2015-03-31"
    operations: [
        CreateFunction
        GetFunction
        GetFunctionConfiguration
        DownloadPackage
        ListFunctions
        UpdateFunctionCode
        UpdateFunctionConfiguration
        DeleteFunction
        Invoke
        InvokeWithResponseStream
        CreateFunctionUrlConfig
        GetFunctionUrlConfig
        UpdateFunctionUrlConfig
        DeleteFunctionUrlConfig
        ListFunctionUrlConfigs
        AddPermission
        RemovePermission
        GetPolicy
        InvokeAsync
        PublishVersion
        ListVersionsByFunction
        CreateAlias
        GetAlias
        ListAliases
        UpdateAlias
        DeleteAlias
        PutFunctionConcurrency
        GetFunctionConcurrency
        DeleteFunctionConcurrency
        GetFunctionCodeSigningConfig
        PutFunctionCodeSigningConfig
        DeleteFunctionCodeSigningConfig
        GetAccountSettings
        PutProvisionedConcurrencyConfig
        GetProvisionedConcurrencyConfig
        ListProvisionedConcurrencyConfigs
        DeleteProvisionedConcurrencyConfig
        PutFunctionEventInvokeConfig
        UpdateFunctionEventInvokeConfig
        GetFunctionEventInvokeConfig
        ListFunctionEventInvokeConfigs
        DeleteFunctionEventInvokeConfig
        PutFunctionRecursionConfig
        GetFunctionRecursionConfig
        PublishLayerVersion
        GetLayerVersion
        GetLayerVersionByArn
        ListLayers
        ListLayerVersions
        DeleteLayerVersion
        AddLayerVersionPermission
        RemoveLayerVersionPermission
        GetLayerVersionPolicy
        ListTags
        TagResource
        UntagResource
        CreateEventSourceMapping
        GetEventSourceMapping
        ListEventSourceMappings
        UpdateEventSourceMapping
        DeleteEventSourceMapping
    ]
}

// ---- Names ----------------------------------------------------------------------------------------------------------

/// A name, a partial ARN (123456789012:function:name) or a whole one, each with or without a qualifier.
@length(min: 1, max: 140)
@pattern("(arn:(aws[a-zA-Z-]*)?:lambda:)?((eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\\d{1}:)?(\\d{12}:)?(function:)?([a-zA-Z0-9-_]+)(:(\\$LATEST|[a-zA-Z0-9-_]+))?")
string FunctionName

/// The same where functions of every origin can be named.
@length(min: 1, max: 256)
@pattern("(arn:(aws[a-zA-Z-]*)?:lambda:)?((eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\\d{1}:)?(\\d{12}:)?(function:)?([a-zA-Z0-9-_\\.]+)(:(\\$LATEST(\\.PUBLISHED)?|[a-zA-Z0-9-_]+))?")
string NamespacedFunctionName

@length(min: 1, max: 128)
@pattern("\\$(LATEST(\\.PUBLISHED)?)|[a-zA-Z0-9-_$]+")
string Qualifier

@pattern("arn:(aws[a-zA-Z-]*)?:iam::\\d{12}:role/?[a-zA-Z_0-9+=,.@\\-_/]+")
string RoleArn

@length(min: 0, max: 128)
@pattern("[^\\s]+")
string Handler

@length(min: 0, max: 256)
string Description

@range(min: 1, max: 900)
integer Timeout

@range(min: 128, max: 10240)
integer MemorySize

@range(min: 1, max: 10000)
integer MaxListItems

@pattern("(arn:(aws[a-zA-Z-]*)?:[a-z0-9-.]+:.*)|()")
string ResourceArn

// ---- Settings of a function -----------------------------------------------------------------------------------------

enum PackageType {
    Zip
    Image
}

enum Architecture {
    x86_64
    arm64
}

@length(min: 1, max: 1)
list ArchitecturesList {
    member: Architecture
}

@pattern("[a-zA-Z]([a-zA-Z0-9_])+")
string EnvironmentVariableName

map EnvironmentVariables {
    key: EnvironmentVariableName
    value: String
}

structure Environment {
    Variables: EnvironmentVariables
}

enum TracingMode {
    Active
    PassThrough
}

structure TracingConfig {
    Mode: TracingMode
}

@range(min: 512, max: 10240)
integer EphemeralStorageSize

structure EphemeralStorage {
    @required
    Size: EphemeralStorageSize
}

@length(min: 0, max: 200)
@pattern("arn:aws[a-zA-Z-]*:elasticfilesystem:(eusc-)?[a-z]{2}((-gov)|(-iso(b?)))?-[a-z]+-\\d{1}:\\d{12}:access-point/fsap-[a-f0-9]{17}")
string FileSystemArn

@length(min: 0, max: 160)
@pattern("/mnt/[a-zA-Z0-9-_.]+")
string LocalMountPath

structure FileSystemConfig {
    @required
    Arn: FileSystemArn

    @required
    LocalMountPath: LocalMountPath
}

@length(min: 0, max: 1)
list FileSystemConfigList {
    member: FileSystemConfig
}

enum SnapStartApplyOn {
    PublishedVersions
    None
}

structure SnapStart {
    ApplyOn: SnapStartApplyOn
}

enum LogFormat {
    JSON
    Text
}

enum ApplicationLogLevel {
    TRACE
    DEBUG
    INFO
    WARN
    ERROR
    FATAL
}

enum SystemLogLevel {
    DEBUG
    INFO
    WARN
}

@length(min: 1, max: 512)
@pattern("[\\.\\-_/#A-Za-z0-9]+")
string LogGroup

structure LoggingConfig {
    LogFormat: LogFormat

    ApplicationLogLevel: ApplicationLogLevel

    SystemLogLevel: SystemLogLevel

    LogGroup: LogGroup
}

list StringList {
    member: String
}

structure VpcConfig {
    SubnetIds: StringList

    SecurityGroupIds: StringList

    Ipv6AllowedForDualStack: Boolean
}

structure DeadLetterConfig {
    TargetArn: ResourceArn
}

map Tags {
    key: String
    value: String
}

/// Where the code comes from. Only ZipFile is supported.
@length(min: 3, max: 63)
@pattern("[0-9A-Za-z\\.\\-_]*")
string S3Bucket

@length(min: 1, max: 1024)
string S3Key

@length(min: 1, max: 1024)
string S3ObjectVersion

structure FunctionCode {
    ZipFile: Blob

    S3Bucket: S3Bucket

    S3Key: S3Key

    S3ObjectVersion: S3ObjectVersion

    @unsupported
    ImageUri: String

    @unsupported
    SourceKMSKeyArn: String
}

structure SnapStartResponse {
    ApplyOn: String

    OptimizationStatus: String
}

structure RuntimeVersionConfig {
    RuntimeVersionArn: String
}

/// A function as every operation of this service answers it.
structure FunctionConfiguration {
    FunctionName: String

    FunctionArn: String

    Runtime: String

    Role: String

    Handler: String

    CodeSize: Long

    Description: String

    Timeout: Integer

    MemorySize: Integer

    LastModified: String

    CodeSha256: String

    Version: String

    VpcConfig: VpcConfigResponse

    DeadLetterConfig: DeadLetterConfig

    Environment: EnvironmentResponse

    TracingConfig: TracingConfigResponse

    RevisionId: String

    State: String

    StateReason: String

    StateReasonCode: String

    LastUpdateStatus: String

    LastUpdateStatusReason: String

    LastUpdateStatusReasonCode: String

    PackageType: String

    Layers: FunctionLayers

    Architectures: StringList

    KMSKeyArn: String

    FileSystemConfigs: FileSystemConfigList

    EphemeralStorage: EphemeralStorageResponse

    SnapStart: SnapStartResponse

    RuntimeVersionConfig: RuntimeVersionConfig

    LoggingConfig: LoggingConfigResponse
}

structure VpcConfigResponse {
    SubnetIds: StringList

    SecurityGroupIds: StringList

    VpcId: String

    Ipv6AllowedForDualStack: Boolean
}

map StringMap {
    key: String
    value: String
}

structure EnvironmentResponse {
    Variables: StringMap
}

structure TracingConfigResponse {
    Mode: String
}

structure EphemeralStorageResponse {
    Size: Integer
}

structure LoggingConfigResponse {
    LogFormat: String

    ApplicationLogLevel: String

    SystemLogLevel: String

    LogGroup: String
}

// ---- Functions ------------------------------------------------------------------------------------------------------

@http(method: "POST", uri: "/2015-03-31/functions", code: 201)
operation CreateFunction {
    input := {
        @required
        FunctionName: FunctionName

        /// Not an enum here: the refusal lists what this host can run.
        Runtime: String

        @required
        Role: RoleArn

        Handler: Handler

        @required
        Code: FunctionCode

        Description: Description

        Timeout: Timeout

        MemorySize: MemorySize

        Publish: Boolean

        VpcConfig: VpcConfig

        PackageType: PackageType

        DeadLetterConfig: DeadLetterConfig

        Environment: Environment

        KMSKeyArn: ResourceArn

        TracingConfig: TracingConfig

        Tags: Tags

        Layers: LayerArns

        FileSystemConfigs: FileSystemConfigList

        @unsupported
        ImageConfig: Document

        @unsupported
        CodeSigningConfigArn: String

        Architectures: ArchitecturesList

        EphemeralStorage: EphemeralStorage

        SnapStart: SnapStart

        LoggingConfig: LoggingConfig

        @unsupported
        CapacityProviderConfig: Document

        @unsupported
        PublishTo: String

        @unsupported
        DurableConfig: Document

        @unsupported
        TenancyConfig: Document
    }
    output: FunctionConfiguration
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException, CodeStorageExceededException, RequestTooLargeException]
}

@http(method: "GET", uri: "/2015-03-31/functions/{FunctionName}")
operation GetFunction {
    input := {
        @required
        @httpLabel
        FunctionName: NamespacedFunctionName

        @httpQuery("Qualifier")
        Qualifier: Qualifier
    }
    output := {
        Configuration: FunctionConfiguration

        Code: FunctionCodeLocation

        Tags: Tags

        TagsError: TagsError

        Concurrency: Concurrency
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

structure TagsError {
    @required
    ErrorCode: String

    @required
    Message: String
}

structure FunctionCodeLocation {
    RepositoryType: String

    Location: String
}

@http(method: "GET", uri: "/2015-03-31/functions/{FunctionName}/configuration")
operation GetFunctionConfiguration {
    input := {
        @required
        @httpLabel
        FunctionName: NamespacedFunctionName

        @httpQuery("Qualifier")
        Qualifier: Qualifier
    }
    output: FunctionConfiguration
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

/// Ours: what GetFunction's Code.Location points to, for clients that fetch it without credentials.
@http(method: "GET", uri: "/2015-03-31/packages/{Digest}")
operation DownloadPackage {
    input := {
        /// SHA-256 of the package.
        @required
        @httpLabel
        @pattern("[0-9a-f]{64}")
        Digest: String
    }
    output := {
        @mediaType("application/zip")
        @httpPayload
        Payload: Blob
    }
    errors: [ResourceNotFoundException]
}

enum FunctionVersion {
    ALL
}

@http(method: "GET", uri: "/2015-03-31/functions")
operation ListFunctions {
    input := {
        @unsupported
        @httpQuery("MasterRegion")
        MasterRegion: String

        @httpQuery("FunctionVersion")
        FunctionVersion: FunctionVersion

        @httpQuery("Marker")
        Marker: String

        @httpQuery("MaxItems")
        MaxItems: MaxListItems
    }
    output := {
        NextMarker: String

        Functions: FunctionList
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException]
}

list FunctionList {
    member: FunctionConfiguration
}

@http(method: "PUT", uri: "/2015-03-31/functions/{FunctionName}/code")
operation UpdateFunctionCode {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        ZipFile: Blob

        S3Bucket: S3Bucket

        S3Key: S3Key

        S3ObjectVersion: S3ObjectVersion

        @unsupported
        ImageUri: String

        Publish: Boolean

        DryRun: Boolean

        RevisionId: String

        Architectures: ArchitecturesList

        @unsupported
        SourceKMSKeyArn: String

        @unsupported
        PublishTo: String
    }
    output: FunctionConfiguration
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException, CodeStorageExceededException, PreconditionFailedException, RequestTooLargeException]
}

@http(method: "PUT", uri: "/2015-03-31/functions/{FunctionName}/configuration")
operation UpdateFunctionConfiguration {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        Role: RoleArn

        Handler: Handler

        Description: Description

        Timeout: Timeout

        MemorySize: MemorySize

        VpcConfig: VpcConfig

        Environment: Environment

        Runtime: String

        DeadLetterConfig: DeadLetterConfig

        KMSKeyArn: ResourceArn

        TracingConfig: TracingConfig

        RevisionId: String

        Layers: LayerArns

        FileSystemConfigs: FileSystemConfigList

        @unsupported
        ImageConfig: Document

        EphemeralStorage: EphemeralStorage

        SnapStart: SnapStart

        LoggingConfig: LoggingConfig

        @unsupported
        CapacityProviderConfig: Document

        @unsupported
        DurableConfig: Document
    }
    output: FunctionConfiguration
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException, PreconditionFailedException]
}

@http(method: "DELETE", uri: "/2015-03-31/functions/{FunctionName}", code: 204)
operation DeleteFunction {
    input := {
        @required
        @httpLabel
        FunctionName: NamespacedFunctionName

        @httpQuery("Qualifier")
        Qualifier: Qualifier
    }
    output := {}
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

// ---- Invocation -----------------------------------------------------------------------------------------------------

enum InvocationType {
    Event
    RequestResponse
    DryRun
}

enum LogType {
    None
    Tail
}

@http(method: "POST", uri: "/2015-03-31/functions/{FunctionName}/invocations")
operation Invoke {
    input := {
        @required
        @httpLabel
        FunctionName: NamespacedFunctionName

        @httpHeader("X-Amz-Invocation-Type")
        InvocationType: InvocationType

        @httpHeader("X-Amz-Log-Type")
        LogType: LogType

        /// Base64 of JSON that the handler sees in its context.
        @httpHeader("X-Amz-Client-Context")
        ClientContext: String

        /// Which chain of invocations this one belongs to.
        @httpHeader("X-Amzn-Trace-Id")
        TraceHeader: String

        @unsupported
        @httpHeader("X-Amz-Durable-Execution-Name")
        DurableExecutionName: String

        @httpPayload
        Payload: Blob

        @httpQuery("Qualifier")
        Qualifier: Qualifier

        @unsupported
        @httpHeader("X-Amz-Tenant-Id")
        TenantId: String
    }
    output := {
        @httpResponseCode
        StatusCode: Integer

        @httpHeader("X-Amz-Function-Error")
        FunctionError: String

        @httpHeader("X-Amz-Log-Result")
        LogResult: String

        @mediaType("application/json")
        @httpPayload
        Payload: Blob

        @httpHeader("X-Amz-Executed-Version")
        ExecutedVersion: String
    }
    errors: [InvalidParameterValueException, InvalidRequestContentException, RequestTooLargeException, ResourceConflictException, ResourceNotFoundException, ResourceNotReadyException, ServiceException, TooManyRequestsException, UnsupportedMediaTypeException, RecursiveInvocationException]
}

structure InvokeResponseStreamUpdate {
    @eventPayload
    Payload: Blob
}

structure InvokeWithResponseStreamCompleteEvent {
    ErrorCode: String

    ErrorDetails: String

    LogResult: String
}

@streaming
union InvokeWithResponseStreamResponseEvent {
    PayloadChunk: InvokeResponseStreamUpdate

    InvokeComplete: InvokeWithResponseStreamCompleteEvent
}

enum ResponseStreamingInvocationType {
    RequestResponse
    DryRun
}

@http(method: "POST", uri: "/2021-11-15/functions/{FunctionName}/response-streaming-invocations")
operation InvokeWithResponseStream {
    input := {
        @required
        @httpLabel
        FunctionName: NamespacedFunctionName

        @httpHeader("X-Amz-Invocation-Type")
        InvocationType: ResponseStreamingInvocationType

        @httpHeader("X-Amz-Log-Type")
        LogType: LogType

        @httpHeader("X-Amz-Client-Context")
        ClientContext: String

        @httpHeader("X-Amzn-Trace-Id")
        TraceHeader: String

        @httpQuery("Qualifier")
        Qualifier: Qualifier

        @httpPayload
        Payload: Blob

        @unsupported
        @httpHeader("X-Amz-Tenant-Id")
        TenantId: String
    }
    output := {
        @httpResponseCode
        StatusCode: Integer

        @httpHeader("X-Amz-Executed-Version")
        ExecutedVersion: String

        EventStream: InvokeWithResponseStreamResponseEvent
    }
    errors: [InvalidParameterValueException, InvalidRequestContentException, RequestTooLargeException, ResourceConflictException, ResourceNotFoundException, ResourceNotReadyException, ServiceException, TooManyRequestsException, UnsupportedMediaTypeException, RecursiveInvocationException]
}

@http(method: "POST", uri: "/2014-11-13/functions/{FunctionName}/invoke-async/", code: 202)
operation InvokeAsync {
    input := {
        @required
        @httpLabel
        FunctionName: NamespacedFunctionName

        @httpPayload
        InvokeArgs: Blob
    }
    output := {
        @httpResponseCode
        Status: Integer
    }
    errors: [InvalidRequestContentException, RequestTooLargeException, ResourceConflictException, ResourceNotFoundException, ServiceException]
}

// ---- Function URLs --------------------------------------------------------------------------------------------------

/// Its pattern, ((?!^\d+$)^[0-9a-zA-Z-_]+$), looks ahead; the handlers check it.
@length(min: 1, max: 128)
string FunctionUrlQualifier

enum InvokeMode {
    BUFFERED
    RESPONSE_STREAM
}

@length(min: 0, max: 1024)
string CorsHeader

@length(min: 0, max: 100)
list CorsHeadersList {
    member: CorsHeader
}

@length(min: 0, max: 6)
string CorsMethod

@length(min: 0, max: 6)
list CorsMethodsList {
    member: CorsMethod
}

@length(min: 1, max: 253)
string CorsOrigin

@length(min: 0, max: 100)
list CorsOriginsList {
    member: CorsOrigin
}

@range(min: 0, max: 86400)
integer CorsMaxAge

structure Cors {
    AllowCredentials: Boolean

    AllowHeaders: CorsHeadersList

    AllowMethods: CorsMethodsList

    AllowOrigins: CorsOriginsList

    ExposeHeaders: CorsHeadersList

    MaxAge: CorsMaxAge
}

@http(method: "POST", uri: "/2021-10-31/functions/{FunctionName}/url", code: 201)
operation CreateFunctionUrlConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("Qualifier")
        Qualifier: FunctionUrlQualifier

        @required
        AuthType: FunctionUrlAuthType

        Cors: Cors

        InvokeMode: InvokeMode
    }
    output := {
        FunctionUrl: String

        FunctionArn: String

        AuthType: FunctionUrlAuthType

        Cors: Cors

        CreationTime: String

        InvokeMode: InvokeMode
    }
    errors: [InvalidParameterValueException, ResourceConflictException, ResourceNotFoundException, ServiceException, TooManyRequestsException]
}

structure FunctionUrlConfig {
    FunctionUrl: String

    FunctionArn: String

    AuthType: FunctionUrlAuthType

    Cors: Cors

    CreationTime: String

    LastModifiedTime: String

    InvokeMode: InvokeMode
}

@http(method: "GET", uri: "/2021-10-31/functions/{FunctionName}/url")
operation GetFunctionUrlConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("Qualifier")
        Qualifier: FunctionUrlQualifier
    }
    output: FunctionUrlConfig
    errors: [InvalidParameterValueException, ResourceNotFoundException, ServiceException, TooManyRequestsException]
}

@http(method: "PUT", uri: "/2021-10-31/functions/{FunctionName}/url")
operation UpdateFunctionUrlConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("Qualifier")
        Qualifier: FunctionUrlQualifier

        AuthType: FunctionUrlAuthType

        Cors: Cors

        InvokeMode: InvokeMode
    }
    output: FunctionUrlConfig
    errors: [InvalidParameterValueException, ResourceConflictException, ResourceNotFoundException, ServiceException, TooManyRequestsException]
}

@http(method: "DELETE", uri: "/2021-10-31/functions/{FunctionName}/url", code: 204)
operation DeleteFunctionUrlConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("Qualifier")
        Qualifier: FunctionUrlQualifier
    }
    output := {}
    errors: [ResourceConflictException, ResourceNotFoundException, ServiceException, TooManyRequestsException]
}

list FunctionUrlConfigList {
    member: FunctionUrlConfig
}

@http(method: "GET", uri: "/2021-10-31/functions/{FunctionName}/urls")
operation ListFunctionUrlConfigs {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("Marker")
        Marker: String

        @range(min: 1, max: 50)
        @httpQuery("MaxItems")
        MaxItems: Integer
    }
    output := {
        @required
        FunctionUrlConfigs: FunctionUrlConfigList

        NextMarker: String
    }
    errors: [InvalidParameterValueException, ResourceNotFoundException, ServiceException, TooManyRequestsException]
}

// ---- Versions and aliases -------------------------------------------------------------------------------------------

@length(min: 1, max: 1024)
@pattern("(\\$LATEST|[0-9]+)")
string Version

/// Its pattern, (?!^[0-9]+$)([a-zA-Z0-9-_]+), looks ahead; the handlers check it.
@length(min: 1, max: 128)
string Alias

@length(min: 1, max: 1024)
@pattern("[0-9]+")
string AdditionalVersion

@range(min: 0, max: 1)
double Weight

map AdditionalVersionWeights {
    key: AdditionalVersion
    value: Weight
}

structure AliasRoutingConfiguration {
    AdditionalVersionWeights: AdditionalVersionWeights
}

structure AliasConfiguration {
    AliasArn: String

    Name: String

    FunctionVersion: String

    Description: String

    RoutingConfig: AliasRoutingConfiguration

    RevisionId: String
}

list AliasList {
    member: AliasConfiguration
}

@http(method: "POST", uri: "/2015-03-31/functions/{FunctionName}/versions", code: 201)
operation PublishVersion {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        CodeSha256: String

        Description: Description

        RevisionId: String

        @unsupported
        PublishTo: String
    }
    output: FunctionConfiguration
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException, CodeStorageExceededException, PreconditionFailedException]
}

@http(method: "GET", uri: "/2015-03-31/functions/{FunctionName}/versions")
operation ListVersionsByFunction {
    input := {
        @required
        @httpLabel
        FunctionName: NamespacedFunctionName

        @httpQuery("Marker")
        Marker: String

        @httpQuery("MaxItems")
        MaxItems: MaxListItems
    }
    output := {
        NextMarker: String

        Versions: FunctionList
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "POST", uri: "/2015-03-31/functions/{FunctionName}/aliases", code: 201)
operation CreateAlias {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @required
        Name: Alias

        @required
        FunctionVersion: Version

        Description: Description

        RoutingConfig: AliasRoutingConfiguration
    }
    output: AliasConfiguration
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/2015-03-31/functions/{FunctionName}/aliases/{Name}")
operation GetAlias {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @required
        @httpLabel
        Name: Alias
    }
    output: AliasConfiguration
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/2015-03-31/functions/{FunctionName}/aliases")
operation ListAliases {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("FunctionVersion")
        FunctionVersion: Version

        @httpQuery("Marker")
        Marker: String

        @httpQuery("MaxItems")
        MaxItems: MaxListItems
    }
    output := {
        NextMarker: String

        Aliases: AliasList
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "PUT", uri: "/2015-03-31/functions/{FunctionName}/aliases/{Name}")
operation UpdateAlias {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @required
        @httpLabel
        Name: Alias

        FunctionVersion: Version

        Description: Description

        RoutingConfig: AliasRoutingConfiguration

        RevisionId: String
    }
    output: AliasConfiguration
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException, PreconditionFailedException]
}

@http(method: "DELETE", uri: "/2015-03-31/functions/{FunctionName}/aliases/{Name}", code: 204)
operation DeleteAlias {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @required
        @httpLabel
        Name: Alias
    }
    output := {}
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException]
}

// ---- Concurrency ----------------------------------------------------------------------------------------------------

@range(min: 0)
integer ReservedConcurrentExecutions

structure Concurrency {
    ReservedConcurrentExecutions: ReservedConcurrentExecutions
}

@http(method: "PUT", uri: "/2017-10-31/functions/{FunctionName}/concurrency")
operation PutFunctionConcurrency {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @required
        ReservedConcurrentExecutions: ReservedConcurrentExecutions
    }
    output: Concurrency
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/2019-09-30/functions/{FunctionName}/concurrency")
operation GetFunctionConcurrency {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName
    }
    output := {
        ReservedConcurrentExecutions: ReservedConcurrentExecutions
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/2020-06-30/functions/{FunctionName}/code-signing-config")
operation GetFunctionCodeSigningConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName
    }
    output := {}
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "PUT", uri: "/2020-06-30/functions/{FunctionName}/code-signing-config")
@unsupported(reason: "code is not signed")
operation PutFunctionCodeSigningConfig {}

@http(method: "DELETE", uri: "/2020-06-30/functions/{FunctionName}/code-signing-config", code: 204)
@unsupported(reason: "code is not signed")
operation DeleteFunctionCodeSigningConfig {}

@http(method: "DELETE", uri: "/2017-10-31/functions/{FunctionName}/concurrency", code: 204)
operation DeleteFunctionConcurrency {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName
    }
    output := {}
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

structure AccountLimit {
    TotalCodeSize: Long

    CodeSizeUnzipped: Long

    CodeSizeZipped: Long

    ConcurrentExecutions: Integer

    UnreservedConcurrentExecutions: Integer
}

structure AccountUsage {
    TotalCodeSize: Long

    FunctionCount: Long
}

@http(method: "GET", uri: "/2016-08-19/account-settings/")
operation GetAccountSettings {
    input := {}
    output := {
        AccountLimit: AccountLimit

        AccountUsage: AccountUsage
    }
    errors: [ServiceException, TooManyRequestsException]
}

@range(min: 1)
integer PositiveInteger

enum ProvisionedConcurrencyStatus {
    IN_PROGRESS
    READY
    FAILED
}

@http(method: "PUT", uri: "/2019-09-30/functions/{FunctionName}/provisioned-concurrency", code: 202)
operation PutProvisionedConcurrencyConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @required
        @httpQuery("Qualifier")
        Qualifier: Qualifier

        @required
        ProvisionedConcurrentExecutions: PositiveInteger
    }
    output := {
        RequestedProvisionedConcurrentExecutions: Integer

        AvailableProvisionedConcurrentExecutions: Integer

        AllocatedProvisionedConcurrentExecutions: Integer

        Status: ProvisionedConcurrencyStatus

        StatusReason: String

        LastModified: String
    }
    errors: [InvalidParameterValueException, ResourceConflictException, ResourceNotFoundException, ServiceException, TooManyRequestsException]
}

@http(method: "GET", uri: "/2019-09-30/functions/{FunctionName}/provisioned-concurrency")
operation GetProvisionedConcurrencyConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @required
        @httpQuery("Qualifier")
        Qualifier: Qualifier
    }
    output := {
        RequestedProvisionedConcurrentExecutions: Integer

        AvailableProvisionedConcurrentExecutions: Integer

        AllocatedProvisionedConcurrentExecutions: Integer

        Status: ProvisionedConcurrencyStatus

        StatusReason: String

        LastModified: String
    }
    errors: [InvalidParameterValueException, ProvisionedConcurrencyConfigNotFoundException, ResourceNotFoundException, ServiceException, TooManyRequestsException]
}

structure ProvisionedConcurrencyConfigListItem {
    FunctionArn: String

    RequestedProvisionedConcurrentExecutions: Integer

    AvailableProvisionedConcurrentExecutions: Integer

    AllocatedProvisionedConcurrentExecutions: Integer

    Status: ProvisionedConcurrencyStatus

    StatusReason: String

    LastModified: String
}

list ProvisionedConcurrencyConfigList {
    member: ProvisionedConcurrencyConfigListItem
}

@http(method: "GET", uri: "/2019-09-30/functions/{FunctionName}/provisioned-concurrency?List=ALL")
operation ListProvisionedConcurrencyConfigs {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("Marker")
        Marker: String

        @range(min: 1, max: 50)
        @httpQuery("MaxItems")
        MaxItems: Integer
    }
    output := {
        ProvisionedConcurrencyConfigs: ProvisionedConcurrencyConfigList

        NextMarker: String
    }
    errors: [InvalidParameterValueException, ResourceNotFoundException, ServiceException, TooManyRequestsException]
}

@http(method: "DELETE", uri: "/2019-09-30/functions/{FunctionName}/provisioned-concurrency", code: 204)
operation DeleteProvisionedConcurrencyConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @required
        @httpQuery("Qualifier")
        Qualifier: Qualifier
    }
    output := {}
    errors: [InvalidParameterValueException, ResourceConflictException, ResourceNotFoundException, ServiceException, TooManyRequestsException]
}

// ---- Asynchronous invocation ----------------------------------------------------------------------------------------

@range(min: 0, max: 2)
integer MaximumEventRetryAttempts

@range(min: 60, max: 21600)
integer MaximumEventAgeInSeconds

structure FunctionEventInvokeConfig {
    LastModified: Timestamp

    FunctionArn: String

    MaximumRetryAttempts: Integer

    MaximumEventAgeInSeconds: Integer

    DestinationConfig: DestinationConfig
}

list FunctionEventInvokeConfigList {
    member: FunctionEventInvokeConfig
}

@http(method: "PUT", uri: "/2019-09-25/functions/{FunctionName}/event-invoke-config")
operation PutFunctionEventInvokeConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("Qualifier")
        Qualifier: Qualifier

        MaximumRetryAttempts: MaximumEventRetryAttempts

        MaximumEventAgeInSeconds: MaximumEventAgeInSeconds

        DestinationConfig: DestinationConfig
    }
    output: FunctionEventInvokeConfig
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "POST", uri: "/2019-09-25/functions/{FunctionName}/event-invoke-config")
operation UpdateFunctionEventInvokeConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("Qualifier")
        Qualifier: Qualifier

        MaximumRetryAttempts: MaximumEventRetryAttempts

        MaximumEventAgeInSeconds: MaximumEventAgeInSeconds

        DestinationConfig: DestinationConfig
    }
    output: FunctionEventInvokeConfig
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/2019-09-25/functions/{FunctionName}/event-invoke-config")
operation GetFunctionEventInvokeConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("Qualifier")
        Qualifier: Qualifier
    }
    output: FunctionEventInvokeConfig
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/2019-09-25/functions/{FunctionName}/event-invoke-config/list")
operation ListFunctionEventInvokeConfigs {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("Marker")
        Marker: String

        @range(min: 1, max: 50)
        @httpQuery("MaxItems")
        MaxItems: Integer
    }
    output := {
        FunctionEventInvokeConfigs: FunctionEventInvokeConfigList

        NextMarker: String
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "DELETE", uri: "/2019-09-25/functions/{FunctionName}/event-invoke-config", code: 204)
operation DeleteFunctionEventInvokeConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @httpQuery("Qualifier")
        Qualifier: Qualifier
    }
    output := {}
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

enum RecursiveLoop {
    Terminate
    Allow
}

@http(method: "PUT", uri: "/2024-08-31/functions/{FunctionName}/recursion-config")
operation PutFunctionRecursionConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @required
        RecursiveLoop: RecursiveLoop
    }
    output := {
        RecursiveLoop: String
    }
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/2024-08-31/functions/{FunctionName}/recursion-config")
operation GetFunctionRecursionConfig {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName
    }
    output := {
        RecursiveLoop: String
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

// ---- Resource policies -----------------------------------------------------------------------------------------------

@length(min: 1, max: 100)
@pattern("([a-zA-Z0-9-_]+)")
string StatementId

@pattern("(lambda:[*]|lambda:[a-zA-Z]+|[*])")
string Action

@pattern("[^\\s]+")
string Principal

@pattern("arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\\-])+:([a-z]{2}(-gov)?-[a-z]+-\\d{1})?:(\\d{12})?:(.*)")
string SourceArn

@length(min: 0, max: 12)
@pattern("\\d{12}")
string SourceAccount

@length(min: 0, max: 256)
@pattern("[a-zA-Z0-9._\\-]+")
string EventSourceToken

@length(min: 12, max: 34)
@pattern("o-[a-z0-9]{10,32}")
string PrincipalOrgId

enum FunctionUrlAuthType {
    NONE
    AWS_IAM
}

@http(method: "POST", uri: "/2015-03-31/functions/{FunctionName}/policy", code: 201)
operation AddPermission {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @required
        StatementId: StatementId

        @required
        Action: Action

        @required
        Principal: Principal

        SourceArn: SourceArn

        SourceAccount: SourceAccount

        EventSourceToken: EventSourceToken

        @httpQuery("Qualifier")
        Qualifier: Qualifier

        RevisionId: String

        PrincipalOrgID: PrincipalOrgId

        FunctionUrlAuthType: FunctionUrlAuthType

        InvokedViaFunctionUrl: Boolean
    }
    output := {
        Statement: String
    }
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException, PolicyLengthExceededException, PreconditionFailedException]
}

@http(method: "DELETE", uri: "/2015-03-31/functions/{FunctionName}/policy/{StatementId}", code: 204)
operation RemovePermission {
    input := {
        @required
        @httpLabel
        FunctionName: FunctionName

        @required
        @httpLabel
        StatementId: StatementId

        @httpQuery("Qualifier")
        Qualifier: Qualifier

        @httpQuery("RevisionId")
        RevisionId: String
    }
    output := {}
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException, PreconditionFailedException]
}

@http(method: "GET", uri: "/2015-03-31/functions/{FunctionName}/policy")
operation GetPolicy {
    input := {
        @required
        @httpLabel
        FunctionName: NamespacedFunctionName

        @httpQuery("Qualifier")
        Qualifier: Qualifier
    }
    output := {
        Policy: String

        RevisionId: String
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

// ---- Layers ---------------------------------------------------------------------------------------------------------

/// A name or the ARN of a layer without a version.
@length(min: 1, max: 140)
@pattern("(arn:[a-zA-Z0-9-]+:lambda:[a-zA-Z0-9-]+:\\d{12}:layer:[a-zA-Z0-9-_]+)|[a-zA-Z0-9-_]+")
string LayerName

@length(min: 1, max: 140)
@pattern("(arn:(aws[a-zA-Z-]*)?:lambda:(eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\\d{1}:\\d{12}:layer:[a-zA-Z0-9-_]+:[0-9]+)|(arn:[a-zA-Z0-9-]+:lambda:::awslayer:[a-zA-Z0-9-_]+)")
string LayerVersionArn

list LayerArns {
    member: LayerVersionArn
}

structure FunctionLayer {
    Arn: String

    CodeSize: Long
}

list FunctionLayers {
    member: FunctionLayer
}

/// Not an enum: a layer may be for runtimes that this host cannot run.
@pattern("[a-z]+[a-z0-9.]*")
string CompatibleRuntime

@length(min: 0, max: 15)
list CompatibleRuntimes {
    member: CompatibleRuntime
}

@length(min: 0, max: 2)
list CompatibleArchitectures {
    member: Architecture
}

@length(min: 0, max: 512)
string LicenseInfo

@range(min: 1, max: 50)
integer MaxLayerListItems

structure LayerVersionContentInput {
    S3Bucket: String

    S3Key: String

    S3ObjectVersion: String

    ZipFile: Blob
}

structure LayerVersionContentOutput {
    Location: String

    CodeSha256: String

    CodeSize: Long
}

structure LayerVersionsListItem {
    LayerVersionArn: String

    Version: Long

    Description: String

    CreatedDate: String

    CompatibleRuntimes: StringList

    LicenseInfo: String

    CompatibleArchitectures: StringList
}

list LayerVersionsList {
    member: LayerVersionsListItem
}

structure LayersListItem {
    LayerName: String

    LayerArn: String

    LatestMatchingVersion: LayerVersionsListItem
}

list LayersList {
    member: LayersListItem
}

structure LayerVersionOutput {
    Content: LayerVersionContentOutput

    LayerArn: String

    LayerVersionArn: String

    Description: String

    CreatedDate: String

    Version: Long

    CompatibleRuntimes: StringList

    LicenseInfo: String

    CompatibleArchitectures: StringList
}

@http(method: "POST", uri: "/2018-10-31/layers/{LayerName}/versions", code: 201)
operation PublishLayerVersion {
    input := {
        @required
        @httpLabel
        LayerName: LayerName

        Description: Description

        @required
        Content: LayerVersionContentInput

        CompatibleRuntimes: CompatibleRuntimes

        LicenseInfo: LicenseInfo

        CompatibleArchitectures: CompatibleArchitectures
    }
    output: LayerVersionOutput
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException, CodeStorageExceededException]
}

@http(method: "GET", uri: "/2018-10-31/layers/{LayerName}/versions/{VersionNumber}")
operation GetLayerVersion {
    input := {
        @required
        @httpLabel
        LayerName: LayerName

        @required
        @httpLabel
        VersionNumber: Long
    }
    output: LayerVersionOutput
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/2018-10-31/layers?find=LayerVersion")
operation GetLayerVersionByArn {
    input := {
        @required
        @httpQuery("Arn")
        Arn: LayerVersionArn
    }
    output: LayerVersionOutput
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/2018-10-31/layers")
operation ListLayers {
    input := {
        @httpQuery("CompatibleRuntime")
        CompatibleRuntime: CompatibleRuntime

        @httpQuery("Marker")
        Marker: String

        @httpQuery("MaxItems")
        MaxItems: MaxLayerListItems

        @httpQuery("CompatibleArchitecture")
        CompatibleArchitecture: Architecture
    }
    output := {
        NextMarker: String

        Layers: LayersList
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException]
}

@http(method: "GET", uri: "/2018-10-31/layers/{LayerName}/versions")
operation ListLayerVersions {
    input := {
        @httpQuery("CompatibleRuntime")
        CompatibleRuntime: CompatibleRuntime

        @required
        @httpLabel
        LayerName: LayerName

        @httpQuery("Marker")
        Marker: String

        @httpQuery("MaxItems")
        MaxItems: MaxLayerListItems

        @httpQuery("CompatibleArchitecture")
        CompatibleArchitecture: Architecture
    }
    output := {
        NextMarker: String

        LayerVersions: LayerVersionsList
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "DELETE", uri: "/2018-10-31/layers/{LayerName}/versions/{VersionNumber}", code: 204)
operation DeleteLayerVersion {
    input := {
        @required
        @httpLabel
        LayerName: LayerName

        @required
        @httpLabel
        VersionNumber: Long
    }
    output := {}
    errors: [ServiceException, TooManyRequestsException]
}

@pattern("lambda:GetLayerVersion")
string LayerPermissionAction

@pattern("\\d{12}|\\*|arn:(aws[a-zA-Z-]*):iam::\\d{12}:root")
string LayerPermissionPrincipal

@http(method: "POST", uri: "/2018-10-31/layers/{LayerName}/versions/{VersionNumber}/policy", code: 201)
operation AddLayerVersionPermission {
    input := {
        @required
        @httpLabel
        LayerName: LayerName

        @required
        @httpLabel
        VersionNumber: Long

        @required
        StatementId: StatementId

        @required
        Action: LayerPermissionAction

        @required
        Principal: LayerPermissionPrincipal

        OrganizationId: PrincipalOrgId

        @httpQuery("RevisionId")
        RevisionId: String
    }
    output := {
        Statement: String

        RevisionId: String
    }
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException, PolicyLengthExceededException, PreconditionFailedException]
}

@http(method: "DELETE", uri: "/2018-10-31/layers/{LayerName}/versions/{VersionNumber}/policy/{StatementId}", code: 204)
operation RemoveLayerVersionPermission {
    input := {
        @required
        @httpLabel
        LayerName: LayerName

        @required
        @httpLabel
        VersionNumber: Long

        @required
        @httpLabel
        StatementId: StatementId

        @httpQuery("RevisionId")
        RevisionId: String
    }
    output := {}
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException, PreconditionFailedException]
}

@http(method: "GET", uri: "/2018-10-31/layers/{LayerName}/versions/{VersionNumber}/policy")
operation GetLayerVersionPolicy {
    input := {
        @required
        @httpLabel
        LayerName: LayerName

        @required
        @httpLabel
        VersionNumber: Long
    }
    output := {
        Policy: String

        RevisionId: String
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

// ---- Tags -----------------------------------------------------------------------------------------------------------

@length(min: 1, max: 256)
string TaggableResource

list TagKeyList {
    member: String
}

@http(method: "GET", uri: "/2017-03-31/tags/{Resource}")
operation ListTags {
    input := {
        @required
        @httpLabel
        Resource: TaggableResource
    }
    output := {
        Tags: Tags
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "POST", uri: "/2017-03-31/tags/{Resource}", code: 204)
operation TagResource {
    input := {
        @required
        @httpLabel
        Resource: TaggableResource

        @required
        Tags: Tags
    }
    output := {}
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "DELETE", uri: "/2017-03-31/tags/{Resource}", code: 204)
operation UntagResource {
    input := {
        @required
        @httpLabel
        Resource: TaggableResource

        @required
        @httpQuery("tagKeys")
        TagKeys: TagKeyList
    }
    output := {}
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

// ---- Event source mappings ------------------------------------------------------------------------------------------
// What only Kafka, MQ and DocumentDB have is refused by name here; which of the others a source has is the handlers'
// business (event_source_mapping_rules.h).

enum EventSourcePosition {
    LATEST
    AT_TIMESTAMP
    TRIM_HORIZON
}

@pattern("arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\\-])+:([a-z]{2}(-gov)?-[a-z]+-\\d{1})?:(\\d{12})?:(.*)")
string Arn

@range(min: 1, max: 10000)
integer BatchSize

@range(min: 0, max: 300)
integer MaximumBatchingWindowInSeconds

@range(min: 1, max: 10)
integer ParallelizationFactor

@range(min: -1, max: 604800)
integer MaximumRecordAgeInSeconds

@range(min: -1, max: 10000)
integer MaximumRetryAttempts

@range(min: 0, max: 900)
integer TumblingWindowInSeconds

enum FunctionResponseType {
    ReportBatchItemFailures
}

@length(min: 0, max: 1)
list FunctionResponseTypeList {
    member: FunctionResponseType
}

@length(min: 0, max: 350)
@pattern("^$|kafka://([^.]([a-zA-Z0-9\\-_.]{0,248}))|arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\\-])+:([a-z]{2}(-gov)?-[a-z]+-\\d{1})?:(\\d{12})?:(.*)")
string DestinationArn

structure OnSuccess {
    Destination: DestinationArn
}

structure OnFailure {
    Destination: DestinationArn
}

structure DestinationConfig {
    OnSuccess: OnSuccess

    OnFailure: OnFailure
}

structure Filter {
    @length(min: 0, max: 4096)
    Pattern: String
}

list FilterList {
    member: Filter
}

structure FilterCriteria {
    Filters: FilterList
}

@range(min: 2, max: 1000)
integer MaximumConcurrency

structure ScalingConfig {
    MaximumConcurrency: MaximumConcurrency
}

enum EventSourceMappingMetric {
    EventCount
    ErrorCount
    KafkaMetrics
}

@length(min: 0, max: 3)
list EventSourceMappingMetricList {
    member: EventSourceMappingMetric
}

structure MetricsConfig {
    Metrics: EventSourceMappingMetricList
}

@range(min: 1, max: 200)
integer MinimumPollers

@range(min: 1, max: 10000)
integer MaximumPollers

structure ProvisionedPollerConfig {
    MinimumPollers: MinimumPollers

    MaximumPollers: MaximumPollers

    @unsupported
    PollerGroupName: String
}

@http(method: "POST", uri: "/2015-03-31/event-source-mappings", code: 202)
operation CreateEventSourceMapping {
    input := {
        EventSourceArn: Arn

        @required
        FunctionName: NamespacedFunctionName

        Enabled: Boolean

        BatchSize: BatchSize

        FilterCriteria: FilterCriteria

        MaximumBatchingWindowInSeconds: MaximumBatchingWindowInSeconds

        ParallelizationFactor: ParallelizationFactor

        StartingPosition: EventSourcePosition

        StartingPositionTimestamp: Timestamp

        DestinationConfig: DestinationConfig

        MaximumRecordAgeInSeconds: MaximumRecordAgeInSeconds

        BisectBatchOnFunctionError: Boolean

        MaximumRetryAttempts: MaximumRetryAttempts

        Tags: Tags

        TumblingWindowInSeconds: TumblingWindowInSeconds

        @unsupported
        Topics: StringList

        @unsupported
        Queues: StringList

        @unsupported
        SourceAccessConfigurations: Document

        @unsupported
        SelfManagedEventSource: Document

        FunctionResponseTypes: FunctionResponseTypeList

        @unsupported
        AmazonManagedKafkaEventSourceConfig: Document

        @unsupported
        SelfManagedKafkaEventSourceConfig: Document

        ScalingConfig: ScalingConfig

        @unsupported
        DocumentDBEventSourceConfig: Document

        @unsupported
        KMSKeyArn: ResourceArn

        MetricsConfig: MetricsConfig

        @unsupported
        LoggingConfig: Document

        ProvisionedPollerConfig: ProvisionedPollerConfig
    }
    output: EventSourceMappingConfiguration
    errors: [InvalidParameterValueException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/2015-03-31/event-source-mappings/{UUID}")
operation GetEventSourceMapping {
    input := {
        @required
        @httpLabel
        UUID: String
    }
    output: EventSourceMappingConfiguration
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "GET", uri: "/2015-03-31/event-source-mappings")
operation ListEventSourceMappings {
    input := {
        @httpQuery("EventSourceArn")
        EventSourceArn: Arn

        @httpQuery("FunctionName")
        FunctionName: NamespacedFunctionName

        @httpQuery("Marker")
        Marker: String

        @httpQuery("MaxItems")
        MaxItems: MaxListItems
    }
    output := {
        NextMarker: String

        EventSourceMappings: EventSourceMappingsList
    }
    errors: [InvalidParameterValueException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

list EventSourceMappingsList {
    member: EventSourceMappingConfiguration
}

@http(method: "PUT", uri: "/2015-03-31/event-source-mappings/{UUID}", code: 202)
operation UpdateEventSourceMapping {
    input := {
        @required
        @httpLabel
        UUID: String

        FunctionName: NamespacedFunctionName

        Enabled: Boolean

        BatchSize: BatchSize

        FilterCriteria: FilterCriteria

        MaximumBatchingWindowInSeconds: MaximumBatchingWindowInSeconds

        DestinationConfig: DestinationConfig

        MaximumRecordAgeInSeconds: MaximumRecordAgeInSeconds

        BisectBatchOnFunctionError: Boolean

        MaximumRetryAttempts: MaximumRetryAttempts

        ParallelizationFactor: ParallelizationFactor

        @unsupported
        SourceAccessConfigurations: Document

        TumblingWindowInSeconds: TumblingWindowInSeconds

        FunctionResponseTypes: FunctionResponseTypeList

        ScalingConfig: ScalingConfig

        @unsupported
        AmazonManagedKafkaEventSourceConfig: Document

        @unsupported
        SelfManagedKafkaEventSourceConfig: Document

        @unsupported
        DocumentDBEventSourceConfig: Document

        @unsupported
        KMSKeyArn: ResourceArn

        MetricsConfig: MetricsConfig

        @unsupported
        LoggingConfig: Document

        ProvisionedPollerConfig: ProvisionedPollerConfig
    }
    output: EventSourceMappingConfiguration
    errors: [InvalidParameterValueException, ResourceInUseException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

@http(method: "DELETE", uri: "/2015-03-31/event-source-mappings/{UUID}", code: 202)
operation DeleteEventSourceMapping {
    input := {
        @required
        @httpLabel
        UUID: String
    }
    output: EventSourceMappingConfiguration
    errors: [InvalidParameterValueException, ResourceInUseException, ResourceConflictException, ServiceException, TooManyRequestsException, ResourceNotFoundException]
}

/// A mapping as its operations answer it.
structure EventSourceMappingConfiguration {
    UUID: String

    StartingPosition: String

    StartingPositionTimestamp: Timestamp

    BatchSize: Integer

    MaximumBatchingWindowInSeconds: Integer

    ParallelizationFactor: Integer

    EventSourceArn: String

    FilterCriteria: FilterCriteria

    FunctionArn: String

    LastModified: Timestamp

    LastProcessingResult: String

    State: String

    StateTransitionReason: String

    DestinationConfig: DestinationConfig

    MaximumRecordAgeInSeconds: Integer

    BisectBatchOnFunctionError: Boolean

    MaximumRetryAttempts: Integer

    TumblingWindowInSeconds: Integer

    FunctionResponseTypes: StringList

    ScalingConfig: ScalingConfig

    EventSourceMappingArn: String

    MetricsConfig: MetricsConfig

    ProvisionedPollerConfig: ProvisionedPollerConfig
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

@error("client")
@httpError(400)
structure InvalidParameterValueException {
    Type: String

    message: String
}

@error("client")
@httpError(400)
structure InvalidRequestContentException {
    Type: String

    message: String
}

/// A function that its own work has called too often in a row.
@error("client")
@httpError(400)
structure RecursiveInvocationException {
    Type: String

    Message: String
}

@error("client")
@httpError(409)
structure ResourceConflictException {
    Type: String

    message: String
}

@error("client")
@httpError(400)
structure ResourceInUseException {
    Type: String

    Message: String
}

@error("client")
@httpError(404)
structure ProvisionedConcurrencyConfigNotFoundException {
    Type: String

    message: String
}

@error("client")
@httpError(404)
structure ResourceNotFoundException {
    Type: String

    Message: String
}

@error("server")
@httpError(502)
structure ResourceNotReadyException {
    Type: String

    message: String
}

@error("client")
@httpError(400)
structure CodeStorageExceededException {
    Type: String

    message: String
}

@error("client")
@httpError(400)
structure PolicyLengthExceededException {
    Type: String

    message: String
}

@error("client")
@httpError(412)
structure PreconditionFailedException {
    Type: String

    message: String
}

@error("client")
@httpError(413)
structure RequestTooLargeException {
    Type: String

    message: String
}

@error("client")
@httpError(415)
structure UnsupportedMediaTypeException {
    Type: String

    message: String
}

@error("client")
@httpError(429)
structure TooManyRequestsException {
    @httpHeader("Retry-After")
    retryAfterSeconds: String

    Type: String

    message: String

    Reason: String
}

@error("server")
@httpError(500)
structure ServiceException {
    Type: String

    Message: String
}
