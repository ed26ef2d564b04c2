#include "wire/form_data.h"

#include <algorithm>

#include "base/text.h"
#include "wire/error.h"

namespace tidemill::wire {

namespace {

constexpr std::string_view kFormData = "multipart/form-data";
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kLastDelimiterEnd = "--";
constexpr std::string_view kFile = "file";

[[noreturn]] void refuse_form() {
  throw Error("MalformedPOSTRequest", 400, "The body of your POST request is not well-formed multipart/form-data.");
}

Error too_much_before_file() {
  Error error("MaxPostPreDataLengthExceeded", 400,
              "Your POST request fields preceeding the upload file was too large.");
  error.details = {{"MaxPostPreDataLengthBytes", std::to_string(FormDataDecoder::kBeforeFileBytesMax)}};
  return error;
}

Error not_one_file() {
  Error error("InvalidArgument", 400, "POST requires exactly one file upload per request.");
  error.details = {{"ArgumentName", "file"}, {"ArgumentValue", "0"}};
  return error;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool same(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, {}, lower);
}

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Takes `name=value` or `name="value"` off a header's parameters. Browsers write a quote in a value as %22, older ones
// as
// \"; of other backslashes, which paths have, nothing is taken away.
std::optional<std::pair<std::string_view, std::string>> take_parameter(std::string_view& text) {
  const size_t begin = text.find_first_not_of("; \t");
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view name = trim(text.substr(0, equals));
  text.remove_prefix(equals + 1);
  std::string value;
  if (!text.starts_with('"')) {
    const size_t end = std::min(text.find(';'), text.size());
    value = trim(text.substr(0, end));
    text.remove_prefix(end);
    return std::pair(name, std::move(value));
  }
  for (size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') {
      text.remove_prefix(at + 1);
      return std::pair(name, std::move(value));
    }
    const bool is_quote = text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '"';
    if (is_quote) ++at;
    value.push_back(text[at]);
  }
  return std::nullopt;  // the quote has no end
}

// What stands behind the semicolon of the part's `Content-Disposition: form-data; …`.
std::optional<std::string_view> disposition_of(std::string_view head) {
  while (!head.empty()) {
    const size_t end = std::min(head.find(kLineEnd), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(head.size(), end + kLineEnd.size()));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || !same(trim(line.substr(0, colon)), "content-disposition")) continue;
    const std::string_view value = line.substr(colon + 1);
    const size_t semicolon = std::min(value.find(';'), value.size());
    if (same(trim(value.substr(0, semicolon)), "form-data")) return value.substr(semicolon);
  }
  return std::nullopt;
}

// A browser may give the whole path, with slashes of either kind.
std::string last_of_path(std::string_view path) { return std::string(path.substr(path.find_last_of("/\\") + 1)); }

}  // namespace

const std::string* find_field(const FormFields& fields, std::string_view name) {
  const auto found = std::ranges::find_if(fields, [&](const auto& field) { return same(field.first, name); });
  return found == fields.end() ? nullptr : &found->second;
}

std::optional<std::string> FormDataDecoder::boundary_of(std::string_view content_type) {
  const size_t semicolon = std::min(content_type.find(';'), content_type.size());
  if (!same(trim(content_type.substr(0, semicolon)), kFormData)) return std::nullopt;
  content_type.remove_prefix(semicolon);
  while (auto parameter = take_parameter(content_type)) {
    auto& [name, value] = *parameter;
    if (!same(name, "boundary")) continue;
    if (value.empty() || value.size() > kBoundaryBytesMax || value.ends_with(' ')) return std::nullopt;
    if (std::ranges::any_of(value, [](char c) { return c < ' ' || c > '~'; })) return std::nullopt;
    return std::move(value);
  }
  return std::nullopt;
}

// The first part may begin with its delimiter, and no line before that.
FormDataDecoder::FormDataDecoder(std::string_view boundary)
    : mark_(base::cat(kLineEnd, "--", boundary)), pending_(kLineEnd) {}

