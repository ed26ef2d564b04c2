$version: "2.0"

// Amazon S3, API version 2006-03-01. S3 has errors and words of its own for what a request gets wrong, so most is checked by
// the service and not here. Members and operations that Tidemill knows and refuses are marked @unsupported; docs/s3.md
// lists them.
namespace tidemill.s3

@restXml
@signingName("s3")
@xmlNamespace("http://s3.amazonaws.com/doc/2006-03-01/")
@throttlingError("SlowDown")
@internalError("InternalError")
@unsupportedError("NotImplemented")
@validationError("InvalidArgument")
service S3 {
    version: "2006-03-01"
    operations: [
        ListBuckets
        CreateBucket
        HeadBucket
        DeleteBucket
        GetBucketLocation
        PutObject
        GetObject
        HeadObject
        DeleteObject
        DeleteObjects
        PostObject
        CopyObject
        GetObjectAttributes
        ListObjects
        ListObjectsV2
        ListObjectVersions
        CreateMultipartUpload
        UploadPart
        UploadPartCopy
        CompleteMultipartUpload
        AbortMultipartUpload
        ListParts
        ListMultipartUploads
        PutObjectTagging
        GetObjectTagging
        DeleteObjectTagging
        PutBucketTagging
        GetBucketTagging
        DeleteBucketTagging
        PutBucketVersioning
        GetBucketVersioning
        PutBucketCors
        GetBucketCors
        DeleteBucketCors
        PutBucketLifecycleConfiguration
        GetBucketLifecycleConfiguration
        DeleteBucketLifecycle
        PutBucketNotificationConfiguration
        GetBucketNotificationConfiguration
        PutBucketPolicy
        GetBucketPolicy
        DeleteBucketPolicy
        GetBucketPolicyStatus
        PutPublicAccessBlock
        GetPublicAccessBlock
        DeletePublicAccessBlock
        PutBucketOwnershipControls
        GetBucketOwnershipControls
        DeleteBucketOwnershipControls
        PutBucketEncryption
        GetBucketEncryption
        DeleteBucketEncryption
        PutBucketAcl
        GetBucketAcl
        PutObjectAcl
        GetObjectAcl
        PutBucketMetricsConfiguration
        GetBucketMetricsConfiguration
        ListBucketMetricsConfigurations
        DeleteBucketMetricsConfiguration
        CreateBucketMetadataConfiguration
        CreateBucketMetadataTableConfiguration
        CreateSession
        DeleteBucketAnalyticsConfiguration
        DeleteBucketIntelligentTieringConfiguration
        DeleteBucketInventoryConfiguration
        DeleteBucketMetadataConfiguration
        DeleteBucketMetadataTableConfiguration
        DeleteBucketReplication
        DeleteBucketWebsite
        GetBucketAbac
        GetBucketAccelerateConfiguration
        GetBucketAnalyticsConfiguration
        GetBucketIntelligentTieringConfiguration
        GetBucketInventoryConfiguration
        GetBucketLogging
        GetBucketMetadataConfiguration
        GetBucketMetadataTableConfiguration
        GetBucketReplication
        GetBucketRequestPayment
        GetBucketWebsite
        ListBucketAnalyticsConfigurations
        ListBucketIntelligentTieringConfigurations
        ListBucketInventoryConfigurations
        GetObjectLegalHold
        GetObjectLockConfiguration
        GetObjectRetention
        GetObjectTorrent
        PutBucketAbac
        PutBucketAccelerateConfiguration
        PutBucketAnalyticsConfiguration
        PutBucketIntelligentTieringConfiguration
        PutBucketInventoryConfiguration
        PutBucketLogging
        PutBucketReplication
        PutBucketRequestPayment
        PutBucketWebsite
        PutObjectLegalHold
        PutObjectLockConfiguration
        PutObjectRetention
        RenameObject
        RestoreObject
        SelectObjectContent
        UpdateBucketMetadataInventoryTableConfiguration
        UpdateBucketMetadataJournalTableConfiguration
        UpdateObjectEncryption
        WriteGetObjectResponse
    ]
}

/// The bytes of an object or a part.
@streaming
@requiresLength
blob StreamingBlob

// ---- Buckets ----------------------------------------------------------------------------------------------------------

structure Bucket {
    Name: String

    CreationDate: Timestamp

    BucketRegion: String

    BucketArn: String
}

list Buckets {
    @xmlName("Bucket")
    member: Bucket
}

structure Owner {
    DisplayName: String

    ID: String
}

structure Tag {
    @required
    Key: String

    @required
    Value: String
}

list TagSet {
    @xmlName("Tag")
    member: Tag
}

structure CreateBucketConfiguration {
    LocationConstraint: String

    @unsupported
    Location: Document

    @unsupported
    Bucket: Document

    Tags: TagSet
}

@http(method: "GET", uri: "/")
operation ListBuckets {
    input := {
        @httpQuery("max-buckets")
        MaxBuckets: Integer

        @httpQuery("continuation-token")
        ContinuationToken: String

        @httpQuery("prefix")
        Prefix: String

        @httpQuery("bucket-region")
        BucketRegion: String
    }

    output := @xmlName("ListAllMyBucketsResult") {
        Buckets: Buckets

        Owner: Owner

        ContinuationToken: String

        Prefix: String
    }
}

@http(method: "PUT", uri: "/{Bucket}")
operation CreateBucket {
    input := {
        @httpHeader("x-amz-acl")
        ACL: String

        @required @httpLabel
        Bucket: String

        @httpPayload
        CreateBucketConfiguration: CreateBucketConfiguration

        @httpHeader("x-amz-grant-full-control")
        GrantFullControl: String

        @httpHeader("x-amz-grant-read")
        GrantRead: String

        @httpHeader("x-amz-grant-read-acp")
        GrantReadACP: String

        @httpHeader("x-amz-grant-write")
        GrantWrite: String

        @httpHeader("x-amz-grant-write-acp")
        GrantWriteACP: String

        @httpHeader("x-amz-bucket-object-lock-enabled")
        ObjectLockEnabledForBucket: String

        @httpHeader("x-amz-object-ownership")
        ObjectOwnership: String

        @unsupported @httpHeader("x-amz-bucket-namespace")
        BucketNamespace: String
    }

    output := {
        @httpHeader("Location")
        Location: String

        @httpHeader("x-amz-bucket-arn")
        BucketArn: String
    }
}

@http(method: "HEAD", uri: "/{Bucket}")
operation HeadBucket {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpHeader("x-amz-bucket-region")
        BucketRegion: String

        @httpHeader("x-amz-access-point-alias")
        AccessPointAlias: Boolean

        @httpHeader("x-amz-bucket-arn")
        BucketArn: String

        @httpHeader("Content-Type")
        ContentType: String
    }
}

