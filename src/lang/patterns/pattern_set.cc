#include "lang/patterns/pattern_set.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>

#include "lang/patterns/node.h"
#include "lang/patterns/pattern_index.h"

namespace tidemill::lang::patterns {
namespace {

// So many that share their rarest demand are rather asked one by one than filed anew.
constexpr size_t kSharersMax = 4;
// Demands of a pattern that are looked at; further ones only cost the chance of a rarer one.
constexpr size_t kDemandsMax = 64;
// Filing anew ends when each key has been looked at so often on the average: patterns with long lists of values would
// take the product of their lengths.
constexpr size_t kLooksPerKey = 16;

// One of the things that a pattern demands: a value of the event must satisfy one of the keys.
struct Demand {
  std::vector<KeyId> keys;
  int rank = 0;  // how little keys of this kind tell; 0: the most
};

int rank_of(Key::Kind kind) {
  if (kind <= Key::Kind::number) return 0;
  return kind <= Key::Kind::folded_suffix ? 1 : 2;
}

using PlaceKey = uint64_t;  // a file and a key
PlaceKey place_key(uint32_t file, KeyId key) { return uint64_t{file} << 32 | key; }

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// A pattern where it is filed. An event that comes there meets the demands by which it is filed; what is left of them
// stands in Index::rests.
struct Filed {
  uint32_t pattern = 0;
  uint32_t rest_at = kNone;  // kNone: ask the pattern, which says more than its demands
};

// What is filed under a key: part of Index::filed.
struct Folder {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t file = kNone;  // that they are filed in anew; then there are none here
};

// Whether a pattern says nothing but what its demands say.
bool is_plain(const Node& node) {
  return node.alternatives.empty() && std::ranges::all_of(node.values, is_exact) &&
         std::ranges::all_of(node.children, is_plain);
}

}  // namespace

struct PatternSet::Index {
  std::vector<Pattern> patterns;
  Paths paths;
  std::vector<Folder> first_file;                // by key: most look-ups end here
  std::unordered_map<PlaceKey, Folder> folders;  // of all other files
  std::vector<Filed> filed;
  std::vector<std::vector<Filed>> unfiled;  // by file: those that have no further demand

  // Demands that are left to be met: their number, and for each the number of its keys and these. Many patterns share
  // theirs, so what ten thousand of them leave mostly stays in the processor's cache.
  std::vector<uint32_t> rests;

  [[nodiscard]] const Folder* find(uint32_t file, KeyId key) const {
    if (file == 0) return key < first_file.size() ? &first_file[key] : nullptr;
    const auto found = folders.find(place_key(file, key));
    return found == folders.end() ? nullptr : &found->second;
  }

  Folder& make(uint32_t file, KeyId key) {
    if (file > 0) return folders[place_key(file, key)];
    if (key >= first_file.size()) first_file.resize(key + 1);
    return first_file[key];
  }

  void collect(uint32_t file, const std::vector<KeyId>& keys, std::vector<Filed>& out) const {
    out.insert(out.end(), unfiled[file].begin(), unfiled[file].end());
    for (const KeyId key : keys) {
      const Folder* folder = find(file, key);
      if (!folder) continue;
      out.insert(out.end(), filed.begin() + folder->begin, filed.begin() + folder->end);
      if (folder->file != kNone) collect(folder->file, keys, out);
    }
  }

  // All that is filed under what is satisfied: each pattern once, by its place.
  [[nodiscard]] std::vector<Filed> candidates(const Satisfied& satisfied) const {
    std::vector<Filed> found;
    if (patterns.empty()) return found;
    collect(0, satisfied.keys, found);
    std::ranges::sort(found, {}, &Filed::pattern);
    const auto [again, end] = std::ranges::unique(found, {}, &Filed::pattern);
    found.erase(again, end);
    return found;
  }

  // Whether each demand has a key that is satisfied.
  [[nodiscard]] bool meets(uint32_t rest_at, const Satisfied& satisfied) const {
    const uint32_t* next = rests.data() + rest_at;
    for (uint32_t demands = *next++; demands > 0; --demands) {
      const uint32_t* const end = next + 1 + *next;
      const bool is_met = std::any_of(next + 1, end, [&](KeyId key) { return satisfied.contains(key); });
      if (!is_met) return false;
      next = end;
    }
    return true;
  }

  [[nodiscard]] bool matches(const Filed& one, const Satisfied& satisfied, const json::Value& event) const {
    if (satisfied.is_plain && one.rest_at != kNone) return meets(one.rest_at, satisfied);
    return patterns[one.pattern].matches(event);
  }
};

struct PatternSet::Builder::State {
  // A pattern that is to be filed, and by which of its demands it is filed already.
  struct Member {
    uint32_t pattern;
    uint64_t used;
  };
  // A file that is being made: first its members' keys are counted, then each is put into its folders.
  struct Job {
    uint32_t file;
    std::vector<Member> members;
    std::unordered_map<KeyId, uint32_t> sharers;
    std::unordered_map<KeyId, std::vector<Member>> folders;
    size_t next = 0;
    bool is_counted = false;
  };

