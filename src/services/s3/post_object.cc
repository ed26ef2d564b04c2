// Makes an object of the file in a browser's form. What the form's policy says has been checked by now
// (wire/pipeline/post_form.h); here its fields are what headers are elsewhere.
#include "base/text.h"
#include "services/s3/errors.h"
#include "services/s3/listing.h"
#include "services/s3/operations.h"
#include "services/s3/putting.h"
#include "wire/xml_writer.h"

namespace tidemill::s3 {
namespace {

using Request = shapes::PostObjectInput;

constexpr int kSeeOther = 303;
constexpr int kNoContent = 204;
constexpr int kCreated = 201;

BodyClaims claims_of_form(const Request& request) {
  BodyClaims claims = claims_of(request, std::nullopt);
  claims.content_md5 = request.content_md5;
  return claims;
}

Description describe_form(const Request& request, base::Time now) {
  Request without_tags = request;
  without_tags.tagging.reset();
  Description description = describe_object(without_tags, now);
  if (request.tagging) description.tags = parse_form_tagging(*request.tagging);
  return description;
}

// As forms have it, slashes too: "a b/c" -> "a+b%2Fc".
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : encode_key(text)) {
    if (c == '/')
      out += "%2F";
    else
      out.push_back(c);
  }
  return out;
}

// The same for a path, in which '+' means itself.
std::string escaped_in_path(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) {
    if (c == '+')
      out += "%20";
    else
      out.push_back(c);
  }
  return out;
}

// Where the browser goes next, with what it is told there; nothing if that is no address of a page.
std::optional<std::string> next_page(const Request& request, const PutOutcome& outcome) {
  const auto& page = request.success_action_redirect ? request.success_action_redirect : request.redirect;
  if (!page || (!page->starts_with("http://") && !page->starts_with("https://"))) return std::nullopt;
  return base::cat(*page, page->contains('?') ? '&' : '?', "bucket=", escaped(request.bucket),
                   "&key=", escaped(*request.key), "&etag=", escaped(shown_etag(outcome.object.etag)));
}

std::string post_response(const Request& request, const PutOutcome& outcome, const std::string& location) {
  std::string text;
  wire::XmlWriter xml(text);
  xml.declaration_with_encoding();
  xml.open("PostResponse");
  xml.text("Location", location);
  xml.text("Bucket", request.bucket);
  xml.text("Key", *request.key);
  xml.text("ETag", shown_etag(outcome.object.etag));
  xml.close("PostResponse");
  return text;
}

}  // namespace

Task<shapes::PostObjectOutput> post_object(Service& service, wire::Context& context, const Request& request) {
  if (!request.key) throw errors::invalid_argument("Bucket POST must contain a field named 'key'.", "key", "");
  const Put asked{.bucket = request.bucket,
                  .key = *request.key,
                  .encryption = request.server_side_encryption,
                  .encryption_key = request.ssekms_key_id,
                  .body = request.body,
                  .claims = claims_of_form(request),
                  .description = describe_form(request, context.now()),
                  .acl = acl_headers_of(request),
                  .event = "ObjectCreated:Post"};
  const PutOutcome outcome = co_await put(service, context, asked);

  shapes::PostObjectOutput output;
  show_put(output, *request.key, outcome);
  output.location = base::cat(context.endpoint, "/", request.bucket, "/", escaped_in_path(*request.key));
  output.status_code = kNoContent;
  if (auto page = next_page(request, outcome)) {
    output.status_code = kSeeOther;
    output.location = *std::move(page);
  } else if (request.success_action_status == "201") {
    output.status_code = kCreated;
    output.response = post_response(request, outcome, *output.location);
  } else if (request.success_action_status == "200") {
    output.status_code = 200;
  }
  co_return output;
}

}  // namespace tidemill::s3
