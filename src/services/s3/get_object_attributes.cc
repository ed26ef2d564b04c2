// Tells chosen facts of an object and its parts.
#include <algorithm>

#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/listing.h"
#include "services/s3/operations.h"
#include "services/s3/reading.h"
#include "services/s3/words.h"

namespace tidemill::s3 {
namespace {

shapes::GetObjectAttributesParts show_parts(const shapes::GetObjectAttributesInput& request, const Object& object,
                                            const PieceList& list) {
  // Only parts that have checksums of their own, of which a composite one is made, are told one by one, as on AWS.
  if (!object.checksum || object.checksum->type == ChecksumType::full_object) return {.total_parts_count = object.parts};
  const int limit = page_limit(request.max_parts, "x-amz-max-parts");
  const int after = request.part_number_marker.value_or(0);
  shapes::GetObjectAttributesParts shown{.total_parts_count = object.parts, .part_number_marker = after};
  shown.max_parts = limit;
  shown.is_truncated = false;
  shown.next_part_number_marker = 0;
  auto& parts = shown.parts.emplace();
  int number = 0;
  for (const PartOfObject& part : list.parts) {
    if (++number <= after) continue;
    if (std::ssize(parts) == limit) {
      shown.is_truncated = true;
      break;
    }
    shapes::ObjectPart each{.part_number = number, .size = static_cast<int64_t>(part.size)};
    show_checksum_bytes(each, object.checksum->algorithm, part.checksum);
    parts.push_back(std::move(each));
    shown.next_part_number_marker = number;
  }
  return shown;
}

}  // namespace

Task<shapes::GetObjectAttributesOutput> get_object_attributes(Service& service, wire::Context&,
                                                              const shapes::GetObjectAttributesInput& request) {
  const auto snapshot = service.store().snapshot();
  const FoundObject found = co_await require_object(
      *snapshot, {request.bucket, request.key, request.version_id, request.expected_bucket_owner});
  const Object& object = found.object;
  const auto asked = [&](std::string_view name) { return contains(request.object_attributes, name); };
  for (const std::string& name : request.object_attributes) {
    if (!contains(std::initializer_list<std::string_view>{"ETag", "Checksum", "ObjectParts", "StorageClass",
                                                                       "ObjectSize"},
                               name)) {
      throw errors::invalid_argument("Invalid attribute name specified.", "x-amz-object-attributes", name);
    }
  }
  shapes::GetObjectAttributesOutput output;
  output.last_modified = object.modified;
  output.version_id = shown_version(found.bucket, object);
  if (asked("ETag")) output.e_tag = object.etag;
  if (asked("StorageClass")) output.storage_class = "STANDARD";
  if (asked("ObjectSize")) output.object_size = static_cast<int64_t>(object.size);
  if (asked("Checksum") && object.checksum) {  // a composite one without the number of its parts
    shapes::Checksum& checksum = output.checksum.emplace();
    show_checksum_bytes(checksum, object.checksum->algorithm, object.checksum->bytes);
    checksum.checksum_type = std::string(name_of(object.checksum->type));
  }
  if (asked("ObjectParts") && object.parts > 0) {
    const PieceList list = co_await load_pieces(*snapshot, found.bucket, object.body);
    output.object_parts = show_parts(request, object, list);
  }
  co_return output;
}

}  // namespace tidemill::s3
