// How a deployment ends well: outputs, exports, and who imports what.
#include <algorithm>

#include "base/executor.h"
#include "base/text.h"
#include "lang/templates/dynamic_reference.h"
#include "lang/templates/template_error.h"
#include "services/cloudformation/deployment.h"
#include "services/cloudformation/exports.h"
#include "services/cloudformation/failure.h"
#include "services/cloudformation/nesting.h"
#include "services/cloudformation/references.h"
#include "wire/error.h"

namespace tidemill::cloudformation {

using base::cat;
namespace templates = lang::templates;

namespace {

// Of an output or the name of an export. Throws TemplateError for a list or a map, as AWS.
std::string as_text(const json::Value& value) {
  if (value.is_string()) return value.string();
  if (value.is_null()) return "";
  if (value.is_array() || value.is_object()) {
    throw templates::TemplateError(
        "Template format error: The Value field of every Outputs member must evaluate to a String");
  }
  return json::write(value);
}

// Outputs are for everybody: a reference to a secret stays a reference, and AWS takes none to a SecureString.
std::vector<templates::DynamicReference> references_of_output(const json::Value& value, std::string_view where) {
  auto references = templates::dynamic_references(value);
  std::erase_if(references, [&](const templates::DynamicReference& one) {
    if (one.service == templates::DynamicReference::Service::ssm_secure) {
      throw templates::TemplateError(refusal_of_secure_references({std::string(where)}));
    }
    return one.service == templates::DynamicReference::Service::secrets_manager;
  });
  return references;
}

}  // namespace

// Nothing is made for a stack that imports what is not there.
Task<void> Deployment::check_imports() {
  std::set<std::string, std::less<>> names;
  for (const std::string& name : plan_->graph.order()) {
    if (base::slice_is_over()) co_await base::give_way();
    names.merge(plan_->scope.needs(json::Value(plan_->stack.resource(name)->properties)).imports);
  }
  co_await hold_imports(std::move(names));
}

// Who reads an export notes in the same transaction that it is used, so that the export neither goes nor changes until
// the operation has ended. The end forgets those that nothing uses (write_imports()). To itself a stack exports
// nothing, not even what it has exported before: of such a template none could be made anew, and this one would hold
// itself.
Task<void> Deployment::hold_imports(std::set<std::string, std::less<>> names) {
  std::erase_if(names, [this](const std::string& name) { return held_imports_.contains(name); });
  if (names.empty()) co_return;
  const bool goes_forward = stack_.status == status::kCreating || stack_.status == status::kUpdating;
  std::map<std::string, std::string, std::less<>> held;
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    co_await tenure_->fence(txn);
    held.clear();
    for (const std::string& name : names) {
      if (base::slice_is_over()) co_await base::give_way();
      Export found = co_await require_export(txn, stack_.place(), name);
      if (goes_forward && found.stack == stack_.id.arn()) throw no_export(name);
      held[name] = std::move(found.value);
      put_import(txn, stack_.id, name);
    }
  });
  held_imports_.merge(held);
}

Task<std::vector<StackOutput>> Deployment::outputs() {
  std::vector<StackOutput> result;
  output_imports_.clear();
  for (const templates::Output& output : plan_->stack.outputs()) {
    if (!plan_->scope.is_active(output)) continue;
    const auto needs = plan_->scope.needs(output.value);
    output_imports_.insert(needs.imports.begin(), needs.imports.end());
    const std::string where = cat("/Outputs/", output.name, "/Value");
    json::Value value = plan_->scope.evaluate(output.value, co_await known_for(output.value, where));
    const auto references = references_of_output(value, where);
    value = co_await replace_references(std::move(value), references);
    StackOutput one{output.name, as_text(value), output.description, ""};
    if (!output.export_name.is_null()) {
      const auto known = co_await known_for(output.export_name, where);
      one.export_name = as_text(plan_->scope.evaluate(output.export_name, known));
    }
    result.push_back(std::move(one));
  }
  co_return result;
}