  std::shared_ptr<Index> index = std::make_shared<Index>();
  std::vector<std::vector<Demand>> demands;         // by pattern
  std::vector<bool> plain;                          // by pattern: it says nothing but its demands
  std::map<std::vector<uint32_t>, uint32_t> rests;  // where each stands in the index
  std::unordered_map<Key, KeyId, KeyHash> key_ids;
  std::vector<const Key*> keys;
  std::vector<bool> is_asked;  // by key
  std::deque<Job> jobs;
  size_t keys_in_all = 0;  // of all demands
  size_t looks = 0;        // at keys
  bool has_begun = false;

  KeyId id_of(Key key) {
    const auto [found, is_new] = key_ids.try_emplace(std::move(key), static_cast<KeyId>(keys.size()));
    if (is_new) {
      keys.push_back(&found->first);
      is_asked.push_back(false);
    }
    return found->second;
  }

  PathId path_of(const Node& node) {
    PathId path = Paths::kRoot;
    for (const std::string& segment : node.path) path = index->paths.child(path, segment);
    return path;
  }

  // Of a key with values. Nothing: it is content with their absence.
  std::optional<Demand> demand_of(const Node& node) {
    Demand demand;
    const PathId path = path_of(node);
    for (const Matcher& matcher : node.values) {
      if (matcher.kind == Matcher::Kind::absent) return std::nullopt;
      Key key = key_of(path, matcher);
      demand.rank = std::max(demand.rank, rank_of(key.kind));
      demand.keys.push_back(id_of(std::move(key)));
    }
    return demand;
  }

  // Of alternatives: what of each demands most. Nothing: one of them demands nothing.
  std::optional<Demand> demand_of(const std::vector<Node>& alternatives) {
    Demand demand;
    for (const Node& alternative : alternatives) {
      std::vector<Demand> its;
      add_demands(alternative, its);
      if (its.empty()) return std::nullopt;
      const Demand& best = *std::ranges::min_element(its, {}, &Demand::rank);
      demand.rank = std::max(demand.rank, best.rank);
      demand.keys.insert(demand.keys.end(), best.keys.begin(), best.keys.end());
    }
    return demand;
  }

  void add_demands(const Node& node, std::vector<Demand>& out) {
    if (!node.values.empty()) {
      if (auto demand = demand_of(node)) out.push_back(*std::move(demand));
    }
    for (const Node& child : node.children) add_demands(child, out);
    for (const auto& alternatives : node.alternatives) {
      if (auto demand = demand_of(alternatives)) out.push_back(*std::move(demand));
    }
    if (out.size() > kDemandsMax) out.resize(kDemandsMax);
  }

  void ask(KeyId key) {
    if (!is_asked[key]) index->paths.ask(*keys[key], key);
    is_asked[key] = true;
  }

  // Of the pattern that was added last.
  void note_whether_plain(const Node& root) {
    const std::vector<Demand>& its = demands.back();
    plain.push_back(is_plain(root) && !its.empty() && its.size() < kDemandsMax);
    if (!plain.back()) return;
    for (const Demand& demand : its) {
      for (const KeyId key : demand.keys) ask(key);
    }
  }

  Filed filed_as(const Member& member) {
    if (!plain[member.pattern]) return {.pattern = member.pattern};
    std::vector<uint32_t> rest{0};
    for_unused_demands(member, [&](size_t, const Demand& demand) {
      ++rest.front();
      rest.push_back(static_cast<uint32_t>(demand.keys.size()));
      rest.insert(rest.end(), demand.keys.begin(), demand.keys.end());
    });
    const auto [known, is_new] = rests.try_emplace(std::move(rest), static_cast<uint32_t>(index->rests.size()));
    if (is_new) index->rests.insert(index->rests.end(), known->first.begin(), known->first.end());
    return {member.pattern, known->second};
  }

  void begin() {
    has_begun = true;
    std::vector<Member> members;
    for (uint32_t i = 0; i < demands.size(); ++i) {
      members.push_back({i, 0});
      for (const Demand& demand : demands[i]) keys_in_all += demand.keys.size();
    }
    if (!members.empty()) make_file(std::move(members));
  }

  uint32_t make_file(std::vector<Member> members) {
    const auto file = static_cast<uint32_t>(index->unfiled.size());
    index->unfiled.emplace_back();
    jobs.push_back({.file = file, .members = std::move(members), .sharers = {}, .folders = {}});
    return file;
  }

  void for_unused_demands(const Member& member, auto visit) const {
    const auto& its = demands[member.pattern];
    for (size_t i = 0; i < its.size(); ++i) {
      if (!(member.used >> i & 1)) visit(i, its[i]);
    }
  }

