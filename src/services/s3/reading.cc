#include "services/s3/reading.h"

#include "services/s3/body_output.h"
#include "services/s3/errors.h"
#include "wire/timestamp.h"

namespace tidemill::s3 {
namespace {

void add_marker_headers(wire::Error& error, const Object& marker) {
  error.headers.emplace_back("x-amz-delete-marker", "true");
  error.headers.emplace_back("x-amz-version-id", marker.version);
}

wire::Error marker_not_allowed(const Object& marker, const std::string& method) {
  wire::Error error = errors::error("MethodNotAllowed", 405, "The specified method is not allowed against this resource.",
                                    {{"Method", method}, {"ResourceType", "DeleteMarker"}});
  add_marker_headers(error, marker);
  error.headers.emplace_back("Allow", "DELETE");
  error.headers.emplace_back("Last-Modified",
                             wire::format_timestamp(marker.modified, wire::TimestampFormat::http_date));
  return error;
}

Task<Object> require_version(store::Snapshot& reader, const Bucket& bucket, const ObjectRequest& request) {
  auto object = co_await find_version(reader, bucket, request.key, *request.version);
  if (!object) throw errors::no_such_version(request.key, *request.version);
  if (object->is_marker) throw marker_not_allowed(*object, request.method);
  co_return *std::move(object);
}

Task<Object> require_current(store::Snapshot& reader, const Bucket& bucket, const ObjectRequest& request) {
  auto object = co_await find_current(reader, bucket, request.key);
  if (object && !object->is_marker) co_return *std::move(object);
  wire::Error error = errors::no_such_key(request.key);
  if (object) add_marker_headers(error, *object);
  throw error;
}

}  // namespace

Task<FoundObject> require_object(store::Snapshot& reader, const ObjectRequest& request) {
  Bucket bucket = co_await require_bucket(reader, request.bucket, request.expected_owner);
  Object object = request.version ? co_await require_version(reader, bucket, request)
                                  : co_await require_current(reader, bucket, request);
  co_return FoundObject{std::move(bucket), std::move(object)};
}

// What was there before the pins may be gone by then; what is still there after them stays.
Task<OpenObject> open_object(store::Store& store, store::Blobs& blobs, ObjectRequest request) {
  for (;;) {
    OpenObject open;
    open.snapshot = store.snapshot();
    FoundObject found = co_await require_object(*open.snapshot, request);
    open.list = co_await load_pieces(*open.snapshot, found.bucket, found.object.body);
    open.pins = std::make_shared<store::Blobs::Pins>(pin(blobs, open.list.pieces));
    open.snapshot = store.snapshot();
    FoundObject again = co_await require_object(*open.snapshot, request);
    if (again.object.body != found.object.body || again.bucket.id != found.bucket.id) continue;
    open.bucket = std::move(again.bucket);
    open.object = std::move(again.object);
    co_return open;
  }
}

}  // namespace tidemill::s3
