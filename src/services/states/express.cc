#include "services/states/express.h"

#include <deque>

#include "base/json_members.h"
#include "base/log.h"
#include "base/ordered.h"
#include "base/text.h"
#include "base/uuid.h"
#include "services/states/execution_log.h"
#include "services/states/execution_metrics.h"
#include "services/states/view.h"
#include "store/keys.h"
#include "store/timer.h"

namespace tidemill::states {

using base::cat;

namespace {

constexpr size_t kStepsBetweenLooks = 16;  // as many pass before others may go on

// What is copied before a step whose expressions may turn out to take long.
constexpr size_t kCopiedInputBytesMax = 16 * 1024;
constexpr size_t kCopiedFramesMax = 16;
constexpr size_t kCopiedResultsMax = 64;

std::string noted_key(std::string_view arn) {
  std::string key{static_cast<char>(store::KeySpace::execution), 's'};
  base::append_string(key, arn);
  return key;
}

// Among machines executions are shared out.
std::string timer_kind(const MachineRef& machine) {
  return store::timer_partition_of(
      {kExpressTimer}, cat(machine.account, "/", machine.region, "/", base_machine(machine.name)));
}

constexpr auto kExpressMembers = [](auto& member, auto& execution) {
  member.as("machine", execution.machine, [](const MachineRef& machine) { return machine.unqualified_arn(); },
            parse_machine_arn);
  member("name", execution.name);
  member("input", execution.input);
  member("revision", execution.revision);
  member("started_us", execution.started);
  const bool is_child = !execution.map_run.empty();
  member.bytes_when(is_child, "map_run", execution.map_run);
  member.when(is_child, "map_child", execution.map_child);
  member.when(is_child, "map_state", execution.map_state);
};

ExpressExecution noted_execution(std::string arn, std::string_view bytes) {
  return json::decode("express execution", bytes, kExpressMembers, ExpressExecution{.arn = std::move(arn)});
}

// Express machines have no callbacks: parsing a definition refuses them.
std::string no_token(const Live&, FrameId, uint32_t) { return ""; }

ChildEnd end_of_child(const ExpressExecution& execution, const Ending& ending) {
  ChildEnd end{.arn = execution.arn,
               .machine_arn = execution.machine.unqualified_arn(),
               .name = execution.name,
               .input = execution.input,
               .status = ending.status,
               .output = std::nullopt,
               .error = ending.error,
               .cause = ending.cause,
               .started = execution.started,
               .stopped = execution.started};
  if (ending.status == Status::succeeded) end.output = ending.output.text();
  return end;
}

}  // namespace

std::string express_arn(const MachineRef& machine, std::string_view name, std::string_view uuid) {
  return cat("arn:aws:states:", machine.region, ":", machine.account, ":express:", machine.name, ":", name, ":", uuid);
}

ExpressExecution express_child(const MapRunRecord& run, uint64_t index, std::string input, base::Time now) {
  const std::string key = map_run_key(run.address);
  ExpressExecution child{.arn = {},
                         .machine = {run.address.account, run.address.region, run.address.child_machine(), ""},
                         .name = child_name(key, index),
                         .input = std::move(input),
                         .revision = run.revision,
                         .started = now,
                         .map_run = key,
                         .map_child = index,
                         .map_state = run.state};
  child.arn = express_arn(child.machine, child.name, child.name);
  return child;
}

// One execution under way. Its calls run beside it, and hand in their outcomes.
class Express::Run {
 public:
  Run(wire::Platform& platform, tasks::Caller& caller, LongEvaluations& evaluations, const ExpressExecution& execution,
      ParsedDefinitionPtr parsed, std::shared_ptr<const Stop> stop)
      : clock_(platform.clock), caller_(caller), execution_(execution), deadline_(execution.started + kExpressAgeMax),
        world_(world_at(execution.started)), history_(1, logs_anything(parsed->definition)),
        stepper_(live_, world_, history_, no_token), wake_(stop ? stop->wake : base::Signal()),
        stop_(std::move(stop)), platform_(platform), evaluations_(evaluations),
        parsed_(std::move(parsed)) {
    live_.is_kept = false;
    live_.machine = parsed_->machine;
    live_.head.address = {execution.machine.account, execution.machine.region, execution.machine.name, execution.name};
    live_.head.role = parsed_->definition.role;
    live_.head.started = execution.started;
    const Payload input = Payload::of_text(execution.input);
    live_.context = context_of_execution(live_.head, input.document(), execution.arn,
                                         execution.machine.unqualified_arn());
    const asl::State* const map = execution.map_run.empty() ? nullptr : live_.machine->find(execution.map_state);
    stepper_.begin(input, std::nullopt, std::nullopt, map ? map->processor.get() : nullptr);
  }

