#include "rights/made.h"

#include <map>

#include "base/json.h"
#include "base/text.h"
#include "lang/partiql/syntax.h"
#include "services/iam/names.h"
#include "services/kms/ciphertext.h"
#include "services/s3/copying.h"
#include "wire/arn.h"
#include "wire/error.h"
#include "wire/shapes/events.h"
#include "wire/shapes/healthlakefhir.h"
#include "wire/shapes/iam.h"
#include "wire/shapes/kms.h"
#include "wire/shapes/s3.h"

namespace tidemill::rights {

namespace {

using base::cat;

// Each entry goes to a bus of its own.
void make_entries(const MakerInput& input, std::vector<Ask>& asks) {
  constexpr std::string_view kDefaultBus = "default";
  const auto& request = *static_cast<const wire::events::PutEventsInput*>(input.request);
  for (const auto& entry : request.entries) {
    const std::string bus = entry.event_bus_name.value_or(std::string(kDefaultBus));
    Ask ask{"events:PutEvents", bus};
    if (!bus.starts_with("arn:")) {
      ask.resource = wire::Arn{.service = "events",
                               .region = input.context.region,
                               .account = input.context.account,
                               .resource = cat("event-bus/", bus)}
                         .text();
    }
    if (entry.source) ask.facts.push_back({"events:source", {*entry.source}});
    if (entry.detail_type) ask.facts.push_back({"events:detail-type", {*entry.detail_type}});
    asks.push_back(std::move(ask));
  }
}

std::string of_bucket(std::string_view path) { return cat("arn:aws:s3:::", path); }

std::string_view action_of(lang::partiql::Statement::Kind kind) {
  using Kind = lang::partiql::Statement::Kind;
  switch (kind) {
    case Kind::insert:
      return "dynamodb:PartiQLInsert";
    case Kind::update:
      return "dynamodb:PartiQLUpdate";
    case Kind::del:
      return "dynamodb:PartiQLDelete";
    case Kind::select:
    case Kind::exists:
      break;
  }
  return "dynamodb:PartiQLSelect";
}

// What is no statement names no table, and is refused as such by whoever may ask something of all.
// Of a table by its name or its ARN.
std::string table_arn(const wire::Context& context, const std::string& table) {
  if (table.starts_with("arn:")) return table;
  const std::string resource = cat("table/", table);
  return wire::Arn{.service = "dynamodb", .region = context.region, .account = context.account, .resource = resource}
      .text();
}

void make_statements(const MakerInput& input, std::vector<Ask>& asks) {
  for (const std::string& text : input.values) {
    Ask ask{"dynamodb:PartiQLSelect", "*"};
    try {
      const auto syntax = lang::partiql::detail::parse_syntax(text);
      ask.action = action_of(syntax.kind);
      if (!syntax.source.empty()) ask.resource = table_arn(input.context, syntax.source[0]);
      if (syntax.source.size() > 1) ask.resource += cat("/index/", syntax.source[1]);
    } catch (const lang::partiql::StatementError&) {
    }
    asks.push_back(std::move(ask));
  }
}

Ask about_key(const std::string& action, const std::string& ciphertext, const std::optional<std::string>& named) {
  if (named) return {action, *named, {}, Lookup::key};
  const auto header = kms::header_of(ciphertext);
  return header ? Ask{action, header->key_id, {}, Lookup::key} : Ask{action, "*"};
}

void make_ciphertext(const MakerInput& input, std::vector<Ask>& asks) {
  if (input.action == "kms:Decrypt") {
    const auto& request = *static_cast<const wire::kms::DecryptInput*>(input.request);
    asks.push_back(about_key(input.action, request.ciphertext_blob, request.key_id));
  } else {
    const auto& request = *static_cast<const wire::kms::ReEncryptInput*>(input.request);
    asks.push_back(about_key(input.action, request.ciphertext_blob, request.source_key_id));
  }
}

// A source that cannot be read is refused by the operation.
void add_source(const std::string& source, std::vector<Ask>& asks) {
  try {
    const auto object = s3::parse_copy_source(source, std::nullopt);
    Ask ask{object.version ? "s3:GetObjectVersion" : "s3:GetObject", of_bucket(cat(object.bucket, "/", object.key))};
    if (object.version) ask.facts.push_back({"s3:VersionId", {*object.version}});
    asks.push_back(std::move(ask));
  } catch (const wire::Error&) {
    asks.push_back({"s3:GetObject", "*"});
  }
}

void make_copied(const MakerInput& input, std::vector<Ask>& asks) {
  for (const std::string& source : input.values) add_source(source, asks);
}

// The role stands in a document. One without is refused by the operation.
void make_exported(const MakerInput& input, std::vector<Ask>& asks) {
  const auto& request = *static_cast<const wire::healthlakefhir::FhirExportInput*>(input.request);
  const auto body = json::parse(request.body.value_or(""));
  const json::Value* role = body && body->is_object() ? body->find("DataAccessRoleArn") : nullptr;
  if (!role || !role->is_string()) return;
  asks.push_back({"iam:PassRole", role->string(), {{"iam:PassedToService", {"healthlake.amazonaws.com"}}}});
}

// A new name, or a new path, makes it another resource, to which it must be let as well.
void add_renamed(const MakerInput& input, std::string_view type, const std::string& name,
                 const std::optional<std::string>& new_path, const std::optional<std::string>& new_name, Lookup lookup,
                 std::vector<Ask>& asks) {
  const std::string& to_be = new_name ? *new_name : name;
  if (new_path) {
    asks.push_back({input.action, iam::arn_of(input.context.account, type, *new_path, to_be)});
  } else if (new_name) {
    asks.push_back({input.action, cat(name, "/", to_be), {}, lookup});
  }
}

void make_renamed(const MakerInput& input, std::vector<Ask>& asks) {
  if (input.action == "iam:UpdateUser") {
    const auto& request = *static_cast<const wire::iam::UpdateUserInput*>(input.request);
    add_renamed(input, "user", request.user_name, request.new_path, request.new_user_name, Lookup::renamed_user, asks);
  } else {
    const auto& request = *static_cast<const wire::iam::UpdateGroupInput*>(input.request);
    add_renamed(input, "group", request.group_name, request.new_path, request.new_group_name, Lookup::renamed_group,
                asks);
  }
}

void make_deleted(const MakerInput& input, std::vector<Ask>& asks) {
  const auto& request = *static_cast<const wire::s3::DeleteObjectsInput*>(input.request);
  for (const auto& object : request.delete_.objects) {
    Ask ask{object.version_id ? "s3:DeleteObjectVersion" : "s3:DeleteObject",
            of_bucket(cat(request.bucket, "/", object.key))};
    if (object.version_id) ask.facts.push_back({"s3:VersionId", {*object.version_id}});
    asks.push_back(std::move(ask));
    if (request.bypass_governance_retention) {
      asks.push_back({"s3:BypassGovernanceRetention", of_bucket(cat(request.bucket, "/", object.key))});
    }
  }
}

}  // namespace

std::optional<Maker> find_maker(std::string_view name) {
  static const std::map<std::string_view, Maker> kMakers{
      {"ciphertext", &make_ciphertext}, {"copied", &make_copied},     {"deleted", &make_deleted},
      {"entries", &make_entries},       {"exported", &make_exported}, {"renamed", &make_renamed},
      {"statements", &make_statements},
  };
  const auto found = kMakers.find(name);
  return found == kMakers.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tidemill::rights