@http(method: "DELETE", uri: "/{Bucket}", code: 204)
operation DeleteBucket {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@s3UnwrappedXmlOutput
@http(method: "GET", uri: "/{Bucket}?location")
operation GetBucketLocation {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("LocationConstraint") {
        LocationConstraint: String
    }
}

// ---- Objects ----------------------------------------------------------------------------------------------------------

map Metadata {
    key: String
    value: String
}

structure ObjectIdentifier {
    @required
    Key: String

    VersionId: String

    ETag: String

    @unsupported
    LastModifiedTime: Document

    @unsupported
    Size: Document
}

list ObjectIdentifierList {
    member: ObjectIdentifier
}

structure Delete {
    @required @xmlFlattened @xmlName("Object")
    Objects: ObjectIdentifierList

    Quiet: Boolean
}

structure DeletedObject {
    Key: String

    VersionId: String

    DeleteMarker: Boolean

    DeleteMarkerVersionId: String
}

list DeletedObjects {
    member: DeletedObject
}

structure Error {
    Key: String

    VersionId: String

    Code: String

    Message: String
}

list Errors {
    member: Error
}

structure CopyObjectResult {
    ETag: String

    LastModified: Timestamp

    ChecksumType: String

    ChecksumCRC32: String

    ChecksumCRC32C: String

    ChecksumCRC64NVME: String

    ChecksumSHA1: String

    ChecksumSHA256: String
}

enum ObjectAttributes {
    ETag
    Checksum
    ObjectParts
    StorageClass
    ObjectSize
}

list ObjectAttributesList {
    member: ObjectAttributes
}

structure Checksum {
    ChecksumCRC32: String

    ChecksumCRC32C: String

    ChecksumCRC64NVME: String

    ChecksumSHA1: String

    ChecksumSHA256: String

    ChecksumType: String
}

structure ObjectPart {
    PartNumber: Integer

    Size: Long

    ChecksumCRC32: String

    ChecksumCRC32C: String

    ChecksumCRC64NVME: String

    ChecksumSHA1: String

    ChecksumSHA256: String
}

list PartsList {
    member: ObjectPart
}

structure GetObjectAttributesParts {
    @xmlName("PartsCount")
    TotalPartsCount: Integer

    PartNumberMarker: Integer

    NextPartNumberMarker: Integer

    MaxParts: Integer

    IsTruncated: Boolean

    @xmlFlattened @xmlName("Part")
    Parts: PartsList
}

@http(method: "PUT", uri: "/{Bucket}/{Key+}")
operation PutObject {
    input := {
        @httpHeader("x-amz-acl")
        ACL: String

        @httpPayload
        Body: StreamingBlob

        @required @httpLabel
        Bucket: String

        @httpHeader("Cache-Control")
        CacheControl: String

        @httpHeader("Content-Disposition")
        ContentDisposition: String

        @httpHeader("Content-Encoding")
        ContentEncoding: String

        @httpHeader("Content-Language")
        ContentLanguage: String

        @httpHeader("Content-MD5")
        ContentMD5: String

        @httpHeader("Content-Type")
        ContentType: String

        @httpHeader("x-amz-sdk-checksum-algorithm")
        ChecksumAlgorithm: String

        @httpHeader("x-amz-checksum-crc32")
        ChecksumCRC32: String

        @httpHeader("x-amz-checksum-crc32c")
        ChecksumCRC32C: String

        @httpHeader("x-amz-checksum-crc64nvme")
        ChecksumCRC64NVME: String

        @httpHeader("x-amz-checksum-sha1")
        ChecksumSHA1: String

        @httpHeader("x-amz-checksum-sha256")
        ChecksumSHA256: String

        @unsupported @httpHeader("x-amz-checksum-sha512")
        ChecksumSHA512: String

        @unsupported @httpHeader("x-amz-checksum-md5")
        ChecksumMD5: String

        @unsupported @httpHeader("x-amz-checksum-xxhash64")
        ChecksumXXHASH64: String

        @unsupported @httpHeader("x-amz-checksum-xxhash3")
        ChecksumXXHASH3: String

        @unsupported @httpHeader("x-amz-checksum-xxhash128")
        ChecksumXXHASH128: String

        @httpHeader("Expires")
        Expires: String

        @httpHeader("If-Match")
        IfMatch: String

        @httpHeader("If-None-Match")
        IfNoneMatch: String

        @httpHeader("x-amz-grant-full-control")
        GrantFullControl: String

        @httpHeader("x-amz-grant-read")
        GrantRead: String

        @httpHeader("x-amz-grant-read-acp")
        GrantReadACP: String

        @httpHeader("x-amz-grant-write-acp")
        GrantWriteACP: String

        @required @httpLabel
        Key: String

        @unsupported @httpHeader("x-amz-write-offset-bytes")
        WriteOffsetBytes: String

        @httpPrefixHeaders("x-amz-meta-")
        Metadata: Metadata

        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String

        @unsupported(unless: "STANDARD") @httpHeader("x-amz-storage-class")
        StorageClass: String

        @httpHeader("x-amz-website-redirect-location")
        WebsiteRedirectLocation: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        SSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key")
        SSECustomerKey: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        SSECustomerKeyMD5: String

        @httpHeader("x-amz-server-side-encryption-aws-kms-key-id")
        SSEKMSKeyId: String

        @unsupported @httpHeader("x-amz-server-side-encryption-context")
        SSEKMSEncryptionContext: String

        @unsupported(unless: "false") @httpHeader("x-amz-server-side-encryption-bucket-key-enabled")
        BucketKeyEnabled: String

        @httpHeader("x-amz-tagging")
        Tagging: String

        @httpHeader("x-amz-object-lock-mode")
        ObjectLockMode: String

        @httpHeader("x-amz-object-lock-retain-until-date")
        ObjectLockRetainUntilDate: String

        @httpHeader("x-amz-object-lock-legal-hold")
        ObjectLockLegalHoldStatus: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @httpHeader("x-amz-content-sha256")
        ContentSha256: String

        @httpHeader("x-amz-trailer")
        Trailer: String
    }

    output := {
        @httpHeader("x-amz-expiration")
        Expiration: String

        @httpHeader("ETag")
        ETag: String

        @httpHeader("x-amz-checksum-crc32")
        ChecksumCRC32: String

        @httpHeader("x-amz-checksum-crc32c")
        ChecksumCRC32C: String

        @httpHeader("x-amz-checksum-crc64nvme")
        ChecksumCRC64NVME: String

        @httpHeader("x-amz-checksum-sha1")
        ChecksumSHA1: String

        @httpHeader("x-amz-checksum-sha256")
        ChecksumSHA256: String

        @httpHeader("x-amz-checksum-type")
        ChecksumType: String

        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String

        @httpHeader("x-amz-version-id")
        VersionId: String

        @httpHeader("x-amz-object-size")
        Size: Long
    }
}

/// What a browser's form means: its fields stand for headers, its file for the body.
@http(method: "POST", uri: "/{Bucket}")
operation PostObject {
    input := {
        @httpHeader("acl")
        ACL: String

        @httpPayload
        Body: StreamingBlob

        @required @httpLabel
        Bucket: String

        @httpHeader("Cache-Control")
        CacheControl: String

        @httpHeader("Content-Disposition")
        ContentDisposition: String

        @httpHeader("Content-Encoding")
        ContentEncoding: String

        @httpHeader("Content-Language")
        ContentLanguage: String

        @httpHeader("Content-MD5")
        ContentMD5: String

        @httpHeader("Content-Type")
        ContentType: String

        @httpHeader("x-amz-checksum-crc32")
        ChecksumCRC32: String

        @httpHeader("x-amz-checksum-crc32c")
        ChecksumCRC32C: String

        @httpHeader("x-amz-checksum-crc64nvme")
        ChecksumCRC64NVME: String

        @httpHeader("x-amz-checksum-sha1")
        ChecksumSHA1: String

        @httpHeader("x-amz-checksum-sha256")
        ChecksumSHA256: String

        @unsupported @httpHeader("x-amz-checksum-sha512")
        ChecksumSHA512: String

        @unsupported @httpHeader("x-amz-checksum-md5")
        ChecksumMD5: String

        @unsupported @httpHeader("x-amz-checksum-xxhash64")
        ChecksumXXHASH64: String

        @unsupported @httpHeader("x-amz-checksum-xxhash3")
        ChecksumXXHASH3: String

        @unsupported @httpHeader("x-amz-checksum-xxhash128")
        ChecksumXXHASH128: String

        @httpHeader("Expires")
        Expires: String

        @httpHeader("x-amz-grant-full-control")
        GrantFullControl: String

        @httpHeader("x-amz-grant-read")
        GrantRead: String

        @httpHeader("x-amz-grant-read-acp")
        GrantReadACP: String

        @httpHeader("x-amz-grant-write-acp")
        GrantWriteACP: String

        @httpHeader("key")
        Key: String

        @httpPrefixHeaders("x-amz-meta-")
        Metadata: Metadata

        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String

        @unsupported(unless: "STANDARD") @httpHeader("x-amz-storage-class")
        StorageClass: String

        @httpHeader("x-amz-website-redirect-location")
        WebsiteRedirectLocation: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        SSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key")
        SSECustomerKey: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        SSECustomerKeyMD5: String

        @httpHeader("x-amz-server-side-encryption-aws-kms-key-id")
        SSEKMSKeyId: String

        @unsupported @httpHeader("x-amz-server-side-encryption-context")
        SSEKMSEncryptionContext: String

        @unsupported(unless: "false") @httpHeader("x-amz-server-side-encryption-bucket-key-enabled")
        BucketKeyEnabled: String

        @httpHeader("tagging")
        Tagging: String

        @httpHeader("x-amz-object-lock-mode")
        ObjectLockMode: String

        @httpHeader("x-amz-object-lock-retain-until-date")
        ObjectLockRetainUntilDate: String

        @httpHeader("x-amz-object-lock-legal-hold")
        ObjectLockLegalHoldStatus: String

        @httpHeader("redirect")
        Redirect: String

        @httpHeader("success_action_redirect")
        SuccessActionRedirect: String

        @httpHeader("success_action_status")
        SuccessActionStatus: String
    }

    output := {
        @httpResponseCode
        StatusCode: Integer

        @httpHeader("Location")
        Location: String

        /// A PostResponse, which has no namespace, where the form asks for one.
        @httpPayload @mediaType("application/xml")
        Response: String

        @httpHeader("x-amz-expiration")
        Expiration: String

        @httpHeader("ETag")
        ETag: String

        @httpHeader("x-amz-checksum-crc32")
        ChecksumCRC32: String

        @httpHeader("x-amz-checksum-crc32c")
        ChecksumCRC32C: String

        @httpHeader("x-amz-checksum-crc64nvme")
        ChecksumCRC64NVME: String

        @httpHeader("x-amz-checksum-sha1")
        ChecksumSHA1: String

        @httpHeader("x-amz-checksum-sha256")
        ChecksumSHA256: String

        @httpHeader("x-amz-checksum-type")
        ChecksumType: String

        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String

        @httpHeader("x-amz-version-id")
        VersionId: String
    }
}

@http(method: "GET", uri: "/{Bucket}/{Key+}")
operation GetObject {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("If-Match")
        IfMatch: String

        @httpHeader("If-Modified-Since")
        IfModifiedSince: String

        @httpHeader("If-None-Match")
        IfNoneMatch: String

        @httpHeader("If-Unmodified-Since")
        IfUnmodifiedSince: String

        @required @httpLabel
        Key: String

        @httpHeader("Range")
        Range: String

        @httpQuery("response-cache-control")
        ResponseCacheControl: String

        @httpQuery("response-content-disposition")
        ResponseContentDisposition: String

        @httpQuery("response-content-encoding")
        ResponseContentEncoding: String

        @httpQuery("response-content-language")
        ResponseContentLanguage: String

        @httpQuery("response-content-type")
        ResponseContentType: String

        @httpQuery("response-expires")
        ResponseExpires: String

        @httpQuery("versionId")
        VersionId: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        SSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key")
        SSECustomerKey: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        SSECustomerKeyMD5: String

        @httpQuery("partNumber")
        PartNumber: Integer

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @httpHeader("x-amz-checksum-mode")
        ChecksumMode: String
    }

    output := {
        @httpHeader("x-amz-website-redirect-location")
        WebsiteRedirectLocation: String

        @httpHeader("x-amz-object-lock-mode")
        ObjectLockMode: String

        @httpHeader("x-amz-object-lock-retain-until-date") @timestampFormat("date-time")
        ObjectLockRetainUntilDate: Timestamp

        @httpHeader("x-amz-object-lock-legal-hold")
        ObjectLockLegalHoldStatus: String

        @httpPayload
        Body: StreamingBlob

        @httpHeader("x-amz-delete-marker")
        DeleteMarker: Boolean

        @httpHeader("accept-ranges")
        AcceptRanges: String

        @httpHeader("x-amz-expiration")
        Expiration: String

        @httpHeader("Last-Modified") @timestampFormat("http-date")
        LastModified: Timestamp

        @httpHeader("Content-Length")
        ContentLength: Long

        @httpHeader("ETag")
        ETag: String

        @httpHeader("x-amz-checksum-crc32")
        ChecksumCRC32: String

        @httpHeader("x-amz-checksum-crc32c")
        ChecksumCRC32C: String

        @httpHeader("x-amz-checksum-crc64nvme")
        ChecksumCRC64NVME: String

        @httpHeader("x-amz-checksum-sha1")
        ChecksumSHA1: String

        @httpHeader("x-amz-checksum-sha256")
        ChecksumSHA256: String

        @httpHeader("x-amz-checksum-type")
        ChecksumType: String

        @httpHeader("x-amz-version-id")
        VersionId: String

        @httpHeader("Cache-Control")
        CacheControl: String

        @httpHeader("Content-Disposition")
        ContentDisposition: String

        @httpHeader("Content-Encoding")
        ContentEncoding: String

        @httpHeader("Content-Language")
        ContentLanguage: String

        @httpHeader("Content-Range")
        ContentRange: String

        @httpHeader("Content-Type")
        ContentType: String

        @httpHeader("Expires")
        Expires: String

        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String

        @httpPrefixHeaders("x-amz-meta-")
        Metadata: Metadata

        @httpHeader("x-amz-storage-class")
        StorageClass: String

        @httpHeader("x-amz-mp-parts-count")
        PartsCount: Integer

        @httpHeader("x-amz-tagging-count")
        TagCount: Integer

        @httpResponseCode
        StatusCode: Integer
    }
}

