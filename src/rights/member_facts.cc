#include "rights/member_facts.h"

#include <map>
#include <optional>
#include <string>

#include "base/text.h"
#include "rights/table.h"
#include "services/s3/describing.h"
#include "wire/error.h"

namespace tidemill::rights {

namespace {

using base::cat;
using lang::policies::Facts;
using lang::policies::Values;
using wire::shapes::Kind;
using wire::shapes::Member;
using wire::shapes::Shape;
using Pairs = std::map<std::string, std::string>;

// A member that is there.
struct Given {
  const Member& member;
  const void* value;

  [[nodiscard]] const Shape& shape() const { return *member.shape; }
};

template <class Visit>
void each_given(const Shape& structure, const void* value, Visit visit) {
  for (const Member& member : structure.members) {
    if (!member.shape) continue;
    if (const void* found = wire::shapes::value_of(member, value)) visit(Given{member, found});
  }
}

// Of a text, a number or a truth.
std::optional<std::string> text_of(const Given& given) {
  switch (given.shape().kind) {
    case Kind::text:
      return wire::shapes::as<std::string>(given.value);
    case Kind::boolean:
      return wire::shapes::as<bool>(given.value) ? "true" : "false";
    case Kind::integer:
      return std::to_string(wire::shapes::as<int32_t>(given.value));
    case Kind::long_integer:
      return std::to_string(wire::shapes::as<int64_t>(given.value));
    default:
      return std::nullopt;
  }
}

// A map of texts, or a list of structures with a Key and a Value, however they are spelled.
Pairs pairs_of(const Given& given) {
  Pairs pairs;
  const Shape& shape = given.shape();
  if (shape.kind == Kind::map && shape.element->shape->kind == Kind::text) {
    wire::shapes::each_entry(shape, given.value, [&](const std::string& key, const void* value) {
      pairs.insert_or_assign(key, wire::shapes::as<std::string>(value));
    });
  }
  if (shape.kind == Kind::list && shape.element->shape->kind == Kind::structure) {
    wire::shapes::each_element(shape, given.value, [&](const void* tag) {
      std::string key;
      std::string text;
      each_given(*shape.element->shape, tag, [&](const Given& part) {
        const std::string name = lang::policies::lower_case(part.member.name);
        if (name.ends_with("key")) key = text_of(part).value_or("");
        if (name.ends_with("value")) text = text_of(part).value_or("");
      });
      pairs.insert_or_assign(std::move(key), std::move(text));
    });
  }
  return pairs;
}

Values texts_of(const Given& given) {
  Values texts;
  const Shape& shape = given.shape();
  if (shape.kind != Kind::list || shape.element->shape->kind != Kind::text) return texts;
  wire::shapes::each_element(shape, given.value,
                             [&](const void* text) { texts.push_back(wire::shapes::as<std::string>(text)); });
  return texts;
}

// "aws:RequestTag/team" for each, and all of them as "aws:TagKeys".
void set_pairs(std::string_view each, std::string_view all, const Pairs& pairs, Facts& facts) {
  if (pairs.empty()) return;
  Values keys;
  for (const auto& [key, value] : pairs) {
    facts.set(cat(each, key), value);
    keys.push_back(key);
  }
  facts.set(all, std::move(keys));
}

constexpr std::string_view kEachTag = "aws:RequestTag/";
constexpr std::string_view kAllTags = "aws:TagKeys";

void add_tags(const Given& given, Facts& facts) {
  const std::string name = lang::policies::lower_case(given.member.name);
  if (name != "tags" && name != "tagkeys") return;
  set_pairs(kEachTag, kAllTags, pairs_of(given), facts);
  if (Values keys = texts_of(given); !keys.empty()) facts.set(kAllTags, std::move(keys));
}

// A bucket's stand one member deeper: on its creation, and in a document of their own.
void add_bucket_tags(const wire::OperationInfo& operation, const Given& given, Facts& facts) {
  const bool is_document = given.member.name == "Tagging" && operation.name == "PutBucketTagging";
  if (!is_document && given.member.name != "CreateBucketConfiguration") return;
  each_given(given.shape(), given.value, [&](const Given& inner) {
    if (is_document) set_pairs(kEachTag, kAllTags, pairs_of(inner), facts);
    else add_tags(inner, facts);
  });
}

// "s3:x-amz-server-side-encryption", "s3:object-lock-mode", "s3:if-none-match".
void add_header(const Given& given, Facts& facts) {
  constexpr std::string_view kVendors = "x-amz-";
  constexpr std::string_view kLocks = "x-amz-object-lock-";
  std::string_view header = given.member.bound;
  if (given.member.location != wire::shapes::Location::header) return;
  if (!header.starts_with(kVendors) && !header.starts_with("if-")) return;
  if (header.starts_with(kLocks)) header.remove_prefix(kVendors.size());
  if (auto text = text_of(given)) facts.set(cat("s3:", header), *text);
}

// In a header, or as a document: of a body, or in a form.
void add_object_tags(const wire::OperationInfo& operation, const Given& given, Facts& facts) {
  constexpr std::string_view kEach = "s3:RequestObjectTag/";
  constexpr std::string_view kAll = "s3:RequestObjectTagKeys";
  if (given.member.name != "Tagging") return;
  if (given.shape().kind == Kind::structure) {
    return each_given(given.shape(), given.value,
                      [&](const Given& set) { set_pairs(kEach, kAll, pairs_of(set), facts); });
  }
  const std::string text = text_of(given).value_or("");
  try {
    const bool is_form = operation.name == "PostObject";
    set_pairs(kEach, kAll, is_form ? s3::parse_form_tagging(text) : s3::parse_tagging(text), facts);
  } catch (const wire::Error&) {  // the operation refuses it
  }
}

void add_encryption_context(const Given& given, const Ask& ask, Facts& facts) {
  const bool is_meant = given.member.name == "EncryptionContext" ||
                        (given.member.name == "SourceEncryptionContext" && ask.action == "kms:ReEncryptFrom") ||
                        (given.member.name == "DestinationEncryptionContext" && ask.action == "kms:ReEncryptTo");
  if (is_meant) set_pairs("kms:EncryptionContext:", "kms:EncryptionContextKeys", pairs_of(given), facts);
}

}  // namespace

void add_member_facts(const wire::OperationInfo& operation, const void* request, const Ask& ask, Facts& facts) {
  if (!request || !operation.input) return;
  const std::string_view vendor = vendor_of(operation.service);
  if (!ask.action.starts_with(cat(vendor, ":"))) return;
  each_given(*operation.input, request, [&](const Given& given) {
    add_tags(given, facts);
    if (vendor == "s3") {
      add_bucket_tags(operation, given, facts);
      if (ask.action.starts_with("s3:Put") || ask.action == "s3:CreateBucket") add_header(given, facts);
      if (ask.action.starts_with("s3:PutObject")) add_object_tags(operation, given, facts);
    }
    if (vendor == "kms") add_encryption_context(given, ask, facts);
    if (vendor == "secretsmanager") {
      if (const auto text = text_of(given); text && !given.member.sensitive) {
        facts.set(cat("secretsmanager:", given.member.name), *text);
      }
    }
  });
}

std::string upload_of(const wire::OperationInfo& operation, const void* request) {
  std::string id;
  if (!request || !operation.input || operation.service != "s3") return id;
  each_given(*operation.input, request, [&](const Given& given) {
    if (given.member.name == "UploadId") id = text_of(given).value_or("");
  });
  return id;
}

}  // namespace tidemill::rights
