// What is wrong with a statement, or with what it is asked of: AWS's code and words.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace tidemill::lang::select {

class SelectError : public std::runtime_error {
 public:
  SelectError(std::string code, const std::string& message) : std::runtime_error(message), code_(std::move(code)) {}
  [[nodiscard]] const std::string& code() const { return code_; }

 private:
  std::string code_;
};

}  // namespace tidemill::lang::select