@http(method: "HEAD", uri: "/{Bucket}/{Key+}")
operation HeadObject {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("If-Match")
        IfMatch: String

        @httpHeader("If-Modified-Since")
        IfModifiedSince: String

        @httpHeader("If-None-Match")
        IfNoneMatch: String

        @httpHeader("If-Unmodified-Since")
        IfUnmodifiedSince: String

        @required @httpLabel
        Key: String

        @httpHeader("Range")
        Range: String

        @httpQuery("response-cache-control")
        ResponseCacheControl: String

        @httpQuery("response-content-disposition")
        ResponseContentDisposition: String

        @httpQuery("response-content-encoding")
        ResponseContentEncoding: String

        @httpQuery("response-content-language")
        ResponseContentLanguage: String

        @httpQuery("response-content-type")
        ResponseContentType: String

        @httpQuery("response-expires")
        ResponseExpires: String

        @httpQuery("versionId")
        VersionId: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        SSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key")
        SSECustomerKey: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        SSECustomerKeyMD5: String

        @httpQuery("partNumber")
        PartNumber: Integer

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @httpHeader("x-amz-checksum-mode")
        ChecksumMode: String
    }

    output := {
        @httpHeader("x-amz-website-redirect-location")
        WebsiteRedirectLocation: String

        @httpHeader("x-amz-object-lock-mode")
        ObjectLockMode: String

        @httpHeader("x-amz-object-lock-retain-until-date") @timestampFormat("date-time")
        ObjectLockRetainUntilDate: Timestamp

        @httpHeader("x-amz-object-lock-legal-hold")
        ObjectLockLegalHoldStatus: String

        @httpHeader("x-amz-delete-marker")
        DeleteMarker: Boolean

        @httpHeader("accept-ranges")
        AcceptRanges: String

        @httpHeader("x-amz-expiration")
        Expiration: String

        @httpHeader("Last-Modified") @timestampFormat("http-date")
        LastModified: Timestamp

        @httpHeader("Content-Length")
        ContentLength: Long

        @httpHeader("x-amz-checksum-crc32")
        ChecksumCRC32: String

        @httpHeader("x-amz-checksum-crc32c")
        ChecksumCRC32C: String

        @httpHeader("x-amz-checksum-crc64nvme")
        ChecksumCRC64NVME: String

        @httpHeader("x-amz-checksum-sha1")
        ChecksumSHA1: String

        @httpHeader("x-amz-checksum-sha256")
        ChecksumSHA256: String

        @httpHeader("x-amz-checksum-type")
        ChecksumType: String

        @httpHeader("ETag")
        ETag: String

        @httpHeader("x-amz-version-id")
        VersionId: String

        @httpHeader("Cache-Control")
        CacheControl: String

        @httpHeader("Content-Disposition")
        ContentDisposition: String

        @httpHeader("Content-Encoding")
        ContentEncoding: String

        @httpHeader("Content-Language")
        ContentLanguage: String

        @httpHeader("Content-Type")
        ContentType: String

        @httpHeader("Content-Range")
        ContentRange: String

        @httpHeader("Expires")
        Expires: String

        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String

        @httpPrefixHeaders("x-amz-meta-")
        Metadata: Metadata

        @httpHeader("x-amz-storage-class")
        StorageClass: String

        @httpHeader("x-amz-mp-parts-count")
        PartsCount: Integer

        @httpHeader("x-amz-tagging-count")
        TagCount: Integer

        @httpResponseCode
        StatusCode: Integer
    }
}

@http(method: "DELETE", uri: "/{Bucket}/{Key+}", code: 204)
operation DeleteObject {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @unsupported @httpHeader("x-amz-mfa")
        MFA: String

        @httpQuery("versionId")
        VersionId: String

        @httpHeader("x-amz-bypass-governance-retention")
        BypassGovernanceRetention: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @httpHeader("If-Match")
        IfMatch: String

        @unsupported @httpHeader("x-amz-if-match-last-modified-time")
        IfMatchLastModifiedTime: String

        @unsupported @httpHeader("x-amz-if-match-size")
        IfMatchSize: String
    }

    output := {
        @httpHeader("x-amz-delete-marker")
        DeleteMarker: Boolean

        @httpHeader("x-amz-version-id")
        VersionId: String
    }
}

@http(method: "POST", uri: "/{Bucket}?delete")
operation DeleteObjects {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpPayload
        Delete: Delete

        @unsupported @httpHeader("x-amz-mfa")
        MFA: String

        @httpHeader("x-amz-bypass-governance-retention")
        BypassGovernanceRetention: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("DeleteResult") {
        @xmlFlattened
        Deleted: DeletedObjects

        @xmlFlattened @xmlName("Error")
        Errors: Errors
    }
}

@http(method: "PUT", uri: "/{Bucket}/{Key+}")
operation CopyObject {
    input := {
        @httpHeader("x-amz-acl")
        ACL: String

        @required @httpLabel
        Bucket: String

        @httpHeader("Cache-Control")
        CacheControl: String

        @httpHeader("x-amz-checksum-algorithm")
        ChecksumAlgorithm: String

        @httpHeader("Content-Disposition")
        ContentDisposition: String

        @httpHeader("Content-Encoding")
        ContentEncoding: String

        @httpHeader("Content-Language")
        ContentLanguage: String

        @httpHeader("Content-Type")
        ContentType: String

        @required @httpHeader("x-amz-copy-source")
        CopySource: String

        @httpHeader("x-amz-copy-source-if-match")
        CopySourceIfMatch: String

        @httpHeader("x-amz-copy-source-if-modified-since")
        CopySourceIfModifiedSince: String

        @httpHeader("x-amz-copy-source-if-none-match")
        CopySourceIfNoneMatch: String

        @httpHeader("x-amz-copy-source-if-unmodified-since")
        CopySourceIfUnmodifiedSince: String

        @httpHeader("Expires")
        Expires: String

        @httpHeader("x-amz-grant-full-control")
        GrantFullControl: String

        @httpHeader("x-amz-grant-read")
        GrantRead: String

        @httpHeader("x-amz-grant-read-acp")
        GrantReadACP: String

        @httpHeader("x-amz-grant-write-acp")
        GrantWriteACP: String

        @httpHeader("If-Match")
        IfMatch: String

        @httpHeader("If-None-Match")
        IfNoneMatch: String

        @required @httpLabel
        Key: String

        @httpPrefixHeaders("x-amz-meta-")
        Metadata: Metadata

        @httpHeader("x-amz-metadata-directive")
        MetadataDirective: String

        @httpHeader("x-amz-tagging-directive")
        TaggingDirective: String

        @unsupported(unless: "AES256") @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String

        @httpHeader("x-amz-storage-class")
        StorageClass: String

        @httpHeader("x-amz-website-redirect-location")
        WebsiteRedirectLocation: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        SSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key")
        SSECustomerKey: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        SSECustomerKeyMD5: String

        @unsupported @httpHeader("x-amz-server-side-encryption-aws-kms-key-id")
        SSEKMSKeyId: String

        @unsupported @httpHeader("x-amz-server-side-encryption-context")
        SSEKMSEncryptionContext: String

        @unsupported(unless: "false") @httpHeader("x-amz-server-side-encryption-bucket-key-enabled")
        BucketKeyEnabled: String

        @unsupported @httpHeader("x-amz-copy-source-server-side-encryption-customer-algorithm")
        CopySourceSSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-copy-source-server-side-encryption-customer-key")
        CopySourceSSECustomerKey: String

        @unsupported @httpHeader("x-amz-copy-source-server-side-encryption-customer-key-MD5")
        CopySourceSSECustomerKeyMD5: String

        @httpHeader("x-amz-tagging")
        Tagging: String

        @httpHeader("x-amz-object-lock-mode")
        ObjectLockMode: String

        @httpHeader("x-amz-object-lock-retain-until-date")
        ObjectLockRetainUntilDate: String

        @httpHeader("x-amz-object-lock-legal-hold")
        ObjectLockLegalHoldStatus: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @httpHeader("x-amz-source-expected-bucket-owner")
        ExpectedSourceBucketOwner: String
    }

    output := {
        @httpPayload
        CopyObjectResult: CopyObjectResult

        @httpHeader("x-amz-expiration")
        Expiration: String

        @httpHeader("x-amz-copy-source-version-id")
        CopySourceVersionId: String

        @httpHeader("x-amz-version-id")
        VersionId: String

        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String
    }
}

