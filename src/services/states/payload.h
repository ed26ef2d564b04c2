// A JSON document on its way through an execution, and its text once somebody has asked for it: a state that hands its
// input on costs neither a copy nor another writing.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lang/states/document.h"

namespace tidemill::states {

// What is kept of where an execution stands cannot be read.
class DamagedState : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Payload {
 public:
  Payload() = default;  // none
  explicit Payload(lang::states::Document document) : document_(std::move(document)) {}
  // Throws DamagedState if the text, which the store has kept, is no JSON.
  [[nodiscard]] static Payload of_text(std::string text);

  [[nodiscard]] const lang::states::Document& document() const { return document_; }
  // Without white space.
  [[nodiscard]] const std::string& text() const;
  // Null: nobody has asked for it. The same of all that share the document's text.
  [[nodiscard]] const std::string* known_text() const { return text_.get(); }
  // What a state has made of this: this itself if it is the same document. Throws StateError as require_fits does.
  [[nodiscard]] Payload become(lang::states::Document document, std::string_view what) const;
  explicit operator bool() const { return document_ != nullptr; }

 private:
  lang::states::Document document_;
  mutable std::shared_ptr<const std::string> text_;
};

// Whatever is composed must pass before it is kept, and before anything recurses into it: what nests deeper than `levels`
// could not be read back. Throws StateError: States.DataLimitExceeded. `what`: the state's name, or the task's resource.
void require_depth(const json::Value& value, std::string_view what, int levels = json::kDepthMax);
// And is no longer than kPayloadBytesMax.
void require_fits(const Payload& payload, std::string_view what);

}  // namespace tidemill::states
