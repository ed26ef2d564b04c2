// Dynamic references: {{resolve:ssm:name:version}}, {{resolve:ssm-secure:…}}, {{resolve:secretsmanager:id:SecretString:
// key:stage:version}} within strings of an evaluated value.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace tidemill::lang::templates {

struct DynamicReference {
  enum class Service { ssm, ssm_secure, secrets_manager };

  std::string text;  // whole: "{{resolve:…}}"
  Service service = Service::ssm;
  std::string id;             // name of the parameter; name or ARN of the secret
  std::string version;        // empty: the newest
  std::string version_stage;  // of a secret; empty: AWSCURRENT, unless there is a version
  std::string json_key;       // of a secret; empty: all of its string
};

// Each once, in their order. Throws TemplateError for a malformed one.
[[nodiscard]] std::vector<DynamicReference> dynamic_references(const json::Value& value);

// Where a value refers to SecureStrings, one for each reference, as AWS names such places: the members on the way
// behind `root`, and of a list no more than where it is. Throws TemplateError for a malformed reference.
[[nodiscard]] std::vector<std::string> places_of_secure_references(const json::Value& value, std::string root);

// The value with each of `values`' keys (DynamicReference::text) replaced; what is put in is not looked at again.
[[nodiscard]] json::Value replace_dynamic_references(const json::Value& value,
                                                     const std::map<std::string, std::string, std::less<>>& values);

}  // namespace tidemill::lang::templates
