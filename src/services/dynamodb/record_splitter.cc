#include "services/dynamodb/record_splitter.h"

#include <cctype>

#include "lang/dynamodb/ion_codec.h"

namespace tidemill::dynamodb {

namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool is_blank(std::string_view line) {
  for (const char c : line) {
    if (!is_space(c)) return false;
  }
  return true;
}

constexpr std::string_view kThreeQuotes = "'''";

}  // namespace

void RecordSplitter::add(std::string_view piece) {
  buffer_.erase(0, begin_);
  at_ -= begin_;
  begin_ = 0;
  buffer_.append(piece);
}

std::optional<std::string_view> RecordSplitter::next() {
  if (damaged_) return std::nullopt;
  auto record = format_ == SourceFormat::csv ? next_line() : next_structure();
  // Of one that has not ended, the last few characters may not have been looked at yet.
  const size_t size = record ? record->size() : buffer_.size() - begin_;
  if (size > kSourceRecordBytesMax) damaged_ = true;
  return damaged_ ? std::nullopt : record;
}

std::optional<std::string_view> RecordSplitter::take_record() {
  std::string_view record = std::string_view(buffer_).substr(begin_, at_ - begin_);
  begin_ = at_;
  return record;
}

std::optional<std::string_view> RecordSplitter::next_line() {
  while (true) {
    while (at_ < buffer_.size() && (buffer_[at_] != '\n' || quoted_)) {
      if (buffer_[at_] == '"') quoted_ = !quoted_;
      ++at_;
    }
    if (at_ == buffer_.size()) {
      if (!ended_ || begin_ == at_) return std::nullopt;
      if (quoted_) {
        damaged_ = true;
        return std::nullopt;
      }
    }
    std::string_view line = *take_record();
    if (at_ < buffer_.size()) begin_ = ++at_;  // behind the end of the line
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!is_blank(line)) return line;
  }
}

std::optional<std::string_view> RecordSplitter::next_structure() {
  while (at_ < buffer_.size()) {
    if (!step()) break;
    if (damaged_) return std::nullopt;
    if (state_ == State::inside && depth_ == 0) {
      state_ = State::between;
      return take_record();
    }
  }
  if (ended_ && (depth_ > 0 || state_ == State::comment || !is_blank(ahead()))) damaged_ = true;
  return std::nullopt;
}

bool RecordSplitter::step() {
  const char c = buffer_[at_];
  // Ion has tokens of several characters: those must all be there, unless there are no more.
  if (is_ion() && !ended_ && ahead().size() < lang::dynamodb::kIonVersionMarker.size()) return false;
  switch (state_) {
    case State::between:
      return step_between(c);
    case State::inside:
      return step_inside(c);
    case State::string:
    case State::symbol:
      if (c == '\\') {
        if (ahead().size() < 2) return false;
        ++at_;
      } else if (c == (state_ == State::string ? '"' : '\'')) {
        state_ = State::inside;
      }
      ++at_;
      return true;
    case State::long_string:
      if (ahead().starts_with(kThreeQuotes)) {
        state_ = State::inside;
        at_ += kThreeQuotes.size();
        return true;
      }
      if (c == '\\') {
        if (ahead().size() < 2) return false;
        ++at_;
      }
      ++at_;
      return true;
    case State::lob:
      if (ahead().starts_with("}}")) {
        state_ = State::inside;
        ++at_;
      }
      ++at_;
      return true;
    case State::line_comment:
    case State::comment:
      return step_comment(c);
  }
  return true;
}

bool RecordSplitter::step_between(char c) {
  if (c == '{') {
    begin_ = at_;
    state_ = State::inside;
    depth_ = 1;
    ++at_;
  } else if (is_space(c)) {
    begin_ = ++at_;
  } else if (is_ion() && ahead().starts_with(lang::dynamodb::kIonVersionMarker)) {
    at_ += lang::dynamodb::kIonVersionMarker.size();
    begin_ = at_;
  } else if (!enter_comment()) {
    damaged_ = true;
  }
  return true;
}

bool RecordSplitter::step_inside(char c) {
  if (c == '"') {
    state_ = State::string;
  } else if (is_ion() && ahead().starts_with(kThreeQuotes)) {
    state_ = State::long_string;
    at_ += kThreeQuotes.size() - 1;
  } else if (is_ion() && c == '\'') {
    state_ = State::symbol;
  } else if (is_ion() && ahead().starts_with("{{")) {
    state_ = State::lob;
    ++at_;
  } else if (enter_comment()) {
    return true;
  } else if (c == '{') {
    ++depth_;
  } else if (c == '}') {
    --depth_;
  }
  ++at_;
  return true;
}

bool RecordSplitter::enter_comment() {
  if (!is_ion() || (!ahead().starts_with("//") && !ahead().starts_with("/*"))) return false;
  state_ = ahead()[1] == '/' ? State::line_comment : State::comment;
  at_ += 2;
  return true;
}

bool RecordSplitter::step_comment(char c) {
  const bool ends = state_ == State::line_comment ? c == '\n' : ahead().starts_with("*/");
  if (ends) {
    if (state_ == State::comment) ++at_;
    state_ = depth_ > 0 ? State::inside : State::between;
  }
  ++at_;
  if (depth_ == 0) begin_ = std::min(at_, buffer_.size());
  return true;
}

}  // namespace tidemill::dynamodb
