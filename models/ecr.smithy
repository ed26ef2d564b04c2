$version: "2.0"

// Amazon Elastic Container Registry over json 1.1: repositories as records, without images. docs/ecr.md says what works.
namespace tidemill.ecr

@awsJson1_1
@signingName("ecr")
@targetPrefix("AmazonEC2ContainerRegistry_V20150921")
@internalError("ServerException")
@unsupportedError("InvalidParameterException")
@validationError("InvalidParameterException")
@requestBytesMax(1048576)
service Ecr {
    version: "2015-09-21"
    operations: [
        CreateRepository
        DescribeRepositories
        DeleteRepository
        PutImageScanningConfiguration
        PutImageTagMutability
        PutLifecyclePolicy
        GetLifecyclePolicy
        DeleteLifecyclePolicy
        SetRepositoryPolicy
        GetRepositoryPolicy
        DeleteRepositoryPolicy
        DescribeImages
        ListImages
        BatchGetImage
        TagResource
        UntagResource
        ListTagsForResource
        BatchCheckLayerAvailability
        BatchDeleteImage
        CompleteLayerUpload
        DescribeImageScanFindings
        GetAuthorizationToken
        GetDownloadUrlForLayer
        InitiateLayerUpload
        PutImage
        StartImageScan
        UploadLayerPart
        CreatePullThroughCacheRule
        DeletePullThroughCacheRule
        DeleteRegistryPolicy
        DescribePullThroughCacheRules
        DescribeRegistry
        GetLifecyclePolicyPreview
        GetRegistryPolicy
        GetRegistryScanningConfiguration
        PutRegistryPolicy
        PutRegistryScanningConfiguration
        PutReplicationConfiguration
        StartLifecyclePolicyPreview
    ]
}

@length(min: 2, max: 256)
@pattern("(?:[a-z0-9]+(?:[._-][a-z0-9]+)*/)*[a-z0-9]+(?:[._-][a-z0-9]+)*")
string RepositoryName

@pattern("[0-9]{12}")
string RegistryId

@length(min: 0, max: 10240)
string RepositoryPolicyText

@length(min: 100, max: 30720)
string LifecyclePolicyText

@range(min: 1, max: 1000)
integer MaxResults

enum ImageTagMutability {
    MUTABLE
    IMMUTABLE
}

@length(min: 1, max: 100)
list RepositoryNames {
    member: RepositoryName
}

structure ImageScanningConfiguration {
    scanOnPush: Boolean
}

structure EncryptionConfigurationInput {
    @required
    @unsupported(unless: "AES256")
    encryptionType: String

    @unsupported
    kmsKey: String
}

structure EncryptionConfiguration {
    encryptionType: String
}

structure Tag {
    @required
    @length(min: 1, max: 128)
    Key: String

    @required
    @length(min: 0, max: 256)
    Value: String
}

list TagList {
    member: Tag
}

list TagKeyList {
    member: String
}

structure Repository {
    repositoryArn: String

    registryId: String

    repositoryName: String

    repositoryUri: String

    createdAt: Timestamp

    imageTagMutability: String

    imageScanningConfiguration: ImageScanningConfiguration

    encryptionConfiguration: EncryptionConfiguration
}

list Repositories {
    member: Repository
}

structure ImageIdentifier {
    imageDigest: String

    @length(min: 1, max: 300)
    imageTag: String
}

@length(min: 1, max: 100)
list ImageIdentifiers {
    member: ImageIdentifier
}

list ImageIdentifierList {
    member: ImageIdentifier
}

structure ImageDetail {
    registryId: String

    repositoryName: String
}

list ImageDetails {
    member: ImageDetail
}

structure Image {
    registryId: String

    repositoryName: String
}

list Images {
    member: Image
}

structure ImageFailure {
    imageId: ImageIdentifier

    failureCode: String

    failureReason: String
}

list ImageFailures {
    member: ImageFailure
}

enum TagStatus {
    TAGGED
    UNTAGGED
    ANY
}

structure ImagesFilter {
    tagStatus: TagStatus
}

list MediaTypes {
    member: String
}

operation CreateRepository {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName

        tags: TagList

        imageTagMutability: ImageTagMutability

        @unsupported
        imageTagMutabilityExclusionFilters: Document

        imageScanningConfiguration: ImageScanningConfiguration

        encryptionConfiguration: EncryptionConfigurationInput
    }
    output := {
        repository: Repository
    }
    errors: [InvalidParameterException, InvalidTagParameterException, TooManyTagsException, RepositoryAlreadyExistsException]
}

operation DescribeRepositories {
    input := {
        registryId: RegistryId

        repositoryNames: RepositoryNames

        nextToken: String

        maxResults: MaxResults
    }
    output := {
        repositories: Repositories

        nextToken: String
    }
    errors: [InvalidParameterException, RepositoryNotFoundException]
}

operation DeleteRepository {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName

        force: Boolean
    }
    output := {
        repository: Repository
    }
    errors: [RepositoryNotFoundException]
}

operation PutImageScanningConfiguration {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName

        @required
        imageScanningConfiguration: ImageScanningConfiguration
    }
    output := {
        registryId: String

        repositoryName: String

        imageScanningConfiguration: ImageScanningConfiguration
    }
    errors: [InvalidParameterException, RepositoryNotFoundException]
}

operation PutImageTagMutability {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName

        @required
        imageTagMutability: ImageTagMutability

        @unsupported
        imageTagMutabilityExclusionFilters: Document
    }
    output := {
        registryId: String

        repositoryName: String

        imageTagMutability: String
    }
    errors: [InvalidParameterException, RepositoryNotFoundException]
}

