// The tables (tables/*.txt), read: which actions on which resources each operation needs. A line is
//
//   Query Scan | = table/{TableName}[/index/{IndexName}] | iam:PassRole {RoleArn?} iam:PassedToService=x when RoleArn
//
// operations, and after each bar an ask: an action ("=": the operation's name; without a vendor, the service's), a
// resource, condition keys with their values, and whether it is asked at all ("when M": not without the member, nor if
// that is false, or an empty list or map; "unless M": only then). In resources and values stand
//
//   {A.B}      members of the request, through lists and maps; {M#} the keys of a map. Several values are several asks.
//              An ARN in the place of the first member stands for all before it, but in S3's.
//   {M?}       without the member there is no such ask
//   {M=word}   otherwise this; {M=@caller} the name of the user who calls
//   {M:way}    a name made into a resource (names.h); {M:way:N} together with another member
//   […]        left out if its member is absent, or made into nothing
//
// A resource that is no ARN and not "*" is one of the service in the caller's account and region. "-": nothing is
// needed. "! name {M}": made.h makes the asks. A request that comes to no ask at all asks for "*".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rights/ask.h"
#include "rights/made.h"
#include "rights/names.h"
#include "rights/values.h"
#include "wire/registry.h"

namespace tidemill::rights {

// Text with members in it.
class Template {
 public:
  // Throws std::logic_error for what the operation's input has not.
  Template(const wire::OperationInfo& operation, std::string_view text);

  // One for each value of its members. Nothing: it is not to be asked.
  [[nodiscard]] std::vector<Named> texts(const wire::Context& context, const void* request) const;
  // Whether an empty text is what the request says, as of "?prefix=", and not that it says nothing.
  [[nodiscard]] bool tells_empty(const void* request) const;

 private:
  struct Piece {
    std::string text;  // literal, if there is no path
    std::optional<ValuePath> path;
    std::optional<std::string> otherwise;
    bool is_asked_only_with = false;
    Naming naming = nullptr;
    std::optional<ValuePath> second;
    int group = 0;  // of brackets; 0: none
  };
  void read_member(const wire::OperationInfo& operation, std::string_view text, int group);
  [[nodiscard]] static std::vector<Named> values_of(const Piece& piece, const wire::Context& context,
                                                    const void* request, bool& is_absent);

  std::vector<Piece> pieces_;
  bool may_be_whole_ = true;  // values may be ARNs
};

class Row {
 public:
  Row(const wire::OperationInfo& operation, std::string_view asks);

  // The resources of some are still to be settled (lookups.h).
  [[nodiscard]] std::vector<Ask> asks(const wire::Context& context, const void* request) const;
  [[nodiscard]] bool needs_nothing() const { return needs_nothing_; }
  // The first action, for what came to no ask.
  [[nodiscard]] const std::string& action() const { return action_; }

 private:
  struct Condition {
    ValuePath member;
    bool is_given;
  };
  struct Pattern {
    std::string action;
    std::optional<Template> resource;
    std::vector<std::pair<std::string, Template>> facts;
    std::optional<Condition> condition;
    Maker maker = nullptr;
    std::string argument;             // of the maker: an action
    std::optional<ValuePath> values;  // of the maker
  };
  void read(const wire::OperationInfo& operation, std::string_view text);
  void add(const Pattern& pattern, const wire::Context& context, const void* request, std::vector<Ask>& asks) const;

  const wire::OperationInfo& operation_;
  std::vector<Pattern> patterns_;
  std::string action_;
  bool needs_nothing_ = false;
};

// By which an operation is found without making a text of its name. What it is made of lives as long as the server.
struct OperationKey {
  std::string_view service;
  std::string_view name;

  explicit OperationKey(const wire::OperationInfo& info) : service(info.service), name(info.name) {}
  friend bool operator==(const OperationKey&, const OperationKey&) = default;
};
struct OperationKeyHash {
  size_t operator()(const OperationKey& key) const {
    const std::hash<std::string_view> hash;
    return hash(key.name) * 31 + hash(key.service);
  }
};

// Of every operation that has a handler.
class Table {
 public:
  // Throws std::logic_error for rows of what is not there.
  explicit Table(const wire::Registry& registry);

  // Null: nobody has said what the operation needs, so it is denied.
  [[nodiscard]] const Row* find(const wire::OperationInfo& operation) const;

 private:
  std::unordered_map<OperationKey, Row, OperationKeyHash> rows_;
};

// "dynamodb", as actions and ARNs have it.
[[nodiscard]] std::string_view vendor_of(std::string_view service);

}  // namespace tidemill::rights
