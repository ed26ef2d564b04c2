#include "services/cloudformation/draft.h"

#include "base/text.h"
#include "base/uuid.h"
#include "lang/templates/scope.h"
#include "services/cloudformation/beginning.h"
#include "services/cloudformation/changes.h"
#include "services/cloudformation/event.h"
#include "services/cloudformation/existing.h"
#include "services/cloudformation/imports.h"
#include "services/cloudformation/resource_type.h"
#include "wire/error.h"

namespace tidemill::cloudformation {

using base::cat;
namespace errors = shapes::errors;

namespace {

constexpr std::string_view kNoChanges =
    "The submitted information didn't contain changes. Submit different information to create a change set.";
constexpr std::string_view kNoUpdates = "No updates are to be performed.";
constexpr size_t kRandomLetters = 12;
constexpr size_t kStackNameMax = 128;

void fail(ChangeSet& set, std::string_view reason) {
  set.status = "FAILED";
  set.execution_status = "UNAVAILABLE";
  set.reason = reason;
}

bool is_unknown(std::string_view text) { return text.find(lang::templates::kKnownAfterApply) != std::string_view::npos; }

// "shop-changes", "Child" -> "shop-changes-Child-1A2B3C4D5E6F"; both parts give way where it is too long.
std::string name_below(std::string_view above, std::string_view logical_id) {
  std::string random;
  for (const char letter : base::new_uuid()) {
    if (letter != '-' && random.size() < kRandomLetters) random += letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter;
  }
  const size_t room = kStackNameMax - random.size() - 2;
  const std::string_view logical = logical_id.substr(0, room / 2);
  return cat(above.substr(0, room - logical.size()), '-', logical, '-', random);
}

// What a nested stack with these properties is asked to be by the stack around it.
Asked asked_of_child(const json::Object& properties, const Settings& parent) {
  Asked asked{.url = text_of(properties, "TemplateURL")};
  if (const json::Value* given = properties.find("Parameters"); given && given->is_object()) {
    for (const auto& [key, value] : given->object()) {
      std::string text = value.is_string() ? value.string() : json::write(value);
      const bool is_later = is_unknown(text);
      asked.parameters.push_back({.key = key, .value = std::move(text), .is_unknown = is_later});
    }
  }
  asked.capabilities = parent.capabilities;
  if (!parent.role.empty()) asked.role = parent.role;
  if (const json::Value* topics = properties.find("NotificationARNs"); topics && topics->is_array()) {
    asked.notification_arns.emplace();
    for (const json::Value& one : topics->array()) {
      if (one.is_string()) asked.notification_arns->push_back(one.string());
    }
  }
  base::json::TextMap tags = parent.tags;
  if (const json::Value* given = properties.find("Tags"); given && given->is_array()) {
    for (const json::Value& one : given->array()) {
      if (one.is_object()) tags[text_of(one.object(), "Key")] = text_of(one.object(), "Value");
    }
  }
  if (!tags.empty()) asked.tags = std::move(tags);
  return asked;
}

class Drafting {
 public:
  Drafting(base::BlockingWork& work, store::Snapshot& reader, wire::Context& context)
      : work_(work), reader_(reader), context_(context) {}

  // False: nothing of it changes.
  Task<bool> draft(Draft self, Asked asked, int depth) {
    const size_t place = drafts_.size();
    drafts_.push_back(self);
    bool has_changes = true;
    std::string problem;
    try {
      has_changes = co_await compare(self, asked, depth);
    } catch (const TemplateRefused& error) {
      problem = error.what();
    } catch (const wire::Error& error) {
      if (self.set.parent.empty()) throw;
      problem = error.message;
    }
    if (!problem.empty()) {
      fail(self.set, problem);
      self.text.original = co_await fetch_original(self, asked);
    }
    drafts_[place] = std::move(self);
    co_return has_changes;
  }

  std::vector<Draft> take() { return std::move(drafts_); }

 private:
  Task<std::string> fetch_original(const Draft& self, const Asked& asked) {
    try {
      co_return co_await fetch_template(context_, asked.body, asked.url);
    } catch (const wire::Error&) {
      if (self.set.parent.empty()) throw;
    }
    co_return "";  // of a nested one it may be just that which is wrong
  }

