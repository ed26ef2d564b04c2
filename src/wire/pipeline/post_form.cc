#include "wire/pipeline/post_form.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "wire/pipeline/presigned.h"
#include "wire/signature.h"

namespace tidemill::wire {

namespace {

constexpr std::string_view kPostObject = "PostObject";
constexpr std::string_view kFileName = "${filename}";
// Fields that are no headers of the object, but of the form itself.
constexpr std::array<std::string_view, 3> kTexts{"key", "policy", "tagging"};
constexpr uint64_t kBehindFileBytesMax = 1 << 20;  // of what nobody looks at
// What version 4 and version 2 sign with, as refusals spell it.
constexpr std::array<std::string_view, 4> kVersion4{"X-Amz-Signature", "X-Amz-Algorithm", "X-Amz-Credential",
                                                    "X-Amz-Date"};
constexpr std::array<std::string_view, 2> kVersion2{"Signature", "AWSAccessKeyId"};

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return out;
}

Error with_details(Error error, decltype(Error::details) details) {
  error.details = std::move(details);
  return error;
}

Error wrong_size(bool is_too_large, uint64_t proposed, uint64_t bound) {
  const std::string words = is_too_large ? "exceeds the maximum" : "is smaller than the minimum";
  return with_details({is_too_large ? "EntityTooLarge" : "EntityTooSmall", 400,
                       base::cat("Your proposed upload ", words, " allowed size")},
                      {{"ProposedSize", std::to_string(proposed)},
                       {is_too_large ? "MaxSizeAllowed" : "MinSizeAllowed", std::to_string(bound)}});
}

Error missing_field(std::string_view name) {
  return with_details({"InvalidArgument", 400,
                       base::cat("Bucket POST must contain a field named '", name,
                                 "'.  If it is specified, please check the order of the fields.")},
                      {{"ArgumentName", std::string(name)}, {"ArgumentValue", ""}});
}

// The file of a form, as its body comes in. Nothing behind it is looked at, but it is read, so that the connection can
// go on.
class FormFile final : public BodySource {
 public:
  FormFile(std::shared_ptr<net::Body> body, FormDataDecoder decoder, std::string first,
           std::shared_ptr<LengthRange> length)
      : body_(std::move(body)), decoder_(std::move(decoder)), first_(std::move(first)), length_(std::move(length)) {}

  Task<std::optional<std::string>> next() override {
    std::string content = std::exchange(first_, {});
    while (content.empty()) {
      const auto piece = co_await body_->read_some();
      if (!piece) {
        decoder_.finish();
        if (size_ < length_->min) throw wrong_size(false, size_, length_->min);
        co_return std::nullopt;
      }
      if (decoder_.is_over()) behind_ += piece->size();
      if (behind_ > kBehindFileBytesMax) throw Error("MalformedPOSTRequest", 400, "Too much stands behind the file.");
      decoder_.feed(*piece, content);
    }
    size_ += content.size();
    if (size_ > length_->max) throw wrong_size(true, size_, length_->max);
    co_return content;
  }