@http(method: "GET", uri: "/{Bucket}/{Key+}?attributes")
operation GetObjectAttributes {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpQuery("versionId")
        VersionId: String

        @httpHeader("x-amz-max-parts")
        MaxParts: Integer

        @httpHeader("x-amz-part-number-marker")
        PartNumberMarker: Integer

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        SSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key")
        SSECustomerKey: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        SSECustomerKeyMD5: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @required @httpHeader("x-amz-object-attributes")
        ObjectAttributes: ObjectAttributesList
    }

    output := @xmlName("GetObjectAttributesResponse") {
        @httpHeader("x-amz-delete-marker")
        DeleteMarker: Boolean

        @httpHeader("Last-Modified") @timestampFormat("http-date")
        LastModified: Timestamp

        @httpHeader("x-amz-version-id")
        VersionId: String

        ETag: String

        Checksum: Checksum

        ObjectParts: GetObjectAttributesParts

        StorageClass: String

        ObjectSize: Long
    }
}

// ---- Listings ---------------------------------------------------------------------------------------------------------

list ChecksumAlgorithmList {
    member: String
}

structure Object {
    Key: String

    LastModified: Timestamp

    ETag: String

    @xmlFlattened
    ChecksumAlgorithm: ChecksumAlgorithmList

    ChecksumType: String

    Size: Long

    StorageClass: String

    Owner: Owner
}

list ObjectList {
    member: Object
}

structure CommonPrefix {
    Prefix: String
}

list CommonPrefixList {
    member: CommonPrefix
}

structure ObjectVersion {
    ETag: String

    @xmlFlattened
    ChecksumAlgorithm: ChecksumAlgorithmList

    ChecksumType: String

    Size: Long

    StorageClass: String

    Key: String

    VersionId: String

    IsLatest: Boolean

    LastModified: Timestamp

    Owner: Owner
}

list ObjectVersionList {
    member: ObjectVersion
}

structure DeleteMarkerEntry {
    Owner: Owner

    Key: String

    VersionId: String

    IsLatest: Boolean

    LastModified: Timestamp
}

list DeleteMarkers {
    member: DeleteMarkerEntry
}

@http(method: "GET", uri: "/{Bucket}")
operation ListObjects {
    input := {
        @required @httpLabel
        Bucket: String

        @httpQuery("delimiter")
        Delimiter: String

        @httpQuery("encoding-type")
        EncodingType: String

        @httpQuery("marker")
        Marker: String

        @httpQuery("max-keys")
        MaxKeys: Integer

        @httpQuery("prefix")
        Prefix: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("ListBucketResult") {
        IsTruncated: Boolean

        Marker: String

        NextMarker: String

        @xmlFlattened
        Contents: ObjectList

        Name: String

        Prefix: String

        Delimiter: String

        MaxKeys: Integer

        @xmlFlattened
        CommonPrefixes: CommonPrefixList

        EncodingType: String
    }
}

@http(method: "GET", uri: "/{Bucket}?list-type=2")
operation ListObjectsV2 {
    input := {
        @required @httpLabel
        Bucket: String

        @httpQuery("delimiter")
        Delimiter: String

        @httpQuery("encoding-type")
        EncodingType: String

        @httpQuery("max-keys")
        MaxKeys: Integer

        @httpQuery("prefix")
        Prefix: String

        @httpQuery("continuation-token")
        ContinuationToken: String

        @httpQuery("fetch-owner")
        FetchOwner: Boolean

        @httpQuery("start-after")
        StartAfter: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("ListBucketResult") {
        @httpHeader("x-amz-bucket-region")
        BucketRegion: String

        IsTruncated: Boolean

        @xmlFlattened
        Contents: ObjectList

        Name: String

        Prefix: String

        Delimiter: String

        MaxKeys: Integer

        @xmlFlattened
        CommonPrefixes: CommonPrefixList

        EncodingType: String

        KeyCount: Integer

        ContinuationToken: String

        NextContinuationToken: String

        StartAfter: String
    }
}

@http(method: "GET", uri: "/{Bucket}?versions")
operation ListObjectVersions {
    input := {
        @required @httpLabel
        Bucket: String

        @httpQuery("delimiter")
        Delimiter: String

        @httpQuery("encoding-type")
        EncodingType: String

        @httpQuery("key-marker")
        KeyMarker: String

        @httpQuery("max-keys")
        MaxKeys: Integer

        @httpQuery("prefix")
        Prefix: String

        @httpQuery("version-id-marker")
        VersionIdMarker: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("ListVersionsResult") {
        IsTruncated: Boolean

        KeyMarker: String

        VersionIdMarker: String

        NextKeyMarker: String

        NextVersionIdMarker: String

        @xmlFlattened @xmlName("Version")
        Versions: ObjectVersionList

        @xmlFlattened @xmlName("DeleteMarker")
        DeleteMarkers: DeleteMarkers

        Name: String

        Prefix: String

        Delimiter: String

        MaxKeys: Integer

        @xmlFlattened
        CommonPrefixes: CommonPrefixList

        EncodingType: String
    }
}

// ---- Uploads in parts -------------------------------------------------------------------------------------------------

structure CopyPartResult {
    ETag: String

    LastModified: Timestamp

    ChecksumCRC32: String

    ChecksumCRC32C: String

    ChecksumCRC64NVME: String

    ChecksumSHA1: String

    ChecksumSHA256: String
}

structure CompletedPart {
    ETag: String

    ChecksumCRC32: String

    ChecksumCRC32C: String

    ChecksumCRC64NVME: String

    ChecksumSHA1: String

    ChecksumSHA256: String

    @unsupported
    ChecksumSHA512: String

    @unsupported
    ChecksumMD5: String

    @unsupported
    ChecksumXXHASH64: String

    @unsupported
    ChecksumXXHASH3: String

    @unsupported
    ChecksumXXHASH128: String

    PartNumber: Integer
}

list CompletedPartList {
    member: CompletedPart
}

structure CompletedMultipartUpload {
    @xmlFlattened @xmlName("Part")
    Parts: CompletedPartList
}

structure Part {
    PartNumber: Integer

    LastModified: Timestamp

    ETag: String

    Size: Long

    ChecksumCRC32: String

    ChecksumCRC32C: String

    ChecksumCRC64NVME: String

    ChecksumSHA1: String

    ChecksumSHA256: String
}

list Parts {
    member: Part
}

structure Initiator {
    ID: String

    DisplayName: String
}

structure MultipartUpload {
    UploadId: String

    Key: String

    Initiated: Timestamp

    StorageClass: String

    Owner: Owner

    Initiator: Initiator

    ChecksumAlgorithm: String

    ChecksumType: String
}

list MultipartUploadList {
    member: MultipartUpload
}

@http(method: "POST", uri: "/{Bucket}/{Key+}?uploads")
operation CreateMultipartUpload {
    input := {
        @httpHeader("x-amz-acl")
        ACL: String

        @required @httpLabel
        Bucket: String

        @httpHeader("Cache-Control")
        CacheControl: String

        @httpHeader("Content-Disposition")
        ContentDisposition: String

        @httpHeader("Content-Encoding")
        ContentEncoding: String

        @httpHeader("Content-Language")
        ContentLanguage: String

        @httpHeader("Content-Type")
        ContentType: String

        @httpHeader("Expires")
        Expires: String

        @httpHeader("x-amz-grant-full-control")
        GrantFullControl: String

        @httpHeader("x-amz-grant-read")
        GrantRead: String

        @httpHeader("x-amz-grant-read-acp")
        GrantReadACP: String

        @httpHeader("x-amz-grant-write-acp")
        GrantWriteACP: String

        @required @httpLabel
        Key: String

        @httpPrefixHeaders("x-amz-meta-")
        Metadata: Metadata

        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String

        @unsupported(unless: "STANDARD") @httpHeader("x-amz-storage-class")
        StorageClass: String

        @httpHeader("x-amz-website-redirect-location")
        WebsiteRedirectLocation: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        SSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key")
        SSECustomerKey: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        SSECustomerKeyMD5: String

        @httpHeader("x-amz-server-side-encryption-aws-kms-key-id")
        SSEKMSKeyId: String

        @unsupported @httpHeader("x-amz-server-side-encryption-context")
        SSEKMSEncryptionContext: String

        @unsupported(unless: "false") @httpHeader("x-amz-server-side-encryption-bucket-key-enabled")
        BucketKeyEnabled: String

        @httpHeader("x-amz-tagging")
        Tagging: String

        @httpHeader("x-amz-object-lock-mode")
        ObjectLockMode: String

        @httpHeader("x-amz-object-lock-retain-until-date")
        ObjectLockRetainUntilDate: String

        @httpHeader("x-amz-object-lock-legal-hold")
        ObjectLockLegalHoldStatus: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @httpHeader("x-amz-checksum-algorithm")
        ChecksumAlgorithm: String

        @httpHeader("x-amz-checksum-type")
        ChecksumType: String
    }

    output := @xmlName("InitiateMultipartUploadResult") {
        @httpHeader("x-amz-abort-date") @timestampFormat("http-date")
        AbortDate: Timestamp

        @httpHeader("x-amz-abort-rule-id")
        AbortRuleId: String

        Bucket: String

        Key: String

        UploadId: String

        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String

        @httpHeader("x-amz-checksum-algorithm")
        ChecksumAlgorithm: String

        @httpHeader("x-amz-checksum-type")
        ChecksumType: String
    }
}

@http(method: "PUT", uri: "/{Bucket}/{Key+}?partNumber&uploadId")
operation UploadPart {
    input := {
        @httpPayload
        Body: StreamingBlob

        @required @httpLabel
        Bucket: String

        @httpHeader("Content-MD5")
        ContentMD5: String

        @httpHeader("x-amz-sdk-checksum-algorithm")
        ChecksumAlgorithm: String

        @httpHeader("x-amz-checksum-crc32")
        ChecksumCRC32: String

        @httpHeader("x-amz-checksum-crc32c")
        ChecksumCRC32C: String

        @httpHeader("x-amz-checksum-crc64nvme")
        ChecksumCRC64NVME: String

        @httpHeader("x-amz-checksum-sha1")
        ChecksumSHA1: String

        @httpHeader("x-amz-checksum-sha256")
        ChecksumSHA256: String

        @unsupported @httpHeader("x-amz-checksum-sha512")
        ChecksumSHA512: String

        @unsupported @httpHeader("x-amz-checksum-md5")
        ChecksumMD5: String

        @unsupported @httpHeader("x-amz-checksum-xxhash64")
        ChecksumXXHASH64: String

        @unsupported @httpHeader("x-amz-checksum-xxhash3")
        ChecksumXXHASH3: String

        @unsupported @httpHeader("x-amz-checksum-xxhash128")
        ChecksumXXHASH128: String

        @required @httpLabel
        Key: String

        @required @httpQuery("partNumber")
        PartNumber: Integer

        @required @httpQuery("uploadId")
        UploadId: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        SSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key")
        SSECustomerKey: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        SSECustomerKeyMD5: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @httpHeader("x-amz-content-sha256")
        ContentSha256: String

        @httpHeader("x-amz-trailer")
        Trailer: String
    }

    output := {
        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String

        @httpHeader("ETag")
        ETag: String

        @httpHeader("x-amz-checksum-crc32")
        ChecksumCRC32: String

        @httpHeader("x-amz-checksum-crc32c")
        ChecksumCRC32C: String

        @httpHeader("x-amz-checksum-crc64nvme")
        ChecksumCRC64NVME: String

        @httpHeader("x-amz-checksum-sha1")
        ChecksumSHA1: String

        @httpHeader("x-amz-checksum-sha256")
        ChecksumSHA256: String
    }
}

@http(method: "PUT", uri: "/{Bucket}/{Key+}?partNumber&uploadId")
operation UploadPartCopy {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpHeader("x-amz-copy-source")
        CopySource: String

        @httpHeader("x-amz-copy-source-if-match")
        CopySourceIfMatch: String

        @httpHeader("x-amz-copy-source-if-modified-since")
        CopySourceIfModifiedSince: String

        @httpHeader("x-amz-copy-source-if-none-match")
        CopySourceIfNoneMatch: String

        @httpHeader("x-amz-copy-source-if-unmodified-since")
        CopySourceIfUnmodifiedSince: String

        @httpHeader("x-amz-copy-source-range")
        CopySourceRange: String

        @required @httpLabel
        Key: String

        @required @httpQuery("partNumber")
        PartNumber: Integer

        @required @httpQuery("uploadId")
        UploadId: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        SSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key")
        SSECustomerKey: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        SSECustomerKeyMD5: String

        @unsupported @httpHeader("x-amz-copy-source-server-side-encryption-customer-algorithm")
        CopySourceSSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-copy-source-server-side-encryption-customer-key")
        CopySourceSSECustomerKey: String

        @unsupported @httpHeader("x-amz-copy-source-server-side-encryption-customer-key-MD5")
        CopySourceSSECustomerKeyMD5: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @httpHeader("x-amz-source-expected-bucket-owner")
        ExpectedSourceBucketOwner: String
    }

    output := {
        @httpHeader("x-amz-copy-source-version-id")
        CopySourceVersionId: String

        @httpPayload
        CopyPartResult: CopyPartResult

        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String
    }
}

@http(method: "POST", uri: "/{Bucket}/{Key+}?uploadId")
operation CompleteMultipartUpload {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpPayload @xmlName("CompleteMultipartUpload")
        MultipartUpload: CompletedMultipartUpload

        @required @httpQuery("uploadId")
        UploadId: String

        @httpHeader("x-amz-checksum-crc32")
        ChecksumCRC32: String

        @httpHeader("x-amz-checksum-crc32c")
        ChecksumCRC32C: String

        @httpHeader("x-amz-checksum-crc64nvme")
        ChecksumCRC64NVME: String

        @httpHeader("x-amz-checksum-sha1")
        ChecksumSHA1: String

        @httpHeader("x-amz-checksum-sha256")
        ChecksumSHA256: String

        @unsupported @httpHeader("x-amz-checksum-sha512")
        ChecksumSHA512: String

        @unsupported @httpHeader("x-amz-checksum-md5")
        ChecksumMD5: String

        @unsupported @httpHeader("x-amz-checksum-xxhash64")
        ChecksumXXHASH64: String

        @unsupported @httpHeader("x-amz-checksum-xxhash3")
        ChecksumXXHASH3: String

        @unsupported @httpHeader("x-amz-checksum-xxhash128")
        ChecksumXXHASH128: String

        @httpHeader("x-amz-checksum-type")
        ChecksumType: String

        @httpHeader("x-amz-mp-object-size")
        MpuObjectSize: Long

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @httpHeader("If-Match")
        IfMatch: String

        @httpHeader("If-None-Match")
        IfNoneMatch: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        SSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key")
        SSECustomerKey: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        SSECustomerKeyMD5: String
    }

    output := @xmlName("CompleteMultipartUploadResult") {
        Location: String

        Bucket: String

        Key: String

        @httpHeader("x-amz-expiration")
        Expiration: String

        ETag: String

        ChecksumCRC32: String

        ChecksumCRC32C: String

        ChecksumCRC64NVME: String

        ChecksumSHA1: String

        ChecksumSHA256: String

        ChecksumType: String

        @httpHeader("x-amz-server-side-encryption")
        ServerSideEncryption: String

        @httpHeader("x-amz-version-id")
        VersionId: String
    }
}

@http(method: "DELETE", uri: "/{Bucket}/{Key+}?uploadId", code: 204)
operation AbortMultipartUpload {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @required @httpQuery("uploadId")
        UploadId: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @unsupported @httpHeader("x-amz-if-match-initiated-time")
        IfMatchInitiatedTime: String
    }

    output := {
    }
}