  Task<bool> compare(Draft& self, const Asked& asked, int depth) {
    const bool is_creation = self.set.is_creation;
    const Stack& stack = self.stack;
    std::optional<TemplateText> old_text;
    if (!is_creation) old_text = co_await load_template(reader_, stack.id, kCurrentTemplate);
    const TemplateText before_text = old_text.value_or(TemplateText());
    const Previous previous{stack, before_text};
    const Definition definition =
        co_await define(work_, context_, asked, stack.id, is_creation ? nullptr : &previous, true);
    self.text = definition.text;
    self.set.settings = definition.settings;
    std::unique_ptr<Plan> before;
    Resources resources;
    if (!is_creation) {
      before = co_await load_plan(work_, reader_, stack.id, kCurrentTemplate, *stack.current);
      resources = co_await load_resources(reader_, stack.id);
      require_kept_types(*definition.plan, resources);
    }
    const bool is_import = self.set.is_import();
    if (is_import) {
      co_await check_imports(reader_, stack, *definition.plan, before.get(), resources, self.set.importing,
                             asked.import_types);
    } else if (self.set.import_existing) {
      self.set.importing = co_await find_existing(reader_, context_, stack, definition, resources);
    }
    Changes changes = co_await find_changes(reader_, context_, definition, before.get(), resources, stack);
    self.set.reason = changes.warning;
    show_imports(self.set, changes);
    if (is_import) require_only_imports(self.set, changes);
    bool is_unchanged = !is_creation && is_whole(stack) &&
                        co_await is_same(work_, before_text, *stack.current, definition.text, definition.settings);
    if (self.set.include_nested || is_import) {
      for (const auto& [name, properties] : changes.nested) {
        if (!is_import) co_await draft_below(self, definition.settings, name, properties, resources, depth);
      }
      std::erase_if(changes.list, [&](const json::Value& change) { return is_nothing(self.set, change); });
      is_unchanged = is_unchanged && self.set.nested.empty();
    } else {
      is_unchanged = is_unchanged && changes.nested.empty();
    }
    self.set.changes = std::move(changes.list);
    if (is_unchanged) {
      self.set.changes.clear();
      fail(self.set, definition.has_transforms ? kNoUpdates : kNoChanges);
    }
    co_return !is_unchanged;
  }

  // A change of a nested stack that only may be one, and is none.
  static bool is_nothing(const ChangeSet& set, const json::Value& change) {
    const json::Value& of = *change.find("ResourceChange");
    const json::Array& details = of.find("Details")->array();
    if (details.empty() || set.nested.contains(of.find("LogicalResourceId")->string())) return false;
    const json::Value* source = details.front().find("ChangeSource");
    return source && source->is_string() && source->string() == kAutomatic;
  }

  Task<void> draft_below(Draft& self, const Settings& settings, std::string name, const json::Object& properties,
                         const Resources& resources, int depth) {
    const std::string url = text_of(properties, "TemplateURL");
    if (url.empty() || is_unknown(url)) co_return;  // it fails, or is told, when it is deployed
    if (depth >= kNestingMax) {
      throw errors::validation_error(cat("Stacks may be nested at most ", kNestingMax, " deep"));
    }
    if (drafts_.size() >= kHierarchyMax) {
      throw errors::validation_error(cat("A change set may include at most ", kHierarchyMax, " nested stacks."));
    }
    Draft below = co_await begin_below(self, name, resources);
    const std::string arn = below.set.arn();
    const size_t place = drafts_.size();
    if (!co_await draft(std::move(below), asked_of_child(properties, settings), depth + 1)) {
      drafts_.resize(place);
      co_return;
    }
    self.set.nested[name] = arn;
    if (drafts_[place].set.status != "FAILED" || self.set.status == "FAILED") co_return;
    fail(self.set, cat("Nested change set ", arn, " was not successfully created: Currently in FAILED."));
  }

  Task<Draft> begin_below(const Draft& self, std::string name, const Resources& resources) {
    Draft below;
    ChangeSet& set = below.set;
    set.name = name_below(self.set.name, name);
    set.uuid = base::new_uuid();
    set.created = self.set.created;
    set.status = "CREATE_COMPLETE";
    set.execution_status = "AVAILABLE";
    set.include_nested = true;
    set.import_existing = self.set.import_existing;
    set.parent = self.set.arn();
    set.root = self.set.root.empty() ? set.parent : self.set.root;
    const auto found = resources.find(name);
    const auto id = found != resources.end() && found->second.exists() ? parse_stack_arn(found->second.now.physical_id)
                                                                       : std::nullopt;
    if (auto stack = id ? co_await load_stack(reader_, id->place, id->uuid) : std::nullopt) {
      below.stack = *std::move(stack);
    } else {
      set.is_creation = below.is_new = true;
      below.stack.id = {self.stack.place(), name_below(self.stack.id.name, name), base::new_uuid()};
      below.stack.parent = self.stack.id.arn();
      below.stack.root = self.stack.root.empty() ? below.stack.parent : self.stack.root;
    }
    set.stack = below.stack.id;
    if (!below.is_new && !is_held(below.stack)) require_updatable(below.stack);
    co_return below;
  }

  base::BlockingWork& work_;
  store::Snapshot& reader_;
  wire::Context& context_;
  std::vector<Draft> drafts_;
};

}  // namespace

Task<std::vector<Draft>> draft_change_sets(base::BlockingWork& work, store::Snapshot& reader, wire::Context& context,
                                           Draft root, Asked asked) {
  Drafting drafting(work, reader, context);
  (void)co_await drafting.draft(std::move(root), std::move(asked), 0);
  co_return drafting.take();
}

}  // namespace tidemill::cloudformation
