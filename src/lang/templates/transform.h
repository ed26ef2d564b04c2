// From the template as it is written to the one that is deployed: AWS::Include, AWS::LanguageExtensions and
// AWS::Serverless-2016-10-31. A pure function: what AWS::Include brings is fetched in between.
//
//   json::Value document = parse(text);
//   if (has_transforms(document)) {
//     for (const std::string& location : include_locations(document, inputs)) included[location] = …   // S3 text
//     document = transform(document, inputs, included);
//   }
//
// Macros of one's own are refused by name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "lang/templates/scope.h"
#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {

inline constexpr std::string_view kIncludeTransform = "AWS::Include";
inline constexpr std::string_view kLanguageExtensionsTransform = "AWS::LanguageExtensions";
inline constexpr std::string_view kServerlessTransform = "AWS::Serverless-2016-10-31";

// A template may grow to this by processing it (bytes of JSON).
inline constexpr size_t kProcessedBytesMax = 1'000'000;

// A transform failed: change sets become FAILED and stacks roll back with this message ("Transform X failed with: …").
class TransformError : public TemplateError {
 public:
  using TemplateError::TemplateError;
};

// Whether the document has a Transform section or an Fn::Transform anywhere.
[[nodiscard]] bool has_transforms(const json::Value& document);

// The S3 locations ("s3://bucket/key" or a URL) that AWS::Include asks for, each once.
[[nodiscard]] std::vector<std::string> include_locations(const json::Value& document, const Inputs& inputs);

// The processed document: without Transform and Fn::Transform. `included` holds the texts of include_locations().
[[nodiscard]] json::Value transform(const json::Value& document, const Inputs& inputs,
                                    const std::map<std::string, std::string, std::less<>>& included);

}  // namespace tidemill::lang::templates
