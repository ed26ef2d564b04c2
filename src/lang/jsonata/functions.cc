#include "lang/jsonata/functions.h"

#include <algorithm>
#include <deque>
#include <map>

namespace tidemill::lang::jsonata {

namespace {

// All functions of the language by name. Never destroyed: expressions refer to them.
class Registry {
 public:
  Registry() {
    for (const auto functions :
         {string_functions(), pattern_functions(), url_functions(), number_functions(), array_functions(),
          object_functions(), higher_order_functions(), date_functions(), value_functions()}) {
      for (const Builtin& builtin : functions) add(builtin);
    }
  }
  const Function* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
  }

 private:
  void add(const Builtin& builtin) {
    const Signature& signature = signatures_.emplace_back(builtin.signature);
    by_name_.emplace(builtin.name,
                     Function{.type = Function::Type::builtin, .builtin = &builtin, .signature = &signature});
  }

  std::deque<Signature> signatures_;
  std::map<std::string_view, Function> by_name_;
};

}  // namespace

const Function* find_builtin(std::string_view name) {
  static const Registry* const registry = new Registry;
  return registry->find(name);
}

}  // namespace tidemill::lang::jsonata
