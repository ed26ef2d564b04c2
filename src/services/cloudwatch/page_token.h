// Where the next page of an answer begins: in which of its items, and where in that.
#pragma once

#include <cstddef>
#include <string>

namespace tidemill::cloudwatch {

struct PagePlace {
  size_t item = 0;
  size_t offset = 0;
};

[[nodiscard]] std::string encode_page_token(const PagePlace& place);
// Throws InvalidNextToken.
[[nodiscard]] PagePlace decode_page_token(const std::string& token);

}  // namespace tidemill::cloudwatch
