// Makes items of the records of an import's source (developer guide, "Amazon S3 import formats for DynamoDB"):
//
//   DynamoDB JSON   {"Item":{…}}, as exports write them
//   Ion             {Item:{…}}
//   CSV             values under the header's names; keys have the types of the table and its indexes, all others are
//                   strings
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "services/dynamodb/record_splitter.h"
#include "services/dynamodb/table.h"

namespace tidemill::dynamodb {

// A record that becomes no item; what() is told in the import's log.
class RecordError : public std::runtime_error {
 public:
  RecordError(const std::string& message, bool abandons_file)
      : std::runtime_error(message), abandons_file_(abandons_file) {}
  // As on AWS, the first record that cannot be read as an item ends its file; an item that does not suit the table is
  // passed over.
  [[nodiscard]] bool abandons_file() const { return abandons_file_; }

 private:
  bool abandons_file_;
};

struct CsvFormat {
  char delimiter = ',';
  std::vector<std::string> header;  // empty: the first record of each file
};

// Of one file.
class ItemReader {
 public:
  // `table` outlives it.
  ItemReader(const Table& table, SourceFormat format, CsvFormat csv);
  ~ItemReader();

  // An item that can be written to the table. Nothing: the record is a header. Throws RecordError.
  std::optional<Item> read(std::string_view record);
  // Instead of read(), of a record that was read before a restart. Whether it was an item's.
  bool skip(std::string_view record);

 private:
  struct Parser;

  [[nodiscard]] Item read_json(std::string_view record);
  [[nodiscard]] Item read_csv(std::string_view record) const;
  [[nodiscard]] std::vector<std::string> split(std::string_view record) const;
  bool take_header(std::string_view record);
  [[nodiscard]] Type type_of(std::string_view attribute) const;

  const Table& table_;
  const SourceFormat format_;
  const char delimiter_;
  std::vector<std::string> header_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace tidemill::dynamodb
