#include "services/states/payload.h"

#include "lang/states/machine.h"
#include "lang/states/state_error.h"

namespace tidemill::states {

Payload Payload::of_text(std::string text) {
  auto value = json::parse(text);
  if (!value) throw DamagedState("a stored document of an execution is damaged");
  Payload payload(lang::states::make_document(*std::move(value)));
  payload.text_ = std::make_shared<const std::string>(std::move(text));
  return payload;
}

const std::string& Payload::text() const {
  if (!text_) text_ = std::make_shared<const std::string>(document_ ? json::write(*document_) : std::string());
  return *text_;
}

Payload Payload::become(lang::states::Document document, std::string_view what) const {
  if (document.get() == document_.get()) return *this;
  Payload made(std::move(document));
  require_fits(made, what);
  return made;
}

void require_depth(const json::Value& value, std::string_view what, int levels) {
  if (lang::states::is_deeper_than(value, levels)) throw lang::states::StateError::too_deep(what);
}

void require_fits(const Payload& payload, std::string_view what) {
  require_depth(*payload.document(), what);
  if (payload.text().size() > lang::states::kPayloadBytesMax) throw lang::states::StateError::too_large(what);
}

}  // namespace tidemill::states