@http(method: "GET", uri: "/{Bucket}/{Key+}?uploadId")
operation ListParts {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpQuery("max-parts")
        MaxParts: Integer

        @httpQuery("part-number-marker")
        PartNumberMarker: Integer

        @required @httpQuery("uploadId")
        UploadId: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        SSECustomerAlgorithm: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key")
        SSECustomerKey: String

        @unsupported @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        SSECustomerKeyMD5: String
    }

    output := @xmlName("ListPartsResult") {
        @httpHeader("x-amz-abort-date") @timestampFormat("http-date")
        AbortDate: Timestamp

        @httpHeader("x-amz-abort-rule-id")
        AbortRuleId: String

        Bucket: String

        Key: String

        UploadId: String

        PartNumberMarker: Integer

        NextPartNumberMarker: Integer

        MaxParts: Integer

        IsTruncated: Boolean

        @xmlFlattened @xmlName("Part")
        Parts: Parts

        Initiator: Initiator

        Owner: Owner

        StorageClass: String

        ChecksumAlgorithm: String

        ChecksumType: String
    }
}

@http(method: "GET", uri: "/{Bucket}?uploads")
operation ListMultipartUploads {
    input := {
        @required @httpLabel
        Bucket: String

        @httpQuery("delimiter")
        Delimiter: String

        @httpQuery("encoding-type")
        EncodingType: String

        @httpQuery("key-marker")
        KeyMarker: String

        @httpQuery("max-uploads")
        MaxUploads: Integer

        @httpQuery("prefix")
        Prefix: String

        @httpQuery("upload-id-marker")
        UploadIdMarker: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("ListMultipartUploadsResult") {
        Bucket: String

        KeyMarker: String

        UploadIdMarker: String

        NextKeyMarker: String

        Prefix: String

        Delimiter: String

        NextUploadIdMarker: String

        MaxUploads: Integer

        IsTruncated: Boolean

        @xmlFlattened @xmlName("Upload")
        Uploads: MultipartUploadList

        @xmlFlattened
        CommonPrefixes: CommonPrefixList

        EncodingType: String
    }
}

// ---- Tags -------------------------------------------------------------------------------------------------------------

structure Tagging {
    @required
    TagSet: TagSet
}

@http(method: "PUT", uri: "/{Bucket}/{Key+}?tagging")
operation PutObjectTagging {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpQuery("versionId")
        VersionId: String

        @required @httpPayload
        Tagging: Tagging

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpHeader("x-amz-version-id")
        VersionId: String
    }
}

@http(method: "GET", uri: "/{Bucket}/{Key+}?tagging")
operation GetObjectTagging {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpQuery("versionId")
        VersionId: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("Tagging") {
        @httpHeader("x-amz-version-id")
        VersionId: String

        @required
        TagSet: TagSet
    }
}

@http(method: "DELETE", uri: "/{Bucket}/{Key+}?tagging", code: 204)
operation DeleteObjectTagging {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpQuery("versionId")
        VersionId: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpHeader("x-amz-version-id")
        VersionId: String
    }
}

