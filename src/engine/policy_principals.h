// The users and roles that the policies of resources and roles name. A policy that is saved keeps the unique id of each
// ("AIDA…", "AROA…") in place of its ARN, as on AWS: whoever is made anew under the name of somebody deleted is not
// whom it means. It is shown with the ARNs that they have by then, and with the ids of those who are gone.
//
//   bucket.policy = co_await engine::with_ids(context, request.policy, invalid_principal);
//   out.policy = co_await engine::with_arns(context, bucket.policy);
//
// Judgments read what is kept: they know ids as well as ARNs (lang/policies/principal.h), which policies have that were
// saved before ids were kept.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "store/store.h"
#include "wire/context.h"
#include "wire/error.h"

namespace tidemill::engine {

// What a service answers where a policy names somebody who is not there. Nothing: that may stay as it stands.
using InvalidPrincipal = std::function<std::optional<wire::Error>(std::string_view principal)>;

// `policy` is a document or a single statement; what is no JSON object stays as it is, and so do accounts, services and
// everybody. Who is not there is refused where policies count (`--auth iam`), and stays as it stands elsewhere.
Task<std::string> with_ids(const wire::Context& context, std::string policy, InvalidPrincipal invalid);

// The same the other way. The platform itself, which judges by it, is shown what is kept.
Task<std::string> with_arns(const wire::Context& context, std::string policy);

// By which ARN IAM has the user or role of an id: told when it is made, changed or renamed, and when it goes.
void keep_principal(store::Transaction& txn, std::string_view id, std::string arn);
void forget_principal(store::Transaction& txn, std::string_view id);
// Those of these, ARNs by their ids, that it was never told of: versions before this did not tell it.
Task<void> keep_missing_principals(store::Store& store, std::map<std::string, std::string> arns);

}  // namespace tidemill::engine
