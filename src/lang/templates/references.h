// Inside: all functions of a template: that they exist, have the arguments they want, and refer to what is there.
#pragma once

#include "lang/templates/template.h"

namespace tidemill::lang::templates {

// Throws TemplateError in AWS's words.
void check_references(const Template& stack);

}  // namespace tidemill::lang::templates