 private:
  std::shared_ptr<net::Body> body_;
  FormDataDecoder decoder_;
  std::string first_;
  std::shared_ptr<LengthRange> length_;
  uint64_t size_ = 0;
  uint64_t behind_ = 0;
};

// A form without a file name keeps the words as they are, as on AWS.
void replace_file_name(FormFields& fields, const std::optional<std::string>& file_name) {
  if (!file_name) return;
  for (auto& [name, value] : fields) {
    if (lower(name) == "policy") continue;
    for (size_t at = value.find(kFileName); at != std::string::npos;
         at = value.find(kFileName, at + file_name->size())) {
      value.replace(at, kFileName.size(), *file_name);
    }
  }
}

// Headers have no lines, and answers tell them again.
void check_values(const FormFields& fields) {
  for (const auto& [name, value] : fields) {
    if (std::ranges::find(kTexts, lower(name)) != kTexts.end()) continue;
    if (std::ranges::none_of(value, [](char c) { return c == '\r' || c == '\n' || c == '\0'; })) continue;
    throw with_details({"InvalidArgument", 400, "The value of a field may not have several lines."},
                       {{"ArgumentName", name}, {"ArgumentValue", value}});
  }
}

// Either all that a signature needs is there, or nothing of it.
template <size_t count>
bool is_signed(const PostForm& form, const std::array<std::string_view, count>& names) {
  const auto is_there = [&](std::string_view name) { return form.has(lower(name)); };
  if (std::ranges::none_of(names, is_there)) return false;
  for (const std::string_view name : names) {
    if (!is_there(name)) throw missing_field(name);
  }
  return true;
}

std::optional<CredentialScope> scope_of(const PostForm& form) {
  const bool is_version_4 = is_signed(form, kVersion4);
  const bool is_version_2 = is_signed(form, kVersion2);
  if ((is_version_4 || is_version_2) && !form.has("policy")) throw missing_field("policy");
  if (is_version_4) {
    auto scope = parse_credential(form.get("x-amz-credential"));
    if (scope) return scope;
    throw with_details(
        {"InvalidArgument", 400,
         "the Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\"."},
        {{"ArgumentName", "X-Amz-Credential"}, {"ArgumentValue", std::string(form.get("x-amz-credential"))}});
  }
  if (!is_version_2) return std::nullopt;
  return CredentialScope{std::string(form.get("awsaccesskeyid")), "", std::string(kS3)};
}

// Of a form that says when it was made, or of none.
std::optional<base::Time> made_at(const PostForm& form) {
  if (!form.has("x-amz-date")) return std::nullopt;
  const auto date = parse_basic_date(form.get("x-amz-date"));
  if (date) return date;
  throw with_details({"InvalidArgument", 400, "X-Amz-Date must be formated via ISO8601 Long format"},
                     {{"ArgumentName", "X-Amz-Date"}, {"ArgumentValue", std::string(form.get("x-amz-date"))}});
}

}  // namespace

std::string_view PostForm::get(std::string_view name) const {
  const std::string* value = find_field(fields, name);
  return value ? std::string_view(*value) : std::string_view();
}

bool is_post_form(const Identity& identity) {
  if (identity.kind != Identity::Kind::operation) return false;
  const OperationInfo& info = identity.endpoint->operation->info;
  return info.service == kS3 && info.name == kPostObject;
}

Task<PostForm> read_post_form(net::Request& request, Identity& identity) {
  if (!lower(identity.head.content_type).starts_with("multipart/form-data")) {
    throw with_details({"PreconditionFailed", 412, "At least one of the pre-conditions you specified did not hold"},
                       {{"Condition", "Bucket POST must be of the enclosure-type multipart/form-data"}});
  }
  if (!identity.head.authorization.empty() || is_presigned(request.target)) {
    throw Error("NotImplemented", 501, "Tidemill does not support forms that are signed outside their fields");
  }
  const auto boundary = FormDataDecoder::boundary_of(identity.head.content_type);
  FormDataDecoder decoder(boundary.value_or(""));
  std::string first;
  while (boundary && !decoder.has_file()) {
    const auto piece = co_await request.body->read_some();
    if (!piece) break;
    decoder.feed(*piece, first);
  }
  if (!decoder.has_file()) decoder.finish();  // throws

  PostForm form{.fields = decoder.fields(), .file = {}, .length = std::make_shared<LengthRange>()};
  replace_file_name(form.fields, decoder.file_name());
  if (form.get("key").empty()) throw missing_field("key");
  check_values(form.fields);
  identity.scope = scope_of(form);
  form.file = BodyStream(std::make_shared<FormFile>(request.body, std::move(decoder), std::move(first), form.length),
                         std::nullopt);
  co_return form;
}

void check_post_policy(PostForm& form, std::string_view bucket, base::Time platform_time) {
  if (!form.has("policy")) return;
  const PostPolicy policy = PostPolicy::parse(form.get("policy"));
  const auto made = made_at(form);
  if (policy.expires() <= platform_time && !is_good_by_machine(made, policy.expires()))
    refuse_by_policy("Policy expired.");
  policy.check(bucket, form.fields);
  *form.length = policy.length();
}

void fill_from_form(PostForm& form, WireRequest& in) {
  for (auto& [name, value] : form.fields) in.headers.emplace_back(lower(name), std::move(value));
  in.stream = form.file;
}

}  // namespace tidemill::wire
