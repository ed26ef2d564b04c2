#include "lang/insights/execution.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "base/executor.h"
#include "base/utf8.h"
#include "lang/insights/aggregation.h"

namespace tidemill::lang::insights {
namespace {

constexpr size_t kGroupOverheadBytes = 400;
constexpr size_t kFieldOverheadBytes = 64;

std::shared_ptr<const Command> newest_first() {
  Command command{.kind = CommandKind::sort};
  command.keys.push_back({std::make_shared<const Node>(Node{.kind = NodeKind::field, .name = "@timestamp"}), true});
  return std::make_shared<const Command>(std::move(command));
}

// Without a sort, events are shown from the newest on; so a limit or a dedup means the newest, too.
std::vector<std::shared_ptr<const Command>> with_order(const Query& query) {
  std::vector<std::shared_ptr<const Command>> commands;
  bool has_order = false;
  for (const auto& command : query.commands()) {
    const bool needs_order = command->kind == CommandKind::limit || command->kind == CommandKind::dedup;
    if (needs_order && !has_order) commands.push_back(newest_first());
    has_order = has_order || needs_order || command->kind == CommandKind::sort || command->kind == CommandKind::stats;
    commands.push_back(command);
  }
  if (!has_order) commands.push_back(newest_first());
  return commands;
}

// What is shown: what the last display says, or all that fields and stats have named since.
std::vector<std::string> columns_of(const std::vector<std::shared_ptr<const Command>>& commands) {
  std::vector<std::string> columns;
  std::vector<std::string> parsed;
  bool is_chosen = false;
  const auto add = [](std::vector<std::string>& list, const std::string& name) {
    if (!name.empty() && std::ranges::find(list, name) == list.end()) list.push_back(name);
  };
  for (const auto& command : commands) {
    switch (command->kind) {
      case CommandKind::display:
      case CommandKind::stats:
        columns.clear();
        [[fallthrough]];
      case CommandKind::fields:
        is_chosen = true;
        for (const Named& named : command->by) add(columns, named.name);
        for (const Named& named : command->columns) add(columns, named.name);
        break;
      case CommandKind::parse:
        for (const std::string& name : command->names) add(parsed, name);
        break;
      default:
        break;
    }
  }
  if (is_chosen) return columns;
  columns = {"@timestamp", "@message"};
  for (const std::string& name : parsed) add(columns, name);
  return columns;
}

// The texts of several values as one that no other such texts give.
std::string key_of(const std::vector<Named>& columns, const Record& record, std::vector<Value>* values = nullptr) {
  std::string key;
  for (const Named& named : columns) {
    Value value = evaluate(*named.node, record);
    const std::string text = value.text();
    key += std::to_string(value.is_nothing() ? 0 : text.size() + 1);
    key += ':';
    key += text;
    if (key.size() > kMadeBytesMax) throw ExecutionError("The query makes too much of one event");
    if (values) values->push_back(std::move(value));
  }
  return key;
}

}  // namespace

struct Execution::Stage {
  virtual ~Stage() = default;
};

struct Execution::SortStage : Stage {
  struct Row {
    std::vector<Value> keys;
    uint64_t number = 0;
    Record record;
    size_t bytes = 0;
  };
  const Command* command = nullptr;
  size_t rows_max = kHeldRowsMax;  // more than these cannot be shown
  bool may_drop = false;
  uint64_t count = 0;
  std::vector<Row> heap;  // the one that comes last on top

