// Part of what a Java function is written against, for packages that do not bring it.
package com.amazonaws.services.lambda.runtime;

public interface LambdaLogger {
  void log(String message);

  void log(byte[] message);
}