@http(method: "PUT", uri: "/{Bucket}?tagging", code: 204)
operation PutBucketTagging {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpPayload
        Tagging: Tagging

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?tagging")
operation GetBucketTagging {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("Tagging") {
        @required
        TagSet: TagSet
    }
}

@http(method: "DELETE", uri: "/{Bucket}?tagging", code: 204)
operation DeleteBucketTagging {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

// ---- Settings of buckets ----------------------------------------------------------------------------------------------

enum BucketVersioningStatus {
    Enabled
    Suspended
}

structure VersioningConfiguration {
    @unsupported @xmlName("MfaDelete")
    MFADelete: Document

    Status: BucketVersioningStatus
}

list AllowedHeaders {
    member: String
}

list AllowedMethods {
    member: String
}

list AllowedOrigins {
    member: String
}

list ExposeHeaders {
    member: String
}

structure CORSRule {
    ID: String

    @xmlFlattened @xmlName("AllowedHeader")
    AllowedHeaders: AllowedHeaders

    @required @xmlFlattened @xmlName("AllowedMethod")
    AllowedMethods: AllowedMethods

    @required @xmlFlattened @xmlName("AllowedOrigin")
    AllowedOrigins: AllowedOrigins

    @xmlFlattened @xmlName("ExposeHeader")
    ExposeHeaders: ExposeHeaders

    MaxAgeSeconds: Integer
}

list CORSRules {
    member: CORSRule
}

structure CORSConfiguration {
    @required @xmlFlattened @xmlName("CORSRule")
    CORSRules: CORSRules
}

structure LifecycleExpiration {
    Date: Timestamp

    Days: Integer

    ExpiredObjectDeleteMarker: Boolean
}

structure LifecycleRuleAndOperator {
    Prefix: String

    @xmlFlattened @xmlName("Tag")
    Tags: TagSet

    ObjectSizeGreaterThan: Long

    ObjectSizeLessThan: Long
}

structure LifecycleRuleFilter {
    Prefix: String

    Tag: Tag

    ObjectSizeGreaterThan: Long

    ObjectSizeLessThan: Long

    And: LifecycleRuleAndOperator
}

enum ExpirationStatus {
    Enabled
    Disabled
}

structure NoncurrentVersionExpiration {
    NoncurrentDays: Integer

    NewerNoncurrentVersions: Integer
}

structure AbortIncompleteMultipartUpload {
    DaysAfterInitiation: Integer
}

structure LifecycleRule {
    Expiration: LifecycleExpiration

    ID: String

    Prefix: String

    Filter: LifecycleRuleFilter

    @required
    Status: ExpirationStatus

    @unsupported @xmlName("Transition")
    Transitions: Document

    @unsupported @xmlName("NoncurrentVersionTransition")
    NoncurrentVersionTransitions: Document

    NoncurrentVersionExpiration: NoncurrentVersionExpiration

    AbortIncompleteMultipartUpload: AbortIncompleteMultipartUpload
}

list LifecycleRules {
    member: LifecycleRule
}

structure BucketLifecycleConfiguration {
    @required @xmlFlattened @xmlName("Rule")
    Rules: LifecycleRules
}

list EventList {
    member: String
}

structure FilterRule {
    // prefix or suffix, in any case.
    Name: String

    Value: String
}

list FilterRuleList {
    member: FilterRule
}

structure S3KeyFilter {
    @xmlFlattened @xmlName("FilterRule")
    FilterRules: FilterRuleList
}

structure NotificationConfigurationFilter {
    @xmlName("S3Key")
    Key: S3KeyFilter
}

structure TopicConfiguration {
    Id: String

    @required @xmlName("Topic")
    TopicArn: String

    @required @xmlFlattened @xmlName("Event")
    Events: EventList

    Filter: NotificationConfigurationFilter
}

list TopicConfigurationList {
    member: TopicConfiguration
}

structure QueueConfiguration {
    Id: String

    @required @xmlName("Queue")
    QueueArn: String

    @required @xmlFlattened @xmlName("Event")
    Events: EventList

    Filter: NotificationConfigurationFilter
}

list QueueConfigurationList {
    member: QueueConfiguration
}

structure LambdaFunctionConfiguration {
    Id: String

    @required @xmlName("CloudFunction")
    LambdaFunctionArn: String

    @required @xmlFlattened @xmlName("Event")
    Events: EventList

    Filter: NotificationConfigurationFilter
}

list LambdaFunctionConfigurationList {
    member: LambdaFunctionConfiguration
}

structure EventBridgeConfiguration {
}

structure NotificationConfiguration {
    @xmlFlattened @xmlName("TopicConfiguration")
    TopicConfigurations: TopicConfigurationList

    @xmlFlattened @xmlName("QueueConfiguration")
    QueueConfigurations: QueueConfigurationList

    @xmlFlattened @xmlName("CloudFunctionConfiguration")
    LambdaFunctionConfigurations: LambdaFunctionConfigurationList

    EventBridgeConfiguration: EventBridgeConfiguration
}

structure PolicyStatus {
    IsPublic: Boolean
}

structure PublicAccessBlockConfiguration {
    BlockPublicAcls: Boolean

    IgnorePublicAcls: Boolean

    BlockPublicPolicy: Boolean

    RestrictPublicBuckets: Boolean
}

structure OwnershipControlsRule {
    @required
    ObjectOwnership: String
}

list OwnershipControlsRules {
    member: OwnershipControlsRule
}

structure OwnershipControls {
    @required @xmlFlattened @xmlName("Rule")
    Rules: OwnershipControlsRules
}

structure ServerSideEncryptionByDefault {
    @required
    SSEAlgorithm: String

    KMSMasterKeyID: String
}

structure ServerSideEncryptionRule {
    ApplyServerSideEncryptionByDefault: ServerSideEncryptionByDefault

    BucketKeyEnabled: Boolean

    @unsupported
    BlockedEncryptionTypes: Document
}

list ServerSideEncryptionRules {
    member: ServerSideEncryptionRule
}

structure ServerSideEncryptionConfiguration {
    @required @xmlFlattened @xmlName("Rule")
    Rules: ServerSideEncryptionRules
}

structure Grantee {
    DisplayName: String

    EmailAddress: String

    ID: String

    @required @xmlName("xsi:type") @xmlAttribute
    Type: String

    URI: String
}

structure Grant {
    @xmlNamespace(prefix: "xsi", uri: "http://www.w3.org/2001/XMLSchema-instance")
    Grantee: Grantee

    Permission: String
}

list Grants {
    @xmlName("Grant")
    member: Grant
}

structure AccessControlPolicy {
    @xmlName("AccessControlList")
    Grants: Grants

    Owner: Owner
}

@http(method: "PUT", uri: "/{Bucket}?versioning")
operation PutBucketVersioning {
    input := {
        @required @httpLabel
        Bucket: String

        @unsupported @httpHeader("x-amz-mfa")
        MFA: String

        @required @httpPayload
        VersioningConfiguration: VersioningConfiguration

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?versioning")
operation GetBucketVersioning {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("VersioningConfiguration") {
        Status: BucketVersioningStatus
    }
}

@http(method: "PUT", uri: "/{Bucket}?cors")
operation PutBucketCors {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpPayload
        CORSConfiguration: CORSConfiguration

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?cors")
operation GetBucketCors {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("CORSConfiguration") {
        @xmlFlattened @xmlName("CORSRule")
        CORSRules: CORSRules
    }
}

@http(method: "DELETE", uri: "/{Bucket}?cors", code: 204)
operation DeleteBucketCors {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "PUT", uri: "/{Bucket}?lifecycle")
operation PutBucketLifecycleConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @httpPayload @xmlName("LifecycleConfiguration")
        LifecycleConfiguration: BucketLifecycleConfiguration

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @unsupported(unless: "all_storage_classes_128K") @httpHeader("x-amz-transition-default-minimum-object-size")
        TransitionDefaultMinimumObjectSize: String
    }

    output := {
        @httpHeader("x-amz-transition-default-minimum-object-size")
        TransitionDefaultMinimumObjectSize: String
    }
}

@http(method: "GET", uri: "/{Bucket}?lifecycle")
operation GetBucketLifecycleConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("LifecycleConfiguration") {
        @xmlFlattened @xmlName("Rule")
        Rules: LifecycleRules

        @httpHeader("x-amz-transition-default-minimum-object-size")
        TransitionDefaultMinimumObjectSize: String
    }
}

@http(method: "DELETE", uri: "/{Bucket}?lifecycle", code: 204)
operation DeleteBucketLifecycle {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "PUT", uri: "/{Bucket}?notification")
operation PutBucketNotificationConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpPayload
        NotificationConfiguration: NotificationConfiguration

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @httpHeader("x-amz-skip-destination-validation")
        SkipDestinationValidation: Boolean
    }
}

@http(method: "GET", uri: "/{Bucket}?notification")
operation GetBucketNotificationConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("NotificationConfiguration") {
        @xmlFlattened @xmlName("TopicConfiguration")
        TopicConfigurations: TopicConfigurationList

        @xmlFlattened @xmlName("QueueConfiguration")
        QueueConfigurations: QueueConfigurationList

        @xmlFlattened @xmlName("CloudFunctionConfiguration")
        LambdaFunctionConfigurations: LambdaFunctionConfigurationList

        EventBridgeConfiguration: EventBridgeConfiguration
    }
}

@http(method: "PUT", uri: "/{Bucket}?policy", code: 204)
operation PutBucketPolicy {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-confirm-remove-self-bucket-access")
        ConfirmRemoveSelfBucketAccess: Boolean

        @httpPayload
        Policy: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?policy")
operation GetBucketPolicy {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpPayload
        Policy: String
    }
}

@http(method: "DELETE", uri: "/{Bucket}?policy", code: 204)
operation DeleteBucketPolicy {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?policyStatus")
operation GetBucketPolicyStatus {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpPayload
        PolicyStatus: PolicyStatus
    }
}

structure MetricsAndOperator {
    Prefix: String

    @xmlFlattened @xmlName("Tag")
    Tags: TagSet

    @unsupported
    AccessPointArn: String
}

