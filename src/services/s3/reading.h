// Finds the object that a request reads, with its pieces pinned, so that what is read stays while it is being read, whatever
// becomes of the object meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "services/s3/bucket.h"
#include "services/s3/object.h"
#include "services/s3/versions.h"
#include "store/blobs.h"
#include "store/store.h"

namespace tidemill::s3 {

struct ObjectRequest {
  std::string bucket;
  std::string key;
  std::optional<std::string> version;
  std::optional<std::string> expected_owner;
  std::string method = "GET";  // as refusals name it
};

// Throws NoSuchBucket, NoSuchKey (with the headers of a delete marker, if that is what is there), NoSuchVersion, and
// MethodNotAllowed for a delete marker that is asked for by its id.
struct FoundObject {
  Bucket bucket;
  Object object;
};
Task<FoundObject> require_object(store::Snapshot& reader, const ObjectRequest& request);

struct OpenObject {
  Bucket bucket;
  Object object;
  PieceList list;
  std::shared_ptr<store::Snapshot> snapshot;
  std::shared_ptr<store::Blobs::Pins> pins;
};
Task<OpenObject> open_object(store::Store& store, store::Blobs& blobs, ObjectRequest request);

}  // namespace tidemill::s3
