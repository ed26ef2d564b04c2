// A JSON document on its way through an execution, and its text once somebody has asked for it: a state that hands its
// input on costs neither a copy nor another writing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lang/states/document.h"

namespace tidemill::states {

class Payload {
 public:
  Payload() = default;  // none
  explicit Payload(lang::states::Document document) : document_(std::move(document)) {}
  // Throws std::runtime_error if the text, which the store has kept, is no JSON.
  [[nodiscard]] static Payload of_text(std::string text);

  [[nodiscard]] const lang::states::Document& document() const { return document_; }
  // Without white space.
  [[nodiscard]] const std::string& text() const;
  // What a state has made of this: this itself if it is the same document.
  [[nodiscard]] Payload become(lang::states::Document document) const;
  explicit operator bool() const { return document_ != nullptr; }

 private:
  lang::states::Document document_;
  mutable std::shared_ptr<const std::string> text_;
};

}  // namespace tidemill::states