  Task<Ending> to_its_end() {
    size_t steps = 0;
    while (!stepper_.ending) {
      if (stop_ && stop_->is_asked) {
        co_await write_all();
        co_return Ending{.status = Status::aborted};
      }
      world_.now = clock_.now();
      if (world_.now >= deadline_) {
        (void)history_.add("ExecutionTimedOut", history_.next() - 1, world_.now);
        co_await write_all();
        co_return Ending{.status = Status::timed_out, .output = {}, .error = "States.Timeout", .cause = std::nullopt};
      }
      const bool has_moved = co_await evolve([&] { return stepper_.step(); });
      carry_out();
      take_lines();
      if (log_bytes_ > kLogBytesAtOnce) co_await write_all();
      if (has_moved) {
        if (++steps % kStepsBetweenLooks == 0 && base::slice_is_over(kStepsBetweenLooks)) co_await base::give_way();
      } else if (!stepper_.ending) {
        if (!lines_.empty()) calls_.spawn(write());
        co_await wait();
      }
    }
    co_await write_all();
    co_return *stepper_.ending;
  }

  // What it had on hand, once it has ended.
  std::unique_ptr<Live> leave() {
    calls_.clear();
    return std::make_unique<Live>(std::move(live_));
  }

 private:
  struct Outcome {
    FrameId frame;
    uint32_t attempt;
    tasks::TaskOutcome outcome;
  };
  using TimerName = std::pair<FrameId, TimerPurpose>;

  Task<void> wait() {
    const base::Time next = due_.empty() ? deadline_ : std::min(deadline_, due_.begin()->first);
    (void)co_await clock_.wait(wake_, next);
    world_.now = clock_.now();
    while (!outcomes_.empty() && !stepper_.ending) {
      const Outcome outcome = std::move(outcomes_.front());
      outcomes_.pop_front();
      (void)co_await evolve([&] {
        return stepper_.call_has_ended(outcome.frame, outcome.attempt, outcome.outcome);
      });
      carry_out();
    }
    while (!due_.empty() && due_.begin()->first <= world_.now && !stepper_.ending) {
      const TimerName timer = due_.begin()->second;
      due_.erase(due_.begin());
      (void)co_await evolve([&] { return stepper_.timer_is_due(timer.first, timer.second); });
      carry_out();
    }
  }

  // Of a machine whose expressions may take long. What is in memory only is begun again with a copy of how it stood, if
  // that costs little; otherwise, and once an expression has taken long, nothing is tried here.
  template <class F>
  Task<bool> evolve(F by) {
    if (!parsed_->has_queries) co_return co_await evaluations_.run_large(execution_.input.size(), std::move(by));
    if (!parsed_->runs_long && is_soon_copied()) {
      Live before = live_;
      const HistoryWriter history_before = history_;
      world_.when_long = [] { throw TakesLong(); };
      try {
        co_return by();
      } catch (const TakesLong&) {
      }
      parsed_->runs_long = true;
      live_ = std::move(before);
      history_ = history_before;
      stepper_.effects.clear();
      stepper_.ending.reset();
    }
    world_.when_long = nullptr;
    co_return co_await evaluations_.run(std::move(by));
  }

  [[nodiscard]] bool is_soon_copied() const {
    if (execution_.input.size() > kCopiedInputBytesMax || live_.frames.size() > kCopiedFramesMax) return false;
    size_t results = 0;
    for (const auto& [id, frame] : live_.frames) results += frame.results.size();
    return results <= kCopiedResultsMax;
  }

  // What has been added to its history since the last time.
  void take_lines() {
    std::string_view text = history_.text();
    while (!text.empty()) {
      const size_t end = text.find('\n');
      if (auto line = log_line_of(text.substr(0, end), parsed_->definition, execution_.arn, redrives_)) {
        log_bytes_ += line->message.size();
        lines_.push_back(*std::move(line));
      }
      text.remove_prefix(end + 1);
    }
    history_.clear();
  }