  void count(Job& job, const Member& member) {
    for_unused_demands(member, [&](size_t, const Demand& demand) {
      looks += demand.keys.size();
      for (const KeyId key : demand.keys) ++job.sharers[key];
    });
  }

  // The demand that tells most: by rank, then by how many share the commonest of its keys.
  std::optional<size_t> best_demand(const Job& job, const Member& member) const {
    std::optional<size_t> best;
    std::pair<int, uint32_t> best_cost;
    for_unused_demands(member, [&](size_t i, const Demand& demand) {
      uint32_t most = 0;
      for (const KeyId key : demand.keys) most = std::max(most, job.sharers.find(key)->second);
      const std::pair cost(demand.rank, most);
      if (best && cost >= best_cost) return;
      best = i;
      best_cost = cost;
    });
    return best;
  }

  void file_away(Job& job, const Member& member) {
    const auto best = best_demand(job, member);
    if (!best) {
      index->unfiled[job.file].push_back(filed_as(member));
      return;
    }
    for (const KeyId key : demands[member.pattern][*best].keys) {
      ask(key);
      std::vector<Member>& folder = job.folders[key];
      // A list may name a value twice.
      if (!folder.empty() && folder.back().pattern == member.pattern) continue;
      folder.push_back({member.pattern, member.used | uint64_t{1} << *best});
    }
  }

  void close(Job& job) {
    for (auto& [key, members] : job.folders) {
      Folder& folder = index->make(job.file, key);
      if (members.size() > kSharersMax) {
        folder.file = make_file(std::move(members));
      } else {
        folder.begin = static_cast<uint32_t>(index->filed.size());
        for (const Member& member : members) index->filed.push_back(filed_as(member));
        folder.end = static_cast<uint32_t>(index->filed.size());
      }
    }
  }

  // Whoever comes here is asked about all of them.
  bool give_up(const Job& job) {
    index->unfiled[job.file].clear();
    for (const Member& member : job.members) index->unfiled[job.file].push_back(filed_as(member));
    jobs.pop_front();
    return !jobs.empty();
  }

  bool step() {
    if (!has_begun) begin();
    if (jobs.empty()) return false;
    Job& job = jobs.front();
    if (looks > kLooksPerKey * keys_in_all) return give_up(job);
    const Member& member = job.members[job.next++];
    if (job.is_counted)
      file_away(job, member);
    else
      count(job, member);
    if (job.next < job.members.size()) return true;
    job.next = 0;
    if (!std::exchange(job.is_counted, true)) return true;
    Job done = std::move(job);
    jobs.pop_front();
    close(done);
    return !jobs.empty();
  }
};

PatternSet::PatternSet() : PatternSet(std::make_shared<const Index>()) {}
PatternSet::PatternSet(std::shared_ptr<const Index> index) : index_(std::move(index)) {}

std::vector<uint32_t> PatternSet::candidates(const json::Value& event) const {
  std::vector<uint32_t> places;
  for (const Filed& one : index_->candidates(index_->paths.satisfied(event))) places.push_back(one.pattern);
  return places;
}

std::vector<uint32_t> PatternSet::match(const json::Value& event) const { return Matching(*this, event).finish(); }

struct PatternSet::Matching::State {
  State(std::shared_ptr<const Index> of, const json::Value& met)
      : index(std::move(of)),
        event(met),
        satisfied(index->paths.satisfied(event)),
        asked(index->candidates(satisfied)) {}

  const std::shared_ptr<const Index> index;
  const json::Value& event;
  const Satisfied satisfied;
  const std::vector<Filed> asked;
  size_t next = 0;
  std::vector<uint32_t> places;
};

PatternSet::Matching::Matching(const PatternSet& set, const json::Value& event)
    : state_(std::make_unique<State>(set.index_, event)) {}
PatternSet::Matching::~Matching() = default;

bool PatternSet::Matching::step() {
  State& state = *state_;
  if (state.next == state.asked.size()) return false;
  const Filed& one = state.asked[state.next++];
  if (state.index->matches(one, state.satisfied, state.event)) state.places.push_back(one.pattern);
  return true;
}

std::vector<uint32_t> PatternSet::Matching::finish() && {
  while (step()) {
  }
  return std::move(state_->places);
}

PatternSet::Builder::Builder() : state_(std::make_unique<State>()) {}
PatternSet::Builder::~Builder() = default;

void PatternSet::Builder::add(Pattern pattern) {
  state_->add_demands(pattern.root(), state_->demands.emplace_back());
  state_->note_whether_plain(pattern.root());
  state_->index->patterns.push_back(std::move(pattern));
}

bool PatternSet::Builder::step() { return state_->step(); }

PatternSet PatternSet::Builder::finish() && {
  while (step()) {
  }
  return PatternSet(std::move(state_->index));
}

}  // namespace tidemill::lang::patterns
