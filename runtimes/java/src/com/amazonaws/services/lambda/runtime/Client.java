// Part of what a Java function is written against, for packages that do not bring it.
package com.amazonaws.services.lambda.runtime;

public interface Client {
  String getInstallationId();
  String getAppTitle();
  String getAppVersionName();
  String getAppVersionCode();
  String getAppPackageName();
}
