"""The names of a C++ source: those that it keeps to itself, and those that it mentions.

This is no parser. It knows namespaces, braces and how a declaration begins, which is enough for sources in the style of
this repository; where it cannot know, it says one name too many rather than one too few. What it still misses is an
error of the compiler, never another program: see Source.clashes_with."""

import functools
import re

_TOKEN = re.compile(r"""
    (?P<skip>//[^\n]*|/\*.*?\*/|\\\n)
  | (?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")
  | (?P<text>"(?:[^"\\\n]|\\.)*"|(?<![0-9A-Za-z_])'(?:[^'\\\n]|\\.)+')
  | (?P<number>(?<![A-Za-z_0-9])\.?[0-9](?:'?[0-9A-Za-z_.])*)
  | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<mark2>::|->|\[\[|[^\s])
""", re.X | re.S | re.M)
_INCLUDE = re.compile(r'#[ \t]*include[ \t]+(?:"([^"]+)"|<([^>]+)>)')
_DEFINE = re.compile(r"#[ \t]*define[ \t]+(\w+)")
_TEST = re.compile(r"(TYPED_)?TEST(_F|_P)?$")
_MATCHER = re.compile(r"(ACTION|MATCHER)(_P\d?)?$")

# What an using directive may bring without a word about it: suffixes of numbers.
_HARMLESS = re.compile(r"std :: (chrono_)?literals$|std :: string(_view)?_literals$|std :: literals .*$")
_KEPT_BY = {"static", "const", "constexpr", "constinit", "inline", "thread_local"}
_BEFORE_PARENTHESES = {"decltype", "alignas", "noexcept", "requires", "explicit", "__attribute__"}


def tokens_of(text):
    """[(kind, text)] without comments; a literal is ("text", "")."""
    tokens = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "skip":
            continue
        if kind in ("text", "raw", "mark") or match["raw"]:
            tokens.append(("text", ""))
        else:
            tokens.append(("punctuation" if kind == "mark2" else kind, match.group()))
    return tokens


class Source:
    def __init__(self, text):
        self.includes = []     # of this project: "base/text.h"
        self.libraries = []    # of others: "boost/asio.hpp"
        self.kept = set()      # names that are declared for this file alone
        self.aliases = set()   # (namespace, what "using" says): the same twice is no clash
        self.namespaces = set()  # "a::b"
        self.directives = set()  # (namespace, "using namespace" whom)
        self.early_macros = False  # a macro stands before the last include: what is included depends on it
        self.mentioned = set()  # names that stand alone, not behind "::", "." or "->"
        self._alias_names = {}
        tokens = self._without_preprocessor(tokens_of(text))
        self._note_mentions(tokens)
        self._declarations(tokens, 0, [])

    def clashes_with(self, other, headers_between=frozenset(), headers_before=frozenset()):
        """Whether the two cannot be compiled as one: a name that one keeps is mentioned by the other (which would find
        the wrong one, or two), or by the headers that the other alone includes. `headers_between`: the mentions of those
        of `other`, `headers_before` of this one's."""
        return bool(self._trouble_for(other, headers_between) or other._trouble_for(self, headers_before))

    def _trouble_for(self, other, headers_between):
        kept = self.kept & other.mentioned or self.kept & headers_between
        if kept:
            return kept
        return {name for name, alias in self._alias_names.items()
                if name in other.mentioned and alias not in other.aliases}

    def _without_preprocessor(self, tokens):
        rest, defined = [], False
        for kind, text in tokens:
            if kind != "directive":
                rest.append((kind, text))
                continue
            define, include = _DEFINE.search(text), _INCLUDE.search(text)
            if define:
                self.kept.add(define[1])
                self.mentioned.add(define[1])
                defined = True
            elif include:
                (self.includes if include[1] else self.libraries).append(include[1] or include[2])
                self.early_macros = self.early_macros or defined
            else:
                self.mentioned.update(re.findall(r"[A-Za-z_]\w*", text))
        return rest

    def _note_mentions(self, tokens):
        before = ""
        for kind, text in tokens:
            if kind == "name" and before not in ("::", ".", "->"):
                self.mentioned.add(text)
            before = text

    # Declarations of one namespace, from tokens[at] to its closing brace. `path`: the names of the namespaces around;
    # "" is one without a name.
    def _declarations(self, tokens, at, path):
        while at < len(tokens):
            text = tokens[at][1]
            if text == "}":
                return at + 1
            if text == ";":
                at += 1
            elif text == "namespace" or (text == "inline" and tokens[at + 1][1] == "namespace"):
                at = self._namespace(tokens, at + (text == "inline") + 1, path)
            elif text == "using":
                at = self._using(tokens, at + 1, path)
            else:
                at = self._declaration(tokens, at, path)
        return at

    def _namespace(self, tokens, at, path):
        begin = at
        while tokens[at][1] not in ("{", "="):
            at += 1
        name = "".join(text for _, text in tokens[begin:at])
        if tokens[at][1] == "{":
            parts = [*path, *name.split("::")]
            self.namespaces.update("::".join(parts[:end]) for end in range(1, len(parts) + 1) if parts[end - 1])
            return self._declarations(tokens, at + 1, parts)
        end = _end_of_statement(tokens, at)
        self._alias(name, path, tokens[begin:end])
        return end + 1

    def _using(self, tokens, at, path):
        end = _end_of_statement(tokens, at)
        words = [text for _, text in tokens[at:end]]
        if words[0] == "namespace":
            whom = " ".join(words[1:])
            if not _HARMLESS.match(whom):
                self.directives.add(("::".join(path), whom))
        elif "=" in words:
            self._alias(words[0], path, tokens[at:end])
        else:
            for alias in " ".join(words).split(" , "):
                self._alias(alias.split()[-1], path, [("", alias)])
        return end + 1

    def _alias(self, name, path, tokens):
        # An alias in a namespace without a name is seen as one of the namespace around it.
        alias = ("::".join(part for part in path if part), " ".join(text for _, text in tokens))
        self.aliases.add(alias)
        self._alias_names[name] = alias
        self.mentioned.add(name)

    def _declaration(self, tokens, at, path):
        at = _skip_template(tokens, at)
        end = at
        names, depth, qualified, is_type, words = [], 0, False, False, set()
        last = None
        while end < len(tokens):
            kind, text = tokens[end]
            if text == "[[":
                while tokens[end][1] != "]" or tokens[end + 1][1] != "]":
                    end += 1
                end += 1
            elif text in _BEFORE_PARENTHESES and tokens[end + 1][1] == "(":
                end = _closing(tokens, end + 1)
            elif text == "operator" and depth == 0:
                begin = end
                end += 1
                while tokens[end][1] != "(" or tokens[end + 1][1] == ")" and tokens[end - 1][1] == "operator":
                    end += 1
                last = "".join(part for _, part in tokens[begin:end])
                continue
            elif text == "<":
                depth += 1
            elif text == ">":
                depth -= 1
            elif depth == 0 and text in ("class", "struct", "union", "enum", "concept"):
                is_type = True
                words.add(text)
            elif depth == 0 and kind == "name":
                words.add(text)
                if not (is_type and names):
                    last = text
                    qualified = tokens[end - 1][1] == "::" and end > at
                if is_type and not names and tokens[end + 1][1] in ("{", ":", ";", "final", "<", "="):
                    names.append(text)
            elif depth == 0 and text == "[" and tokens[end - 1][1] in ("auto", "&"):  # auto [a, b] =
                close = _closing(tokens, end)
                names.extend(part for kind_, part in tokens[end:close] if kind_ == "name")
                end = close
            elif depth == 0 and text in ("(", "=", "{", ";", "["):
                break
            elif depth == 0 and text == "," and last:
                names.append(last)
            end += 1
        stop = tokens[end][1] if end < len(tokens) else ";"
        if last and not qualified and not (is_type and stop != "("):
            names.append(last)
        if stop == "(" and end == at + 1:  # a macro
            names = _names_by_macro(tokens, at)
        if is_type and "enum" in words and not words & {"class", "struct"} and stop == "{":
            names.extend(_enumerators(tokens, end))
        if "" in path or is_type or words & _KEPT_BY:
            self.kept.update(names)
            self.mentioned.update(names)
        return _end_of_declaration(tokens, end)


