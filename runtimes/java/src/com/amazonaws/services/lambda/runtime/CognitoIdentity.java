// Part of what a Java function is written against, for packages that do not bring it.
package com.amazonaws.services.lambda.runtime;

public interface CognitoIdentity {
  String getIdentityId();
  String getIdentityPoolId();
}
