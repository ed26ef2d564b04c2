// Inside: texts of policies with wildcards and variables: `arn:aws:s3:::home/${aws:username}/*`. They are compiled
// once; how long matching takes at most, effort() says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/policies/facts.h"
#include "lang/policies/pattern_states.h"

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

  // About the steps, of a nanosecond each, that matching a byte of a text takes at most, with variables that stand for
  // little.
  [[nodiscard]] size_t effort() const { return is_plain_ ? 0 : codes_.size() / kPatternWordBits + 1; }
  [[nodiscard]] bool uses_facts() const { return !variables_.empty(); }
  // Adds the keys of its variables, as they are written.
  void add_keys(std::vector<std::string>& keys) const {
    for (const Variable& variable : variables_) keys.push_back(variable.name);
  }

 private:
  using Code = PatternCode;                  // or the place of a variable:
  static constexpr Code kVariables = 0x200;  // and its number in variables_

  struct Variable {
    std::string name;  // as it is written
    std::string key;   // in lower case
    std::optional<std::string> otherwise;
  };

  void add_letter(char letter);
  void keep_in_segments();
  size_t add_variable(std::string_view text);
  // Nothing: as for matches(). Longer than `size_max`: it would be, and the rest is left out.
  [[nodiscard]] std::optional<std::u16string> filled(const FactSource& facts, size_t size_max) const;
  [[nodiscard]] static bool match(std::u16string_view pattern, std::string_view text);
  [[nodiscard]] static bool match_runs(std::u16string_view pattern, std::string_view text);

  bool ignores_case_ = false;
  bool is_plain_ = true;  // nothing but letters
  std::string plain_;     // then these
  std::u16string codes_;
  std::vector<Variable> variables_;
};

}  // namespace tidemill::lang::policies
