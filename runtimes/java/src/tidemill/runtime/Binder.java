package tidemill.runtime;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Parsed JSON as a value of the type that a handler asks for. Plain objects are made by their constructor without
 * parameters and filled by setters or public fields, whose names need not agree in case; what an object has no place for
 * is dropped.
 */
final class Binder {
  // Numbers below are seconds, as AWS's events have them; above, milliseconds. Seconds reach it in the year 5138.
  private static final double SECONDS_MAX = 1e11;

  static Object bind(Object json, Type type) throws ReflectiveOperationException {
    Class<?> raw = rawOf(type);
    if (raw == Object.class) return json;
    if (raw == Optional.class) return Optional.ofNullable(json == null ? null : bind(json, argument(type, 0)));
    if (json == null) return raw.isPrimitive() ? zero(raw) : null;
    if (json instanceof Map) return fromObject((Map<?, ?>) json, raw, type);
    if (json instanceof List) return fromArray((List<?>) json, raw, type);
    return fromScalar(json, raw);
  }

  private static Class<?> rawOf(Type type) {
    if (type instanceof Class) return (Class<?>) type;
    if (type instanceof ParameterizedType) return rawOf(((ParameterizedType) type).getRawType());
    if (type instanceof GenericArrayType) {
      return Array.newInstance(rawOf(((GenericArrayType) type).getGenericComponentType()), 0).getClass();
    }
    return Object.class;  // a variable or a wildcard
  }

  private static Type argument(Type type, int index) {
    if (!(type instanceof ParameterizedType)) return Object.class;
    Type[] arguments = ((ParameterizedType) type).getActualTypeArguments();
    return index < arguments.length ? arguments[index] : Object.class;
  }

  private static IllegalArgumentException mismatch(Object json, Class<?> type) {
    String what = json instanceof Map ? "an object" : json instanceof List ? "an array" : "'" + json + "'";
    return new IllegalArgumentException("Cannot make a value of type " + type.getName() + " of " + what);
  }

  private static Object zero(Class<?> primitive) {
    return Array.get(Array.newInstance(primitive, 1), 0);
  }

  private static Object fromScalar(Object json, Class<?> raw) throws ReflectiveOperationException {
    if (raw == String.class || raw == CharSequence.class) return json.toString();
    if (raw.isInstance(json)) return json;
    if (raw == boolean.class || raw == Boolean.class) {
      if (json instanceof Boolean) return json;
      if (json instanceof String) return Boolean.valueOf((String) json);
      throw mismatch(json, raw);
    }
    if (raw.isPrimitive() || Number.class.isAssignableFrom(raw) || raw == Character.class) return number(json, raw);
    if (raw == Date.class) return Date.from(instant(json));
    if (raw == Instant.class) return instant(json);
    if (raw == ByteBuffer.class && json instanceof String) return ByteBuffer.wrap(Base64.getDecoder().decode((String) json));
    if (raw == byte[].class && json instanceof String) return Base64.getDecoder().decode((String) json);
    return fromText(json, raw);
  }

  private static Instant instant(Object json) {
    if (!(json instanceof Number)) return Instant.parse(json.toString());
    double time = ((Number) json).doubleValue();
    return Instant.ofEpochMilli(Math.round(Math.abs(time) < SECONDS_MAX ? time * 1000 : time));
  }

  private static Object number(Object json, Class<?> raw) {
    if (raw == char.class || raw == Character.class) {
      if (json.toString().length() == 1) return json.toString().charAt(0);
      throw mismatch(json, raw);
    }
    BigDecimal number;
    try {
      number = new BigDecimal(json.toString());
    } catch (NumberFormatException error) {
      throw mismatch(json, raw);
    }
    if (raw == int.class || raw == Integer.class) return number.intValue();
    if (raw == long.class || raw == Long.class) return number.longValue();
    if (raw == double.class || raw == Double.class) return number.doubleValue();
    if (raw == float.class || raw == Float.class) return number.floatValue();
    if (raw == short.class || raw == Short.class) return number.shortValue();
    if (raw == byte.class || raw == Byte.class) return number.byteValue();
    if (raw == BigInteger.class) return number.toBigInteger();
    if (raw == BigDecimal.class || raw == Number.class) return number;
    throw mismatch(json, raw);
  }

  // Enumerations, and whatever can be made of one text: dates, identifiers.
  private static Object fromText(Object json, Class<?> raw) throws ReflectiveOperationException {
    String text = json.toString();
    try {
      for (String maker : new String[] {"valueOf", "parse", "fromString", "of", "create"}) {
        for (Class<?> parameter : new Class<?>[] {String.class, CharSequence.class}) {
          Method method = find(raw, maker, parameter);
          if (method != null) return method.invoke(null, text);
        }
      }
      return raw.getConstructor(String.class).newInstance(text);
    } catch (NoSuchMethodException | InvocationTargetException error) {
      throw mismatch(json, raw);
    }
  }

