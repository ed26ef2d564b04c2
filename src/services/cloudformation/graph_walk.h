// Does work along a graph: what waits for nothing at once, as much of it as is allowed, and what waits as soon as all that
// it waits for is done. What waits for something that failed is never begun.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/future.h"

namespace tidemill::cloudformation {

class GraphWalk {
 public:
  struct Node {
    std::string name;
    std::vector<std::string> after;  // names that are no nodes count as done
  };
  // True: done. False: failed. What it throws ends the walk, once all that has begun has ended.
  using Work = std::function<Task<bool>(std::string name)>;
  // Asked whenever something has ended or `wake` was signalled. False: nothing more is to begin.
  using MayGoOn = std::function<Task<bool>()>;

  // `wake` may be signalled by others: then it is asked again whether the walk goes on.
  GraphWalk(std::vector<Node> nodes, size_t at_once_max, base::Signal wake);
  GraphWalk(const GraphWalk&) = delete;

  // Returns once nothing runs, and nothing more may begin. `wait` waits for `wake`, or shorter.
  Task<void> run(Work work, MayGoOn may_go_on, std::function<Task<void>()> wait);

  [[nodiscard]] const std::vector<std::string>& failed() const { return failed_; }
  [[nodiscard]] bool is_done() const { return done_ == nodes_.size(); }

 private:
  struct State {
    size_t waits_for = 0;
    std::vector<size_t> wanted_by;
  };

  Task<void> do_one(size_t index, const Work& work);
  void has_ended(size_t index, bool is_done);

  const std::vector<Node> nodes_;
  const size_t at_once_max_;
  std::vector<State> states_;
  std::vector<size_t> ready_;  // by index, the last one next
  std::vector<std::string> failed_;
  size_t running_ = 0;
  size_t done_ = 0;
  std::exception_ptr problem_;
  const base::Signal wake_;
  base::Scope scope_;  // last: its tasks use the rest
};

}  // namespace tidemill::cloudformation
