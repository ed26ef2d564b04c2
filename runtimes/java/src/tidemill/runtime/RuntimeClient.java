package tidemill.runtime;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The Lambda Runtime API over one kept-alive connection. Bodies of answers always carry their length. A reply and the
 * request for the next invocation leave together.
 */
final class RuntimeClient {
  private static final String API = "/2018-06-01/runtime";

  /** An invocation: header fields by lower-case name, and the payload. */
  static final class Invocation {
    final Map<String, String> fields = new HashMap<>();
    int status;
    byte[] body;

    String requestId() {
      return fields.get("lambda-runtime-aws-request-id");
    }
  }

  private final String address;
  private final InputStream in;
  private final OutputStream out;
  private final byte[] nextRequest;

  RuntimeClient(String address) throws IOException {
    this.address = address;
    int colon = address.lastIndexOf(':');
    Socket socket = new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
    nextRequest = ("GET " + API + "/invocation/next HTTP/1.1\r\nHost: " + address + "\r\nUser-Agent: tidemill-java/" +
        System.getProperty("java.version") + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
  }

  Invocation next() throws IOException {
    out.write(nextRequest);
    return invocation();
  }

  /** `errorType` is null if the handler answered. */
  Invocation replyAndNext(String requestId, byte[] body, String errorType) throws IOException {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.write(post("/invocation/" + requestId + (errorType == null ? "/response" : "/error"), body, errorType));
    both.write(nextRequest);
    both.writeTo(out);
    answer();  // a refused reply (too large) is the server's to report
    return invocation();
  }

  void initError(byte[] body, String errorType) throws IOException {
    out.write(post("/init/error", body, errorType));
    answer();
  }

  private byte[] post(String path, byte[] body, String errorType) throws IOException {
    // A class may have any name.
    String plain = errorType == null ? "" : errorType.replaceAll("[^\\x20-\\x7e]", "?");
    String error = errorType == null ? "" : "Lambda-Runtime-Function-Error-Type: " + plain + "\r\n";
    String head = "POST " + API + path + " HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: application/json\r\n" + error +
        "Content-Length: " + body.length + "\r\n\r\n";
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    message.write(head.getBytes(StandardCharsets.ISO_8859_1));
    message.write(body);
    return message.toByteArray();
  }

  private Invocation invocation() throws IOException {
    Invocation invocation = answer();
    if (invocation.status != 200) throw new IOException("the runtime API answered " + invocation.status);
    return invocation;
  }

  private Invocation answer() throws IOException {
    Invocation answer = new Invocation();
    answer.status = Integer.parseInt(line().split(" ")[1]);
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      answer.fields.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
    }
    int size = Integer.parseInt(answer.fields.getOrDefault("content-length", "0"));
    answer.body = in.readNBytes(size);
    if (answer.body.length < size) Runtime.getRuntime().halt(0);
    return answer;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) Runtime.getRuntime().halt(0);  // the server is gone, and this process with it
      if (next != '\r') line.write(next);
    }
    return line.toString(StandardCharsets.UTF_8);
  }
}
