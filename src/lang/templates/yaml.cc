#include "lang/templates/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_set>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "lang/templates/functions.h"
#include "lang/templates/parse.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {
namespace {

// What YAML itself means by the tags that its scalars may have written out.
constexpr std::string_view kYamlTags = "tag:yaml.org,2002:";

[[noreturn]] void refuse_at(const YAML::Mark& mark) {
  if (mark.is_null()) refuse_format("YAML not well-formed.");
  refuse_format(base::cat("YAML not well-formed. (line ", mark.line + 1, ", column ", mark.column + 1, ")"));
}

// JSON's grammar of numbers: what is not in it (007, 0x1f, 1_000, .5) stays the string it is, so that no digit is lost.
bool is_json_number(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t from = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - from;
  };
  if (at < text.size() && text[at] == '-') ++at;
  if (at < text.size() && text[at] == '0') {
    ++at;
  } else if (digits() == 0) {
    return false;
  }
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

std::optional<bool> as_boolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

// Writes the one document of a text as JSON while it is read.
class Handler : public YAML::EventHandler {
 public:
  [[nodiscard]] std::string take() { return std::move(out_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    if (begin_value(mark, "null")) return;
    writer_.null();
    end_value();
  }

  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {
    refuse("YAML aliases are not allowed in CloudFormation templates");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& text) override {
    if (begin_value(mark, text)) return;
    const auto name = function_of(mark, tag);
    if (name) {
      open_function(*name);
      if (*name == kGetAtt) {
        write_attribute(text);
      } else {
        writer_.string(text);
      }
      writer_.end_object();
    } else {
      write_scalar(mark, tag, text);
    }
    end_value();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, false);
    writer_.begin_array();
  }
  void OnSequenceEnd() override {
    writer_.end_array();
    close();
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, true);
    writer_.begin_object();
  }
  void OnMapEnd() override {
    writer_.end_object();
    close();
  }

 private:
  struct Frame {
    bool is_map = false;
    bool in_function = false;  // the container is the argument of a short function
    bool wants_key = false;    // of a map: what comes next is a key
    std::unordered_set<std::string> keys;
  };

  // Before a scalar: true if it is a key, which is written then.
  bool begin_value(const YAML::Mark& mark, const std::string& scalar) {
    if (frames_.empty() || !frames_.back().is_map || !frames_.back().wants_key) return false;
    Frame& frame = frames_.back();
    if (!frame.keys.insert(scalar).second) refuse_at(mark);
    if (frame.keys.size() > kMembersMax) {
      refuse_format(base::cat("a map may not have more than ", kMembersMax, " members. (line ", mark.line + 1, ")"));
    }
    writer_.key(scalar);
    frame.wants_key = false;
    return true;
  }
  void end_value() {
    if (!frames_.empty() && frames_.back().is_map) frames_.back().wants_key = true;
  }

  void open(const YAML::Mark& mark, const std::string& tag, bool is_map) {
    if (!frames_.empty() && frames_.back().is_map && frames_.back().wants_key) refuse_at(mark);  // a key is a string
    const auto name = function_of(mark, tag);
    if (name) {
      open_function(*name);
      ++depth_;
    } else if (tag != "?" && tag != "!" && !tag.empty() &&
               tag != base::cat(kYamlTags, is_map ? std::string_view("map") : std::string_view("seq"))) {
      refuse_at(mark);
    }
    if (++depth_ > kTemplateDepthMax) refuse_format("template nesting is too deep.");
    frames_.push_back({.is_map = is_map, .in_function = name.has_value(), .wants_key = is_map});
  }
  void close() {
    --depth_;
    if (frames_.back().in_function) {
      writer_.end_object();
      --depth_;
    }
    frames_.pop_back();
    end_value();
  }

  // The long name that a tag stands for.
  static std::optional<std::string_view> function_of(const YAML::Mark& mark, const std::string& tag) {
    if (tag.size() < 2 || tag[0] != '!') return std::nullopt;
    const auto name = long_name(std::string_view(tag).substr(1));
    if (!name) refuse_at(mark);
    return name;
  }

  void open_function(std::string_view name) {
    writer_.begin_object();
    writer_.key(name);
  }

  // "A.B.C": the attribute B.C of A.
  void write_attribute(const std::string& text) {
    const size_t dot = std::min(text.find('.'), text.size());
    writer_.begin_array();
    writer_.string(std::string_view(text).substr(0, dot));
    if (dot < text.size()) writer_.string(std::string_view(text).substr(dot + 1));
    writer_.end_array();
  }

  void write_scalar(const YAML::Mark& mark, const std::string& tag, const std::string& text) {
    if (tag == "!") return writer_.string(text);  // in quotes
    if (tag == "?" || tag.empty()) return write_plain(text);
    if (!tag.starts_with(kYamlTags)) refuse_at(mark);
    const std::string_view kind = std::string_view(tag).substr(kYamlTags.size());
    if (kind == "str") return writer_.string(text);
    if (kind == "null") return writer_.null();
    const bool fits = kind == "bool" ? as_boolean(text).has_value() : (kind == "int" || kind == "float");
    if (!fits) refuse_at(mark);  // binary, timestamp and the like
    write_plain(text);
  }

  void write_plain(const std::string& text) {
    if (const auto boolean = as_boolean(text)) return writer_.boolean(*boolean);
    if (is_json_number(text)) return writer_.raw(text);
    writer_.string(text);
  }

  std::string out_;
  json::Writer writer_{out_};
  std::vector<Frame> frames_;
  int depth_ = 0;
};

}  // namespace

std::string yaml_to_json(std::string_view text) {
  std::istringstream input{std::string(text)};
  Handler handler;
  try {
    YAML::Parser parser(input);
    if (!parser.HandleNextDocument(handler)) refuse_format("unsupported structure.");
    Handler second;
    if (parser.HandleNextDocument(second)) refuse_format("YAML not well-formed.");
  } catch (const YAML::Exception& error) {
    refuse_at(error.mark);
  }
  return handler.take();
}

}  // namespace tidemill::lang::templates
