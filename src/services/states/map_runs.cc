#include "services/states/map_runs.h"

#include <deque>

#include "base/executor.h"
#include "base/text.h"
#include "services/states/item_source.h"
#include "services/states/map_results.h"
#include "services/states/view.h"
#include "store/queue.h"
#include "store/timer.h"

namespace tidemill::states {

using base::cat;

namespace {

// What it takes to read and select an item, or to take an end in, about (base::slice_is_over).
constexpr size_t kStepsOfItem = 8;
constexpr size_t kStepsOfEnd = 8;
constexpr size_t kBytesPerStep = 128;

constexpr std::string_view kExceeded = "The specified tolerated failure threshold was exceeded";

// What a child is to be begun with, and where reading goes on behind it.
struct Prepared {
  Payload input;
  int64_t items = 0;
  ItemCursor after;
};

int64_t concurrency_of(const MapRunRecord& run) {
  if (run.concurrency_max == 0) return kMapConcurrencyMax;
  return std::min(run.concurrency_max, kMapConcurrencyMax);
}

// Without any tolerance the first failure is one too many.
bool has_failed_too_often(const MapRunRecord& run) {
  const int64_t failed = run.items.unsuccessful();
  if (failed == 0) return false;
  if (run.tolerated_count && failed > *run.tolerated_count) return true;
  if (run.tolerated_percentage) {
    if (!run.items_known || *run.items_known == 0) return false;  // known when all have been read
    const double percentage = 100.0 * static_cast<double>(failed) / static_cast<double>(*run.items_known);
    return percentage > *run.tolerated_percentage;
  }
  return !run.tolerated_count;
}

// One that fails of what a new run could do better is begun anew: "Redriving Map Runs" in the developer guide.
bool is_redrivable(const MapRunRecord& run, const MapRunEnd& end) {
  if (end.status == Status::succeeded) return false;
  if (end.error == asl::error_name::kDataLimitExceeded || end.error == asl::error_name::kRuntime) return false;
  return run.executions.total() > 0 || end.error == asl::error_name::kResultWriterFailed;
}

void give_up(MapRunRecord& run, std::string error, std::string cause) {
  if (run.phase != MapPhase::running) return;
  run.phase = MapPhase::stopping;
  run.status = Status::failed;
  run.error = std::move(error);
  run.cause = std::move(cause);
}

}  // namespace

// What is kept in memory of a run: all of it could be read again.
struct MapRuns::Walk {
  Walk(std::unique_ptr<Live> parent, base::Time now, LongEvaluations& threads)
      : live(std::move(parent)), world(world_at(now)), evaluations(threads) {}

  std::string key;
  int64_t redrives = 0;  // of the run when this began
  MapRunRecord run;  // as it was looked at last: no transaction changes it, for its attempts may come to nothing
  asl::MapPlan plan;
  std::unique_ptr<Live> live;  // the parent; null: it is gone
  asl::World world;
  LongEvaluations& evaluations;
  std::unique_ptr<ItemSource> source;
  std::optional<SplitItem> peeked;  // read, and too large for the batch before
  uint64_t read = 0;                // index of the item that comes next from `source`, or is peeked
  asl::Document input;              // what selectors see as $
  std::deque<Prepared> prepared;
  bool is_at_end = false;           // of the source
  bool are_stopped = false;         // all children have been asked to stop
  // No child before it runs, so none before it can end. What was taken in stays in the store as dead keys for a while
  // (store/queue.h), of a million children a million: looks for ends begin here. (A floor in the store would be lowered
  // and raised again all the time, since children do not end in their order.)
  uint64_t first_running = 0;
  store::FloorPace ends_pace;  // of moving that up

