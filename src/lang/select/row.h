// Rows that statements are asked of: records of CSV files and what FROM finds in JSON documents.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/select/statement.h"

namespace tidemill::lang::select {

class Row {
 public:
  virtual ~Row() = default;
  // Throws SelectError for a column that no row can have.
  [[nodiscard]] virtual Value get(const Path& path) const = 0;
  // All of it, with names, in its order.
  [[nodiscard]] virtual std::vector<std::pair<std::string, Value>> all() const = 0;
};

// The names of a CSV file's columns, from its first record; without them columns are called _1, _2, …
class Header {
 public:
  Header() = default;
  explicit Header(std::vector<std::string> names);

  // Of a column by name: its place. Nothing: there is none of that name. Throws AmbiguousFieldName.
  [[nodiscard]] std::optional<size_t> find(const Step& step) const;
  [[nodiscard]] std::string name_of(size_t place) const;
  [[nodiscard]] bool empty() const { return names_.empty(); }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, size_t> exact_;
  std::unordered_map<std::string, std::pair<size_t, int>> any_case_;  // and how many there are
};

class CsvRow final : public Row {
 public:
  // Both outlive it.
  CsvRow(const Header& header, const std::vector<std::string>& fields) : header_(header), fields_(fields) {}
  [[nodiscard]] Value get(const Path& path) const override;
  [[nodiscard]] std::vector<std::pair<std::string, Value>> all() const override;

 private:
  const Header& header_;
  const std::vector<std::string>& fields_;
};

class JsonRow final : public Row {
 public:
  explicit JsonRow(const json::Value& document) : document_(document) {}
  [[nodiscard]] Value get(const Path& path) const override;
  [[nodiscard]] std::vector<std::pair<std::string, Value>> all() const override;

 private:
  const json::Value& document_;
};

// A member or an element; null: there is none.
[[nodiscard]] const json::Value* find_step(const json::Value& document, const Step& step);
[[nodiscard]] std::string in_lower_case(std::string_view text);

}  // namespace tidemill::lang::select
