// GetParameter, GetParameters, GetParametersByPath, GetParameterHistory and DescribeParameters.
#include "base/base64.h"
#include "base/text.h"
#include "services/ssm/encryption.h"
#include "services/ssm/filters.h"
#include "services/ssm/labels.h"
#include "services/ssm/operations.h"
#include "services/ssm/parameter.h"
#include "store/pages.h"

namespace tidemill::ssm {
namespace {

namespace errors = shapes::errors;

constexpr int32_t kPathPageMax = 10;
constexpr int32_t kPageMax = 50;
constexpr std::string_view kDataType = "text";

Task<shapes::Parameter> describe(wire::Context& context, const Parameter& parameter, const std::string& selector,
                                 const std::optional<bool>& with_decryption) {
  shapes::Parameter result;
  result.name = parameter.address.name;
  result.type = parameter.type;
  result.value = co_await value_for(context, parameter, with_decryption.value_or(false));
  result.version = parameter.version;
  if (!selector.empty()) result.selector = selector;
  result.last_modified_date = parameter.modified;
  result.arn = parameter.address.arn();
  result.data_type = kDataType;
  co_return result;
}

template <class Shape>
Shape describe_whole(const Parameter& parameter) {
  Shape result;
  result.name = parameter.address.name;
  result.type = parameter.type;
  result.key_id = parameter.key_id;
  result.last_modified_date = parameter.modified;
  result.last_modified_user = parameter.modified_by;
  result.description = parameter.description;
  result.allowed_pattern = parameter.allowed_pattern;
  result.version = parameter.version;
  result.tier = shapes::ParameterTier::kStandard;
  result.policies.emplace();
  result.data_type = kDataType;
  return result;
}

// `take` says whether a parameter counts.
template <class Request, class Take>
Task<std::optional<std::string>> read_parameters(store::Snapshot& snapshot, const wire::Context& context,
                                                 store::Range range, const Request& request, int32_t usual, Take take) {
  const auto most = static_cast<size_t>(request.max_results.value_or(usual));
  try {
    co_return co_await store::read_page(
        snapshot, std::move(range), {request.next_token, most}, [&](std::string_view, std::string_view bytes) {
          return take(decode_parameter(context.account, context.region, bytes));
        });
  } catch (const store::NotAPageToken&) {
    throw errors::invalid_next_token("The specified token isn't valid.");
  }
}

}  // namespace

Task<shapes::GetParameterOutput> get_parameter(Service& service, wire::Context& context,
                                               const shapes::GetParameterInput& request) {
  const Reference reference = parse_reference(context, request.name);
  const auto snapshot = service.store().snapshot();
  const auto found = co_await find_referred(*snapshot, reference);
  if (!found) throw errors::parameter_not_found("");
  shapes::GetParameterOutput out;
  out.parameter = co_await describe(context, *found, reference.selector, request.with_decryption);
  co_return out;
}

Task<shapes::GetParametersOutput> get_parameters(Service& service, wire::Context& context,
                                                 const shapes::GetParametersInput& request) {
  const auto snapshot = service.store().snapshot();
  shapes::GetParametersOutput out;
  out.parameters.emplace();
  out.invalid_parameters.emplace();
  for (const std::string& name : request.names) {
    const Reference reference = parse_reference(context, name);
    std::optional<Parameter> found;
    try {
      found = co_await find_referred(*snapshot, reference);
    } catch (const wire::Error&) {
      // A version that is not there is as invalid as a name.
    }
    if (!found) {
      out.invalid_parameters->push_back(name);
      continue;
    }
    out.parameters->push_back(co_await describe(context, *found, reference.selector, request.with_decryption));
  }
  co_return out;
}

Task<shapes::GetParametersByPathOutput> get_parameters_by_path(Service& service, wire::Context& context,
                                                               const shapes::GetParametersByPathInput& request) {
  if (!request.path.starts_with('/')) {
    throw errors::validation_exception(
        "The parameter doesn't meet the parameter name requirements. The parameter name must begin with a forward "
        "slash \"/\".");
  }
  check_filters(FilterUse::by_path, request.parameter_filters);
  const std::string prefix = request.path.ends_with('/') ? request.path : request.path + "/";
  const auto snapshot = service.store().snapshot();
  shapes::GetParametersByPathOutput out;
  std::vector<Parameter> found;
  out.next_token = co_await read_parameters(
      *snapshot, context, parameters_below(context.account, context.region, prefix), request, kPathPageMax,
      [&](const Parameter& parameter) {
        const bool lies_below = is_below(prefix, parameter.address.name, request.recursive.value_or(false));
        if (!lies_below || !is_wanted(request.parameter_filters, parameter)) return false;
        found.push_back(parameter);
        return true;
      });
  out.parameters.emplace();
  for (const Parameter& each : found) {
    out.parameters->push_back(co_await describe(context, each, "", request.with_decryption));
  }
  co_return out;
}

Task<shapes::GetParameterHistoryOutput> get_parameter_history(Service& service, wire::Context& context,
                                                              const shapes::GetParameterHistoryInput& request) {
  const auto snapshot = service.store().snapshot();
  const Reference reference = parse_reference(context, request.name);
  const auto newest =
      co_await find_referred(*snapshot, {.address = reference.address, .other_name = reference.other_name});
  if (!newest) throw errors::parameter_not_found("");
  shapes::GetParameterHistoryOutput out;
  std::vector<Parameter> found;
  const auto add = [&](const Parameter& parameter) {
    found.push_back(parameter);
    return true;
  };
  out.next_token =
      co_await read_parameters(*snapshot, context, versions_range(newest->address), request, kPageMax, add);
  // The newest stands elsewhere: a page that is full leaves it to the next one.
  const auto most = static_cast<size_t>(request.max_results.value_or(kPageMax));
  if (!out.next_token) {
    if (found.size() < most) {
      add(*newest);
    } else {
      out.next_token = base::base64_encode(version_key(newest->address, newest->version - 1));
    }
  }
  out.parameters.emplace();
  for (const Parameter& each : found) {
    auto shown = describe_whole<shapes::ParameterHistory>(each);
    shown.value = co_await value_for(context, each, request.with_decryption.value_or(false));
    shown.labels = labels_of(*newest, each.version);
    out.parameters->push_back(std::move(shown));
  }
  co_return out;
}

Task<shapes::DescribeParametersOutput> describe_parameters(Service& service, wire::Context& context,
                                                           const shapes::DescribeParametersInput& request) {
  check_filters(FilterUse::described, request.parameter_filters);
  const auto snapshot = service.store().snapshot();
  shapes::DescribeParametersOutput out;
  out.parameters.emplace();
  out.next_token = co_await read_parameters(
      *snapshot, context, parameters_range(context.account, context.region), request, kPageMax,
      [&](const Parameter& parameter) {
        if (!is_wanted(request.parameter_filters, parameter)) return false;
        auto shown = describe_whole<shapes::ParameterMetadata>(parameter);
        shown.arn = parameter.address.arn();
        out.parameters->push_back(std::move(shown));
        return true;
      });
  co_return out;
}

}  // namespace tidemill::ssm
