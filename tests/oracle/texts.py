"""Texts that fit a pattern of the models, which are Java's, whole."""
import re
from re import _constants as codes
from re import _parser

CLASSES = {r"\p{L}": "a-zA-Z", r"\p{Z}": " ", r"\p{N}": "0-9"}
REPEATS_MORE = 6
PRINTABLE = [chr(code) for code in range(33, 127)]


def translated(pattern):
    """As Python reads it; its classes of letters are the ASCII ones, as all texts here are."""
    for java, python in CLASSES.items():
        pattern = pattern.replace(java, python)
    return pattern


def fits(pattern, text):
    return re.fullmatch(translated(pattern), text) is not None


def of_pattern(chance, pattern, least=0, most=None):
    """A text that fits and has such a length, or None if none was found in a few attempts."""
    tree = _parser.parse(translated(pattern))
    for attempt in range(60):
        text = Sampler(chance, REPEATS_MORE + attempt).of(tree)
        if len(text) >= least and (most is None or len(text) <= most) and fits(pattern, text):
            return text
    return None


class Sampler:
    def __init__(self, chance, repeats_more):
        self.chance, self.repeats_more = chance, repeats_more

    def of(self, tree):
        return "".join(self.one(code, argument) for code, argument in tree)

    def one(self, code, argument):
        if code is codes.LITERAL:
            return chr(argument)
        if code is codes.IN:
            return self.of_set(argument)
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            least, most, tree = argument
            count = self.chance.randint(least, min(int(most), least + self.repeats_more))
            return "".join(self.of(tree) for _ in range(count))
        if code is codes.SUBPATTERN:
            return self.of(argument[3])
        if code is codes.BRANCH:
            return self.of(self.chance.choice(argument[1]))
        if code in (codes.ANY, codes.NOT_LITERAL):
            return self.chance.choice("abcxyz019")
        return ""  # places and looks ahead; what they refuse is tried again

    def of_set(self, items):
        allowed = [c for c in PRINTABLE + [" "] if self.in_set(c, items)]
        return self.chance.choice(allowed) if allowed else ""

    @staticmethod
    def in_set(character, items):
        negated = bool(items) and items[0][0] is codes.NEGATE
        found = False
        for code, argument in items:
            if code is codes.LITERAL:
                found |= ord(character) == argument
            elif code is codes.RANGE:
                found |= argument[0] <= ord(character) <= argument[1]
            elif code is codes.CATEGORY:
                word = {codes.CATEGORY_DIGIT: r"\d", codes.CATEGORY_WORD: r"\w", codes.CATEGORY_SPACE: r"\s",
                        codes.CATEGORY_NOT_DIGIT: r"\D", codes.CATEGORY_NOT_WORD: r"\W",
                        codes.CATEGORY_NOT_SPACE: r"\S"}[argument]
                found |= re.fullmatch(word, character, re.ASCII) is not None
        return found != negated
