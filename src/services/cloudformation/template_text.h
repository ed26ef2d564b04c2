// A template as it is stored: as it was sent, word for word, and as it was processed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/cloudformation/stack.h"
#include "store/store.h"

namespace tidemill::cloudformation {

// Which of a stack's templates. A change set's has the UUID of the change set.
inline constexpr std::string_view kCurrentTemplate = "current";
inline constexpr std::string_view kTargetTemplate = "target";
inline constexpr std::string_view kBeforeTemplate = "before";  // of a nested stack: nesting.h
inline constexpr std::string_view kHeldTemplate = "held";      // likewise: that of Nesting::before

struct TemplateText {
  std::string original;
  std::string processed;  // JSON; empty: there was nothing to process

  [[nodiscard]] const std::string& deployed() const { return processed.empty() ? original : processed; }
};

void put_template(store::Transaction& txn, const StackId& stack, std::string_view slot, const TemplateText& text);
void erase_template(store::Transaction& txn, const StackId& stack, std::string_view slot);
Task<std::optional<TemplateText>> load_template(store::Snapshot& reader, const StackId& stack, std::string_view slot);

}  // namespace tidemill::cloudformation