  [[nodiscard]] bool fits(const ItemCursor& cursor) const {
    const uint64_t begins = prepared.empty() ? read : prepared.front().after.index - prepared.front().items;
    return begins == cursor.index;
  }
  [[nodiscard]] store::Range ends() const {
    return {map_child_key(key, 'e', first_running), store::Range::prefix(map_part_key(key, 'e')).end};
  }
  Task<void> pass_taken(store::Store& store);
  Task<void> prepare(size_t children);
  Task<bool> prepare_one();
  Task<std::optional<std::string>> next_pending();
  Task<std::optional<SplitItem>> next_item();
  Task<asl::Document> selected(const SplitItem& item);
  asl::Document select(const SplitItem& item);
};

Task<std::optional<SplitItem>> MapRuns::Walk::next_item() {
  if (peeked) co_return std::exchange(peeked, std::nullopt);
  const int64_t most = plan.reader ? plan.reader->items_max : 0;
  if (most > 0 && read >= static_cast<uint64_t>(most)) co_return std::nullopt;
  co_return co_await source->next();
}

Task<asl::Document> MapRuns::Walk::selected(const SplitItem& item) {
  world.when_long = [] { throw TakesLong(); };
  try {
    co_return select(item);
  } catch (const TakesLong&) {
  }
  world.when_long = nullptr;
  co_return co_await evaluations.run([&] { return select(item); });
}

asl::Document MapRuns::Walk::select(const SplitItem& item) {
  Frame& frame = live->frames.at(run.frame);
  const View view(*live, frame, world);
  if (!input) input = asl::arguments_of(*frame.at, view.scope());
  const std::string where = source->where();
  return asl::item_input(*frame.at, view.scope(), input,
                         {.index = item.after.index - 1, .value = item.value, .key = item.key, .source = where});
}

// The keys of the children that ran are dead as well, but each is passed once.
Task<void> MapRuns::Walk::pass_taken(store::Store& store) {
  const store::Range range{map_child_key(key, 'c', first_running), store::Range::prefix(map_part_key(key, 'c')).end};
  co_await store.snapshot()->scan(range, store::first(1), [&](std::string_view child, std::string_view) {
    first_running = index_of_child_key(child);
    return false;
  });
}

// False: there are no more items.
Task<bool> MapRuns::Walk::prepare_one() {
  std::vector<asl::Document> batch;
  Prepared child;
  const int64_t items_max = !plan.batcher ? 1 : plan.batcher->items_max.value_or(INT64_MAX);
  const auto bytes_max =
      static_cast<size_t>(plan.batcher ? plan.batcher->bytes_max.value_or(asl::kPayloadBytesMax) : 0);
  size_t bytes = 0;
  if (plan.batcher) bytes = asl::text_size(*asl::batch_input(*plan.batcher, {}));
  while (child.items < items_max) {
    auto item = co_await next_item();
    if (!item) break;
    asl::Document value = co_await selected(*item);
    const size_t size = asl::text_size(*value) + 1;
    if (plan.batcher && child.items > 0 && bytes + size > bytes_max) {
      peeked = std::move(item);
      break;
    }
    bytes += size;
    ++read;
    ++child.items;
    child.after = item->after;
    batch.push_back(std::move(value));
    // A batch may have a hundred thousand items.
    if (base::slice_is_over(kStepsOfItem + size / kBytesPerStep)) co_await base::give_way();
    if (!plan.batcher) break;
  }
  if (child.items == 0) co_return false;
  child.input = co_await evaluations.run_large(bytes, [&] {
    Payload made(plan.batcher ? asl::batch_input(*plan.batcher, batch) : batch.front());
    require_fits(made, run.state);
    batch.clear();
    return made;
  });
  prepared.push_back(std::move(child));
  co_return true;
}

Task<void> MapRuns::Walk::prepare(size_t children) {
  size_t bytes = 0;
  while (!is_at_end && prepared.size() < children && bytes < kChildBytesAtOnce) {
    if (co_await prepare_one()) {
      bytes += prepared.back().input.text().size();
    } else {
      is_at_end = true;
    }
  }
}

// Of a run that has failed: what the next child would have been begun with.
Task<std::optional<std::string>> MapRuns::Walk::next_pending() {
  if (run.cursor.is_done) co_return std::nullopt;
  try {
    if (prepared.empty() && (is_at_end || !co_await prepare_one())) co_return std::nullopt;
  } catch (const asl::StateError&) {
    co_return std::nullopt;
  }
  std::string input = prepared.front().input.text();
  prepared.pop_front();
  co_return input;
}

// What a transaction has done.
struct MapRuns::Changed {
  size_t begun = 0;  // of what was prepared
  size_t ends = 0;   // that were taken in
};

MapRuns::MapRuns(wire::Platform& platform, Running& running, Express& express, LongEvaluations& evaluations)
    : platform_(platform), store_(platform.store), running_(running), express_(express), evaluations_(evaluations) {}

MapRuns::~MapRuns() = default;

void MapRuns::register_with(engine::TimerService& timers) {
  timers_ = &timers;
  timers.handle(store::TimerKind{kMapTimer}, [this](const store::Timer& timer) { return run(timer); },
                {.concurrent_max = kMapRunsMax});
}

Task<void> MapRuns::fence(store::Transaction& txn) const {
  const auto tenure = timers_->tenure({kMapTimer});
  co_await tenure->fence(txn);
}

Task<void> MapRuns::run(const store::Timer& timer) {
  std::unique_ptr<Walk> walk;
  if (const auto found = remembered_.find(timer.id); found != remembered_.end()) {
    walk = std::move(found->second);
    remembered_.erase(found);
    // Another process may have begun children again meanwhile, which of all children only a redrive does.
    if (walk->run.redrives > 0) walk->first_running = 0;
  }
  while (co_await look(timer, walk) == Step::go_on) {
  }
  if (!walk || walk->run.phase != MapPhase::running || remembered_.size() >= kMapRunsRemembered) co_return;
  remembered_.insert_or_assign(timer.id, std::move(walk));
}

Task<MapRuns::Step> MapRuns::look(const store::Timer& timer, std::unique_ptr<Walk>& walk) {
  const auto run = co_await find_map_run(*store_.snapshot(), timer.id);
  if (!run || run->phase == MapPhase::over) {
    walk.reset();
    co_return Step::wait;  // the service removes the timer
  }
  if (!walk || walk->redrives != run->redrives || !walk->fits(run->cursor)) walk = co_await begin_walk(*run);
  walk->run = *run;
  walk->world.now = platform_.clock.now();
  if (run->phase == MapPhase::stopping && !walk->are_stopped) {
    co_await stop_children(*run);
    walk->are_stopped = true;
  }
  if (run->phase == MapPhase::writing) co_return co_await finish(timer, *walk);
  std::optional<asl::StateError> error;
  try {
    if (run->phase == MapPhase::running && !run->cursor.is_done) {
      const int64_t room = concurrency_of(*run) - run->executions.running;
      co_await walk->prepare(static_cast<size_t>(std::clamp<int64_t>(room, 0, kChildrenAtOnce)));
    }
  } catch (const asl::StateError& failed) {
    error = failed;
  }
  if (error) {
    const Frame* frame = walk->live ? walk->live->find(run->frame) : nullptr;
    co_await fail_run(timer.id, error->error(),
                      error->cause(run->state, frame ? static_cast<int64_t>(frame->entered_event) : 0));
    co_return Step::go_on;
  }
  co_return co_await go_on(timer, *walk);
}

Task<void> MapRuns::fail_run(std::string run_key, std::string error, std::string cause) {
  co_await store_.transact([&](store::Transaction& txn) -> Task<void> {
    co_await fence(txn);
    auto run = co_await find_map_run(txn, run_key);
    if (!run) co_return;
    give_up(*run, error, cause);
    put_map_run(txn, *run);
  });
}

Task<std::unique_ptr<MapRuns::Walk>> MapRuns::begin_walk(const MapRunRecord& run) {
  auto walk = std::make_unique<Walk>(co_await running_.look(run.parent_id), platform_.clock.now(), evaluations_);
  walk->key = map_run_key(run.address);
  walk->run = run;
  walk->redrives = run.redrives;
  walk->read = run.cursor.index;
  const auto snapshot = store_.snapshot();
  const auto plan = co_await snapshot->get(map_part_key(walk->key, 'p'));
  if (!plan) throw std::runtime_error(cat("the plan of ", run.address.arn(), " is lost"));
  walk->plan = decode_plan(*plan);
  const bool is_parent_there = walk->live && walk->live->find(run.frame);
  if (run.status == Status::aborted || !is_parent_there) {
    walk->is_at_end = true;
    co_return walk;
  }
  if (walk->plan.reader) {
    walk->source = items_of_reader(platform_, evaluations_, run.parent.arn(), principal_of(run), *walk->plan.reader,
                                   run.cursor);
  } else {
    const auto items = co_await snapshot->get(map_part_key(walk->key, 'i'));
    if (!items) throw std::runtime_error(cat("the items of ", run.address.arn(), " are lost"));
    const Payload all = co_await evaluations_.run_large(items->size(), [&] { return Payload::of_text(*items); });
    walk->source = items_of_input(all.document(), run.cursor);
  }
  co_return walk;
}

Task<MapRuns::Step> MapRuns::go_on(const store::Timer& timer, Walk& walk) {
  Changed changed;
  const Step step = co_await store_.transact([&](store::Transaction& txn) -> Task<Step> {
    co_return co_await change(txn, timer, walk, changed);
  });
  walk.prepared.erase(walk.prepared.begin(), walk.prepared.begin() + static_cast<ptrdiff_t>(changed.begun));
  if (changed.ends > 0 && walk.ends_pace.looked(changed.ends)) co_await walk.pass_taken(store_);
  co_return step;
}

// One transaction: ends are taken in, children begun, and what that leads to.
Task<MapRuns::Step> MapRuns::change(store::Transaction& txn, const store::Timer& timer, Walk& walk, Changed& changed) {
  changed = {};
  size_t& begun = changed.begun;
  co_await fence(txn);
  auto run = co_await find_map_run(txn, walk.key);
  if (!run || run->phase == MapPhase::over || run->phase == MapPhase::writing) co_return Step::go_on;
  changed.ends = co_await take_ends(txn, walk, *run);
  bool has_begun = false;  // what a redrive begins again
  const bool is_behind = run->phase == MapPhase::running && !walk.fits(run->cursor);
  if (run->phase == MapPhase::running && !is_behind) {
    const size_t again = co_await begin_again(txn, walk, *run);
    has_begun = again > 0;
    begun = co_await begin_children(txn, walk, *run, kChildrenAtOnce - again);
    if (walk.is_at_end && begun == walk.prepared.size()) {
      run->cursor.is_done = true;
      run->items_known = run->items.total();
    }
  }
  if (run->phase == MapPhase::running && has_failed_too_often(*run)) {
    give_up(*run, std::string(asl::error_name::kExceedToleratedFailureThreshold), std::string(kExceeded));
  }
  const bool has_all =
      run->phase == MapPhase::stopping || (run->cursor.is_done && run->executions.pending_redrive == 0);
  if (has_all && run->executions.running == 0) {
    if (run->phase == MapPhase::running) run->status = Status::succeeded;
    run->phase = MapPhase::writing;
  }
  const bool is_idle = !is_behind && changed.ends == 0 && !has_begun && begun == 0 && run->phase == walk.run.phase;
  put_map_run(txn, *run);
  if (!is_idle) co_return Step::go_on;
  // Tracked: an end that comes meanwhile makes this conflict, or sets the timer anew.
  bool is_waiting = true;
  const store::Range ends = walk.ends();
  co_await txn.scan(ends, store::first(1), [&](std::string_view, std::string_view) { return is_waiting = false; });
  if (is_waiting) (void)co_await store::finish_timer(txn, timer);
  co_return is_waiting ? Step::wait : Step::go_on;
}

// Those that a redrive begins again; they keep their names.
Task<size_t> MapRuns::begin_again(store::Transaction& txn, Walk& walk, MapRunRecord& run) {
  const int64_t room = std::min<int64_t>(concurrency_of(run) - run.executions.running, kChildrenAtOnce);
  if (run.executions.pending_redrive == 0 || room <= 0) co_return 0;
  std::vector<std::pair<uint64_t, UnsuccessfulChild>> children;
  co_await txn.scan_untracked(store::Range::prefix(map_part_key(walk.key, 'f')), store::first(static_cast<size_t>(room)),
                              [&](std::string_view key, std::string_view value) {
                                children.emplace_back(index_of_child_key(key), decode_unsuccessful(value));
                                return true;
                              });
  for (const auto& [index, child] : children) {
    bool has_begun = true;
    if (run.has_express_children) {
      co_await express_.start(txn, express_child(run, index, child.input, platform_.clock.now()));
    } else {
      has_begun = co_await running_.redrive_child(txn, run, index);
    }
    txn.erase(map_child_key(walk.key, 'f', index));
    if (has_begun) {
      walk.first_running = std::min(walk.first_running, index);
      txn.put(map_child_key(walk.key, 'c', index), std::to_string(child.items));
      run.items.begin_again(child.items);
      run.executions.begin_again(1);
    } else {
      run.items.give_up(child.items);
      run.executions.give_up(1);
    }
  }
  co_return children.size();
}

Task<size_t> MapRuns::begin_children(store::Transaction& txn, Walk& walk, MapRunRecord& run, size_t at_once) {
  const int64_t most = concurrency_of(run);
  size_t begun = 0;
  for (const Prepared& child : walk.prepared) {
    if (run.executions.running >= most || begun == at_once) break;
    const uint64_t index = run.next_child++;
    txn.put(map_child_key(walk.key, 'c', index), std::to_string(child.items));
    if (run.has_express_children) {
      co_await express_.start(txn, express_child(run, index, child.input.text(), platform_.clock.now()));
    } else {
      co_await running_.start_child(txn, run, index, child.input);
    }
    run.cursor = child.after;
    ++run.executions.running;
    run.items.running += child.items;
    ++begun;
  }
  co_return begun;
}

// How many.
Task<size_t> MapRuns::take_ends(store::Transaction& txn, const Walk& walk, MapRunRecord& run) {
  std::vector<std::pair<uint64_t, std::string>> ends;
  const store::Range range = walk.ends();
  co_await txn.scan_untracked(range, store::first(kChildEndsAtOnce), [&](std::string_view key, std::string_view value) {
    ends.emplace_back(index_of_child_key(key), value);
    return true;
  });
  for (const auto& [index, bytes] : ends) {
    ChildEnd end;
    std::string result;
    co_await evaluations_.run_large(bytes.size(), [&] {
      end = decode_child_end(bytes);
      result = result_to_keep(end, walk.plan);
    });
    const std::string begun_key = map_child_key(walk.key, 'c', index);
    const auto items = co_await txn.get_untracked(begun_key);
    txn.erase(map_child_key(walk.key, 'e', index));
    if (!items) continue;
    txn.erase(begun_key);
    const int64_t count = std::stoll(*items);
    run.items.end(end.status, count);
    run.executions.end(end.status, 1);
    if (end.status != Status::succeeded) {
      const UnsuccessfulChild child{.items = count, .input = run.has_express_children ? end.input : ""};
      txn.put(map_child_key(walk.key, 'f', index), encode_unsuccessful(child));
    }
    keep_result(txn, map_child_key(walk.key, 'o', index), result, walk.plan, run);
    if (base::slice_is_over(kStepsOfEnd + bytes.size() / kBytesPerStep)) co_await base::give_way();
  }
  co_return ends.size();
}

// Each in a transaction of its own; their ends are taken in as ever.
Task<void> MapRuns::stop_children(const MapRunRecord& run) {
  const std::string key = map_run_key(run.address);
  store::Range range = store::Range::prefix(map_part_key(key, 'c'));
  for (;;) {
    std::vector<uint64_t> children;
    co_await store_.snapshot()->scan(range, store::first(kChildEndsAtOnce),
                                     [&](std::string_view child, std::string_view) {
                                       children.push_back(index_of_child_key(child));
                                       return true;
                                     });
    for (const uint64_t index : children) {
      if (run.has_express_children) {
        co_await express_.stop_child(express_child(run, index, "", platform_.clock.now()));
      } else {
        const ExecutionAddress address{run.address.account, run.address.region, run.address.child_machine(),
                                       child_name(key, index)};
        (void)co_await running_.stop(address, std::nullopt, std::nullopt);
      }
    }
    if (children.size() < kChildEndsAtOnce) co_return;
    range.begin = map_child_key(key, 'c', children.back() + 1);
  }
}

Task<MapRunEnd> MapRuns::end_of(Walk& walk, const MapRunRecord& run) {
  MapRunEnd end{.status = run.status, .output = nullptr, .error = run.error, .cause = run.cause};
  try {
    end.output = co_await result_of(platform_, evaluations_, walk.plan, run, [&walk] { return walk.next_pending(); });
  } catch (const asl::StateError& error) {
    if (run.status == Status::succeeded) {
      const Frame* frame = walk.live ? walk.live->find(run.frame) : nullptr;
      const auto entered = frame ? static_cast<int64_t>(frame->entered_event) : 0;
      end = {.status = Status::failed, .output = nullptr, .error = error.error(),
             .cause = error.cause(run.state, entered)};
    }
  }
  end.is_redrivable = is_redrivable(run, end);
  co_return end;
}

Task<MapRuns::Step> MapRuns::finish(const store::Timer& timer, Walk& walk) {
  const MapRunEnd end = co_await end_of(walk, walk.run);
  const auto settle = [&](store::Transaction& txn) -> Task<bool> {
    co_await fence(txn);
    auto run = co_await find_map_run(txn, walk.key);
    if (!run || run->phase == MapPhase::over) co_return false;
    const bool is_aborted = run->phase == MapPhase::stopping;  // meanwhile
    run->phase = MapPhase::over;
    run->status = is_aborted ? Status::aborted : end.status;
    run->error = end.error;
    run->cause = end.cause;
    run->stopped = platform_.clock.now();
    if (run->status != Status::aborted) run->is_redrivable = end.is_redrivable;
    const bool is_redriven = run->has_redrive_waiting;
    if (is_redriven) {
      begin_redrive(*run, platform_.clock.now());
    } else {
      if (!run->is_redrivable) erase_map_run_parts(txn, walk.key);
      (void)co_await store::finish_timer(txn, timer);
    }
    put_map_run(txn, *run);
    walk.run = *run;
    co_return !is_redriven && run->status != Status::aborted;
  };
  co_await running_.map_run_has_ended(walk.run, end, settle);
  co_return walk.run.phase == MapPhase::over ? Step::wait : Step::go_on;
}

}  // namespace tidemill::states