operation PutLifecyclePolicy {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName

        @required
        lifecyclePolicyText: LifecyclePolicyText
    }
    output := {
        registryId: String

        repositoryName: String

        lifecyclePolicyText: String
    }
    errors: [InvalidParameterException, RepositoryNotFoundException]
}

operation GetLifecyclePolicy {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName
    }
    output := {
        registryId: String

        repositoryName: String

        lifecyclePolicyText: String
    }
    errors: [InvalidParameterException, RepositoryNotFoundException, LifecyclePolicyNotFoundException]
}

operation DeleteLifecyclePolicy {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName
    }
    output := {
        registryId: String

        repositoryName: String

        lifecyclePolicyText: String
    }
    errors: [InvalidParameterException, RepositoryNotFoundException, LifecyclePolicyNotFoundException]
}

operation SetRepositoryPolicy {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName

        @required
        policyText: RepositoryPolicyText

        force: Boolean
    }
    output := {
        registryId: String

        repositoryName: String

        policyText: String
    }
    errors: [InvalidParameterException, RepositoryNotFoundException]
}

operation GetRepositoryPolicy {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName
    }
    output := {
        registryId: String

        repositoryName: String

        policyText: String
    }
    errors: [InvalidParameterException, RepositoryNotFoundException, RepositoryPolicyNotFoundException]
}

operation DeleteRepositoryPolicy {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName
    }
    output := {
        registryId: String

        repositoryName: String

        policyText: String
    }
    errors: [InvalidParameterException, RepositoryNotFoundException, RepositoryPolicyNotFoundException]
}

operation DescribeImages {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName

        imageIds: ImageIdentifiers

        nextToken: String

        maxResults: MaxResults

        filter: ImagesFilter
    }
    output := {
        imageDetails: ImageDetails
    }
    errors: [InvalidParameterException, RepositoryNotFoundException, ImageNotFoundException]
}

operation ListImages {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName

        nextToken: String

        maxResults: MaxResults

        filter: ImagesFilter
    }
    output := {
        imageIds: ImageIdentifierList
    }
    errors: [InvalidParameterException, RepositoryNotFoundException]
}

operation BatchGetImage {
    input := {
        registryId: RegistryId

        @required
        repositoryName: RepositoryName

        @required
        imageIds: ImageIdentifiers

        acceptedMediaTypes: MediaTypes
    }
    output := {
        images: Images

        failures: ImageFailures
    }
    errors: [InvalidParameterException, RepositoryNotFoundException]
}

operation TagResource {
    input := {
        @required
        resourceArn: String

        @required
        tags: TagList
    }
    output := {}
    errors: [InvalidParameterException, InvalidTagParameterException, TooManyTagsException, RepositoryNotFoundException]
}

operation UntagResource {
    input := {
        @required
        resourceArn: String

        @required
        tagKeys: TagKeyList
    }
    output := {}
    errors: [InvalidParameterException, RepositoryNotFoundException]
}

operation ListTagsForResource {
    input := {
        @required
        resourceArn: String
    }
    output := {
        tags: TagList
    }
    errors: [InvalidParameterException, RepositoryNotFoundException]
}

// ---- What is not there ---------------------------------------------------------------------------------------------

@unsupported(reason: "repositories are records and hold no images; functions are deployed as zip files")
operation BatchCheckLayerAvailability {}

@unsupported(reason: "repositories are records and hold no images; functions are deployed as zip files")
operation BatchDeleteImage {}

@unsupported(reason: "repositories are records and hold no images; functions are deployed as zip files")
operation CompleteLayerUpload {}

@unsupported(reason: "repositories are records and hold no images; functions are deployed as zip files")
operation DescribeImageScanFindings {}

@unsupported(reason: "repositories are records and hold no images; functions are deployed as zip files")
operation GetAuthorizationToken {}

@unsupported(reason: "repositories are records and hold no images; functions are deployed as zip files")
operation GetDownloadUrlForLayer {}

@unsupported(reason: "repositories are records and hold no images; functions are deployed as zip files")
operation InitiateLayerUpload {}

@unsupported(reason: "repositories are records and hold no images; functions are deployed as zip files")
operation PutImage {}

@unsupported(reason: "repositories are records and hold no images; functions are deployed as zip files")
operation StartImageScan {}

@unsupported(reason: "repositories are records and hold no images; functions are deployed as zip files")
operation UploadLayerPart {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation CreatePullThroughCacheRule {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation DeletePullThroughCacheRule {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation DeleteRegistryPolicy {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation DescribePullThroughCacheRules {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation DescribeRegistry {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation GetLifecyclePolicyPreview {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation GetRegistryPolicy {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation GetRegistryScanningConfiguration {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation PutRegistryPolicy {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation PutRegistryScanningConfiguration {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation PutReplicationConfiguration {}

@unsupported(reason: "the registry has repositories, as records, and nothing else")
operation StartLifecyclePolicyPreview {}

// ---- Errors --------------------------------------------------------------------------------------------------------

@error("client")
structure InvalidParameterException {
    message: String
}

@error("client")
structure InvalidTagParameterException {
    message: String
}

@error("client")
structure TooManyTagsException {
    message: String
}

@error("client")
structure RepositoryAlreadyExistsException {
    message: String
}

@error("client")
structure RepositoryNotFoundException {
    message: String
}

@error("client")
structure LifecyclePolicyNotFoundException {
    message: String
}

@error("client")
structure RepositoryPolicyNotFoundException {
    message: String
}

@error("client")
structure ImageNotFoundException {
    message: String
}
