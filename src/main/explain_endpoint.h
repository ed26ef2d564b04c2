// Why a request was allowed or denied, where rights are needed (`--auth iam`):
//
//   GET /_tidemill/explain?request=ID   {"request_id":"…","operation":"dynamodb.Query","principal":"AKIA…","asked":[
//                                       {"action":"dynamodb:Query","resource":"arn:…","decision":"implicitDeny","because":"no
//                                       identity-based policy allows it","allowed_by":{"Effect":"Allow",…}}]}
//   GET /_tidemill/explain              the same of the last request that was denied
//
// 404 for a request that is not, or no longer, known; 400 where nobody is judged.
#pragma once

#include "net/http.h"
#include "rights/explanations.h"

namespace tidemill {

// `explanations`: null where rights are not needed.
Task<net::Response> answer_explain(const rights::Explanations* explanations, net::Request& request);

}  // namespace tidemill