void FormDataDecoder::feed(std::string_view bytes, std::string& content) {
  if (is_over()) return;
  pending_.append(bytes);
  while (step(content)) {
  }
  if (!has_file() && before_file_ + pending_.size() > kBeforeFileBytesMax) throw too_much_before_file();
}

// False: the next bytes must come first.
bool FormDataDecoder::step(std::string& content) {
  switch (state_) {
    case State::before: {
      std::string ignored;
      if (!take_until(mark_, ignored)) return false;
      state_ = State::delimiter_end;
      return true;
    }
    case State::delimiter_end:
      return end_delimiter();
    case State::head:
      return take_head();
    case State::field:
      if (!take_until(mark_, value_)) return false;
      end_field();
      state_ = State::delimiter_end;
      return true;
    case State::file:
      if (take_until(mark_, content)) state_ = State::over;
      return false;
    case State::over:
      return false;
  }
  return false;
}

// Moves what stands before `mark` to `out`, and drops the mark. False: it has not come yet, and all that can be no part
// of it has been moved.
bool FormDataDecoder::take_until(std::string_view mark, std::string& out) {
  const size_t at = pending_.find(mark);
  const bool is_there = at != std::string::npos;
  const size_t count = is_there ? at : pending_.size() - std::min(pending_.size(), mark.size() - 1);
  const size_t dropped = count + (is_there ? mark.size() : 0);
  out.append(pending_, 0, count);
  pending_.erase(0, dropped);
  if (state_ == State::file) return is_there;
  before_file_ += dropped;
  if (before_file_ > kBeforeFileBytesMax) throw too_much_before_file();
  return is_there;
}

// A line's end, with blanks before it as RFC 2046 allows, or "--" behind the last part, where there was no file.
bool FormDataDecoder::end_delimiter() {
  if (pending_.starts_with(kLastDelimiterEnd)) throw not_one_file();
  const size_t end = pending_.find(kLineEnd);
  if (end == std::string::npos) return false;  // bounded by all that stands before the file
  if (!trim(std::string_view(pending_).substr(0, end)).empty()) refuse_form();
  pending_.erase(0, end);  // the line's end stays, so that a head without a line ends as others do
  before_file_ += end;
  state_ = State::head;
  return true;
}

bool FormDataDecoder::take_head() {
  const size_t end = pending_.find(kHeadEnd);
  if (end == std::string::npos) return false;  // as above
  const std::string head = pending_.substr(0, end);
  pending_.erase(0, end + kHeadEnd.size());
  before_file_ += end + kHeadEnd.size();
  if (before_file_ > kBeforeFileBytesMax) throw too_much_before_file();
  begin_part(head);
  return true;
}

void FormDataDecoder::begin_part(std::string_view head) {
  auto disposition = disposition_of(head);
  std::optional<std::string> name;
  std::optional<std::string> file_name;
  while (disposition) {
    auto parameter = take_parameter(*disposition);
    if (!parameter) break;
    if (same(parameter->first, "name"))
      name = std::move(parameter->second);
    else if (same(parameter->first, "filename"))
      file_name = last_of_path(parameter->second);
  }
  // Only the name makes a part the file: clients give a file name to any.
  const bool is_file = name && same(*name, kFile);
  name_ = std::move(name).value_or("");
  value_.clear();
  state_ = is_file ? State::file : State::field;
  if (is_file) file_name_ = std::move(file_name);
}

void FormDataDecoder::end_field() {
  if (name_.empty()) return;  // some other part, which says nothing
  std::string name = name_;
  std::ranges::transform(name, name.begin(), lower);
  // Which of two counts nobody could say, and a policy must not be judged by one while the other is taken.
  if (find_field(fields_, name)) {
    Error error("InvalidArgument", 400, "The form has a field more than once.");
    error.details = {{"ArgumentName", name_}, {"ArgumentValue", value_}};
    throw error;
  }
  fields_.emplace_back(std::move(name_), std::move(value_));
}

void FormDataDecoder::finish() const {
  if (!is_over()) refuse_form();
}

}  // namespace tidemill::wire
