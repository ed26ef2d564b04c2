// Inside: the members of an object of a definition, with the checks that all of them share.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lang/states/program.h"

namespace tidemill::lang::states {

class Fields {
 public:
  Fields(const json::Object& source, Place place, Report& report)
      : source_(source), place_(std::move(place)), report_(report) {}

  [[nodiscard]] bool has(std::string_view name) const { return get(name) != nullptr; }
  [[nodiscard]] const json::Value* get(std::string_view name) const { return source_.find(name); }
  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] bool is_jsonata() const { return place_.language == QueryLanguage::jsonata; }
  [[nodiscard]] Report& report() const { return report_; }
  [[nodiscard]] const json::Object& source() const { return source_; }

  // Tells `message` of the object, or of a member.
  void refuse(std::string message) const { report_.schema(std::move(message), place_.location); }
  void refuse(std::string_view name, std::string message) const {
    report_.schema(std::move(message), place_.member(name).location);
  }

  void require(std::initializer_list<std::string_view> names) const;
  void allow(std::initializer_list<std::span<const std::string_view>> names) const;
  // One of them at most, or exactly. Whether that is so.
  bool at_most_one(std::initializer_list<std::string_view> names) const;
  bool exactly_one(std::initializer_list<std::string_view> names) const;

  // Null, with a word about it, if the member is of another type; null without one if it is not there.
  [[nodiscard]] const std::string* string(std::string_view name) const;
  [[nodiscard]] const json::Object* object(std::string_view name) const;
  [[nodiscard]] const json::Array* array(std::string_view name) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view name) const;
  [[nodiscard]] std::optional<int64_t> integer(std::string_view name, int64_t least, int64_t most) const;
  [[nodiscard]] std::optional<double> number(std::string_view name, double least, double most) const;
  // A string that is one of these.
  [[nodiscard]] const std::string* one_of(std::string_view name, std::initializer_list<std::string_view> values) const;

  [[nodiscard]] std::optional<Template> payload(std::string_view name) const;
  // Assign: a payload with names of variables.
  [[nodiscard]] std::optional<Template> assign() const;
  [[nodiscard]] PathField path_field(std::string_view name, bool is_reference) const;
  [[nodiscard]] std::unique_ptr<const PathValue> path(std::string_view name, bool may_be_intrinsic) const;

  // `name`, or of JSONPath also `name`Path.
  [[nodiscard]] Scalar integer_scalar(std::string_view name, int64_t least, int64_t most) const;
  [[nodiscard]] Scalar text_scalar(std::string_view name, bool may_be_intrinsic) const;
  // Whatever stands there; of JSONata maybe an expression.
  [[nodiscard]] Scalar scalar(std::string_view name) const;

 private:
  [[nodiscard]] Scalar path_scalar(std::string_view name, bool may_be_intrinsic) const;

  const json::Object& source_;
  Place place_;
  Report& report_;
};

// "[a, b]"
[[nodiscard]] std::string listed(std::span<const std::string_view> names);

}  // namespace tidemill::lang::states
