// Part of what a Java function is written against, for packages that do not bring it.
package com.amazonaws.services.lambda.runtime;

import java.util.Map;

public interface ClientContext {
  Client getClient();
  Map<String, String> getCustom();
  Map<String, String> getEnvironment();
}
