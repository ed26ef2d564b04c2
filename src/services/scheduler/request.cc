#include "services/scheduler/request.h"

#include "base/text.h"
#include "lang/schedules/schedule.h"

namespace tidemill::scheduler {

namespace {

// Some clients read milliseconds and send whole seconds.
bool is_same_second(base::Time a, base::Time b) {
  return std::chrono::floor<std::chrono::seconds>(a) == std::chrono::floor<std::chrono::seconds>(b);
}

}  // namespace

void check_start(const Schedule& schedule, const Schedule* replaced) {
  if (!schedule.start || *schedule.start >= schedule.modified - kStartEarlierMax) return;
  if (replaced && replaced->start && is_same_second(*replaced->start, *schedule.start)) return;
  using lang::schedules::Schedule;
  const auto expression = Schedule::parse(schedule.expression);
  if (!expression || expression->kind() == Schedule::Kind::at) return;  // what is none is refused where it is kept
  throw invalid("The StartDate you specify cannot be earlier than 5 minutes ago.");
}

bool is_asked_again(const Schedule& existing, Schedule asked) {
  if (asked.token.empty() || asked.token != existing.token) return false;
  asked.created = existing.created;
  asked.modified = existing.modified;
  if (encode_schedule(asked) == encode_schedule(existing)) return true;
  throw errors::conflict_exception(base::cat("The client token of this request has been used with other parameters for "
                                             "schedule ", existing.address.name, "."));
}

}  // namespace tidemill::scheduler