structure MetricsFilter {
    Prefix: String

    Tag: Tag

    @unsupported
    AccessPointArn: String

    And: MetricsAndOperator
}

structure MetricsConfiguration {
    @required
    Id: String

    Filter: MetricsFilter
}

list MetricsConfigurationList {
    member: MetricsConfiguration
}

@http(method: "PUT", uri: "/{Bucket}?metrics", code: 204)
operation PutBucketMetricsConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpQuery("id")
        Id: String

        @required @httpPayload
        MetricsConfiguration: MetricsConfiguration

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?metrics&id")
operation GetBucketMetricsConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpQuery("id")
        Id: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpPayload
        MetricsConfiguration: MetricsConfiguration
    }
}

@http(method: "GET", uri: "/{Bucket}?metrics")
operation ListBucketMetricsConfigurations {
    input := {
        @required @httpLabel
        Bucket: String

        @httpQuery("continuation-token")
        ContinuationToken: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("ListMetricsConfigurationsResult") {
        IsTruncated: Boolean

        ContinuationToken: String

        NextContinuationToken: String

        @xmlFlattened @xmlName("MetricsConfiguration")
        MetricsConfigurationList: MetricsConfigurationList
    }
}

@http(method: "DELETE", uri: "/{Bucket}?metrics", code: 204)
operation DeleteBucketMetricsConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpQuery("id")
        Id: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "PUT", uri: "/{Bucket}?publicAccessBlock")
operation PutPublicAccessBlock {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpPayload
        PublicAccessBlockConfiguration: PublicAccessBlockConfiguration

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?publicAccessBlock")
operation GetPublicAccessBlock {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpPayload
        PublicAccessBlockConfiguration: PublicAccessBlockConfiguration
    }
}

@http(method: "DELETE", uri: "/{Bucket}?publicAccessBlock", code: 204)
operation DeletePublicAccessBlock {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "PUT", uri: "/{Bucket}?ownershipControls")
operation PutBucketOwnershipControls {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String

        @required @httpPayload
        OwnershipControls: OwnershipControls
    }
}

@http(method: "GET", uri: "/{Bucket}?ownershipControls")
operation GetBucketOwnershipControls {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpPayload
        OwnershipControls: OwnershipControls
    }
}

@http(method: "DELETE", uri: "/{Bucket}?ownershipControls", code: 204)
operation DeleteBucketOwnershipControls {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "PUT", uri: "/{Bucket}?encryption")
operation PutBucketEncryption {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpPayload
        ServerSideEncryptionConfiguration: ServerSideEncryptionConfiguration

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?encryption")
operation GetBucketEncryption {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpPayload
        ServerSideEncryptionConfiguration: ServerSideEncryptionConfiguration
    }
}

@http(method: "DELETE", uri: "/{Bucket}?encryption", code: 204)
operation DeleteBucketEncryption {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "PUT", uri: "/{Bucket}?acl")
operation PutBucketAcl {
    input := {
        @httpHeader("x-amz-acl")
        ACL: String

        @httpPayload
        AccessControlPolicy: AccessControlPolicy

        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-grant-full-control")
        GrantFullControl: String

        @httpHeader("x-amz-grant-read")
        GrantRead: String

        @httpHeader("x-amz-grant-read-acp")
        GrantReadACP: String

        @httpHeader("x-amz-grant-write")
        GrantWrite: String

        @httpHeader("x-amz-grant-write-acp")
        GrantWriteACP: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?acl")
operation GetBucketAcl {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("AccessControlPolicy") {
        Owner: Owner

        @xmlName("AccessControlList")
        Grants: Grants
    }
}

@http(method: "PUT", uri: "/{Bucket}/{Key+}?acl")
operation PutObjectAcl {
    input := {
        @httpHeader("x-amz-acl")
        ACL: String

        @httpPayload
        AccessControlPolicy: AccessControlPolicy

        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-grant-full-control")
        GrantFullControl: String

        @httpHeader("x-amz-grant-read")
        GrantRead: String

        @httpHeader("x-amz-grant-read-acp")
        GrantReadACP: String

        @httpHeader("x-amz-grant-write")
        GrantWrite: String

        @httpHeader("x-amz-grant-write-acp")
        GrantWriteACP: String

        @required @httpLabel
        Key: String

        @httpQuery("versionId")
        VersionId: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
    }
}

@http(method: "GET", uri: "/{Bucket}/{Key+}?acl")
operation GetObjectAcl {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpQuery("versionId")
        VersionId: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("AccessControlPolicy") {
        Owner: Owner

        @xmlName("AccessControlList")
        Grants: Grants
    }
}

// ---- What AWS has and Tidemill lacks --------------------------------------------------------------------------------

@unsupported(reason: "there are no metadata tables")
@http(method: "POST", uri: "/{Bucket}?metadataConfiguration")
operation CreateBucketMetadataConfiguration {}

@unsupported(reason: "there are no metadata tables")
@http(method: "POST", uri: "/{Bucket}?metadataTable")
operation CreateBucketMetadataTableConfiguration {}

@unsupported(reason: "there are no directory buckets")
@http(method: "GET", uri: "/{Bucket}?session")
operation CreateSession {}

@unsupported(reason: "there is no storage class analysis")
@http(method: "DELETE", uri: "/{Bucket}?analytics")
operation DeleteBucketAnalyticsConfiguration {}

@unsupported(reason: "there is one storage class")
@http(method: "DELETE", uri: "/{Bucket}?intelligent-tiering")
operation DeleteBucketIntelligentTieringConfiguration {}

@unsupported(reason: "there are no metadata tables")
@http(method: "DELETE", uri: "/{Bucket}?metadataConfiguration")
operation DeleteBucketMetadataConfiguration {}

@unsupported(reason: "there are no metadata tables")
@http(method: "DELETE", uri: "/{Bucket}?metadataTable")
operation DeleteBucketMetadataTableConfiguration {}

@unsupported(reason: "there is no replication")
@http(method: "DELETE", uri: "/{Bucket}?replication")
operation DeleteBucketReplication {}

@unsupported(reason: "tags do not control access")
@http(method: "GET", uri: "/{Bucket}?abac")
operation GetBucketAbac {}

@http(method: "GET", uri: "/{Bucket}?accelerate")
operation GetBucketAccelerateConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("AccelerateConfiguration") {
        Status: String
    }
}

@unsupported(reason: "there is no storage class analysis")
@http(method: "GET", uri: "/{Bucket}?analytics&id")
operation GetBucketAnalyticsConfiguration {}

@unsupported(reason: "there is no storage class analysis")
@http(method: "GET", uri: "/{Bucket}?analytics")
operation ListBucketAnalyticsConfigurations {}

@unsupported(reason: "there is one storage class")
@http(method: "GET", uri: "/{Bucket}?intelligent-tiering&id")
operation GetBucketIntelligentTieringConfiguration {}

@unsupported(reason: "there is one storage class")
@http(method: "GET", uri: "/{Bucket}?intelligent-tiering")
operation ListBucketIntelligentTieringConfigurations {}

@http(method: "GET", uri: "/{Bucket}?logging")
operation GetBucketLogging {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("BucketLoggingStatus") {
        LoggingEnabled: LoggingEnabled
    }
}

@unsupported(reason: "there are no metadata tables")
@http(method: "GET", uri: "/{Bucket}?metadataConfiguration")
operation GetBucketMetadataConfiguration {}

@unsupported(reason: "there are no metadata tables")
@http(method: "GET", uri: "/{Bucket}?metadataTable")
operation GetBucketMetadataTableConfiguration {}

@http(method: "GET", uri: "/{Bucket}?replication")
operation GetBucketReplication {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?requestPayment")
operation GetBucketRequestPayment {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("RequestPaymentConfiguration") {
        Payer: String
    }
}

@unsupported(reason: "there are no torrents")
@http(method: "GET", uri: "/{Bucket}/{Key+}?torrent")
operation GetObjectTorrent {}

@unsupported(reason: "tags do not control access")
@http(method: "PUT", uri: "/{Bucket}?abac")
operation PutBucketAbac {}

@unsupported(reason: "there is no transfer acceleration")
@http(method: "PUT", uri: "/{Bucket}?accelerate")
operation PutBucketAccelerateConfiguration {}

@unsupported(reason: "there is no storage class analysis")
@http(method: "PUT", uri: "/{Bucket}?analytics")
operation PutBucketAnalyticsConfiguration {}

@unsupported(reason: "there is one storage class")
@http(method: "PUT", uri: "/{Bucket}?intelligent-tiering")
operation PutBucketIntelligentTieringConfiguration {}

structure SimplePrefix {}

structure PartitionedPrefix {
    PartitionDateSource: String
}

structure TargetObjectKeyFormat {
    SimplePrefix: SimplePrefix

    PartitionedPrefix: PartitionedPrefix
}

structure LoggingEnabled {
    @required
    TargetBucket: String

    @unsupported
    TargetGrants: TargetGrants

    @required
    TargetPrefix: String

    TargetObjectKeyFormat: TargetObjectKeyFormat
}

list TargetGrants {
    @xmlName("Grant")
    member: TargetGrant
}

structure TargetGrant {
    Permission: String
}

structure BucketLoggingStatus {
    LoggingEnabled: LoggingEnabled
}

@http(method: "PUT", uri: "/{Bucket}?logging")
operation PutBucketLogging {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpPayload
        BucketLoggingStatus: BucketLoggingStatus

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@unsupported(reason: "there is no replication")
@http(method: "PUT", uri: "/{Bucket}?replication")
operation PutBucketReplication {}

@unsupported(reason: "nobody pays for requests")
@http(method: "PUT", uri: "/{Bucket}?requestPayment")
operation PutBucketRequestPayment {}

@unsupported(reason: "it is for directory buckets")
@http(method: "PUT", uri: "/{Bucket}/{Key+}?renameObject")
operation RenameObject {}

@unsupported(reason: "there is one storage class")
@http(method: "POST", uri: "/{Bucket}/{Key+}?restore")
operation RestoreObject {}

@unsupported(reason: "there are no inventories")
@http(method: "PUT", uri: "/{Bucket}?metadataInventoryTable")
operation UpdateBucketMetadataInventoryTableConfiguration {}

@unsupported(reason: "there are no metadata tables")
@http(method: "PUT", uri: "/{Bucket}?metadataJournalTable")
operation UpdateBucketMetadataJournalTableConfiguration {}

@unsupported(reason: "objects have no keys of their own")
@http(method: "PUT", uri: "/{Bucket}/{Key+}?encryption")
operation UpdateObjectEncryption {}

@unsupported(reason: "there is no object lambda")
@http(method: "POST", uri: "/WriteGetObjectResponse")
operation WriteGetObjectResponse {}

// ---- Queries on objects -----------------------------------------------------------------------------------------------

structure CSVInput {
    FileHeaderInfo: String

    Comments: String

    QuoteEscapeCharacter: String

    RecordDelimiter: String

    FieldDelimiter: String

    QuoteCharacter: String

    AllowQuotedRecordDelimiter: Boolean
}

structure JSONInput {
    Type: String
}

structure ParquetInput {}

structure InputSerialization {
    CSV: CSVInput

    CompressionType: String

    JSON: JSONInput

    Parquet: ParquetInput
}

structure CSVOutput {
    QuoteFields: String

    QuoteEscapeCharacter: String

    RecordDelimiter: String

    FieldDelimiter: String

    QuoteCharacter: String
}

structure JSONOutput {
    RecordDelimiter: String
}

structure OutputSerialization {
    CSV: CSVOutput

    JSON: JSONOutput
}

structure RequestProgress {
    Enabled: Boolean
}

structure ScanRange {
    Start: Long

    End: Long
}

structure RecordsEvent {
    @eventPayload
    Payload: Blob
}

structure Stats {
    BytesScanned: Long

    BytesProcessed: Long

    BytesReturned: Long
}

structure StatsEvent {
    @eventPayload
    Details: Stats
}

structure Progress {
    BytesScanned: Long

    BytesProcessed: Long

    BytesReturned: Long
}

structure ProgressEvent {
    @eventPayload
    Details: Progress
}

structure ContinuationEvent {}

structure EndEvent {}

@streaming
union SelectObjectContentEventStream {
    Records: RecordsEvent

    Stats: StatsEvent

    Progress: ProgressEvent

    Cont: ContinuationEvent

    End: EndEvent
}

@http(method: "POST", uri: "/{Bucket}/{Key+}?select&select-type=2")
operation SelectObjectContent {
    input := @xmlName("SelectObjectContentRequest") {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpHeader("x-amz-server-side-encryption-customer-algorithm")
        @unsupported
        SSECustomerAlgorithm: String

        @httpHeader("x-amz-server-side-encryption-customer-key")
        @unsupported
        SSECustomerKey: String

        @httpHeader("x-amz-server-side-encryption-customer-key-MD5")
        @unsupported
        SSECustomerKeyMD5: String

        @required
        Expression: String

        @required
        ExpressionType: String

        RequestProgress: RequestProgress

        @required
        InputSerialization: InputSerialization

        @required
        OutputSerialization: OutputSerialization

        @unsupported
        ScanRange: ScanRange

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpPayload
        Payload: SelectObjectContentEventStream
    }
}

// ---- Inventories ------------------------------------------------------------------------------------------------------

structure SSES3 {}

structure SSEKMS {
    KeyId: String
}

structure InventoryEncryption {
    @xmlName("SSE-S3")
    SSES3: SSES3

    @xmlName("SSE-KMS")
    SSEKMS: SSEKMS
}

structure InventoryS3BucketDestination {
    AccountId: String

    @required
    Bucket: String

    @required
    Format: String

    Prefix: String

    Encryption: InventoryEncryption
}

structure InventoryDestination {
    @required
    S3BucketDestination: InventoryS3BucketDestination
}

structure InventoryFilter {
    @required
    Prefix: String
}

list InventoryOptionalFields {
    @xmlName("Field")
    member: String
}

structure InventorySchedule {
    @required
    Frequency: String
}

structure InventoryConfiguration {
    @required
    Destination: InventoryDestination

    @required
    IsEnabled: Boolean

    Filter: InventoryFilter

    @required
    Id: String

    @required
    IncludedObjectVersions: String

    OptionalFields: InventoryOptionalFields

    @required
    Schedule: InventorySchedule
}

list InventoryConfigurationList {
    member: InventoryConfiguration
}

@http(method: "PUT", uri: "/{Bucket}?inventory", code: 204)
operation PutBucketInventoryConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpQuery("id")
        Id: String

        @required @httpPayload
        InventoryConfiguration: InventoryConfiguration

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?inventory&id")
operation GetBucketInventoryConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpQuery("id")
        Id: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpPayload
        InventoryConfiguration: InventoryConfiguration
    }
}

@http(method: "GET", uri: "/{Bucket}?inventory")
operation ListBucketInventoryConfigurations {
    input := {
        @required @httpLabel
        Bucket: String

        @httpQuery("continuation-token")
        ContinuationToken: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("ListInventoryConfigurationsResult") {
        IsTruncated: Boolean

        ContinuationToken: String

        NextContinuationToken: String

        @xmlFlattened @xmlName("InventoryConfiguration")
        InventoryConfigurationList: InventoryConfigurationList
    }
}

@http(method: "DELETE", uri: "/{Bucket}?inventory", code: 204)
operation DeleteBucketInventoryConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpQuery("id")
        Id: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

// ---- Locks of objects -------------------------------------------------------------------------------------------------

structure DefaultRetention {
    Mode: String

    Days: Integer

    Years: Integer
}

structure ObjectLockRule {
    DefaultRetention: DefaultRetention
}

structure ObjectLockConfiguration {
    ObjectLockEnabled: String

    Rule: ObjectLockRule
}

structure ObjectLockRetention {
    Mode: String

    RetainUntilDate: Timestamp
}

structure ObjectLockLegalHold {
    Status: String
}

@http(method: "PUT", uri: "/{Bucket}?object-lock")
operation PutObjectLockConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @httpPayload
        ObjectLockConfiguration: ObjectLockConfiguration

        @unsupported @httpHeader("x-amz-bucket-object-lock-token")
        Token: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {}
}

@http(method: "GET", uri: "/{Bucket}?object-lock")
operation GetObjectLockConfiguration {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpPayload
        ObjectLockConfiguration: ObjectLockConfiguration
    }
}

