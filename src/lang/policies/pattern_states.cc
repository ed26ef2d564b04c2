#include "lang/policies/pattern_states.h"

#include <string>
#include <utility>

namespace tidemill::lang::policies {

namespace {

constexpr uint64_t kOneBit = 1;
constexpr size_t kLastBit = kPatternWordBits - 1;

bool is_run(PatternCode code) { return code == kAnyRun || code == kAnyRunInSegment; }

// Runs that follow each other are as the one of them that takes more.
std::u16string with_single_runs(std::u16string_view pattern) {
  std::u16string result;
  for (const PatternCode code : pattern) {
    if (result.empty() || !is_run(result.back()) || !is_run(code)) result.push_back(code);
    else if (code == kAnyRun) result.back() = kAnyRun;
  }
  return result;
}

void add(std::vector<uint64_t>& places, size_t place) {
  places[place / kPatternWordBits] |= kOneBit << (place % kPatternWordBits);
}

bool has(const std::vector<uint64_t>& places, size_t place) {
  return (places[place / kPatternWordBits] >> (place % kPatternWordBits) & kOneBit) != 0;
}

}  // namespace

PatternStates::PatternStates(std::u16string_view pattern) {
  const std::u16string codes = with_single_runs(pattern);
  end_ = codes.size();
  runs_ = runs_in_segment_ = ones_ = ones_in_segment_ = behind_ones_ = no_places();
  letters_.push_back(no_places());
  for (size_t place = 0; place < codes.size(); ++place) {
    const PatternCode code = codes[place];
    if (code == kAnyRun) add(runs_, place);
    else if (code == kAnyRunInSegment) add(runs_in_segment_, place);
    else if (code < kAnyRun) add_letter(static_cast<unsigned char>(code), place);
    else add(code == kOne ? ones_ : ones_in_segment_, place);
    if (code == kOne || code == kOneInSegment) add(behind_ones_, place + 1);
  }
}

void PatternStates::add_letter(unsigned char letter, size_t place) {
  uint16_t& index = letter_of_[letter];
  if (index == 0) {
    index = static_cast<uint16_t>(letters_.size());
    letters_.push_back(no_places());
  }
  add(letters_[index], place);
}

bool PatternStates::step(const Places& now, unsigned char byte, bool continues_character, Places& next) const {
  const Places& letters = letters_[letter_of_[byte]];
  const Word all = ~Word();
  const Word in_segment = byte == ':' ? 0 : all;
  const Word begins = continues_character ? 0 : all;
  Word moved_over = 0, skipped_over = 0, any = 0;  // out of one word into the next
  for (size_t i = 0; i < now.size(); ++i) {
    const Word runs = runs_[i] | runs_in_segment_[i];
    const Word moved = now[i] & (letters[i] | (begins & (ones_[i] | (in_segment & ones_in_segment_[i]))));
    const Word stays = now[i] & (runs_[i] | (in_segment & runs_in_segment_[i]) | (~begins & behind_ones_[i]));
    Word reached = moved << 1 | moved_over | stays;
    moved_over = moved >> kLastBit;
    const Word skipped = reached & runs;  // a run may take nothing, and behind one there is no other
    reached |= skipped << 1 | skipped_over;
    skipped_over = skipped >> kLastBit;
    next[i] = reached;
    any |= reached;
  }
  return any != 0;
}

bool PatternStates::match(std::string_view text) const {
  Places now = no_places(), next = no_places();
  add(now, 0);
  if (has(runs_, 0) || has(runs_in_segment_, 0)) add(now, 1);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool continues_character = i > 0 && (byte & 0xC0) == 0x80;
    if (!step(now, byte, continues_character, next)) return false;
    std::swap(now, next);
  }
  return has(now, end_);
}

}  // namespace tidemill::lang::policies
