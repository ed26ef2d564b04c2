// Records as earlier versions wrote them: they are read, and are written again to the letter. What stands here may be
// added to, and never changes otherwise: ponds have it.
#include <gtest/gtest.h>

#include "services/cloudformation/change_set.h"
#include "services/cloudformation/exports.h"
#include "services/cloudformation/resource.h"
#include "services/cloudformation/resource_request.h"
#include "services/cloudformation/stack.h"

namespace tidemill::cloudformation {
namespace {

TEST(StoredRecords, OfStacks) {
  const auto stack = [](std::string_view text) { EXPECT_EQ(encode_stack(decode_stack(text)), text); };
  stack(
      R"({"id":"arn:aws:cloudformation:us-east-1:000000000000:stack/s/u","status":"CREATE_COMPLETE","created_us":1,)"
      R"("operation":1,"since":0})");
  stack(
      R"({"id":"arn:aws:cloudformation:us-east-1:000000000000:stack/s/u","status":"UPDATE_FAILED","created_us":1,)"
      R"("operation":2,"since":1,"reason":"r","updated_us":2,"deleted_us":3,"current":{"parameters":[{"key":"k",)"
      R"("value":"v","resolved":"w","no_echo":true},{"key":"l","value":""}],"tags":{"a":"b"},"description":"d",)"
      R"("capabilities":["CAPABILITY_IAM"],"notification_arns":["n"],"role":"r"},"target":{"parameters":[],"tags":{}},)"
      R"("outputs":[{"key":"o","value":"p","description":"q","export":"e"},{"key":"o2","value":""}],)"
      R"("disable_rollback":true,"on_failure":"DELETE","retain_except_on_create":true,"termination_protection":true,)"
      R"("cancelled":true,"timeout_minutes":5,"deadline_us":9,"change_set":"c","token":"t","parent":"p","root":"q",)"
      R"("imports":["i"],"retained":["j"],"policy":"{}","caller":"AKIA","endpoint":"http://127.0.0.1"})");
  const auto resource = [](std::string_view text) { EXPECT_EQ(encode_resource(decode_resource(text)), text); };
  resource(R"({"logical_id":"A","type":"T","status":"S","changed_us":1,"operation":1,"now":{"properties":{}}})");
  resource(
      R"({"logical_id":"A","type":"T","status":"S","changed_us":1,"operation":1,"now":{"properties":{"P":[1.0,null]},)"
      R"("physical_id":"p","shown":{"P":"****"},"attributes":{"Arn":"a"},"tags":{"k":"v"},"undone":true,"imported":true},)"
      R"("reason":"r",)"
      R"("before":{"properties":{}},"attempted":{"P":1},"attempted_shown":{},"replacing":true,"replaced_id":"o",)"
      R"("undone":true,"gone":true,"leftovers":[{"properties":{},"physical_id":"q"}],"depends_on":["B"],)"
      R"("deletion_policy":"Retain","update_replace_policy":"Delete","metadata":"{}","imports":["e"],"memory":{"m":1}})");
  resource(
      R"({"logical_id":"A","type":"T","status":"S","changed_us":1,"operation":1,"now":{"properties":{},)"
      R"("attempted":{"P":1},"attempted_shown":{"P":"****"}},"noted":{"n":1}})");
  const std::string_view set =
      R"({"stack":"arn:aws:cloudformation:us-east-1:000000000000:stack/s/u","name":"n","uuid":"v","created_us":1,)"
      R"("status":"CREATE_COMPLETE","execution_status":"AVAILABLE","settings":{"parameters":[],"tags":{}},)"
      R"("changes":[{"Type":"Resource"}],"description":"d","reason":"r","is_creation":true,"include_nested":true,)"
      R"("on_failure":"DELETE"})";
  EXPECT_EQ(encode_change_set(decode_change_set({}, set)), set);
  const std::string_view nested =
      R"({"stack":"arn:aws:cloudformation:us-east-1:000000000000:stack/s/u","name":"n","uuid":"v","created_us":1,)"
      R"("status":"CREATE_COMPLETE","execution_status":"AVAILABLE","settings":{"parameters":[],"tags":{}},"changes":[],)"
      R"("parent":"p","root":"r","importing":{"A":"i"},"nested":{"B":"c"},"operation":3,"ordered":"t",)"
      R"("import_existing":true})";
  EXPECT_EQ(encode_change_set(decode_change_set({}, nested)), nested);
  stack(
      R"({"id":"arn:aws:cloudformation:us-east-1:000000000000:stack/s/u","status":"IMPORT_IN_PROGRESS","created_us":1,)"
      R"("operation":1,"since":0,"nesting":{"parents_operation":1,"own_operation":2,"ordered":"o","obeys":true,"holds":true,"before":{"settings":)"
      R"({"parameters":[],"tags":{}},"outputs":[{"key":"k","value":"v"}],"imports":["e"]},"return_token":"t","returning_to":3},)"
      R"("importing":{"A":"i"},"policy":"{}","policy_of_update":"{}","policy_to_be":"{}"})");
  const std::string_view request =
      R"({"token":"t","type":"T","operation":"UPDATE","status":"FAILED","created_us":1,"changed_us":2,"client_token":"c",)"
      R"("identifier":"i","error_code":"e","message":"m","asked":"[]","before":{"A":1},"after":{"A":2},"memory":{"m":1},)"
      R"("caller":"AKIA","endpoint":"http://127.0.0.1"})";
  EXPECT_EQ(encode_request(decode_request({}, request)), request);
  const std::string_view of_role =
      R"({"token":"t","type":"T","operation":"CREATE","status":"PENDING","created_us":1,"changed_us":2,"caller":"ASIA",)"
      R"("standing":{"role":"r","session":"s","service":"states.amazonaws.com","source":"m"},"endpoint":"e"})";
  EXPECT_EQ(encode_request(decode_request({}, of_role)), of_role);
  stack(
      R"({"id":"arn:aws:cloudformation:us-east-1:000000000000:stack/s/u","status":"CREATE_COMPLETE","created_us":1,)"
      R"("operation":1,"since":0,"by_platform":true})");
  const std::string_view exported = R"({"name":"n","value":"v","stack":"s"})";
  EXPECT_EQ(encode_export(decode_export(exported)), exported);
}

}  // namespace
}  // namespace tidemill::cloudformation
