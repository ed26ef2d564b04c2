// `--auth iam`: judges every operation by the policies that have to do with it. Denies what nobody has said the rights
// of. What it has read and decided it keeps until an operation that changes policies has ended.
// `--auth signed`: the same, but everybody may do everything in their own account (accounts.h), and only the root of
// the server's account may drive the server.
//
//   PolicyAuthorizer authorizer(store, registry);   // once every service has registered
//   faults.let_judge(authorizer);
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/blocking_work.h"
#include "rights/explanations.h"
#include "rights/known.h"
#include "rights/lookups.h"
#include "rights/passed_roles.h"
#include "rights/request_facts.h"
#include "rights/table.h"
#include "wire/pipeline/authorize.h"

namespace tidemill::rights {

// Whether a resource's policy names the actor, or only the actor's account, as somebody who may do it.
[[nodiscard]] bool lets(const lang::policies::Policy& policy, const wire::Context& context, const Actor& actor,
                        const Ask& ask);

enum class Reach {
  rights,   // what policies allow
  account,  // the caller's account, and what the policies of others' resources allow
};

// Any thread.
class PolicyAuthorizer final : public wire::Authorizer {
 public:
  // What is passed in outlives this. Throws std::logic_error if the tables are wrong.
  PolicyAuthorizer(store::Store& store, const wire::Registry& registry, Reach reach = Reach::rights);

  // The access key of the root of the server's account, and that account. Before the first call.
  void know_root(std::string access_key_id, std::string account) {
    root_ = {std::move(access_key_id), std::move(account)};
  }

  Task<void> authorize(const wire::Access& access) override;
  Task<void> authorize_request(const wire::Access& access) override;
  Task<void> authorize_deed(const wire::Context& context, wire::Deed deed) override;
  Task<bool> would_let(const wire::Context& context, wire::Deed deed, std::string policy) override;
  void ended(const wire::OperationInfo& operation) noexcept override;

  [[nodiscard]] const Table& table() const { return table_; }
  [[nodiscard]] const Explanations& explanations() const { return explanations_; }

 private:
  using Judgments = std::vector<std::shared_ptr<const Judgment>>;

  [[nodiscard]] std::shared_ptr<Known> known();
  // As far as the first that denies. Null: something must be read or evaluated first.
  [[nodiscard]] static std::optional<Judgments> recall(Known& known, const wire::Principal& who,
                                                       const std::vector<Ask>& asks);
  Task<void> judge_all(wire::Access access, std::vector<Ask> asks, std::shared_ptr<Known> known);
  Task<std::shared_ptr<const Actor>> actor_of(wire::Context context, std::shared_ptr<Known> known);
  Task<std::shared_ptr<const ResourceSide>> side_of(const wire::Context& context, const Ask& ask,
                                                    std::shared_ptr<Known> known);
  Task<std::shared_ptr<const Judgment>> judge(wire::Access access, const Actor& actor, Ask ask,
                                              std::shared_ptr<Known> known);
  // Whether the trust policy of a role lets the service take it on that acts under it. Of a role that another role has
  // taken on, that has been judged then, as AssumeRole is.
  Task<bool> is_trusted(const wire::Context& context, const Actor& actor, const wire::Standing& standing);
  // What is given outlives the task.
  Task<lang::policies::Decision> decision_on(const lang::policies::Caller& caller, const Ask& ask,
                                             const RequestFacts& facts, const lang::policies::Policies& policies);
  // What `judge` returns, here or, if it may take long, on a thread of its own: strangers may choose both the texts
  // that policies are matched with and, for what is theirs, the policies.
  template <class F>
  Task<std::invoke_result_t<F&>> with_effort(size_t effort, F judge);
  // Of credentials of GetSessionToken.
  Task<void> refuse_session_token(wire::Access access);
  // Whether the caller drives the server, as the root of its account alone may.
  void check_administrator(const wire::Context& context, const Ask& ask, const Actor& actor) const;
  // Leaves what is not asked for as it lies within the caller's account.
  void leave_what_is_beyond(const wire::Context& context, std::vector<Ask>& asks) const;
  // The role that a service would not be let take on, of those that it is given; nothing: it may take on all.
  Task<std::optional<PassedRole>> first_distrusted(const wire::Context& context, std::vector<PassedRole> roles,
                                                   std::shared_ptr<Known> known);
  // Throws what was refused, as `refused` if that is given.
  void settle_with(const wire::Context& context, const wire::OperationInfo* operation, Judgments judgments,
                   const wire::Error* refused = nullptr);

  store::Store& store_;
  const Table table_;
  const Reach reach_;
  std::unordered_set<OperationKey, OperationKeyHash> changing_;  // operations that change rights
  Root root_;
  std::atomic<uint64_t> generation_ = 0;  // of all policies; one more with each change
  std::mutex mutex_;
  std::shared_ptr<Known> known_;
  Explanations explanations_;
  base::BlockingWork long_judgments_;
};

}  // namespace tidemill::rights