  [[nodiscard]] bool before(const Row& a, const Row& b) const {
    for (size_t i = 0; i < command->keys.size(); ++i) {
      const int order = compare(a.keys[i], b.keys[i]);
      if (order != 0) return command->keys[i].is_descending ? order > 0 : order < 0;
    }
    // Of one time, those that were written last are the newest.
    return command->keys[0].is_descending ? a.number > b.number : a.number < b.number;
  }
  [[nodiscard]] auto order() const {
    return [this](const Row& a, const Row& b) { return before(a, b); };
  }
};

struct Execution::StatsStage : Stage {
  struct Group {
    std::vector<Value> by;
    std::vector<Aggregation> aggregations;
  };
  std::map<std::string, Group> groups;
};

struct Execution::DedupStage : Stage {
  std::set<std::string> seen;
};

struct Execution::LimitStage : Stage {
  size_t count = 0;
};

Execution::Execution(const Query& query, size_t limit)
    : commands_(with_order(query)),
      columns_(columns_of(commands_)),
      limit_(limit),
      work_(query.work()) {
  for (size_t i = 0; i < commands_.size(); ++i) {
    const Command& command = *commands_[i];
    std::unique_ptr<Stage>& stage = stages_.emplace_back();
    if (command.kind == CommandKind::stats) stage = std::make_unique<StatsStage>();
    if (command.kind == CommandKind::dedup) stage = std::make_unique<DedupStage>();
    if (command.kind == CommandKind::limit) stage = std::make_unique<LimitStage>();
    if (command.kind != CommandKind::sort) continue;
    auto sort = std::make_unique<SortStage>();
    sort->command = &command;
    // What comes behind it takes the first so many, whatever they are.
    size_t shown = limit_;
    sort->may_drop = true;
    for (size_t behind = i + 1; behind < commands_.size(); ++behind) {
      const CommandKind kind = commands_[behind]->kind;
      if (kind == CommandKind::limit) {
        shown = std::min(shown, commands_[behind]->limit);
        break;
      }
      sort->may_drop =
          sort->may_drop && (kind == CommandKind::fields || kind == CommandKind::display || kind == CommandKind::parse);
    }
    if (sort->may_drop) sort->rows_max = shown;
    stage = std::move(sort);
  }
}

Execution::~Execution() = default;

void Execution::hold(size_t bytes) {
  held_bytes_ += bytes;
  if (held_bytes_ > kHeldBytesMax) throw ExecutionError("The query needs too much memory");
}

void Execution::push(Record record) { feed(0, std::move(record)); }

void Execution::feed(size_t at, Record record) {
  bool is_counted = !record.is_event();
  for (; at < commands_.size(); ++at) {
    const Command& command = *commands_[at];
    if (command.kind != CommandKind::filter && command.kind != CommandKind::fields &&
        command.kind != CommandKind::parse && command.kind != CommandKind::display && !is_counted) {
      is_counted = true;
      ++matched_;
    }
    switch (command.kind) {
      case CommandKind::fields:
      case CommandKind::display:
        for (const Named& named : command.columns) {
          if (named.node->kind == NodeKind::field && named.node->name == named.name) continue;
          record.set(named.name, evaluate(*named.node, record));
        }
        break;
      case CommandKind::filter:
        if (!evaluate(*command.condition, record).holds()) return;
        break;
      case CommandKind::parse: {
        const std::string text = evaluate(*command.condition, record).text();
        std::vector<re2::StringPiece> groups(command.names.size() + 1);
        if (!command.pattern->Match(text, 0, text.size(), re2::RE2::UNANCHORED, groups.data(),
                                    static_cast<int>(groups.size()))) {
          break;
        }
        for (size_t i = 0; i < command.names.size(); ++i) {
          const re2::StringPiece& found = groups[i + 1];
          if (!command.names[i].empty() && found.data())
            record.set(command.names[i], std::string(found.data(), found.size()));
        }
        break;
      }
      case CommandKind::limit: {
        auto& stage = static_cast<LimitStage&>(*stages_[at]);
        if (stage.count == command.limit) return;
        ++stage.count;
        break;
      }
      case CommandKind::dedup: {
        auto& stage = static_cast<DedupStage&>(*stages_[at]);
        std::string key = key_of(command.columns, record);
        const size_t bytes = key.size() + kGroupOverheadBytes;
        if (!stage.seen.insert(std::move(key)).second) return;
        hold(bytes);
        break;
      }
      case CommandKind::sort: {
        auto& stage = static_cast<SortStage&>(*stages_[at]);
        SortStage::Row row{.number = stage.count++};
        for (const SortKey& key : command.keys) {
          row.bytes += kFieldOverheadBytes + row.keys.emplace_back(evaluate(*key.node, record)).bytes();
          if (row.bytes > kMadeBytesMax) throw ExecutionError("The query makes too much of one event");
        }
        const bool is_full = stage.heap.size() >= stage.rows_max;
        if (is_full && !stage.may_drop) throw ExecutionError("The query has too many rows to be sorted");
        if (is_full && !stage.before(row, stage.heap.front())) return;
        if (is_full) {
          std::ranges::pop_heap(stage.heap, stage.order());
          held_bytes_ -= stage.heap.back().bytes;
          stage.heap.pop_back();
        }
        row.bytes += record.bytes();
        hold(row.bytes);
        row.record = std::move(record);
        stage.heap.push_back(std::move(row));
        std::ranges::push_heap(stage.heap, stage.order());
        return;
      }
      case CommandKind::stats: {
        auto& stage = static_cast<StatsStage&>(*stages_[at]);
        std::vector<Value> by;
        std::string key = key_of(command.by, record, &by);
        const size_t bytes = key.size() * 2 + kGroupOverheadBytes * (1 + command.aggregates.size());
        const auto [group, is_new] = stage.groups.try_emplace(std::move(key));
        if (is_new) {
          hold(bytes);
          group->second.by = std::move(by);
          for (const NodePtr& call : command.aggregates) group->second.aggregations.emplace_back(*call);
        }
        for (Aggregation& aggregation : group->second.aggregations) {
          held_bytes_ -= aggregation.bytes();
          aggregation.add(record);
          hold(aggregation.bytes());
          if (aggregation.is_full()) throw ExecutionError("The query has too many distinct values");
        }
        return;
      }
    }
  }
  if (rows_.size() < limit_) {
    rows_.push_back(row_of(record));
    for (const auto& [name, value] : rows_.back()) hold(name.size() + value.size() + kFieldOverheadBytes);
  }
}

ResultRow Execution::row_of(const Record& record) const {
  ResultRow row;
  for (const std::string& name : columns_) {
    const Value value = record.get(name);
    if (!value.is_nothing()) row.emplace_back(name, base::to_utf8(value.text()));  // substr cuts bytes
  }
  if (record.is_event() && std::ranges::find(columns_, "@ptr") == columns_.end()) {
    row.emplace_back("@ptr", record.event().pointer);
  }
  return row;
}

Task<void> Execution::work_at_once(size_t, const std::function<void()>& work) {
  work();
  co_return;
}

Task<void> Execution::finish_sort(size_t at, const Worker& worker) {
  auto& stage = static_cast<SortStage&>(*stages_[at]);
  // From the last one on; each step is short, so that others have their turn.
  for (auto end = stage.heap.end(); end != stage.heap.begin(); --end) {
    std::pop_heap(stage.heap.begin(), end, stage.order());
    if (base::slice_is_over(10)) co_await base::give_way();
  }
  for (SortStage::Row& row : stage.heap) {
    held_bytes_ -= row.bytes;
    co_await worker(work_.steps(row.record.bytes()), [&] { feed(at + 1, std::move(row.record)); });
    if (base::slice_is_over(20)) co_await base::give_way();
  }
  stage.heap.clear();
}

Task<void> Execution::finish_stats(size_t at, const Worker& worker) {
  const Command& command = *commands_[at];
  auto& stage = static_cast<StatsStage&>(*stages_[at]);
  if (stage.groups.empty() && command.by.empty()) {
    auto& group = stage.groups[""];
    for (const NodePtr& call : command.aggregates) group.aggregations.emplace_back(*call);
  }
  std::vector<const StatsStage::Group*> groups;
  for (const auto& [key, group] : stage.groups) groups.push_back(&group);
  for (const StatsStage::Group* group : groups) {
    size_t bytes = 0;
    std::vector<Value> results;
    for (const Aggregation& aggregation : group->aggregations) {
      bytes += results.emplace_back(aggregation.result()).bytes();
    }
    for (const Value& value : group->by) bytes += value.bytes();
    co_await worker(work_.steps(bytes), [&] {
      Record record;
      for (size_t i = 0; i < command.by.size(); ++i) record.set(command.by[i].name, group->by[i]);
      for (const Named& named : command.columns) record.set(named.name, evaluate(*named.node, record, &results));
      feed(at + 1, std::move(record));
    });
    if (base::slice_is_over(20)) co_await base::give_way();
  }
  stage.groups.clear();
}

Task<std::vector<ResultRow>> Execution::finish(const Worker& worker) {
  for (size_t at = 0; at < commands_.size(); ++at) {
    if (commands_[at]->kind == CommandKind::sort) co_await finish_sort(at, worker);
    if (commands_[at]->kind == CommandKind::stats) co_await finish_stats(at, worker);
  }
  co_return std::move(rows_);
}

}  // namespace tidemill::lang::insights
