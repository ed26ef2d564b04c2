// The table of testdata/evaluations.txt, which says how it is read.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "lang/policies/decide.h"

namespace tidemill::lang::policies {
namespace {

using base::cat;

const std::string kAccount = "111111111111";
const Facts kNothing;

Caller caller(const std::string& name) {
  const auto arn = [](std::string_view text) { return std::string(text); };
  if (name == "alice")
    return {PrincipalKind::user, kAccount, arn("arn:aws:iam::111111111111:user/alice"), "", "AIDAALICE"};
  if (name == "bob")
    return {PrincipalKind::user, "222222222222", arn("arn:aws:iam::222222222222:user/bob"), "", "AIDABOB"};
  if (name == "root") return {PrincipalKind::root, kAccount, arn("arn:aws:iam::111111111111:root"), "", kAccount};
  if (name == "worker") {
    return {PrincipalKind::role, kAccount, arn("arn:aws:sts::111111111111:assumed-role/worker/s1"),
            arn("arn:aws:iam::111111111111:role/worker"), "AROAWORKER:s1"};
  }
  if (name == "fred") {
    return {PrincipalKind::federated, kAccount, arn("arn:aws:sts::111111111111:federated-user/fred"), "",
            "111111111111:fred"};
  }
  if (name == "sns") return {PrincipalKind::service, "", "", "", "", "sns.amazonaws.com"};
  EXPECT_EQ(name, "nobody");
  return {};
}

// Words, where JSON in brackets or quotes is one word.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  int depth = 0;
  bool is_quoted = false;
  for (const char letter : line) {
    if (letter == '"') is_quoted = !is_quoted;
    if (!is_quoted && (letter == '{' || letter == '[')) ++depth;
    if (!is_quoted && (letter == '}' || letter == ']')) --depth;
    if (letter != ' ' || is_quoted || depth > 0)
      words.back().push_back(letter);
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

Facts facts_of(std::span<const std::string> words) {
  Facts facts;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const auto value = json::parse(word.substr(equals + 1));
    EXPECT_TRUE(value) << word;
    Values values;
    if (value && value->is_array()) {
      for (const auto& each : value->array()) values.push_back(each.string());
    } else if (value) {
      values.push_back(value->string());
    }
    facts.set(word.substr(0, equals), std::move(values));
  }
  return facts;
}

Policy parse(const std::string& document) {
  auto policy = Policy::parse(document);
  EXPECT_TRUE(policy) << policy.error() << " in " << document;
  return policy ? *std::move(policy) : Policy();
}

std::string allow(std::string_view rest, std::string_view version = "2012-10-17") {
  return cat(R"({"Version":")", version, R"(","Statement":{"Effect":"Allow",)", rest, "}}");
}

class Table {
 public:
  void run(const std::string& line) {
    words_ = words_of(line);
    if (words_[0] == "policy") {
      policies_.emplace(words_[1], parse(words_[2]));
      return;
    }
    ++evaluations;
    if (words_[0] == "ask") return ask();
    const std::string wanted = words_.back();
    EXPECT_EQ(answer(), wanted);
  }

  int evaluations = 0;

 private:
  std::string answer() {
    const auto rest = [&](size_t from) { return facts_of(std::span(words_).subspan(from, words_.size() - from - 1)); };
    const std::string& kind = words_[0];
    if (kind == "action")
      return matches(allow(cat(R"("Action":)", words_[1], R"(,"Resource":"*")")), words_[2], "r", {});
    if (kind == "match" || kind == "old") {
      const std::string_view version = kind == "old" ? "2008-10-17" : "2012-10-17";
      return matches(allow(cat(R"("Action":"*","Resource":)", words_[1]), version), "a:b", words_[2], rest(3));
    }
    if (kind == "if") {
      const std::string condition = cat("{\"", words_[1], "\":{\"", words_[2], "\":", words_[3], "}}");
      return matches(allow(cat(R"("Action":"*","Resource":"*","Condition":)", condition)), "a:b", "r", rest(4));
    }
    if (kind == "names") return names();
    EXPECT_EQ(kind, "spares");
    const Policy policy =
        parse(cat(R"({"Statement":{"Effect":"Deny","Action":"*","Resource":"*","NotPrincipal":)", words_[1], "}}"));
    const Caller who = caller(words_[2]);
    return policy.judge({who, "a:b", "r", kNothing}).denies ? "no" : "yes";
  }

