// Where the statements of a policy's document stand in its text, as IAM's simulator tells it. Positions are those of a
// parser that reads token by token: each statement begins where the token before it has ended (the "[" of the list, or
// the statement before; a statement that is not in a list: behind its own "{") and ends behind its "}".
#pragma once

#include <string_view>
#include <vector>

namespace tidemill::lang::policies {

struct TextPosition {
  int line = 1;    // from 1
  int column = 1;  // from 1, in bytes

  friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

struct TextRange {
  TextPosition start;
  TextPosition end;
};

// One for each statement, in their order. `document` is one that Policy::parse() takes; of what is not, anything.
[[nodiscard]] std::vector<TextRange> statement_positions(std::string_view document);

}  // namespace tidemill::lang::policies
