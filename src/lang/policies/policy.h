// Policy documents of IAM, compiled: whom a statement means, for which actions, on which resources, under which
// conditions.
//
//   const auto policy =
//   Policy::parse(R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"sqs:*","Resource":"*"}})");
//   policy->effect({caller, "sqs:SendMessage", "arn:aws:sqs:…", facts})
//
// A Policy does not change, and any thread may ask it.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/policies/condition.h"
#include "lang/policies/facts.h"
#include "lang/policies/glob.h"
#include "lang/policies/principal.h"

namespace tidemill::lang::policies {

inline constexpr size_t kDocumentBytesMax = 131072;  // as the API's model bounds documents

// What stands for a policy of an identity that is kept and cannot be read: what its own Deny was about nobody knows.
inline constexpr std::string_view kDeniesAll =
    R"({"Version":"2012-10-17","Statement":{"Sid":"ThePolicyCannotBeRead","Effect":"Deny","Action":"*","Resource":"*"}})";

// What is asked.
struct Question {
  const Caller& caller;
  std::string_view action;    // "sqs:SendMessage"; case does not matter
  std::string_view resource;  // an ARN, or "*"
  const FactSource& facts;
};

enum class Effect { allow, deny };

// About the steps, of a nanosecond each, that judging takes at most.
struct Effort {
  size_t a_byte_asked = 0;    // of the action and the resource
  size_t a_byte_of_facts = 0;

  void add(const Effort& more) {
    a_byte_asked += more.a_byte_asked;
    a_byte_of_facts += more.a_byte_of_facts;
  }
  [[nodiscard]] size_t of(size_t bytes_asked, size_t bytes_of_facts) const {
    return a_byte_asked * bytes_asked + a_byte_of_facts * bytes_of_facts;
  }
};

class Statement {
 public:
  [[nodiscard]] Effect effect() const { return effect_; }
  [[nodiscard]] const std::string& label() const { return label_; }  // Sid
  [[nodiscard]] size_t index() const { return index_; }              // in its document, from 0

  // How it names the caller if it matches; Naming::everybody where it has no Principal, none if it does not match.
  [[nodiscard]] Naming match(const Question& question) const;
  // Whether facts can change what it says.
  [[nodiscard]] bool uses_facts() const;
  [[nodiscard]] Effort effort() const;
  // Whether it has a Principal or a NotPrincipal.
  [[nodiscard]] bool says_whom() const { return principals_.has_value(); }
  // Whether it is about the action and the resource, whoever asks and whatever its conditions say. Nothing: a variable
  // of its has no value.
  [[nodiscard]] std::optional<bool> concerns(const Question& question) const;
  // The condition keys that it asks for, in Condition and as variables, as they are written. One may come twice.
  [[nodiscard]] std::vector<std::string> keys() const;

 private:
  friend class StatementParser;

  struct Patterns {
    std::vector<Glob> globs;
    bool is_negated = false;
    bool is_given = false;
    // Nothing: a variable has no value.
    [[nodiscard]] std::optional<bool> fit(std::string_view text, const FactSource& facts) const;
  };

  Effect effect_ = Effect::deny;
  std::string label_;
  size_t index_ = 0;
  std::optional<Principals> principals_;
  bool spares_principals_ = false;  // NotPrincipal
  Patterns actions_;
  Patterns resources_;
  std::vector<Condition> conditions_;
};

// What a policy says of a question: the statement that denies, or else the one that allows most closely.
struct Verdict {
  const Statement* denies = nullptr;
  const Statement* allows = nullptr;
  Naming naming = Naming::none;  // of `allows`
};

class Policy {
 public:
  // Why it is no policy, in one line: "Statement 2: unknown operator in Condition".
  static std::expected<Policy, std::string> parse(std::string_view document);
  // The same of a resource's policy, where every statement must say whom it means: one that does not would mean everybody.
  static std::expected<Policy, std::string> parse_of_resource(std::string_view document);

  [[nodiscard]] Verdict judge(const Question& question) const;
  [[nodiscard]] const std::vector<Statement>& statements() const { return statements_; }
  // Without, what it says depends on caller, action and resource alone.
  [[nodiscard]] bool uses_facts() const { return uses_facts_; }
  [[nodiscard]] const Effort& effort() const { return effort_; }

 private:
  std::vector<Statement> statements_;
  Effort effort_;
  bool uses_facts_ = false;
};

}  // namespace tidemill::lang::policies