@http(method: "PUT", uri: "/{Bucket}/{Key+}?retention")
operation PutObjectRetention {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpQuery("versionId")
        VersionId: String

        @httpPayload @xmlName("Retention")
        Retention: ObjectLockRetention

        @httpHeader("x-amz-bypass-governance-retention")
        BypassGovernanceRetention: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {}
}

@http(method: "GET", uri: "/{Bucket}/{Key+}?retention")
operation GetObjectRetention {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpQuery("versionId")
        VersionId: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpPayload @xmlName("Retention")
        Retention: ObjectLockRetention
    }
}

@http(method: "PUT", uri: "/{Bucket}/{Key+}?legal-hold")
operation PutObjectLegalHold {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpQuery("versionId")
        VersionId: String

        @httpPayload @xmlName("LegalHold")
        LegalHold: ObjectLockLegalHold

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {}
}

@http(method: "GET", uri: "/{Bucket}/{Key+}?legal-hold")
operation GetObjectLegalHold {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpLabel
        Key: String

        @httpQuery("versionId")
        VersionId: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := {
        @httpPayload @xmlName("LegalHold")
        LegalHold: ObjectLockLegalHold
    }
}

// ---- Websites ---------------------------------------------------------------------------------------------------------

structure IndexDocument {
    @required
    Suffix: String
}

structure ErrorDocument {
    @required
    Key: String
}

structure RedirectAllRequestsTo {
    @required
    HostName: String

    Protocol: String
}

structure Condition {
    HttpErrorCodeReturnedEquals: String

    KeyPrefixEquals: String
}

structure Redirect {
    HostName: String

    HttpRedirectCode: String

    Protocol: String

    ReplaceKeyPrefixWith: String

    ReplaceKeyWith: String
}

structure RoutingRule {
    Condition: Condition

    @required
    Redirect: Redirect
}

list RoutingRules {
    @xmlName("RoutingRule")
    member: RoutingRule
}

structure WebsiteConfiguration {
    RedirectAllRequestsTo: RedirectAllRequestsTo

    IndexDocument: IndexDocument

    ErrorDocument: ErrorDocument

    RoutingRules: RoutingRules
}

@http(method: "PUT", uri: "/{Bucket}?website")
operation PutBucketWebsite {
    input := {
        @required @httpLabel
        Bucket: String

        @required @httpPayload
        WebsiteConfiguration: WebsiteConfiguration

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}

@http(method: "GET", uri: "/{Bucket}?website")
operation GetBucketWebsite {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }

    output := @xmlName("WebsiteConfiguration") {
        RedirectAllRequestsTo: RedirectAllRequestsTo

        IndexDocument: IndexDocument

        ErrorDocument: ErrorDocument

        RoutingRules: RoutingRules
    }
}

@http(method: "DELETE", uri: "/{Bucket}?website", code: 204)
operation DeleteBucketWebsite {
    input := {
        @required @httpLabel
        Bucket: String

        @httpHeader("x-amz-expected-bucket-owner")
        ExpectedBucketOwner: String
    }
}
