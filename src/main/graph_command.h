// `tidemill graph`: draws a state machine, or the way of an execution through it, as SVG. graphviz' `dot` lays it out.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "main/client.h"

namespace tidemill {

struct GraphOptions {
  std::string what;      // a machine's name or ARN, or an execution's ARN
  std::string output;    // a file; empty: standard output
  bool as_text = false;  // the graph in the DOT language, without graphviz
  ClientOptions client;
};

// What follows the word "graph". Throws UsageError.
GraphOptions parse_graph_options(std::span<const std::string_view> arguments, const Environment& environment);

// The program's exit code.
int draw_graph(const GraphOptions& options);

}  // namespace tidemill
