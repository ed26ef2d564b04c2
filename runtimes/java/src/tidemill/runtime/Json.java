package tidemill.runtime;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON text into what a plain Object parameter gets: maps, lists, strings, Boolean, null, and of numbers Integer, Long or
 * BigInteger, or Double. Text that is none throws IllegalArgumentException.
 */
final class Json {
  private static final int DEPTH_MAX = 1000;

  private final String text;
  private int at = 0;
  private int depth = 0;

  private Json(String text) {
    this.text = text;
  }

  static Object parse(String text) {
    Json parser = new Json(text);
    Object value = parser.value();
    parser.skipSpace();
    if (parser.at != text.length()) throw parser.wrong();
    return value;
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("Unexpected text in JSON at character " + at);
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) ++at;
  }

  private char peek() {
    skipSpace();
    if (at == text.length()) throw wrong();
    return text.charAt(at);
  }

  private void expect(String word) {
    if (!text.startsWith(word, at)) throw wrong();
    at += word.length();
  }

  private boolean take(char wanted) {
    if (peek() != wanted) return false;
    ++at;
    return true;
  }

  private Object value() {
    switch (peek()) {
      case '{': return object();
      case '[': return array();
      case '"': return string();
      case 't': expect("true"); return Boolean.TRUE;
      case 'f': expect("false"); return Boolean.FALSE;
      case 'n': expect("null"); return null;
      default: return number();
    }
  }

  private void enter() {
    ++at;
    if (++depth > DEPTH_MAX) throw new IllegalArgumentException("JSON is nested more than " + DEPTH_MAX + " times");
  }

  private Map<String, Object> object() {
    Map<String, Object> members = new LinkedHashMap<>();
    enter();
    if (!take('}')) {
      do {
        if (peek() != '"') throw wrong();
        String name = string();
        if (!take(':')) throw wrong();
        members.put(name, value());
      } while (take(','));
      if (!take('}')) throw wrong();
    }
    --depth;
    return members;
  }

  private List<Object> array() {
    List<Object> elements = new ArrayList<>();
    enter();
    if (!take(']')) {
      do {
        elements.add(value());
      } while (take(','));
      if (!take(']')) throw wrong();
    }
    --depth;
    return elements;
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    for (++at; ; ) {
      if (at >= text.length()) throw wrong();
      char c = text.charAt(at++);
      if (c == '"') return out.toString();
      out.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() {
    if (at >= text.length()) throw wrong();
    char c = text.charAt(at++);
    switch (c) {
      case 'n': return '\n';
      case 't': return '\t';
      case 'r': return '\r';
      case 'b': return '\b';
      case 'f': return '\f';
      case 'u': {
        if (at + 4 > text.length()) throw wrong();
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
      }
      case '"': case '\\': case '/': return c;
      default: throw wrong();
    }
  }

  private Number number() {
    int begin = at;
    while (at < text.length() && "+-0123456789.eE".indexOf(text.charAt(at)) >= 0) ++at;
    String digits = text.substring(begin, at);
    try {
      if (digits.matches("-?[0-9]+")) return whole(digits);
      return new BigDecimal(digits).doubleValue();
    } catch (NumberFormatException error) {
      at = begin;
      throw wrong();
    }
  }

  private static Number whole(String digits) {
    BigInteger number = new BigInteger(digits);
    if (number.bitLength() < Integer.SIZE) return number.intValue();
    if (number.bitLength() < Long.SIZE) return number.longValue();
    return number;
  }
}
