package tidemill.runtime;

import com.amazonaws.services.lambda.runtime.Client;
import com.amazonaws.services.lambda.runtime.ClientContext;
import com.amazonaws.services.lambda.runtime.CognitoIdentity;
import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.LambdaLogger;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** What handlers get beside their input. */
final class InvocationContext implements Context {
  private final Map<String, String> fields;

  InvocationContext(Map<String, String> fields) {
    this.fields = fields;
  }

  @Override public String getAwsRequestId() { return fields.get("lambda-runtime-aws-request-id"); }
  @Override public String getInvokedFunctionArn() { return fields.get("lambda-runtime-invoked-function-arn"); }
  @Override public String getLogGroupName() { return System.getenv("AWS_LAMBDA_LOG_GROUP_NAME"); }
  @Override public String getLogStreamName() { return System.getenv("AWS_LAMBDA_LOG_STREAM_NAME"); }
  @Override public String getFunctionName() { return System.getenv("AWS_LAMBDA_FUNCTION_NAME"); }
  @Override public String getFunctionVersion() { return System.getenv("AWS_LAMBDA_FUNCTION_VERSION"); }

  @Override public int getMemoryLimitInMB() {
    return Integer.parseInt(System.getenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE"));
  }

  @Override public int getRemainingTimeInMillis() {
    long deadline = Long.parseLong(fields.getOrDefault("lambda-runtime-deadline-ms", "0"));
    return (int) Math.max(0, deadline - System.currentTimeMillis());
  }

  @Override public LambdaLogger getLogger() { return LOGGER; }

  @Override public CognitoIdentity getIdentity() {
    return new CognitoIdentity() {
      @Override public String getIdentityId() { return ""; }
      @Override public String getIdentityPoolId() { return ""; }
    };
  }

  @Override public ClientContext getClientContext() {
    String text = fields.get("lambda-runtime-client-context");
    Object parsed = text == null ? null : Json.parse(text);
    return parsed instanceof Map ? new GivenContext((Map<?, ?>) parsed) : null;
  }

  private static final LambdaLogger LOGGER = new LambdaLogger() {
    @Override public void log(String message) {
      System.out.println(message);
    }

    @Override public void log(byte[] message) {
      System.out.println(new String(message, StandardCharsets.UTF_8));
    }
  };

  private static Map<String, String> texts(Object json) {
    Map<String, String> texts = new HashMap<>();
    if (json instanceof Map) ((Map<?, ?>) json).forEach((name, value) -> texts.put(name.toString(), String.valueOf(value)));
    return texts;
  }

  private static final class GivenContext implements ClientContext {
    private final Map<?, ?> given;

    GivenContext(Map<?, ?> given) {
      this.given = given;
    }

    @Override public Map<String, String> getCustom() { return texts(given.get("custom")); }
    @Override public Map<String, String> getEnvironment() { return texts(given.get("env")); }

    @Override public Client getClient() {
      Map<String, String> client = texts(given.get("client"));
      return new Client() {
        @Override public String getInstallationId() { return client.get("installation_id"); }
        @Override public String getAppTitle() { return client.get("app_title"); }
        @Override public String getAppVersionName() { return client.get("app_version_name"); }
        @Override public String getAppVersionCode() { return client.get("app_version_code"); }
        @Override public String getAppPackageName() { return client.get("app_package_name"); }
      };
    }
  }
}
