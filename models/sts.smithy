$version: "2.0"

// AWS Security Token Service, API version 2011-06-15, over the Query protocol. docs/sts.md says what works.
namespace tidemill.sts

@awsQuery
@signingName("sts")
@xmlNamespace("https://sts.amazonaws.com/doc/2011-06-15/")
@throttlingError("Throttling")
@internalError("InternalFailure")
@unsupportedError("ValidationError")
@validationError("ValidationError")
service Sts {
    version: "2011-06-15"
    operations: [
        GetCallerIdentity
        AssumeRole
        GetSessionToken
        GetAccessKeyInfo
        AssumeRoleWithSAML
        AssumeRoleWithWebIdentity
        AssumeRoot
        DecodeAuthorizationMessage
        GetDelegatedAccessToken
        GetFederationToken
        GetWebIdentityToken
    ]
}

@length(min: 20, max: 2048)
string RoleArn

@length(min: 2, max: 64)
@pattern("[\\w+=,.@-]*")
string RoleSessionName

@range(min: 900, max: 43200)
integer RoleDuration

@range(min: 900, max: 129600)
integer SessionDuration

@length(min: 2, max: 1224)
@pattern("[\\w+=,.@:\\/-]*")
string ExternalId

@length(min: 2, max: 64)
@pattern("[\\w+=,.@-]*")
string SourceIdentity

@length(min: 16, max: 128)
@pattern("[\\w]*")
string AccessKeyId

@length(min: 1, max: 2048)
string SessionPolicyDocument

structure PolicyDescriptor {
    arn: RoleArn
}

list PolicyDescriptors {
    member: PolicyDescriptor
}

structure Credentials {
    @required
    AccessKeyId: String

    @required
    SecretAccessKey: String

    @required
    SessionToken: String

    @required
    Expiration: Timestamp
}

structure AssumedRoleUser {
    @required
    AssumedRoleId: String

    @required
    Arn: String
}

operation GetCallerIdentity {
    input := {}
    output := {
        UserId: String

        Account: String

        Arn: String
    }
}

operation AssumeRole {
    input := {
        @required
        RoleArn: RoleArn

        @required
        RoleSessionName: RoleSessionName

        DurationSeconds: RoleDuration

        ExternalId: ExternalId

        SourceIdentity: SourceIdentity

        PolicyArns: PolicyDescriptors

        Policy: SessionPolicyDocument

        @unsupported
        Tags: Document

        @unsupported
        TransitiveTagKeys: Document

        @unsupported
        SerialNumber: String

        @unsupported
        TokenCode: String

        @unsupported
        ProvidedContexts: Document
    }
    output := {
        Credentials: Credentials

        AssumedRoleUser: AssumedRoleUser

        SourceIdentity: String
    }
    errors: [ValidationException, AccessDeniedException, MalformedPolicyDocumentException]
}

operation GetSessionToken {
    input := {
        DurationSeconds: SessionDuration

        @unsupported
        SerialNumber: String

        @unsupported
        TokenCode: String
    }
    output := {
        Credentials: Credentials
    }
    errors: [AccessDeniedException]
}

operation GetAccessKeyInfo {
    input := {
        @required
        AccessKeyId: AccessKeyId
    }
    output := {
        Account: String
    }
    errors: [ValidationException]
}

@unsupported(reason: "there are no identity providers")
operation AssumeRoleWithSAML {}

@unsupported(reason: "there are no identity providers")
operation AssumeRoleWithWebIdentity {}

@unsupported(reason: "there are no organizations")
operation AssumeRoot {}

@unsupported(reason: "nobody is refused by a policy yet")
operation DecodeAuthorizationMessage {}

@unsupported(reason: "there are no delegated sessions")
operation GetDelegatedAccessToken {}

@unsupported(reason: "there are no federated users")
operation GetFederationToken {}

@unsupported(reason: "there are no identity providers")
operation GetWebIdentityToken {}

// ---- Errors --------------------------------------------------------------------------------------------------------

@error("client")
@awsQueryError(code: "ValidationError", httpResponseCode: 400)
structure ValidationException {
    message: String
}

@error("client")
@awsQueryError(code: "MalformedPolicyDocument", httpResponseCode: 400)
structure MalformedPolicyDocumentException {
    message: String
}

@error("client")
@awsQueryError(code: "AccessDenied", httpResponseCode: 403)
@httpError(403)
structure AccessDeniedException {
    message: String
}
