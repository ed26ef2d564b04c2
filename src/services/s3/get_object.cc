// Gives an object, a range of it or one of its parts; HeadObject only tells of it.
#include "base/text.h"
#include "services/s3/body_output.h"
#include "services/s3/conditions.h"
#include "services/s3/describing.h"
#include "services/s3/errors.h"
#include "services/s3/lifecycle.h"
#include "services/s3/operations.h"
#include "services/s3/reading.h"
#include "services/s3/words.h"

namespace tidemill::s3 {
namespace {

constexpr int kPartialContent = 206;
constexpr int kPartNumberMax = 10'000;

// What of the object is meant.
struct Selection {
  std::optional<ByteRange> range;  // nothing: all of it
  std::string part_checksum;       // of the part that was asked for
};

ByteRange range_of_part(const PieceList& list, int number, uint64_t object_size, std::string& checksum) {
  if (list.parts.empty() && number == 1) return {0, object_size};
  uint64_t first = 0;
  int index = 0;
  for (const PartOfObject& part : list.parts) {
    if (++index == number) {
      checksum = part.checksum;
      return {first, part.size};
    }
    first += part.size;
  }
  throw errors::error("InvalidPartNumber", 416, "The requested partnumber is not satisfiable",
                      {{"PartNumberRequested", std::to_string(number)},
                       {"ActualPartCount", std::to_string(list.parts.empty() ? 1 : list.parts.size())}});
}

template <class Request>
Selection select(const Request& request, const Object& object, const PieceList& list) {
  Selection selection;
  if (request.part_number) {
    if (request.range) throw errors::invalid_request("Cannot specify both Range header and partNumber query parameter");
    if (*request.part_number < 1 || *request.part_number > kPartNumberMax) {
      throw errors::invalid_argument("Part number must be an integer between 1 and 10000, inclusive", "partNumber",
                                     std::to_string(*request.part_number));
    }
    selection.range = range_of_part(list, *request.part_number, object.size, selection.part_checksum);
  } else if (request.range) {
    selection.range = parse_range(*request.range, object.size);
  }
  return selection;
}

template <class Output>
void show_system(Output& output, const TextMap& system) {
  const auto show = [&](const char* name, std::optional<std::string>& member) {
    if (const auto found = system.find(name); found != system.end()) member = found->second;
  };
  output.content_type = std::string(kContentTypeDefault);
  show("cache-control", output.cache_control);
  show("content-disposition", output.content_disposition);
  show("content-encoding", output.content_encoding);
  show("content-language", output.content_language);
  show("content-type", output.content_type);
  show("expires", output.expires);
  show(kRedirectLocation, output.website_redirect_location);
}

template <class Output>
void show_lock(Output& output, const TextMap& headers) {
  if (const auto retention = retention_of(headers)) {
    output.object_lock_mode = std::string(name_of(retention->mode));
    output.object_lock_retain_until_date = retention->until;
  }
  if (const auto held = legal_hold_of(headers))
    output.object_lock_legal_hold_status = std::string(*held ? "ON" : "OFF");
}

template <class Request, class Output>
void replace_as_asked(const Request& request, Output& output) {
  const auto replace = [](const std::optional<std::string>& asked, std::optional<std::string>& member) {
    if (asked) member = asked;
  };
  replace(request.response_cache_control, output.cache_control);
  replace(request.response_content_disposition, output.content_disposition);
  replace(request.response_content_encoding, output.content_encoding);
  replace(request.response_content_language, output.content_language);
  replace(request.response_content_type, output.content_type);
  replace(request.response_expires, output.expires);
}

// The checksum of what is sent, if it is known: of the whole, or of the part that was asked for, where parts have
// checksums of their own, as composite ones are made of.
template <class Output>
void show_checksums(Output& output, const Object& object, const Selection& selection, bool is_part) {
  if (!object.checksum) return;
  if (is_part && object.checksum->type == ChecksumType::full_object) return;
  const bool whole = !is_part && (!selection.range || selection.range->size == object.size);
  if (whole) {
    show_checksum(output, *object.checksum);
  } else if (!selection.part_checksum.empty()) {
    show_checksum_bytes(output, object.checksum->algorithm, selection.part_checksum);
    output.checksum_type = std::string(name_of(object.checksum->type));
  }
}

template <class Output, class Request>
Output describe(const Request& request, const std::string& key, const OpenObject& open, const Selection& selection) {
  const Object& object = open.object;
  Output output;
  output.accept_ranges = "bytes";
  output.last_modified = object.modified;
  output.e_tag = shown_etag(object.etag);
  output.content_length = static_cast<int64_t>(selection.range ? selection.range->size : object.size);
  if (selection.range && object.size > 0) {
    output.content_range = content_range(*selection.range, object.size);
    output.status_code = kPartialContent;
  }
  output.version_id = shown_version(open.bucket, object);
  output.server_side_encryption = kEncryption;
  output.expiration = expiration_header(open.bucket, key, object);
  if (!object.description.user.empty()) output.metadata = object.description.user;
  if (!object.description.tags.empty()) output.tag_count = static_cast<int32_t>(object.description.tags.size());
  if (request.part_number && object.parts > 0) output.parts_count = object.parts;
  show_system(output, object.description.system);
  show_lock(output, object.description.system);
  replace_as_asked(request, output);
  if (request.checksum_mode && lower(*request.checksum_mode) == "enabled") {
    show_checksums(output, object, selection, request.part_number && object.parts > 0);
  }
  return output;
}

template <class Request>
Task<OpenObject> open_and_check(Service& service, wire::Context& context, const Request& request) {
  OpenObject open = co_await open_object(service.store(), service.blobs(),
                                         {request.bucket, request.key, request.version_id, request.expected_bucket_owner});
  check_read(open.object,
             {request.if_match, request.if_none_match, request.if_modified_since, request.if_unmodified_since},
             context.now());
  co_return open;
}

}  // namespace

Task<shapes::GetObjectOutput> get_object(Service& service, wire::Context& context, const shapes::GetObjectInput& request) {
  const OpenObject open = co_await open_and_check(service, context, request);
  const Selection selection = select(request, open.object, open.list);
  auto output = describe<shapes::GetObjectOutput>(request, request.key, open, selection);
  const ByteRange range = selection.range.value_or(ByteRange{0, open.object.size});
  std::vector<Piece> pieces = slice(open.list.pieces, range);
  if (range.size > kStoredPieceAnswerMax) co_await require_pieces(service.blobs(), pieces);
  const auto source = read_pieces(service.blobs(), open.snapshot, open.bucket.id, std::move(pieces), open.pins);
  if (range.size <= kStoredPieceAnswerMax) {
    // Without a stream: one write instead of several.
    std::string bytes;
    while (auto piece = co_await source->next()) bytes += *piece;
    output.body = wire::BodyStream(std::move(bytes));
  } else {
    output.body = wire::BodyStream(co_await with_first_bytes(source), range.size);
  }
  co_return output;
}

Task<shapes::HeadObjectOutput> head_object(Service& service, wire::Context& context,
                                           const shapes::HeadObjectInput& request) {
  const OpenObject open = co_await open_and_check(service, context, request);
  co_return describe<shapes::HeadObjectOutput>(request, request.key, open, select(request, open.object, open.list));
}

}  // namespace tidemill::s3
