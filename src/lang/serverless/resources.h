// Inside: the types of AWS::Serverless, each with what it stands for. All throw ResourceError.
#pragma once

#include "lang/serverless/application.h"

namespace tidemill::lang::serverless {

void make_function(Application& application, const Source& source);
void make_state_machine(Application& application, const Source& source);
void make_simple_table(Application& application, const Source& source);
void make_layer(Application& application, const Source& source);
void make_nested_application(Application& application, const Source& source);

}  // namespace tidemill::lang::serverless