def _skip_template(tokens, at):
    while at < len(tokens) and tokens[at][1] == "template":
        if tokens[at + 1][1] != "<":
            return at + 1
        depth, at = 0, at + 1
        while True:
            depth += {"<": 1, ">": -1}.get(tokens[at][1], 0)
            at += 1
            if depth == 0:
                break
        if tokens[at][1] == "requires":
            at += 1
            if tokens[at][1] == "(":
                at = _closing(tokens, at) + 1
    return at


_PAIRS = {"(": ")", "{": "}", "[": "]"}


def _closing(tokens, at):
    """Where the bracket at tokens[at] closes."""
    opening, closing, depth = tokens[at][1], _PAIRS[tokens[at][1]], 0
    while at < len(tokens):
        text = tokens[at][1]
        if text == "[[" and opening == "[":
            depth += 2
        depth += (text == opening) - (text == closing)
        if depth == 0:
            return at
        at += 1
    return at


def _end_of_statement(tokens, at):
    while at < len(tokens) and tokens[at][1] != ";":
        at = _closing(tokens, at) + 1 if tokens[at][1] in _PAIRS else at + 1
    return at


def _end_of_declaration(tokens, at):
    """Behind the declaration: a ";" outside of brackets, or the "}" of a function's body (and of its test)."""
    is_initializer = False
    while at < len(tokens):
        text = tokens[at][1]
        if text == ";":
            return at + 1
        if text == "}":  # of the namespace around: what ended here had no ";" (a macro)
            return at
        if text == "=":
            is_initializer = True
        if text in _PAIRS:
            at = _closing(tokens, at) + 1
            if text == "{" and not is_initializer and (at >= len(tokens) or tokens[at][1] != ";"):
                if at < len(tokens) and tokens[at][1] in (",", "{", ")"):  # a constructor's member, then more of them
                    continue
                return at
            continue
        at += 1
    return at


def _names_by_macro(tokens, at):
    """What GoogleTest's macros declare."""
    macro = tokens[at][1]
    names = [text for kind, text in tokens[at + 2:_closing(tokens, at + 1)] if kind == "name"]
    if _TEST.match(macro):
        return ["_".join(names[:2])]
    return names[:1] if _MATCHER.match(macro) or macro.startswith("INSTANTIATE_") else []


def _enumerators(tokens, at):
    close = _closing(tokens, at)
    return [text for (_, before), (kind, text) in zip(tokens[at:close], tokens[at + 1:close])
            if kind == "name" and before in ("{", ",")]


@functools.cache
def source_at(path):
    return Source(path.read_text(encoding="utf-8"))
