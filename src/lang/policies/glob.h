// Inside: texts of policies with wildcards and variables: `arn:aws:s3:::home/${aws:username}/*`. They are compiled
// once; matching never takes longer than the pattern's length times the square of the text's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/policies/facts.h"

namespace tidemill::lang::policies {

// What wildcards mean in a text.
enum class Wildcards {
  none,      // letters as all others
  anywhere,  // * any run, ? any character
  arn,       // of a resource: in its first five segments they stop at colons, but for a * that ends its segment
};

struct GlobOptions {
  Wildcards wildcards = Wildcards::anywhere;
  bool has_variables = false;  // documents of version 2012-10-17
  bool ignores_case = false;   // of ASCII
};

class Glob {
 public:
  Glob(std::string_view text, GlobOptions options);

  // Nothing: a variable of it has no value, and no default stands for it.
  [[nodiscard]] std::optional<bool> matches(std::string_view text, const FactSource& facts) const;
  // The text with its variables filled in, if it has no wildcards (Wildcards::none).
  [[nodiscard]] std::optional<std::string> text(const FactSource& facts) const;

  [[nodiscard]] bool uses_facts() const { return !variables_.empty(); }
  // Adds the keys of its variables, as they are written.
  void add_keys(std::vector<std::string>& keys) const {
    for (const Variable& variable : variables_) keys.push_back(variable.name);
  }

 private:
  // A letter, or a wildcard, or the place of a variable.
  using Code = char16_t;
  static constexpr Code kAnyRun = 0x100;
  static constexpr Code kAnyRunInSegment = 0x101;
  static constexpr Code kOne = 0x102;
  static constexpr Code kOneInSegment = 0x103;
  static constexpr Code kVariables = 0x200;  // and its number in variables_

  struct Variable {
    std::string name;  // as it is written
    std::string key;   // in lower case
    std::optional<std::string> otherwise;
  };

  void add_letter(char letter);
  void keep_in_segments();
  size_t add_variable(std::string_view text);
  [[nodiscard]] std::optional<std::u16string> filled(const FactSource& facts) const;
  [[nodiscard]] static bool match(std::u16string_view pattern, std::string_view text);

  bool ignores_case_ = false;
  bool is_plain_ = true;  // nothing but letters
  std::string plain_;     // then these
  std::u16string codes_;
  std::vector<Variable> variables_;
};

}  // namespace tidemill::lang::policies
