// The policy that stands in a browser's form beside the file: until when the form is good, and what may stand in it.
// S3 API reference, "Creating a POST policy"; what AWS answers where the reference is silent was recorded.
//
//   const PostPolicy policy = PostPolicy::parse(field);      // the base64 text that was signed
//   policy.check(bucket, fields);
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "wire/error.h"
#include "wire/form_data.h"

namespace tidemill::wire {

// Of the file, in bytes; both are allowed.
struct LengthRange {
  uint64_t min = 0;
  uint64_t max = std::numeric_limits<uint64_t>::max();
};

class PostPolicy {
 public:
  // Throws Error InvalidPolicyDocument.
  static PostPolicy parse(std::string_view base64);

  [[nodiscard]] base::Time expires() const { return expires_; }
  [[nodiscard]] const LengthRange& length() const { return length_; }

  // Names of fields and conditions in any case, values as they are. Throws Error AccessDenied for the first condition
  // that does not hold, and for a field of the form that no condition names.
  void check(std::string_view bucket, const FormFields& fields) const;

 private:
  enum class Kind { equal, starts_with, never };
  struct Condition {
    Kind kind = Kind::never;
    std::string name;  // in lower case, without "$"
    std::string value;
    std::string shown;  // as refusals show it: ["eq", "$key", "a"]
  };

  void add(const base::json::Value& condition);
  void add_member(const base::json::Object& condition);
  void add_operation(const base::json::Array& condition);
  void add_range(const base::json::Array& condition);
  [[nodiscard]] static bool holds(const Condition& condition, std::string_view bucket, const FormFields& fields);

  base::Time expires_;
  LengthRange length_;
  std::vector<Condition> conditions_;
};

// Throws Error AccessDenied: "Invalid according to Policy: …".
[[noreturn]] void refuse_by_policy(std::string_view why);

}  // namespace tidemill::wire