  private static Method find(Class<?> raw, String name, Class<?> parameter) {
    try {
      Method method = raw.getMethod(name, parameter);
      return Modifier.isStatic(method.getModifiers()) && raw.isAssignableFrom(method.getReturnType()) ? method : null;
    } catch (NoSuchMethodException error) {
      return null;
    }
  }

  private static Object fromArray(List<?> json, Class<?> raw, Type type) throws ReflectiveOperationException {
    if (raw.isArray()) {
      Type element = type instanceof GenericArrayType ? ((GenericArrayType) type).getGenericComponentType()
                                                      : raw.getComponentType();
      Object array = Array.newInstance(raw.getComponentType(), json.size());
      for (int i = 0; i < json.size(); ++i) Array.set(array, i, bind(json.get(i), element));
      return array;
    }
    if (!Iterable.class.isAssignableFrom(raw)) throw mismatch(json, raw);
    Collection<Object> collection = collection(raw);
    for (Object element : json) collection.add(bind(element, argument(type, 0)));
    return collection;
  }

  @SuppressWarnings("unchecked")
  private static Collection<Object> collection(Class<?> raw) throws ReflectiveOperationException {
    if (raw.isAssignableFrom(ArrayList.class)) return new ArrayList<>();
    if (Set.class.isAssignableFrom(raw) && raw.isAssignableFrom(LinkedHashSet.class)) return new LinkedHashSet<>();
    return (Collection<Object>) raw.getConstructor().newInstance();
  }

  @SuppressWarnings("unchecked")
  private static Object fromObject(Map<?, ?> json, Class<?> raw, Type type) throws ReflectiveOperationException {
    if (!Map.class.isAssignableFrom(raw)) return fromMembers(json, raw);
    Map<Object, Object> map = raw.isAssignableFrom(LinkedHashMap.class)
        ? new LinkedHashMap<>() : (Map<Object, Object>) raw.getConstructor().newInstance();
    for (Map.Entry<?, ?> entry : json.entrySet()) {
      map.put(bind(entry.getKey(), argument(type, 0)), bind(entry.getValue(), argument(type, 1)));
    }
    return map;
  }

  private static Object fromMembers(Map<?, ?> json, Class<?> raw) throws ReflectiveOperationException {
    boolean isPlain = !raw.isInterface() && !raw.isEnum() && !raw.isPrimitive() && !raw.getName().startsWith("java.");
    if (!isPlain) throw mismatch(json, raw);
    Constructor<?> constructor;
    try {
      constructor = raw.getDeclaredConstructor();
    } catch (NoSuchMethodException error) {
      throw new IllegalArgumentException(raw.getName() + " has no constructor without parameters");
    }
    constructor.setAccessible(true);
    Object bean = constructor.newInstance();
    Map<String, Method> setters = settersOf(raw);
    Map<String, Field> fields = fieldsOf(raw);
    for (Map.Entry<?, ?> entry : json.entrySet()) {
      String name = folded(entry.getKey().toString());
      if (setters.containsKey(name)) {
        Method setter = setters.get(name);
        setter.invoke(bean, bind(entry.getValue(), setter.getGenericParameterTypes()[0]));
      } else if (fields.containsKey(name)) {
        Field field = fields.get(name);
        field.set(bean, bind(entry.getValue(), field.getGenericType()));
      }
    }
    return bean;
  }

  private static String folded(String name) {
    return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
  }

  private static Map<String, Method> settersOf(Class<?> raw) {
    Map<String, Method> setters = new HashMap<>();
    for (Method method : raw.getMethods()) {
      boolean isSetter = method.getName().startsWith("set") && method.getName().length() > 3 &&
          method.getParameterCount() == 1 && !Modifier.isStatic(method.getModifiers()) && !method.isBridge();
      if (!isSetter) continue;
      method.setAccessible(true);
      setters.merge(folded(method.getName().substring(3)), method, Binder::preferred);
    }
    return setters;
  }

  // Of two setters of a name, the one that takes what the getter gives; or else either.
  private static Method preferred(Method one, Method other) {
    try {
      Class<?> wanted = one.getDeclaringClass().getMethod("g" + one.getName().substring(1)).getReturnType();
      return other.getParameterTypes()[0] == wanted ? other : one;
    } catch (NoSuchMethodException error) {
      return one;
    }
  }

  private static Map<String, Field> fieldsOf(Class<?> raw) {
    Map<String, Field> fields = new HashMap<>();
    for (Field field : raw.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) || Modifier.isFinal(field.getModifiers())) continue;
      field.setAccessible(true);
      fields.put(folded(field.getName()), field);
    }
    return fields;
  }
}
