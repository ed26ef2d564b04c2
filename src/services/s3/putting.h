// Making an object of one body, whichever way that comes: PutObject, and the forms of browsers.
#pragma once

#include <optional>
#include <string>

#include "services/s3/acl.h"
#include "services/s3/body_intake.h"
#include "services/s3/describing.h"
#include "services/s3/encryption.h"
#include "services/s3/lifecycle.h"
#include "services/s3/service.h"

namespace tidemill::s3 {

struct Put {
  std::string bucket;
  std::string key;
  std::optional<std::string> expected_owner;
  std::optional<std::string> if_match;
  std::optional<std::string> if_none_match;
  std::optional<std::string> encryption;
  std::optional<std::string> encryption_key;
  wire::BodyStream body;
  BodyClaims claims;
  Description description;
  AclHeaders acl;
  std::string event;  // "ObjectCreated:Put"
};

struct PutOutcome {
  Bucket bucket;
  Object object;
};

// Throws what reading and checking the body throws, NoSuchBucket, PreconditionFailed. Then there is no object.
Task<PutOutcome> put(Service& service, const wire::Context& context, const Put& put);

// What answers tell of the object in headers.
template <class Output>
void show_put(Output& output, const std::string& key, const PutOutcome& outcome) {
  output.e_tag = shown_etag(outcome.object.etag);
  show_checksum(output, *outcome.object.checksum);
  output.server_side_encryption = kEncryption;
  output.version_id = shown_version(outcome.bucket, outcome.object);
  output.expiration = expiration_header(outcome.bucket, key, outcome.object);
}

}  // namespace tidemill::s3
