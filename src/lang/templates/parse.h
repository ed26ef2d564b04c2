// The text of a template as a document: JSON if it begins with a brace, YAML 1.1 as CloudFormation reads it otherwise.
//
//   parse("Resources: {Q: {Type: AWS::SQS::Queue, Properties: {DelaySeconds: 007}}}")
//
// Members keep their order, numbers their digits. Of YAML: a short function (!Ref A, !GetAtt A.B) becomes its long
// form; true, false and what JSON calls a number are that, null, ~ and nothing are null; all other scalars are strings,
// among them dates, 007, yes and no. A key is a string, however it is written. Refused, in AWS's words where it has
// some: aliases, a key that stands twice, an unknown tag, more than one document.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json.h"

namespace tidemill::lang::templates {

// What a template may be at most when it comes with a request (bytes), and when it comes from a bucket.
inline constexpr size_t kTemplateBodyBytesMax = 51'200;
inline constexpr size_t kTemplateUrlBytesMax = 1'000'000;
// How deep lists and maps may nest, functions written short included.
inline constexpr int kTemplateDepthMax = 100;

// A template: an object. Throws TemplateError.
[[nodiscard]] json::Value parse(std::string_view text);

// Any document: a piece of a template that AWS::Include brings. Throws TemplateError.
[[nodiscard]] json::Value parse_fragment(std::string_view text);

}  // namespace tidemill::lang::templates
