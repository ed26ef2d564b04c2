// A bucket's settings are kept as the documents by which the API takes and gives them, so that what is stored is what AWS
// documents, and is read by the code that reads requests.
//
//   bucket.settings["cors"] = write_document<ops::GetBucketCors>({.cors_rules = rules});
//   const auto request = read_document<ops::PutBucketCors>(xml);
#pragma once

#include <string>

#include "wire/registry.h"

namespace tidemill::s3 {

template <class GetOperation>
std::string write_document(const typename GetOperation::Response& response) {
  wire::WireResponse out;
  GetOperation::serialize(response, out);
  return std::move(out.body);
}

template <class PutOperation>
typename PutOperation::Request read_document(const std::string& document) {
  wire::WireRequest in;
  in.body = document;
  return PutOperation::parse(in);
}

// Names of settings; stored.
inline constexpr const char* kCors = "cors";
inline constexpr const char* kLifecycle = "lifecycle";
inline constexpr const char* kNotification = "notification";
inline constexpr const char* kPolicy = "policy";
inline constexpr const char* kPublicAccessBlock = "publicAccessBlock";
inline constexpr const char* kOwnershipControls = "ownershipControls";
inline constexpr const char* kEncryptionRules = "encryption";
inline constexpr const char* kObjectLock = "objectLock";
inline constexpr const char* kBucketAcl = "acl";
inline constexpr const char* kLocation = "location";  // as it was asked for, if that is not the region's name
inline constexpr const char* kWebsite = "website";
inline constexpr const char* kLogging = "logging";

}  // namespace tidemill::s3
