// What is wrong with an expression or with what it was given, in the codes of the JSONata reference:
//   S…  the text     T…  types     D…  values while it ran     U…  limits
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tidemill::lang::jsonata {

// What an error's message mentions. Whoever throws may know less than all of it; the call or operator that failed adds
// its own name and place on the way up.
struct ErrorDetails {
  std::string token;        // the operator, function or symbol
  std::string value;        // what was found, as JSON text
  int64_t position = -1;    // bytes from the beginning of the text to the end of the token; -1: not known yet
  std::string second = {};  // a second value: an expected token, a number of an argument
};

class JsonataError : public std::runtime_error {
 public:
  explicit JsonataError(std::string_view code, ErrorDetails details = {});
  // With a message of the expression's own ($error, $assert).
  JsonataError(std::string_view code, std::string message, ErrorDetails details);

  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] const std::string& token() const { return details_.token; }
  [[nodiscard]] int64_t position() const { return details_.position; }
  // Without the code.
  [[nodiscard]] const std::string& message() const { return message_; }
  // "T2001: The left side of …"
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

  // Names the token and the place if nobody has yet.
  void locate(std::string_view token, int64_t position);

 private:
  void compose();

  std::string code_;
  ErrorDetails details_;
  bool own_message_ = false;
  std::string message_;
  std::string what_;
};

}  // namespace tidemill::lang::jsonata
