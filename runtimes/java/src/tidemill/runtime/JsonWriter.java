package tidemill.runtime;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.Date;
import java.util.Map;
import java.util.Optional;

/** Values as JSON: maps, collections, arrays, and plain objects by their getters and public fields. */
final class JsonWriter {
  private static final int DEPTH_MAX = 1000;

  private final StringBuilder out = new StringBuilder();
  private int depth = 0;

  static String write(Object value) throws ReflectiveOperationException {
    JsonWriter writer = new JsonWriter();
    writer.value(value);
    return writer.out.toString();
  }

  private void value(Object value) throws ReflectiveOperationException {
    if (++depth > DEPTH_MAX) throw new IllegalArgumentException("the response refers to itself");
    if (value == null) out.append("null");
    else if (value instanceof Optional) value(((Optional<?>) value).orElse(null));
    else if (value instanceof Boolean) out.append(value);
    else if (value instanceof Number) number((Number) value);
    else if (value instanceof Date) out.append(((Date) value).getTime());
    else if (value instanceof ByteBuffer) bytes((ByteBuffer) value);
    else if (value instanceof byte[]) bytes(ByteBuffer.wrap((byte[]) value));
    else if (value instanceof Map) map((Map<?, ?>) value);
    else if (value instanceof Iterable) elements((Iterable<?>) value);
    else if (value.getClass().isArray()) array(value);
    else if (value instanceof Enum) string(((Enum<?>) value).name());
    else if (isText(value)) string(value.toString());
    else bean(value);
    --depth;
  }

  // What other libraries' values of one text are: dates, identifiers, characters.
  private static boolean isText(Object value) {
    String type = value.getClass().getName();
    return value instanceof CharSequence || type.startsWith("java.") || type.startsWith("org.joda.time.");
  }

  private void number(Number number) {
    double asDouble = number.doubleValue();
    if (Double.isNaN(asDouble) || Double.isInfinite(asDouble)) string(number.toString());
    else out.append(number);
  }

  private void bytes(ByteBuffer buffer) {
    byte[] copy = new byte[buffer.remaining()];
    buffer.duplicate().get(copy);
    string(Base64.getEncoder().encodeToString(copy));
  }

  private void map(Map<?, ?> map) throws ReflectiveOperationException {
    out.append('{');
    boolean first = true;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      first = separate(first);
      string(String.valueOf(entry.getKey()));
      out.append(':');
      value(entry.getValue());
    }
    out.append('}');
  }

  private void elements(Iterable<?> elements) throws ReflectiveOperationException {
    out.append('[');
    boolean first = true;
    for (Object element : elements) {
      first = separate(first);
      value(element);
    }
    out.append(']');
  }

  private void array(Object array) throws ReflectiveOperationException {
    out.append('[');
    for (int i = 0; i < Array.getLength(array); ++i) {
      separate(i == 0);
      value(Array.get(array, i));
    }
    out.append(']');
  }

  private boolean separate(boolean first) {
    if (!first) out.append(',');
    return false;
  }

  // Getters by name, so that the order is the same each time; then public fields.
  private void bean(Object bean) throws ReflectiveOperationException {
    out.append('{');
    boolean first = true;
    Method[] methods = bean.getClass().getMethods();
    Arrays.sort(methods, Comparator.comparing(Method::getName));
    for (Method method : methods) {
      String name = property(method);
      if (name == null) continue;
      first = separate(first);
      member(name, get(method, bean));
    }
    for (Field field : bean.getClass().getFields()) {
      if (Modifier.isStatic(field.getModifiers())) continue;
      first = separate(first);
      field.setAccessible(true);
      member(field.getName(), field.get(bean));
    }
    out.append('}');
  }

  private void member(String name, Object value) throws ReflectiveOperationException {
    string(name);
    out.append(':');
    value(value);
  }

  private static Object get(Method method, Object bean) throws ReflectiveOperationException {
    method.setAccessible(true);
    try {
      return method.invoke(bean);
    } catch (InvocationTargetException error) {
      throw new IllegalArgumentException(method.getName() + " failed: " + error.getCause(), error.getCause());
    }
  }

  // What a getter is the getter of; null: it is none.
  private static String property(Method method) {
    boolean isOwn = !Modifier.isStatic(method.getModifiers()) && method.getDeclaringClass() != Object.class &&
        method.getParameterCount() == 0 && method.getReturnType() != void.class && !method.isBridge();
    String name = method.getName();
    if (!isOwn) return null;
    if (name.startsWith("get") && name.length() > 3) return decapitalized(name.substring(3));
    boolean isFlag = method.getReturnType() == boolean.class || method.getReturnType() == Boolean.class;
    return isFlag && name.startsWith("is") && name.length() > 2 ? decapitalized(name.substring(2)) : null;
  }

  private static String decapitalized(String name) {
    return Character.toLowerCase(name.charAt(0)) + name.substring(1);
  }

  private void string(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); ++i) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c == '\n') out.append("\\n");
      else if (c < ' ' || Character.isSurrogate(c) && !isPaired(text, i)) out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    out.append('"');
  }

  private static boolean isPaired(String text, int at) {
    if (Character.isHighSurrogate(text.charAt(at))) {
      return at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1));
    }
    return at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
  }
}
