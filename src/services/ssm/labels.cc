// LabelParameterVersion and UnlabelParameterVersion.
#include "services/ssm/labels.h"

#include <algorithm>

#include "base/text.h"
#include "services/ssm/bus_events.h"
#include "services/ssm/operations.h"

namespace tidemill::ssm {
namespace {

using base::cat;
namespace errors = shapes::errors;

bool starts_with_reserved(std::string_view label) {
  const auto is_same = [&](std::string_view reserved) {
    return label.size() >= reserved.size() &&
           std::ranges::equal(label.substr(0, reserved.size()), reserved,
                              [](char letter, char wanted) { return (letter | 0x20) == wanted; });
  };
  return is_same("aws") || is_same("ssm");
}

bool is_label(std::string_view label) {
  constexpr std::string_view kOthers = ".-_";
  const bool has_right_letters = std::ranges::all_of(label, [&](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           kOthers.find(letter) != std::string_view::npos;
  });
  const bool starts_with_digit = label.front() >= '0' && label.front() <= '9';
  return has_right_letters && !starts_with_digit && !starts_with_reserved(label);
}

Task<Parameter> load_newest(store::Snapshot& reader, const wire::Context& context, const std::string& name) {
  const Reference reference = parse_reference(context, name);
  auto found = co_await find_referred(reader, {.address = reference.address, .other_name = reference.other_name});
  if (!found) throw errors::parameter_not_found("");
  co_return *std::move(found);
}

Task<void> require_version(store::Snapshot& reader, const Parameter& newest, int64_t version) {
  if (co_await find_version(reader, newest, version)) co_return;
  throw errors::parameter_version_not_found(cat("Systems Manager could not find version ", version, " of ",
                                                newest.address.name, ". Verify the version and try again."));
}

}  // namespace

std::vector<std::string> labels_of(const Parameter& newest, int64_t version) {
  std::vector<std::string> labels;
  for (const auto& [label, holder] : newest.labels) {
    if (holder == version) labels.push_back(label);
  }
  return labels;
}

Task<shapes::LabelParameterVersionOutput> label_parameter_version(Service& service, wire::Context& context,
                                                                  const shapes::LabelParameterVersionInput& request) {
  shapes::LabelParameterVersionOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Parameter newest = co_await load_newest(txn, context, request.name);
    const int64_t version = request.parameter_version.value_or(newest.version);
    co_await require_version(txn, newest, version);
    out.parameter_version = version;
    out.invalid_labels.emplace();
    for (const std::string& label : request.labels) {
      if (!is_label(label)) out.invalid_labels->push_back(label);
    }
    if (!out.invalid_labels->empty()) co_return;
    for (const std::string& label : request.labels) newest.labels.insert_or_assign(label, version);
    if (labels_of(newest, version).size() > kLabelsOfVersionMax) {
      throw errors::parameter_version_label_limit_exceeded(
          cat("A parameter version can have maximum ", kLabelsOfVersionMax,
              " labels.Move one or more labels to another version and try again."));
    }
    txn.put(parameter_key(newest.address), encode_parameter(newest));
    co_await tell_bus(txn, newest, kTellLabel, context.now());
  });
  co_return out;
}

Task<shapes::UnlabelParameterVersionOutput> unlabel_parameter_version(
    Service& service, wire::Context& context, const shapes::UnlabelParameterVersionInput& request) {
  shapes::UnlabelParameterVersionOutput out;
  co_await service.store().transact([&](store::Transaction& txn) -> Task<void> {
    Parameter newest = co_await load_newest(txn, context, request.name);
    co_await require_version(txn, newest, request.parameter_version);
    out.removed_labels.emplace();
    out.invalid_labels.emplace();
    for (const std::string& label : request.labels) {
      const auto found = newest.labels.find(label);
      const bool is_there = found != newest.labels.end() && found->second == request.parameter_version;
      (is_there ? out.removed_labels : out.invalid_labels)->push_back(label);
      if (is_there) newest.labels.erase(found);
    }
    txn.put(parameter_key(newest.address), encode_parameter(newest));
  });
  co_return out;
}

}  // namespace tidemill::ssm
