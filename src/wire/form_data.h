// multipart/form-data (RFC 7578) as browsers send forms to a bucket: fields, and the file behind them, which is not
// kept but handed on as it comes. S3 API reference, "POST Object": what stands behind the file is ignored.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemill::wire {

// In the order in which they were sent; names as they were.
using FormFields = std::vector<std::pair<std::string, std::string>>;

// The value of the first field of that name; `name` is in lower case, the form's may be in any. nullptr: there is none.
[[nodiscard]] const std::string* find_field(const FormFields& fields, std::string_view name);

class FormDataDecoder {
 public:
  static constexpr size_t kBeforeFileBytesMax = 20'480;  // AWS's, of all that stands before the file's first byte
  static constexpr size_t kBoundaryBytesMax = 70;        // RFC 2046

  // Of a Content-Type header; nothing if it is none of a form or says no boundary that could be one.
  [[nodiscard]] static std::optional<std::string> boundary_of(std::string_view content_type);

  explicit FormDataDecoder(std::string_view boundary);

  // Appends to `content` what `bytes`, the next of the body in any cut, hold of the file. Throws Error
  // (MaxPostPreDataLengthExceeded, MalformedPOSTRequest, InvalidArgument for a field that is there twice).
  void feed(std::string_view bytes, std::string& content);
  // The body has ended. Throws Error unless the form was whole and had a file.
  void finish() const;

  // From here on all fields are known.
  [[nodiscard]] bool has_file() const { return state_ >= State::file; }
  // The file has ended: the rest of the body says nothing.
  [[nodiscard]] bool is_over() const { return state_ == State::over; }
  [[nodiscard]] const FormFields& fields() const { return fields_; }
  // As the file's part says it, without what stands before a slash; nothing if it says none.
  [[nodiscard]] const std::optional<std::string>& file_name() const { return file_name_; }

 private:
  enum class State { before, delimiter_end, head, field, file, over };

  bool step(std::string& content);
  bool take_until(std::string_view mark, std::string& out);
  bool end_delimiter();
  bool take_head();
  void begin_part(std::string_view head);
  void end_field();

  const std::string mark_;  // what ends a part: "\r\n--boundary"
  std::string pending_;     // not looked at yet
  State state_ = State::before;
  size_t before_file_ = 0;  // bytes
  std::string name_;        // of the field that is being read
  std::string value_;
  FormFields fields_;
  std::optional<std::string> file_name_;
};

}  // namespace tidemill::wire
