#include "main/descriptors.h"

#include <gtest/gtest.h>

#include "engine/workers/workers.h"

namespace tidemill {
namespace {

TEST(Descriptors, AllThatMayBeOpenAtOnceKeepsWithinTheLimit) {
  constexpr size_t kOfStore = 576;
  for (const size_t limit : {1024, 2048, 4096, 65'536, 1'048'576}) {
    const DescriptorShares shares = share_descriptors(limit);
    const ConnectionShares connections = share_connections(shares.connections, true);
    EXPECT_GT(connections.aws_names, 0u) << limit;
    EXPECT_GT(connections.own, connections.aws_names) << limit;
    // Each process: a listener and its connections, the pipe of its output, what watches its end, the line to its supervisor.
    const size_t of_functions = shares.functions * (engine::kRuntimeConnectionsMax + 4);
    EXPECT_LE(kOfStore + connections.own + 2 * connections.aws_names + shares.calls + of_functions, limit);
  }
}

TEST(Descriptors, WithoutAwssNamesAllConnectionsAreTheServersOwn) {
  const ConnectionShares connections = share_connections(160, false);
  EXPECT_EQ(connections.own, 160u);
  EXPECT_EQ(connections.aws_names, 0u);
}

}  // namespace
}  // namespace tidemill