Task<void> Deployment::write_exports(store::Transaction& txn, const Stack& stack,
                                     const std::vector<StackOutput>& outputs) {
  // What goes back with it does not stand in the way of its going back.
  Excuse excuse;
  if (stack.status == status::kUndoneCleaningUp) {
    excuse = [&txn, around = co_await outermost_going_back(txn, stack)](const Stack& user) -> Task<bool> {
      return goes_back_with(txn, around, user);
    };
  }
  const std::string arn = stack.id.arn();
  std::map<std::string, std::string> wanted;
  for (const StackOutput& one : outputs) {
    if (one.export_name.empty()) continue;
    if (!wanted.emplace(one.export_name, one.value).second) {
      throw ExportRefused(cat("Export with name ", one.export_name, " is exported twice"));
    }
  }
  for (const StackOutput& one : stack.outputs) {
    if (one.export_name.empty() || wanted.contains(one.export_name)) continue;
    const auto existing = co_await find_export(txn, stack.place(), one.export_name);
    if (!existing || existing->stack != arn) continue;
    const std::string problem = co_await why_not_change(txn, stack.place(), one.export_name, "deleted", excuse);
    if (!problem.empty()) throw ExportRefused(problem);
    txn.erase(export_key(stack.place(), one.export_name));
  }
  for (const auto& [name, value] : wanted) {
    const auto existing = co_await find_export(txn, stack.place(), name);
    if (existing && existing->stack != arn) {
      const auto other = parse_stack_arn(existing->stack);
      throw ExportRefused(cat("Export with name ", name, " is already exported by stack ", other ? other->name : ""));
    }
    if (existing && existing->value != value) {
      const std::string problem = co_await why_not_change(txn, stack.place(), name, "updated", excuse);
      if (!problem.empty()) throw ExportRefused(problem);
    }
    txn.put(export_key(stack.place(), name), encode_export({name, value, arn}));
  }
}

// Notes those of the outputs, that were and that are to be; all others were noted when they were read. Then forgets
// those that the stack does not use any more, unless it has still to clean up: what is to go uses its own until then,
// and a nested stack may have to go back.
Task<void> Deployment::write_imports(store::Transaction& txn, const Stack& stack) {
  const bool is_gone = stack.status == status::kDeleted || stack.status == status::kRolledBack;
  if (!is_gone) {
    for (const std::string& name : stack.imports) put_import(txn, stack.id, name);
    for (const std::string& name : output_imports_) put_import(txn, stack.id, name);
  }
  if (stack.status == status::kCleaningUp || stack.status == status::kUndoneCleaningUp) co_return;
  const std::set<std::string> wanted = plan_ ? names_of_plan() : std::set<std::string>();
  std::set<std::string, std::less<>> used = output_imports_;
  std::set<std::string, std::less<>> all = co_await imports_of(txn, stack.id);
  all.insert(stack.imports.begin(), stack.imports.end());
  for (const auto& [name, resource] : resources_) {
    all.insert(resource.imports.begin(), resource.imports.end());
    // What could not be removed is left behind, and uses nothing.
    if (resource.gone || resource.undone || (plan_ && !wanted.contains(name))) continue;
    used.insert(resource.imports.begin(), resource.imports.end());
  }
  for (const std::string& name : all) {
    if (is_gone || !used.contains(name)) erase_import(txn, stack.id, name);
  }
}

Task<void> Deployment::complete() {
  std::string problem;
  std::vector<StackOutput> results;
  const std::string_view next = stack_.status == status::kCreating    ? status::kCreated
                                : stack_.status == status::kImporting ? status::kImported
                                                                      : status::kCleaningUp;
  try {
    results = co_await outputs();
    co_await become(next, "",
                    [&](store::Transaction& txn, Stack& stack) -> Task<void> {
                      co_await write_exports(txn, stack, results);
                      co_await write_imports(txn, stack);
                      co_await hold_if_ordered(txn, stack);
                      stack.imports.assign(output_imports_.begin(), output_imports_.end());
                      stack.outputs = results;
                      stack.current = std::move(stack.target);
                      stack.target.reset();
                      stack.importing.clear();
                      stack.deadline.reset();
                      stack.cancelled = false;
                      if (!stack.policy_to_be.empty()) stack.policy = std::move(stack.policy_to_be);
                      stack.policy_to_be.clear();
                      auto text = co_await load_template(txn, stack.id, kTargetTemplate);
                      if (text) put_template(txn, stack.id, kCurrentTemplate, *text);
                      erase_template(txn, stack.id, kTargetTemplate);
                    });
  } catch (const templates::TemplateError& error) {
    problem = error.what();
  } catch (const ExportRefused& error) {
    problem = error.what();
  } catch (const StepFailed& error) {  // as of a role that is there no more
    problem = error.what();
  } catch (const wire::Error& error) {
    problem = error.message;
  }
  if (!problem.empty()) co_await has_failed(cat(problem, ". Rollback requested by user."));
}

}  // namespace tidemill::cloudformation
