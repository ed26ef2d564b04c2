// Fn::Cidr: blocks of addresses cut out of a larger one.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "base/text.h"
#include "lang/templates/evaluation.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

using base::cat;

constexpr int kBlocksMax = 256;  // as the function's documentation says

struct Block {
  std::array<uint8_t, 16> address{};  // of IPv4 the first four
  int bits = 32;                      // of an address: 32 or 128
  int prefix = 0;

  [[nodiscard]] int family() const { return bits == 32 ? AF_INET : AF_INET6; }
};

std::optional<int> number_in(std::string_view text, int low, int high) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < low || number > high) return std::nullopt;
  return number;
}

std::optional<Block> parse_block(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  Block block;
  if (text.find(':') != std::string::npos) block.bits = 128;
  const auto prefix = number_in(std::string_view(text).substr(slash + 1), 0, block.bits);
  if (!prefix || inet_pton(block.family(), text.substr(0, slash).c_str(), block.address.data()) != 1)
    return std::nullopt;
  block.prefix = *prefix;
  for (int bit = block.prefix; bit < block.bits; ++bit) {
    block.address[static_cast<size_t>(bit / 8)] &= static_cast<uint8_t>(~(0x80 >> bit % 8));
  }
  return block;
}

std::string text_of(const Block& block) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(block.family(), block.address.data(), text.data(), text.size());
  return cat(std::string_view(text.data()), "/", block.prefix);
}

// Adds one to the part of the address that the prefix covers.
void go_to_next(Block& block) {
  for (int bit = block.prefix - 1; bit >= 0; --bit) {
    uint8_t& byte = block.address[static_cast<size_t>(bit / 8)];
    const auto mask = static_cast<uint8_t>(0x80 >> bit % 8);
    byte ^= mask;
    if ((byte & mask) != 0) return;
  }
}

}  // namespace

json::Value Evaluation::cidr(const json::Value& argument) {
  constexpr const char* kWanted =
      "every Fn::Cidr object requires three parameters, the block of addresses, the number of blocks (1 to 256) and "
      "the "
      "number of bits that they leave to hosts";
  if (!argument.is_array() || argument.array().size() != 3) refuse(kWanted);
  std::array<std::string, 3> texts;
  for (size_t i = 0; i < texts.size(); ++i) {
    const Result part = evaluate(argument.array()[i]);
    if (part) {
      if (Result secret = not_to_be_told(*part)) return *std::move(secret);
    }
    auto text = part ? as_text(*part) : std::nullopt;
    if (!text) refuse(kWanted);
    texts[i] = std::move(*text);
  }
  auto block = parse_block(texts[0]);
  if (!block) refuse(cat("Fn::Cidr: ", texts[0], " is not a block of addresses in CIDR notation"));
  const auto count = number_in(texts[1], 1, kBlocksMax);
  const auto host_bits = number_in(texts[2], 1, block->bits);
  if (!count || !host_bits) refuse(kWanted);
  const int own_bits = block->bits - *host_bits - block->prefix;  // that tell the blocks apart
  if (own_bits < 0 || (own_bits < 31 && *count > (1 << own_bits))) {
    refuse(cat("Fn::Cidr: ", texts[0], " has no room for ", *count, " blocks of ", *host_bits, " host bits"));
  }
  block->prefix = block->bits - *host_bits;
  json::Array blocks;
  for (int i = 0; i < *count; ++i) {
    blocks.emplace_back(text_of(*block));
    go_to_next(*block);
  }
  charge(json::Value(blocks));
  return blocks;
}

}  // namespace tidemill::lang::templates
