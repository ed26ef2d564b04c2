#include "services/cloudformation/template_text.h"

#include <stdexcept>

#include "base/ordered.h"

namespace tidemill::cloudformation {

void put_template(store::Transaction& txn, const StackId& stack, std::string_view slot, const TemplateText& text) {
  std::string bytes;
  base::append_string(bytes, text.original);
  base::append_string(bytes, text.processed);
  txn.put(template_key(stack.place, stack.uuid, slot), bytes);
}

void erase_template(store::Transaction& txn, const StackId& stack, std::string_view slot) {
  txn.erase(template_key(stack.place, stack.uuid, slot));
}

Task<std::optional<TemplateText>> load_template(store::Snapshot& reader, const StackId& stack, std::string_view slot) {
  const auto bytes = co_await reader.get(template_key(stack.place, stack.uuid, slot));
  if (!bytes) co_return std::nullopt;
  base::OrderedReader parts(*bytes);
  TemplateText text;
  text.original = parts.string();
  text.processed = parts.string();
  if (!parts.ok()) throw std::runtime_error("a stored template is damaged");
  co_return text;
}

}  // namespace tidemill::cloudformation