  static std::string matches(const std::string& document, const std::string& action, const std::string& resource,
                             const Facts& facts) {
    const Caller who = caller("alice");
    return parse(document).judge({who, action, resource, facts}).allows ? "yes" : "no";
  }

  std::string names() {
    const Policy policy = parse(allow(cat(R"("Action":"*","Resource":"*","Principal":)", words_[1])));
    const Caller who = caller(words_[2]);
    const Decision decision = decide({who, "a:b", "r", kNothing}, {.resource = &policy, .resource_account = kAccount});
    return decision.is_allowed() ? "allowed" : std::string(kind_name(decision.kind));
  }

  static std::string_view kind_name(PolicyKind kind) {
    switch (kind) {
      case PolicyKind::identity:
        return "identity";
      case PolicyKind::resource:
        return "resource";
      case PolicyKind::boundary:
        return "boundary";
      case PolicyKind::session:
        return "session";
      case PolicyKind::trust:
        return "trust";
    }
    return "";
  }

  std::vector<NamedPolicy> find_all(std::string_view names) {
    std::vector<NamedPolicy> found;
    std::stringstream list{std::string(names)};
    for (std::string name; std::getline(list, name, ',');) {
      const auto at = policies_.find(name);
      EXPECT_NE(at, policies_.end()) << name;
      if (at != policies_.end()) found.push_back({at->first, &at->second});
    }
    return found;
  }

  void ask() {
    const Caller who = caller(words_[1]);
    std::map<std::string, std::vector<NamedPolicy>> given;
    Policies policies;
    std::vector<std::string> fact_words;
    size_t at = 4;
    for (; words_[at] != "allowed" && words_[at] != "denied" && words_[at] != "refused"; ++at) {
      const std::string& word = words_[at];
      const std::string name = word.substr(0, word.find('='));
      const bool is_fact = word.find(':') < word.find('=');
      if (word == "must")
        policies.resource_must_allow = true;
      else if (name == "owner")
        policies.resource_account = std::string_view(word).substr(6);
      else if (is_fact)
        fact_words.push_back(word);
      else
        given[name] = find_all(std::string_view(word).substr(name.size() + 1));
    }
    policies.identity = given["identity"];
    policies.boundary = given["boundary"];
    policies.session = given["session"];
    if (!given["resource"].empty()) policies.resource = given["resource"][0].policy;
    if (!given["trust"].empty()) {
      policies.resource = given["trust"][0].policy;
      policies.resource_is_trust = policies.resource_must_allow = true;
    }
    const Facts facts = facts_of(fact_words);
    const Decision decision = decide({who, words_[2], words_[3], facts}, policies);
    std::string found = decision.outcome == Outcome::allowed             ? "allowed "
                        : decision.outcome == Outcome::explicitly_denied ? "refused "
                                                                         : "denied ";
    found += kind_name(decision.kind);
    if (decision.statement) found += cat(" ", decision.statement->label());
    std::string wanted = words_[at];
    for (size_t i = at + 1; i < words_.size(); ++i) wanted += cat(" ", words_[i]);
    EXPECT_EQ(found, wanted);
  }

  std::vector<std::string> words_;
  std::map<std::string, Policy> policies_;
};

TEST(Policies, AreEvaluatedAsTheTableSays) {
  std::ifstream file(TIDEMILL_POLICY_EVALUATIONS);
  ASSERT_TRUE(file) << TIDEMILL_POLICY_EVALUATIONS;
  Table table;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    SCOPED_TRACE(cat("line ", number, ": ", line));
    table.run(line);
  }
  EXPECT_GE(table.evaluations, 300);
}

}  // namespace
}  // namespace tidemill::lang::policies