  // One after the other, so that they keep their order.
  Task<void> write() {
    if (is_writing_) co_return;
    is_writing_ = true;
    while (!lines_.empty()) {
      log_bytes_ = 0;
      try {
        const Definition& definition = parsed_->definition;
        const auto& machine = execution_.machine;
        co_await put_log_lines(platform_, machine.account, machine.region, definition.log_group,
                               log_stream_of(base_machine(machine.name), definition), std::exchange(lines_, {}));
      } catch (const std::exception& error) {
        base::log_warning("execution_log_lost", {{"execution", execution_.arn}, {"reason", error.what()}});
      }
    }
    is_writing_ = false;
    written_.signal();
  }
  Task<void> write_all() {
    take_lines();
    while (is_writing_) co_await written_;
    if (!lines_.empty()) co_await write();
  }

  void carry_out() {
    for (const Effect& effect : stepper_.effects) {
      const TimerName timer{effect.frame, effect.purpose};
      if (effect.kind == Effect::Kind::set_timer) {
        forget(timer);
        due_.emplace(effect.due, timer);
      } else if (effect.kind == Effect::Kind::cancel_timer) {
        forget(timer);
      } else if (effect.kind == Effect::Kind::call) {
        calls_.spawn(call(effect.frame, effect.attempt));
      }
    }
    stepper_.effects.clear();
    live_.dirty.clear();
  }

  void forget(TimerName timer) {
    std::erase_if(due_, [&](const auto& entry) { return entry.second == timer; });
  }

  Task<void> call(FrameId id, uint32_t attempt) {
    const Frame& frame = live_.frames.at(id);
    tasks::TaskCall asked{.resource = tasks::parse_resource(frame.at->resource).value_or(tasks::Resource{}),
                          .parameters = *frame.arguments.document(),
                          .account = live_.head.address.account,
                          .region = live_.head.address.region,
                          .role_arn = frame.credentials.empty() ? live_.head.role : frame.credentials,
                          .machine_role = live_.head.role,
                          .execution_arn = execution_.arn,
                          .state_name = frame.state,
                          .token = {},
                          .attempt_name = base::new_uuid()};
    tasks::TaskOutcome outcome = tasks::Failed{};
    try {
      outcome = co_await caller_.call(asked);
    } catch (const std::exception& error) {
      base::log_error("express execution: a task could not be called",
                      {{"execution", execution_.arn}, {"reason", error.what()}});
      outcome = tasks::Failed{.error = std::string(asl::error_name::kRuntime), .cause = "Internal error"};
    }
    outcomes_.push_back({id, attempt, std::move(outcome)});
    wake_.signal();
  }

