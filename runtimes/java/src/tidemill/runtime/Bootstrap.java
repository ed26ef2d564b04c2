package tidemill.runtime;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs one Java function: asks the Lambda Runtime API for invocations and calls the handler with each. Started by the
 * server (start.sh) with the environment that AWS documents for a Lambda runtime.
 */
public final class Bootstrap {
  private static final int CAUSES_MAX = 10;

  private Bootstrap() {}

  public static void main(String[] arguments) throws Exception {
    // What is printed before a crash or a timeout is not lost.
    System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8"));
    System.setErr(new PrintStream(new FileOutputStream(FileDescriptor.err), true, "UTF-8"));
    RuntimeClient client = new RuntimeClient(System.getenv("AWS_LAMBDA_RUNTIME_API"));
    Handler handler = load(client);
    RuntimeClient.Invocation invocation = client.next();
    for (;;) {
      String trace = invocation.fields.get("lambda-runtime-trace-id");
      if (trace != null) System.setProperty("com.amazonaws.xray.traceHeader", trace);
      byte[] body;
      String errorType = null;
      try {
        body = handler.call(invocation.body, new InvocationContext(invocation.fields));
      } catch (Throwable error) {
        errorType = error.getClass().getName();
        body = report(error, invocation.requestId());
      }
      System.out.flush();
      System.err.flush();
      invocation = client.replyAndNext(invocation.requestId(), body, errorType);
    }
  }

  private static Handler load(RuntimeClient client) throws Exception {
    try {
      return Handler.load(System.getenv("_HANDLER"));
    } catch (Throwable error) {
      client.initError(report(error, null), error.getClass().getName());
      System.exit(1);
      throw new IllegalStateException(error);
    }
  }

  // Logs it, and gives AWS's document.
  private static byte[] report(Throwable error, String requestId) throws Exception {
    Map<String, Object> document = document(error, 0);
    if ("JSON".equalsIgnoreCase(System.getenv("AWS_LAMBDA_LOG_FORMAT"))) {
      Map<String, Object> record = new LinkedHashMap<>();
      record.put("timestamp", Instant.now().toString());
      record.put("level", "ERROR");
      if (requestId != null) record.put("AWSRequestId", requestId);
      record.putAll(document);
      System.out.println(JsonWriter.write(record));
    } else {
      System.out.println(error.getMessage() + ": " + error.getClass().getName());
      error.printStackTrace(System.out);
    }
    return JsonWriter.write(document).getBytes(StandardCharsets.UTF_8);
  }

  private static Map<String, Object> document(Throwable error, int depth) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("errorMessage", message(error));
    document.put("errorType", error.getClass().getName());
    List<String> frames = new ArrayList<>();
    for (StackTraceElement frame : error.getStackTrace()) {
      // Below the handler there is only how it was called.
      if (frame.getClassName().startsWith("tidemill.runtime.")) break;
      if (isOfReflection(frame.getClassName())) continue;
      frames.add(frame.toString());
    }
    document.put("stackTrace", frames);
    if (error.getCause() != null && depth < CAUSES_MAX) document.put("cause", document(error.getCause(), depth + 1));
    return document;
  }

  private static boolean isOfReflection(String name) {
    return name.startsWith("java.lang.reflect.") || name.startsWith("jdk.internal.reflect.");
  }

  // Code for a newer Java than the host's says so by numbers only.
  private static String message(Throwable error) {
    if (!(error instanceof UnsupportedClassVersionError)) return error.getMessage();
    return error.getMessage() + " (this function runs on Java " + System.getProperty("java.specification.version") +
        ", which is what this host has for the runtime " +
        String.valueOf(System.getenv("AWS_EXECUTION_ENV")).replace("AWS_Lambda_", "") + ")";
  }
}
