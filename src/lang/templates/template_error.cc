#include "lang/templates/template_error.h"

namespace tidemill::lang::templates {

void refuse_format(const std::string& what) { throw TemplateError("Template format error: " + what); }

void refuse(const std::string& what) { throw TemplateError("Template error: " + what); }

}  // namespace tidemill::lang::templates
