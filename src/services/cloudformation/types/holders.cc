#include "services/cloudformation/types/holders.h"

#include <algorithm>
#include <exception>
#include <span>

#include "services/cloudformation/types/documents.h"

namespace tidemill::cloudformation {

namespace {

constexpr std::string_view kNever = "NeverHeld";

std::vector<std::string> never_holders(const Step& step) {
  const json::Value noted = step.noted();
  return noted.is_object() ? texts_of(noted.object(), kNever) : std::vector<std::string>();
}

bool has(std::span<const std::string> list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

Task<void> note_never_holders(Step& step, std::vector<std::string> never) {
  json::Value noted = step.noted();
  if (!noted.is_object()) noted = json::Object();
  json::Array list;
  for (std::string& one : never) list.push_back(std::move(one));
  noted.object().set(std::string(kNever), std::move(list));
  co_await step.note(std::move(noted));
}

}  // namespace

Task<void> put_into_each(Step& step, std::vector<std::string> holders, std::vector<std::string> had,
                         std::function<Task<void>(std::string holder)> put) {
  std::exception_ptr problem;
  size_t done = 0;
  try {
    for (; done < holders.size(); ++done) co_await put(holders[done]);
  } catch (...) {
    problem = std::current_exception();
  }
  const std::vector<std::string> before = never_holders(step);
  std::vector<std::string> never = before;
  const std::span<const std::string> all(holders), reached = all.first(done);
  std::erase_if(never, [&](const std::string& one) { return has(reached, one); });
  for (const std::string& holder : all.subspan(done)) {
    const bool is_new = !has(had, holder) && !has(reached, holder) && !has(never, holder);
    if (is_new && !step.scope().brings_back) never.push_back(holder);
  }
  if (never != before) co_await note_never_holders(step, std::move(never));
  if (problem) std::rethrow_exception(problem);
}

bool never_held(const Step& step, std::string_view holder) { return has(never_holders(step), holder); }

}  // namespace tidemill::cloudformation
