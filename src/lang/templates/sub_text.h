// Inside: the text of Fn::Sub, "arn:${AWS::Partition}:s3:::${Bucket.Name}/${!literal}", in parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemill::lang::templates {

struct SubPart {
  std::string text;  // a literal, or what stands between ${ and }
  bool is_variable = false;
};

// Throws TemplateError for a variable that cannot be one. "${!X}" is the literal "${X}"; a "${" that is never closed is
// a literal, too.
[[nodiscard]] std::vector<SubPart> parse_sub(std::string_view text);

}  // namespace tidemill::lang::templates
