// Part of what a Java function is written against, for packages that do not bring it.
package com.amazonaws.services.lambda.runtime;

public interface RequestHandler<I, O> {
  O handleRequest(I input, Context context);
}
