#include "services/cloudformation/graph_walk.h"

#include <algorithm>

namespace tidemill::cloudformation {

GraphWalk::GraphWalk(std::vector<Node> nodes, size_t at_once_max, base::Signal wake)
    : nodes_(std::move(nodes)), at_once_max_(at_once_max), states_(nodes_.size()), wake_(std::move(wake)) {
  std::map<std::string_view, size_t> places;
  for (size_t i = 0; i < nodes_.size(); ++i) places.emplace(nodes_[i].name, i);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    for (const std::string& name : nodes_[i].after) {
      const auto found = places.find(name);
      if (found == places.end() || found->second == i) continue;
      states_[found->second].wanted_by.push_back(i);
      ++states_[i].waits_for;
    }
  }
  for (size_t i = nodes_.size(); i-- > 0;) {
    if (states_[i].waits_for == 0) ready_.push_back(i);
  }
}

Task<void> GraphWalk::run(Work work, MayGoOn may_go_on, std::function<Task<void>()> wait) {
  for (;;) {
    const bool goes_on = co_await may_go_on() && !problem_;
    while (goes_on && !problem_ && !ready_.empty() && running_ < at_once_max_) {
      const size_t next = ready_.back();
      ready_.pop_back();
      ++running_;
      scope_.spawn(do_one(next, work));
    }
    if (running_ == 0 && (ready_.empty() || !goes_on || problem_)) break;
    co_await wait();
  }
  if (problem_) std::rethrow_exception(problem_);
}

Task<void> GraphWalk::do_one(size_t index, const Work& work) {
  bool is_done = false;
  try {
    is_done = co_await work(nodes_[index].name);
  } catch (...) {
    problem_ = std::current_exception();
  }
  has_ended(index, is_done);
}

void GraphWalk::has_ended(size_t index, bool is_done) {
  --running_;
  if (is_done) {
    ++done_;
    for (const size_t other : states_[index].wanted_by) {
      if (--states_[other].waits_for == 0) ready_.insert(ready_.begin(), other);
    }
  } else {
    failed_.push_back(nodes_[index].name);
  }
  wake_.signal();
}

}  // namespace tidemill::cloudformation
