// Change sets before they are stored: what a request asks for, compared with what stands, and, if it says so, what that
// comes to for each nested stack below.
#pragma once

#include <vector>

#include "services/cloudformation/asked.h"
#include "services/cloudformation/change_set.h"
#include "services/cloudformation/stack.h"
#include "services/cloudformation/template_text.h"

namespace tidemill::cloudformation {

inline constexpr size_t kHierarchyMax = 200;  // change sets of one request

struct Draft {
  ChangeSet set;
  TemplateText text;
  Stack stack;             // that it is to change or to make
  bool is_new = false;     // the stack is not there yet, and is made to be reviewed with the change set
};

// Fills in `root`, whose set has what the request says of itself; behind it are those of nested stacks, of which only
// those are listed that something changes of. A set that cannot be made has the status FAILED and its reason.
// Throws what define() throws for the root, but TemplateRefused.
Task<std::vector<Draft>> draft_change_sets(base::BlockingWork& work, store::Snapshot& reader, wire::Context& context,
                                           Draft root, Asked asked);

}  // namespace tidemill::cloudformation
