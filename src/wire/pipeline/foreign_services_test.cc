#include "wire/pipeline/foreign_services.h"

#include <gtest/gtest.h>

namespace tidemill::wire {
namespace {

TEST(ForeignServices, AreKnownByTheFormOfTheirErrors) {
  EXPECT_EQ(form_of_foreign_service("iam"), ForeignForm::query);
  EXPECT_EQ(form_of_foreign_service("ec2"), ForeignForm::ec2);
  EXPECT_EQ(form_of_foreign_service("route53"), ForeignForm::rest_xml);
  EXPECT_EQ(form_of_foreign_service("kms"), ForeignForm::json);
  EXPECT_EQ(form_of_foreign_service("scheduler"), ForeignForm::rest_json);
  EXPECT_EQ(form_of_foreign_service("photos"), std::nullopt);
  EXPECT_EQ(form_of_foreign_service(""), std::nullopt);
}

}  // namespace
}  // namespace tidemill::wire
