#include "engine/policy_principals.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/executor.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/text.h"
#include "store/resources.h"
#include "wire/arn.h"
#include "wire/credential_scope.h"
#include "wire/pipeline/authorize.h"
#include "wire/registry.h"

namespace tidemill::engine {
namespace {

using base::cat;

// Ids are unique over all accounts, so they stand under none.
constexpr store::ResourceType kPrincipals{"iam", "principal"};
constexpr std::string_view kUserIds = "AIDA";
constexpr std::string_view kRoleIds = "AROA";
constexpr size_t kIdSize = 21;
constexpr std::string_view kUser = "User";
constexpr std::string_view kRole = "Role";
constexpr std::string_view kSession = "assumed-role/";
constexpr size_t kStepsOfPrincipal = 16;  // base::slice_is_over()

struct Kept {
  std::string arn;
};

constexpr auto kKeptMembers = [](auto& member, auto& kept) { member("arn", kept.arn); };

std::string key_of(std::string_view id) { return store::resource_key(kPrincipals, "", "", id); }

// "AIDA…" or "AROA…", or that of a session, "AROA…:session".
bool is_id(std::string_view text) {
  const std::string_view id = text.substr(0, text.find(':'));
  const bool is_role = id.starts_with(kRoleIds);
  const bool is_user = id.starts_with(kUserIds) && id.size() == text.size();
  return id.size() == kIdSize && (is_role || is_user) &&
         std::ranges::all_of(id, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

// Everybody, an account, a session of GetFederationToken: nobody who could be deleted.
bool is_no_identity(std::string_view principal) {
  if (principal == "*" || wire::is_account(principal)) return true;
  const auto arn = wire::parse_arn(principal);
  if (!arn || arn->partition != wire::kPartition || !wire::is_account(arn->account)) return false;
  return (arn->service == "iam" && arn->resource == "root") ||
         (arn->service == "sts" && arn->resource.starts_with("federated-user/"));
}

struct Identity {
  std::string id;
  std::string arn;
};

// By its name alone: paths are no part of names.
struct Wanted {
  std::string account;
  std::string_view kind;
  std::string name;
  std::string session = {};  // of a role; empty: the role itself
};

// [\w+=,.@-]: no pattern of them.
bool is_session_name(std::string_view text) {
  const auto may_stand = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("_+=,.@-").contains(c);
  };
  return !text.empty() && std::ranges::all_of(text, may_stand);
}

std::optional<Wanted> wanted_of(std::string_view principal) {
  const auto arn = wire::parse_arn(principal);
  if (!arn || arn->partition != wire::kPartition || !wire::is_account(arn->account) || !arn->region.empty()) {
    return std::nullopt;
  }
  const std::string account(arn->account);
  if (arn->service == "iam") {
    const bool is_user = arn->resource.starts_with("user/");
    if (!is_user && !arn->resource.starts_with("role/")) return std::nullopt;
    return Wanted{account, is_user ? kUser : kRole, std::string(arn->resource.substr(arn->resource.rfind('/') + 1))};
  }
  if (arn->service != "sts" || !arn->resource.starts_with(kSession)) return std::nullopt;
  const std::string_view names = arn->resource.substr(kSession.size());
  const size_t slash = names.find('/');
  if (slash == std::string_view::npos || !is_session_name(names.substr(slash + 1))) return std::nullopt;
  return Wanted{account, kRole, std::string(names.substr(0, slash)), std::string(names.substr(slash + 1))};
}

// Also that the name cannot be one.
bool says_there_is_none(const wire::Error& error) {
  return error.code.contains("NoSuchEntity") || error.code.contains("Validation");
}

std::string text_at(const json::Value& value, std::string_view name) {
  const json::Value* text = value.find(name);
  return text && text->is_string() ? text->string() : std::string();
}

// Who has the name now. Nothing: nobody.
Task<std::optional<Identity>> find_identity(const wire::Context& context, const Wanted& wanted) {
  if (wanted.name.empty()) co_return std::nullopt;  // would mean whoever asks
  wire::Context asking(context.platform(), wanted.account, context.region, context.request_id,
                       wire::Principal::platform());
  try {
    const json::Value answer = co_await context.registry().call(asking, "iam", cat("Get", wanted.kind),
                                                                json::Object{{cat(wanted.kind, "Name"), wanted.name}});
    if (const json::Value* found = answer.find(wanted.kind)) {
      co_return Identity{text_at(*found, cat(wanted.kind, "Id")), text_at(*found, "Arn")};
    }
  } catch (const wire::Error& error) {
    if (!says_there_is_none(error)) throw;
  }
  co_return std::nullopt;
}

// Nothing: whoever had the id is gone.
Task<std::optional<std::string>> arn_of(const wire::Context& context, std::string id) {
  const size_t colon = std::min(id.find(':'), id.size());
  const std::string key = key_of(id.substr(0, colon));
  const auto bytes = co_await context.store().snapshot()->get(key);
  if (!bytes) co_return std::nullopt;
  const auto wanted = wanted_of(json::decode<Kept>("principal", *bytes, kKeptMembers).arn);
  const auto found = wanted ? co_await find_identity(context, *wanted) : std::nullopt;
  if (!found || found->id != id.substr(0, colon)) co_return std::nullopt;
  if (colon == id.size()) co_return found->arn;
  co_return cat("arn:aws:sts::", wanted->account, ":", kSession, wanted->name, "/", id.substr(colon + 1));
}

// Nothing: there is nobody of this ARN or id.
Task<std::optional<std::string>> id_of(const wire::Context& context, std::string principal) {
  if (is_id(principal)) {
    const auto arn = co_await arn_of(context, principal);
    co_return arn ? std::optional(std::move(principal)) : std::nullopt;
  }
  const auto wanted = wanted_of(principal);
  const auto found = wanted ? co_await find_identity(context, *wanted) : std::nullopt;
  if (!found || (wanted->session.empty() && found->arn != principal)) co_return std::nullopt;
  co_return wanted->session.empty() ? found->id : cat(found->id, ":", wanted->session);
}

// Whether it counts what policies say: then one that says nothing lets nobody.
Task<bool> policies_count(const wire::Context& context) {
  co_return !co_await wire::would_let(context, {"sts:AssumeRole", "*"}, R"({"Version":"2012-10-17","Statement":[]})");
}

void add_texts(json::Value& value, std::vector<json::Value*>& out) {
  if (value.is_string()) out.push_back(&value);
  if (!value.is_array()) return;
  for (json::Value& each : value.array()) {
    if (each.is_string()) out.push_back(&each);
  }
}

void add_principals(json::Value& statement, std::vector<json::Value*>& out) {
  if (!statement.is_object()) return;
  for (const std::string_view name : {"Principal", "NotPrincipal"}) {
    json::Value* principal = statement.object().find(name);
    json::Value* named = principal && principal->is_object() ? principal->object().find("AWS") : nullptr;
    if (named) add_texts(*named, out);
  }
}

// The places where `policy` names principals of AWS.
std::vector<json::Value*> principals_in(json::Value& policy) {
  std::vector<json::Value*> found;
  json::Value* statements = policy.object().find("Statement");
  if (statements && statements->is_array()) {
    for (json::Value& statement : statements->array()) add_principals(statement, found);
  } else {
    add_principals(statements ? *statements : policy, found);
  }
  return found;
}

// The policy as it came, unless something in it is replaced.
Task<std::string> with_replaced(std::string policy, std::function<Task<std::string>(const std::string&)> replace) {
  auto document = json::parse(policy);
  if (!document || !document->is_object()) co_return policy;
  std::map<std::string, std::string> replaced;
  bool is_changed = false;
  for (json::Value* place : principals_in(*document)) {
    if (base::slice_is_over(kStepsOfPrincipal)) co_await base::give_way();  // a policy may name thousands
    const auto [known, is_new] = replaced.try_emplace(place->string());
    if (is_new) known->second = co_await replace(known->first);
    if (known->second == known->first) continue;
    *place = known->second;
    is_changed = true;
  }
  co_return is_changed ? json::write(*document) : policy;
}

}  // namespace

Task<std::string> with_ids(const wire::Context& context, std::string policy, InvalidPrincipal invalid) {
  if (!context.registry().find("iam", "GetRole")) co_return policy;  // nobody keeps identities
  co_return co_await with_replaced(std::move(policy), [&](const std::string& principal) -> Task<std::string> {
    if (is_no_identity(principal)) co_return principal;
    if (auto id = co_await id_of(context, principal)) co_return *std::move(id);
    if (auto error = invalid(principal); error && co_await policies_count(context)) throw *std::move(error);
    co_return principal;
  });
}

Task<std::string> with_arns(const wire::Context& context, std::string policy) {
  const bool may_have_ids = policy.contains(kUserIds) || policy.contains(kRoleIds);
  if (!may_have_ids || context.principal.kind() == wire::Principal::Kind::platform) co_return policy;
  co_return co_await with_replaced(std::move(policy), [&](const std::string& principal) -> Task<std::string> {
    if (!is_id(principal)) co_return principal;
    co_return (co_await arn_of(context, principal)).value_or(principal);
  });
}

void keep_principal(store::Transaction& txn, std::string_view id, std::string arn) {
  txn.put(key_of(id), json::encode(Kept{std::move(arn)}, kKeptMembers));
}

Task<void> keep_missing_principals(store::Store& store, std::map<std::string, std::string> arns) {
  const auto snapshot = store.snapshot();
  for (const auto& [id, arn] : arns) {
    const std::string key = key_of(id);
    if (co_await snapshot->get(key)) continue;
    co_await store.transact([&](store::Transaction& txn) -> Task<void> {
      if (!co_await txn.get(key)) keep_principal(txn, id, arn);
    });
  }
}

void forget_principal(store::Transaction& txn, std::string_view id) { txn.erase(key_of(id)); }

}  // namespace tidemill::engine
