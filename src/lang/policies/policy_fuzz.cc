// A policy document and, after a zero byte, an action and a resource with another between. Whatever it is, it is judged
// without harm, and no denial is an allowance.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lang/policies/decide.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemill::lang::policies;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\0');
  const auto policy = Policy::parse(input.substr(0, end));
  if (!policy) return 0;
  std::string_view asked = end == std::string_view::npos ? "sqs:SendMessage" : input.substr(end + 1);
  const size_t between = asked.find('\0');
  const std::string_view resource =
      between == std::string_view::npos ? "arn:aws:sqs:us-east-1:111111111111:q" : asked.substr(between + 1);
  asked = asked.substr(0, between);
  Facts facts;
  facts.set("aws:username", "alice");
  facts.set("aws:sourceip", "203.0.113.7");
  facts.set("aws:currenttime", "2026-11-23T07:30:00Z");
  facts.set("aws:tagkeys", Values{"a", "b"});
  for (const auto kind : {PrincipalKind::anonymous, PrincipalKind::root, PrincipalKind::user, PrincipalKind::role,
                          PrincipalKind::federated, PrincipalKind::service}) {
    const Caller caller{
        kind,     "111111111111",     "arn:aws:iam::111111111111:user/alice", "arn:aws:iam::111111111111:role/r",
        "AIDA:s", "sns.amazonaws.com"};
    const Question question{caller, asked, resource, facts};
    const Verdict verdict = policy->judge(question);
    const NamedPolicy own{"own", &*policy};
    const Decision decision = decide(question, {.identity = {&own, 1}, .boundary = {&own, 1}, .resource = &*policy});
    if (verdict.denies && decision.is_allowed()) std::abort();
    if (!verdict.denies && decision.outcome == Outcome::explicitly_denied) std::abort();
  }
  return 0;
}