  base::Clock& clock_;
  tasks::Caller& caller_;
  const ExpressExecution& execution_;
  const base::Time deadline_;
  Live live_;
  asl::World world_;
  HistoryWriter history_;
  Stepper stepper_;
  std::multimap<base::Time, TimerName> due_;
  std::deque<Outcome> outcomes_;
  const base::Signal wake_;
  const std::shared_ptr<const Stop> stop_;  // null: nobody stops it
  wire::Platform& platform_;
  LongEvaluations& evaluations_;
  const ParsedDefinitionPtr parsed_;
  std::vector<LogLine> lines_;    // not written yet
  size_t log_bytes_ = 0;          // of them
  uint32_t redrives_ = 0;         // always: Express executions are not redriven
  bool is_writing_ = false;
  base::Signal written_;
  base::Scope calls_;  // last: what runs in it uses the rest
};

Express::Express(wire::Platform& platform, tasks::Caller& caller, MachineCache& machines, LongEvaluations& evaluations)
    : platform_(platform), caller_(caller), machines_(machines), evaluations_(evaluations) {}

Task<Ending> Express::run(ExpressExecution execution, std::shared_ptr<const Stop> stop) {
  auto snapshot = platform_.store.snapshot();
  const auto parsed = co_await parsed_definition(*snapshot, machines_, execution.machine.account,
                                                 execution.machine.region, base_machine(execution.machine.name),
                                                 execution.revision);
  snapshot.reset();  // it may run for minutes, and the store keeps what a snapshot sees
  const ExecutionAddress address{execution.machine.account, execution.machine.region, execution.machine.name,
                                 execution.name};
  const bool is_child = !execution.map_run.empty();
  if (!is_child) measure_start(platform_, address);
  std::unique_ptr<Run> run;  // its input is read
  co_await evaluations_.run_large(execution.input.size(), [&] {
    run = std::make_unique<Run>(platform_, caller_, evaluations_, execution, parsed, std::move(stop));
  });
  Ending ending = co_await run->to_its_end();
  evaluations_.let_go(execution.input.size(), run->leave());
  if (!is_child) measure_end(platform_, address, ending.status, platform_.clock.now() - execution.started);
  co_return ending;
}

Task<Ending> Express::run_awaited(ExpressExecution execution) {
  struct Place {
    std::atomic<size_t>& taken;
    const size_t before = taken.fetch_add(1);
    ~Place() { --taken; }
  };
  const Place place{awaited_};
  if (place.before >= kAwaitedMax) throw store::Overloaded("too many callers wait for Express executions");
  co_return co_await run(std::move(execution));
}

Task<void> Express::start(store::Transaction& txn, ExpressExecution execution) {
  txn.put(noted_key(execution.arn), json::encode(execution, kExpressMembers));
  co_await store::set_timer(txn, {timer_kind(execution.machine), execution.arn, execution.started, ""});
}

Task<void> Express::stop_child(ExpressExecution child) {
  co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
    const std::string key = noted_key(child.arn);
    const auto bytes = co_await txn.get(key);
    if (!bytes) co_return;
    const auto noted = noted_execution(child.arn, *bytes);
    txn.erase(key);
    const std::string kind = timer_kind(child.machine);
    co_await store::cancel_timer(txn, {kind}, child.arn);
    if (kind != kExpressTimer) co_await store::cancel_timer(txn, {kExpressTimer}, child.arn);  // one of before
    co_await note_child_end(txn, noted.map_run, noted.map_child, end_of_child(noted, {.status = Status::aborted}));
  });
  const std::lock_guard lock(mutex_);
  for (auto [at, end] = stops_.equal_range(child.arn); at != end; ++at) {
    at->second->is_asked = true;
    at->second->wake.signal();
  }
}

void Express::register_with(engine::TimerService& timers) {
  timers.handle(store::TimerKind{kExpressTimer}, [this](const store::Timer& timer) { return run_noted(timer); },
                {.concurrent_max = kExpressRunningMax, .is_shared_out = true});
}

Task<void> Express::run_noted(const store::Timer& timer) {
  // Before it is read: whoever stops it has erased it by then, or finds this.
  const auto stop = std::make_shared<Stop>();
  const auto entry = [&] {
    const std::lock_guard lock(mutex_);
    return stops_.emplace(timer.id, stop);
  }();
  struct Leave {
    Express& express;
    const decltype(stops_)::iterator entry;
    ~Leave() {
      const std::lock_guard lock(express.mutex_);
      express.stops_.erase(entry);
    }
  };
  const Leave leave{*this, entry};
  std::optional<Ended> ended = unrecorded_.take(timer);
  if (!ended) ended = co_await run_read(timer, stop);
  try {
    co_await platform_.store.transact([&](store::Transaction& txn) -> Task<void> {
      if (!co_await store::finish_timer(txn, timer)) co_return;
      txn.erase(noted_key(timer.id));
      if (ended->child) co_await note_child_end(txn, ended->map_run, ended->map_child, *ended->child);
    });
  } catch (const std::exception&) {
    const size_t bytes = ended->bytes();
    unrecorded_.keep(timer, *std::move(ended), bytes);
    throw;  // the timer stands, and runs again
  }
}

Task<Express::Ended> Express::run_read(const store::Timer& timer, std::shared_ptr<const Stop> stop) {
  const auto bytes = co_await platform_.store.snapshot()->get(noted_key(timer.id));
  if (!bytes) co_return Ended{};
  auto execution = noted_execution(timer.id, *bytes);
  execution.started = platform_.clock.now();  // its five minutes begin with its run
  if (execution.map_run.empty()) {
    (void)co_await run(std::move(execution), std::move(stop));
    co_return Ended{};
  }
  const Ending ending = co_await run(execution, std::move(stop));
  co_return Ended{execution.map_run, execution.map_child, end_of_child(execution, ending)};
}

size_t Express::Ended::bytes() const {
  size_t bytes = map_run.size();
  if (!child) return bytes;
  for (const std::string* text : {&child->arn, &child->machine_arn, &child->name, &child->input}) bytes += text->size();
  for (const auto* text : {&child->output, &child->error, &child->cause}) bytes += text->value_or("").size();
  return bytes;
}

}  // namespace tidemill::states
