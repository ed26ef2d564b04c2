// What CloudFormation says of a template, a parameter or a function that it does not take: a ValidationError with this
// message, unless the operation says otherwise.
#pragma once

#include <stdexcept>
#include <string>

namespace tidemill::lang::templates {

class TemplateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "Template format error: <what>"
[[noreturn]] void refuse_format(const std::string& what);
// "Template error: <what>"
[[noreturn]] void refuse(const std::string& what);

}  // namespace tidemill::lang::templates
