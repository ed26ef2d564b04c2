#include "services/states/payload.h"

#include <stdexcept>

namespace tidemill::states {

Payload Payload::of_text(std::string text) {
  auto value = json::parse(text);
  if (!value) throw std::runtime_error("a stored document of an execution is damaged");
  Payload payload(lang::states::make_document(*std::move(value)));
  payload.text_ = std::make_shared<const std::string>(std::move(text));
  return payload;
}

const std::string& Payload::text() const {
  if (!text_) text_ = std::make_shared<const std::string>(document_ ? json::write(*document_) : std::string());
  return *text_;
}

Payload Payload::become(lang::states::Document document) const {
  if (document.get() == document_.get()) return *this;
  return Payload(std::move(document));
}

}  // namespace tidemill::states
