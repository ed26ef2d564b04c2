#include "main/graph_dot.h"

#include <map>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace tidemill {
namespace {

namespace json = base::json;
using base::cat;

constexpr size_t kLabelMax = 48;  // characters of a condition, about

std::string dot_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

std::string text_in(const json::Value& document, std::string_view name) {
  const json::Value* value = document.find(name);
  return value && value->is_string() ? value->string() : "";
}

bool flag_in(const json::Value& document, std::string_view name) {
  const json::Value* value = document.find(name);
  return value && value->is_boolean() && value->boolean();
}

// Cut between characters of UTF-8.
std::string shortened(std::string text) {
  if (text.size() <= kLabelMax) return text;
  size_t end = kLabelMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string joined(const json::Value* list, std::string_view separator, const auto& text_of) {
  std::string out;
  if (!list || !list->is_array()) return out;
  for (const json::Value& one : list->array()) out += cat(out.empty() ? "" : separator, text_of(one));
  return out;
}

// "$.n NumericEquals 1", "not ($.x IsPresent true)", or JSONata as it is.
std::string condition_of(const json::Value& rule) {
  if (const std::string condition = text_in(rule, "Condition"); !condition.empty()) return condition;
  if (const json::Value* all = rule.find("And")) return joined(all, " and ", condition_of);
  if (const json::Value* any = rule.find("Or")) return joined(any, " or ", condition_of);
  if (const json::Value* inner = rule.find("Not")) return cat("not (", condition_of(*inner), ")");
  if (!rule.is_object()) return "";
  for (const auto& [name, value] : rule.object()) {
    if (name == "Variable" || name == "Next" || name == "Comment" || name == "Assign" || name == "Output") continue;
    return cat(text_in(rule, "Variable"), " ", name, " ", json::write(value));
  }
  return "";
}

std::string seconds_text(std::chrono::milliseconds time) {
  return cat(base::fixed(static_cast<double>(time.count()) / 1000, 3), " s");
}

std::string_view color_of(StateOutcome outcome) {
  switch (outcome) {
    case StateOutcome::running:
      return "#cfe2ff";
    case StateOutcome::succeeded:
      return "#d5f0d5";
    case StateOutcome::caught:
      return "#ffe5b4";
    case StateOutcome::failed:
      return "#f8cfcf";
  }
  return "white";
}

class Drawing {
 public:
  explicit Drawing(const std::optional<ExecutionTrace>& trace) : trace_(trace) {}

  std::string draw(const json::Value& definition, const std::string& title) {
    out_ = cat("digraph machine {\n  label=", dot_string(title),
               "; labelloc=t; fontname=\"sans-serif\"; compound=true;\n"
               "  node [fontname=\"sans-serif\", fontsize=11, shape=box, style=\"rounded,filled\", fillcolor=white];\n"
               "  edge [fontname=\"sans-serif\", fontsize=9];\n"
               "  start [shape=circle, label=\"\", width=0.2, fillcolor=black];\n"
               "  end [shape=doublecircle, label=\"\", width=0.15, fillcolor=black];\n");
    number(definition);
    draw_flow(definition, "end", "  ");
    draw_edge("start", "", text_in(definition, "StartAt"));
    return out_ + edges_ + "}\n";
  }

 private:
  // Names are unique in all of a machine.
  void number(const json::Value& flow) {
    each_state(flow, [this](const std::string& name, const json::Value& state) {
      nodes_.emplace(name, cat("s", nodes_.size()));
      if (is_container(state)) exits_.emplace(name, nodes_.at(name) + "_end");
      for (const json::Value* inner : flows_of(state)) number(*inner);
    });
  }

  static void each_state(const json::Value& flow, const auto& visit) {
    const json::Value* states = flow.find("States");
    if (!states || !states->is_object()) return;
    for (const auto& [name, state] : states->object()) visit(name, state);
  }

  static std::vector<const json::Value*> flows_of(const json::Value& state) {
    std::vector<const json::Value*> flows;
    const json::Value* branches = state.find("Branches");
    if (branches && branches->is_array()) {
      for (const json::Value& branch : branches->array()) flows.push_back(&branch);
    }
    for (const std::string_view name : {"ItemProcessor", "Iterator"}) {
      if (const json::Value* processor = state.find(name)) flows.push_back(processor);
    }
    return flows;
  }
  static bool is_container(const json::Value& state) { return !flows_of(state).empty(); }

  // `end`: the node that its ends lead to.
  void draw_flow(const json::Value& flow, const std::string& end, const std::string& indent) {
    each_state(flow, [&](const std::string& name, const json::Value& state) {
      if (is_container(state))
        draw_container(name, state, indent);
      else
        out_ += cat(indent, node(name, state), "\n");
      draw_ways(name, state, end);
    });
  }

  void draw_container(const std::string& name, const json::Value& state, const std::string& indent) {
    const std::string exit = exits_.at(name);
    out_ += cat(indent, "subgraph cluster_", nodes_.at(name), " {\n", indent,
                "  style=\"rounded,dashed\"; color=gray50; label=\"\";\n", indent, "  ", node(name, state), "\n",
                indent, "  ", exit, " [shape=point, width=0.08];\n");
    for (const json::Value* inner : flows_of(state)) {
      draw_flow(*inner, exit, indent + "  ");
      draw_edge(nodes_.at(name), name, text_in(*inner, "StartAt"));
    }
    out_ += indent + "}\n";
  }

  std::string node(const std::string& name, const json::Value& state) {
    std::string label = cat(name, "\n", text_in(state, "Type"));
    if (const std::string resource = text_in(state, "Resource"); !resource.empty()) {
      label += cat(
          " ", shortened(resource.substr(resource.rfind(":::") == std::string::npos ? 0 : resource.rfind(":::") + 3)));
    }
    std::string look;
    if (trace_) {
      const auto found = trace_->states.find(name);
      if (found == trace_->states.end()) {
        look = ", color=gray70, fontcolor=gray50";
      } else {
        const StateTrace& state_trace = found->second;
        if (state_trace.entered > 1) label += cat("\n", state_trace.entered, " times");
        if (state_trace.time.count() > 0) label += cat("\n", seconds_text(state_trace.time));
        look = cat(", fillcolor=\"", color_of(state_trace.outcome), "\"");
      }
    }
    return cat(nodes_.at(name), " [label=", dot_string(label), look, "];");
  }

  void draw_ways(const std::string& name, const json::Value& state, const std::string& end) {
    const std::string type = text_in(state, "Type");
    const json::Value* choices = state.find("Choices");
    if (choices && choices->is_array()) {
      for (const json::Value& rule : choices->array()) {
        draw_way(name, text_in(rule, "Next"), shortened(condition_of(rule)));
      }
      draw_way(name, text_in(state, "Default"), "default");
    }
    draw_way(name, text_in(state, "Next"));
    const json::Value* catchers = state.find("Catch");
    if (catchers && catchers->is_array()) {
      for (const json::Value& catcher : catchers->array()) {
        const auto error = [](const json::Value& one) { return one.is_string() ? one.string() : ""; };
        draw_way(name, text_in(catcher, "Next"), shortened(joined(catcher.find("ErrorEquals"), ", ", error)), "dashed");
      }
    }
    if (flag_in(state, "End") || type == "Succeed") edges_ += cat("  ", out_of(name), " -> ", end, ";\n");
  }

  // Where ways out of a state begin.
  [[nodiscard]] std::string out_of(const std::string& name) const {
    const auto exit = exits_.find(name);
    return exit == exits_.end() ? nodes_.at(name) : exit->second;
  }

  // From one state on to another.
  void draw_way(const std::string& from, const std::string& to, std::string_view label = "",
                std::string_view style = "") {
    draw_edge(out_of(from), from, to, label, style);
  }

  // `source`: the node that it begins at; `from`: its state's name.
  void draw_edge(const std::string& source, const std::string& from, const std::string& to, std::string_view label = "",
                 std::string_view style = "") {
    const auto target = nodes_.find(to);
    if (target == nodes_.end()) return;
    std::string look;
    const auto add = [&](std::string_view text) { look += cat(look.empty() ? "" : ", ", text); };
    if (!label.empty()) add(cat("label=", dot_string(label)));
    if (!style.empty()) add(cat("style=", style));
    if (trace_ && trace_->taken.contains({from, to})) add("penwidth=2.2");
    edges_ += cat("  ", source, " -> ", target->second, look.empty() ? "" : cat(" [", look, "]"), ";\n");
  }

  const std::optional<ExecutionTrace>& trace_;
  std::map<std::string, std::string> nodes_;
  std::map<std::string, std::string> exits_;  // of containers
  std::string out_;
  std::string edges_;
};

}  // namespace

std::string dot_of(const json::Value& definition, const std::string& title,
                   const std::optional<ExecutionTrace>& trace) {
  return Drawing(trace).draw(definition, title);
}

}  // namespace tidemill
