package tidemill.runtime;

import com.amazonaws.services.lambda.runtime.Context;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/**
 * The method that "package.Class::method" or "package.Class" (its handleRequest) names: one of streams, or one that takes an
 * input, a Context, both or nothing.
 */
final class Handler {
  private final Method method;
  private final Object target;  // null: it is static
  private final Class<?> type;

  private Handler(Class<?> type, Method method, Object target) {
    this.type = type;
    this.method = method;
    this.target = target;
  }

  /** Throws what the class's own code throws, and ClassNotFoundException and its like with AWS's words. */
  static Handler load(String name) throws Throwable {
    int colons = name.indexOf("::");
    String className = colons < 0 ? name : name.substring(0, colons);
    String methodName = colons < 0 ? "handleRequest" : name.substring(colons + 2);
    Class<?> type;
    try {
      type = Class.forName(className);
    } catch (ClassNotFoundException error) {
      throw new ClassNotFoundException("Class not found: " + className, error);
    }
    Method method = Arrays.stream(type.getMethods())
        .filter(each -> each.getName().equals(methodName) && !each.isBridge() && shape(each) >= 0)
        .max(Comparator.comparingInt(Handler::shape))
        .orElseThrow(() -> new NoSuchMethodException("No public method named " + methodName +
                                                     " with appropriate method signature found on class " + className));
    method.setAccessible(true);
    return new Handler(type, method, Modifier.isStatic(method.getModifiers()) ? null : make(type));
  }

  private static Object make(Class<?> type) throws Throwable {
    try {
      return type.getConstructor().newInstance();
    } catch (NoSuchMethodException error) {
      throw new NoSuchMethodException("Class " + type.getName() + " has no public zero-argument constructor");
    } catch (InvocationTargetException error) {
      throw error.getCause();
    }
  }

  // Of several methods of the name the one with a Context and with most parameters is meant. -1: it is no handler.
  private static int shape(Method method) {
    Class<?>[] parameters = method.getParameterTypes();
    int count = parameters.length;
    boolean withContext = count > 0 && parameters[count - 1] == Context.class;
    boolean ofStreams = isOfStreams(method);
    if (count - (withContext ? 1 : 0) > (ofStreams ? 2 : 1)) return -1;
    return count * 2 + (withContext ? 1 : 0);
  }

  private static boolean isOfStreams(Method method) {
    Class<?>[] parameters = method.getParameterTypes();
    return parameters.length >= 2 && parameters[0] == InputStream.class && parameters[1] == OutputStream.class;
  }

  /** The answer as it goes to the caller. Throws what the handler throws. */
  byte[] call(byte[] payload, Context context) throws Throwable {
    if (!isOfStreams(method)) {
      Object result = invoke(arguments(payload, context));
      return JsonWriter.write(result).getBytes(StandardCharsets.UTF_8);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    InputStream in = new ByteArrayInputStream(payload);
    if (method.getParameterCount() == 3) invoke(in, out, context);
    else invoke(in, out);
    return out.toByteArray();
  }

  private Object[] arguments(byte[] payload, Context context) throws ReflectiveOperationException {
    Class<?>[] parameters = method.getParameterTypes();
    Type[] types = method.getGenericParameterTypes();
    Object[] arguments = new Object[parameters.length];
    for (int i = 0; i < parameters.length; ++i) {
      arguments[i] = parameters[i] == Context.class ? context : input(payload, types[i]);
    }
    return arguments;
  }

  private Object input(byte[] payload, Type wanted) throws ReflectiveOperationException {
    if (wanted == InputStream.class) return new ByteArrayInputStream(payload);
    String text = new String(payload, StandardCharsets.UTF_8);
    try {
      return Binder.bind(Json.parse(text.isEmpty() ? "{}" : text), resolved(wanted));
    } catch (IllegalArgumentException error) {
      throw new IllegalArgumentException("An error occurred during JSON parsing: " + error.getMessage(), error);
    }
  }

  // Of a method that a generic class inherits: what the class says its variable is.
  private Type resolved(Type wanted) {
    Type parent = type.getGenericSuperclass();
    if (!(wanted instanceof TypeVariable) || !(parent instanceof ParameterizedType)) return wanted;
    TypeVariable<?>[] variables = ((Class<?>) ((ParameterizedType) parent).getRawType()).getTypeParameters();
    int index = Arrays.asList(variables).indexOf(wanted);
    return index < 0 ? wanted : ((ParameterizedType) parent).getActualTypeArguments()[index];
  }

  private Object invoke(Object... arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException error) {
      throw error.getCause();
    }
  }
}
